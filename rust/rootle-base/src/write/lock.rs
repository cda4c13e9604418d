//! The target opened and locked: a lock on the file's own descriptor excludes everyone who writes through here, by
//! device and inode, in any thread or process.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Access, AtFlags, FlockOperation, Mode, OFlags, accessat, flock, openat};
use rustix::io::{Errno, retry_on_intr};

use super::call::{Call, Trouble, is_unsupported};
use super::place::Place;
use crate::beneath::PATH_ONLY;
use crate::relative::shown;
use crate::{Error, FileKind, Metadata};

/// First and longest pause between two tries for a lock.
const PAUSE: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// A regular file, open and, where the file system has locks, locked. Dropping unlocks it: a copy of the descriptor in
/// a forked child would otherwise keep the lock.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) file: File,
    pub(crate) meta: Metadata,
    /// Whether the descriptor can write.
    pub(crate) writable: bool,
    pub(crate) locked: bool,
}

impl Target {
    /// Opens what stands at the place; `None` if nothing or a link stands there now.
    pub(crate) fn open(call: &Call<'_>, place: &Place, given: &Path) -> Result<Option<Self>, Trouble> {
        if !place.missing.is_empty() {
            return Ok(None);
        }
        // Looked at first, so that nothing but a regular file is opened, and again once it is open.
        let flags = PATH_ONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Some(seen) = vanished(retry_on_intr(|| openat(&*place.dir, &place.name, flags, Mode::empty())))? else {
            return Ok(None);
        };
        if regular(call, given, &seen)?.is_none() {
            return Ok(None);
        }
        let open = |access| {
            let flags = access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            retry_on_intr(|| openat(&*place.dir, &place.name, flags, Mode::empty()))
        };
        // Opening for writing asks the system whether the file may be written, by all of its rules.
        let (fd, writable) = match open(OFlags::RDWR) {
            // A running program: it cannot be overwritten, but replaced.
            Err(Errno::TXTBSY) => {
                accessat(&*place.dir, &place.name, Access::WRITE_OK, AtFlags::EACCESS)?;
                (open(OFlags::RDONLY), false)
            }
            other => (other, true),
        };
        let Some(fd) = vanished(fd)? else { return Ok(None) };
        let Some(meta) = regular(call, given, &fd)? else { return Ok(None) };
        Ok(Some(Self { file: File::from(fd), meta, writable, locked: false }))
    }

    /// Waits for the lock; true if the place still names this file after that.
    pub(crate) fn lock(&mut self, call: &Call<'_>, place: &Place) -> Result<bool, Trouble> {
        let mut pause = PAUSE.0;
        loop {
            match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    self.locked = true;
                    break;
                }
                Err(Errno::WOULDBLOCK) => {
                    call.check()?;
                    std::thread::sleep(pause.min(call.ctx.remaining().unwrap_or(pause)));
                    pause = (pause * 2).min(PAUSE.1);
                }
                Err(Errno::INTR) => call.check()?,
                Err(errno) if is_unsupported(errno) || matches!(errno, Errno::NOLCK | Errno::BADF) => break,
                Err(errno) => return Err(errno.into()),
            }
        }
        self.meta = Metadata::of(&self.file)?;
        Ok(place.stat()?.is_some_and(|now| self.is(&now)))
    }

    /// Whether this is the file that `meta` tells of.
    pub(crate) fn is(&self, meta: &Metadata) -> bool {
        (self.meta.dev, self.meta.ino) == (meta.dev, meta.ino)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.locked {
            unlock(&self.file);
        }
    }
}

pub(crate) fn unlock(fd: impl AsFd) {
    let _ = retry_on_intr(|| flock(fd.as_fd(), FlockOperation::Unlock));
}

/// `None` for a name that is gone or has become a link since it was resolved.
fn vanished(opened: Result<OwnedFd, Errno>) -> Result<Option<OwnedFd>, Errno> {
    match opened {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::NOENT | Errno::LOOP | Errno::MLINK) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Refuses what is not a regular file with content of its own; `None` for a link.
fn regular(call: &Call<'_>, given: &Path, fd: &OwnedFd) -> Result<Option<Metadata>, Trouble> {
    let meta = Metadata::of(fd)?;
    let path = shown(given);
    let kind = match meta.kind {
        FileKind::File if call.root.is_foreign(fd, meta.dev) => "kernel file",
        FileKind::File => return Ok(Some(meta)),
        FileKind::Symlink => return Ok(None),
        FileKind::Dir => return Err(Error::IsADirectory { path }.into()),
        kind => kind.as_str(),
    };
    Err(Error::NotARegularFile { path, kind }.into())
}
