//! What every step of a writing needs: the root, the options, the limits, and one way from failures to errors.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use rustix::io::Errno;

use super::journal::Journals;
use crate::beneath::Fault;
use crate::failure::Miss;
use crate::relative::shown;
use crate::write::WriteOptions;
use crate::{Context, Error, Root};

/// Why a step failed: the system's error, from which some steps go on another way, or an error for the caller.
#[derive(Debug)]
pub(crate) enum Trouble {
    Os(Errno),
    Error(Error),
}

impl From<Errno> for Trouble {
    fn from(errno: Errno) -> Self {
        Self::Os(errno)
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Os(Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

pub(crate) struct Call<'a> {
    pub(crate) root: &'a Root,
    pub(crate) options: &'a WriteOptions,
    pub(crate) ctx: &'a Context,
    pub(crate) journals: Journals,
    polled: Cell<Instant>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(root: &'a Root, options: &'a WriteOptions, ctx: &'a Context) -> Self {
        let journals = Journals::new(options.journal_dir.as_deref());
        Self { root, options, ctx, journals, polled: Cell::new(Instant::now()) }
    }

    /// An error if the call must end now.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut last = self.polled.get();
        let stop = self.ctx.poll_interrupt(&mut last);
        self.polled.set(last);
        match stop {
            None => Ok(()),
            Some(stop) => Err(self.ctx.error(stop)),
        }
    }

    /// As [`Call::check`], for the last time: the next system call changes what others see.
    pub(crate) fn begin_commit(&self) -> Result<(), Error> {
        self.check()?;
        self.ctx.begin_commit()
    }

    /// What was begun is done, or was not and has left nothing.
    pub(crate) fn end_commit(&self, done: bool) {
        if done {
            self.ctx.end_commit();
        } else {
            self.ctx.give_up_commit();
        }
    }

    /// The error that the caller sees.
    pub(crate) fn explain(&self, given: &Path, trouble: impl Into<Trouble>) -> Error {
        match trouble.into() {
            Trouble::Error(error) => error,
            Trouble::Os(Errno::ROFS) => Error::PermissionDenied { path: shown(given), operation: "write" },
            Trouble::Os(errno) => self.root.explain(Miss::Fault("write", Fault::Os(errno)), given),
        }
    }

    /// Refuses content that is larger than allowed.
    pub(crate) fn check_size(&self, given: &Path, size: u64) -> Result<(), Error> {
        let limit = self.options.max_bytes;
        if size > limit { Err(Error::FileTooLarge { path: shown(given), size, limit }) } else { Ok(()) }
    }
}

/// Whether the directory, not the file, is what refuses: only then a file may be overwritten in place. A full disk, a
/// quota, a size limit and a failing device are not among them: what cannot hold a copy may not hold the original.
pub(crate) fn is_refusal(errno: Errno) -> bool {
    matches!(errno, Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::BUSY | Errno::XDEV)
}

/// Whether the file system has no such operation.
pub(crate) fn is_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}
