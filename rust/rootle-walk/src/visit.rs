//! What a walk hands to its visitors.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rootle_base::{Error, FileKind, Metadata, Result, Root};
use rustix::fs::{AtFlags, Mode, OFlags, openat, statat};
#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::fs::{StatxFlags, statx};
use rustix::io::Errno;

use crate::bytes::{as_path, shown};

/// Takes what a walk finds. Each thread has a visitor of its own, and hands over what it found to
/// another; [`crate::walk`] gives these back at the end.
///
/// One visitor gets its entries in bursts that are each in path order; only the blocks tell how the bursts of all
/// visitors fit together.
pub trait Visit: Send {
    /// A file that passed every rule.
    fn file(&mut self, file: &FileEntry<'_>);

    /// Moves what was found so far to the end of `to`, which holds what was handed over before. Called when the thread
    /// has no more work; where a file system may stop answering, before each file.
    fn hand_over(&mut self, to: &mut Self);

    /// A directory that passed. Whether it is entered, and whether anything in it is wanted, is not said.
    fn dir(&mut self, _dir: &FileEntry<'_>) {}

    /// Nothing at or after `path` (in path order) is needed any more. Asked before each piece of work and each file,
    /// so it should be cheap; work it covers is dropped.
    fn done_from(&self, _path: &[u8]) -> bool {
        false
    }

    /// What comes next belongs to block `id`, the content of one directory or a part of it. Block 0 holds the starts.
    fn block(&mut self, _id: u32) {}

    /// At this place of the current block, in path order, stands block `id`, which some visitor may get. If none does, or
    /// not before the walk ends, something is missing here.
    fn child(&mut self, _id: u32) {}
}

/// A file or directory on the way. Nothing was asked of the system about it but its name and kind.
#[derive(Clone, Copy, Debug)]
pub struct FileEntry<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) name_at: usize,
    pub(crate) kind: FileKind,
    pub(crate) start: bool,
    pub(crate) place: Place<'a>,
}

/// How to get at an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// By its name, in the open directory that holds it.
    In(BorrowedFd<'a>),
    /// By its path: a start, or a link that is followed.
    Beneath(&'a Root),
}

/// Not a system call more than needed: the kind is known, and a swap for a FIFO must not block.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

impl<'a> FileEntry<'a> {
    /// The path relative to the root, with `/` between names.
    #[must_use]
    pub fn path(&self) -> &'a [u8] {
        self.path
    }

    /// The last name of the path.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        &self.path[self.name_at..]
    }

    /// What it is, links followed where the walk follows them.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Whether the caller named it as a start.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.start
    }

    /// Opens a file for reading: one system call.
    pub fn open(&self) -> Result<OwnedFd> {
        match self.place {
            Place::In(dir) => openat(dir, self.name(), READ, Mode::empty()).map_err(|errno| self.error("open", errno)),
            Place::Beneath(root) => Ok(root.open_file(self.as_path())?.file.into()),
        }
    }

    /// Asks the system about it: one system call.
    pub fn stat(&self) -> Result<Metadata> {
        match self.place {
            Place::In(dir) => stat_entry(dir, self.name(), self.kind).map_err(|errno| self.error("stat", errno)),
            Place::Beneath(root) => root.stat(self.as_path()),
        }
    }

    fn as_path(&self) -> &'a Path {
        as_path(self.path)
    }

    fn error(&self, operation: &'static str, errno: Errno) -> Error {
        entry_error(self.path, operation, errno)
    }
}

/// Asks the system about an entry of an open directory, a link itself if it is one. Nobody else is asked about a
/// directory that is known here: a network file system may be mounted on it.
pub(crate) fn stat_entry(dir: BorrowedFd<'_>, name: &[u8], kind: FileKind) -> Result<Metadata, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if kind == FileKind::Dir {
        match statx(dir, name, flags | AtFlags::STATX_DONT_SYNC, StatxFlags::BASIC_STATS) {
            Err(Errno::NOSYS) => {}
            answer => return answer.map(|stat| Metadata::from(&stat)),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = kind;
    Ok(Metadata::from(&statat(dir, name, flags)?))
}

/// The error for one entry of an open directory.
pub(crate) fn entry_error(path: &[u8], operation: &'static str, errno: Errno) -> Error {
    let path = shown(path);
    match errno {
        Errno::NOENT => Error::PathNotFound { path, suggestions: Vec::new() },
        Errno::ACCESS | Errno::PERM => Error::PermissionDenied { path, operation },
        Errno::NOTDIR => Error::NotADirectory { path },
        // It was no link when it was listed.
        Errno::LOOP => Error::NotARegularFile { path, kind: "symlink" },
        Errno::NXIO | Errno::NODEV => Error::NotARegularFile { path, kind: "unknown" },
        errno => Error::Io { path, operation, source: errno.into() },
    }
}
