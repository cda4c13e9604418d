//! From the system's errors to those a caller sees.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::beneath::Fault;
use crate::relative::{escape, invalid, shown};
use crate::{Error, FileKind, Metadata, Result, Root};

/// A failure on the way to an [`Error`]; working out suggestions is left to [`Root::explain`].
#[derive(Debug)]
pub(crate) enum Miss {
    Error(Error),
    /// What was tried, and what came of it.
    Fault(&'static str, Fault),
}

impl Miss {
    pub(crate) fn io(operation: &'static str, error: &io::Error) -> Self {
        Self::Fault(operation, os(error))
    }
}

pub(crate) fn os(error: &io::Error) -> Fault {
    Fault::from(Errno::from_io_error(error).unwrap_or(Errno::IO))
}

/// Why a directory cannot be opened as a root.
pub(crate) fn open_error(path: &Path, source: io::Error) -> Error {
    let given = shown(path);
    match Errno::from_io_error(&source) {
        Some(Errno::NOENT) => Error::PathNotFound { path: given, suggestions: Vec::new() },
        Some(Errno::NOTDIR) => Error::NotADirectory { path: given },
        Some(Errno::LOOP) => Error::SymlinkLoop { path: given },
        Some(Errno::ACCESS | Errno::PERM) => Error::PermissionDenied { path: given, operation: "open" },
        Some(Errno::NAMETOOLONG) => invalid(path, "it is too long for the file system"),
        _ => Error::Io { path: given, operation: "open", source },
    }
}

impl Root {
    /// The error that a caller sees.
    pub(crate) fn explain(&self, miss: Miss, given: &Path) -> Error {
        match self.explain_plainly(miss, given) {
            Error::PathNotFound { path, .. } => Error::PathNotFound { path, suggestions: self.suggest(given) },
            error => error,
        }
    }

    /// The same without the search for paths that may have been meant.
    pub(crate) fn explain_plainly(&self, miss: Miss, given: &Path) -> Error {
        let (operation, fault) = match miss {
            Miss::Error(error) => return error,
            Miss::Fault(operation, fault) => (operation, fault),
        };
        let path = shown(given);
        match fault {
            Fault::Escape => escape(given),
            Fault::Loop => Error::SymlinkLoop { path },
            Fault::Os(Errno::NOENT | Errno::STALE) if self.gone() => Error::RootGone { path: shown(self.path()) },
            Fault::Os(Errno::NOENT) => Error::PathNotFound { path, suggestions: Vec::new() },
            Fault::Os(Errno::NOTDIR) => Error::NotADirectory { path },
            Fault::Os(Errno::ISDIR) => Error::IsADirectory { path },
            Fault::Os(Errno::ACCESS | Errno::PERM) => Error::PermissionDenied { path, operation },
            Fault::Os(Errno::NAMETOOLONG) => invalid(given, "it is too long for the file system"),
            // What a socket and a device without a driver answer to being opened.
            Fault::Os(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP) => {
                let rel = self.relative(given).ok();
                let kind = rel.and_then(|rel| self.stat_at(&rel).ok()).map_or(FileKind::Unknown, |meta| meta.kind);
                Error::NotARegularFile { path, kind: kind.as_str() }
            }
            Fault::Os(errno) => Error::Io { path, operation, source: errno.into() },
        }
    }

    /// `None` instead of the error for what does not exist.
    pub(crate) fn absent<T>(&self, result: Result<T, Miss>, path: &Path) -> Result<Option<T>> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(Miss::Fault(_, Fault::Os(Errno::NOENT | Errno::NOTDIR))) if !self.gone() => Ok(None),
            Err(miss) => Err(self.explain(miss, path)),
        }
    }

    /// Whether the root's directory was removed.
    fn gone(&self) -> bool {
        match Metadata::of(self.fd()) {
            Ok(meta) => meta.nlink == 0,
            Err(error) => os(&error) == Fault::Os(Errno::STALE),
        }
    }
}
