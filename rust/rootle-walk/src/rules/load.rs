//! Reads ignore files through descriptors.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rootle_base::{Error, FileKind, Metadata, Root};
use rustix::fs::{AtFlags, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use crate::Summary;
use crate::bytes::as_path;
use crate::order::join;
use crate::rules::chain::{Chain, DOT_IGNORE, GIT_EXCLUDE, GIT_IGNORE, KINDS, ROOTLE_IGNORE, Strip};
use crate::rules::file::RuleFile;

/// The names under which a directory's own ignore files go.
const NAMES: [(usize, &[u8]); 3] =
    [(ROOTLE_IGNORE, b".rootleignore"), (DOT_IGNORE, b".ignore"), (GIT_IGNORE, b".gitignore")];
const DOT_GIT: &[u8] = b".git";
const EXCLUDE: &[u8] = b".git/info/exclude";

/// Which of the names that matter a directory has, and of what kind they are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen([Option<FileKind>; KINDS]);

impl Seen {
    /// Takes note of a name of the listing.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], kind: FileKind) {
        if name.first() == Some(&b'.') {
            if let Some((at, _)) = NAMES.iter().find(|(_, known)| *known == name) {
                self.0[*at] = Some(kind);
            } else if name == DOT_GIT {
                self.0[GIT_EXCLUDE] = Some(kind);
            }
        }
    }

    /// Asks the system for each name, where there is no listing.
    fn probe(dir: BorrowedFd<'_>) -> Self {
        let mut seen = Self::default();
        for name in NAMES.iter().map(|(_, name)| *name).chain([DOT_GIT]) {
            if let Ok(stat) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                seen.note(name, Metadata::from(&stat).kind);
            }
        }
        seen
    }

    fn any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }
}

/// Reads the ignore files of directories below one root.
#[derive(Clone, Debug)]
pub(crate) struct Loader {
    pub(crate) root: Root,
    pub(crate) max_bytes: u64,
}

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

impl Loader {
    /// The rules that count in the directory `path`, whose listing is known.
    pub(crate) fn enter(
        &self,
        dir: BorrowedFd<'_>,
        path: &[u8],
        seen: Seen,
        above: Option<&Arc<Chain>>,
        summary: &mut Summary,
    ) -> Option<Arc<Chain>> {
        if !seen.any() {
            return above.cloned();
        }
        let strip = if path.is_empty() { 0 } else { path.len() + 1 };
        Chain::new(self.files(dir, path, seen, summary), Strip::Bytes(strip), above.cloned())
    }

    /// The rules of the directories between the root and `start`, whose path without links is `real`.
    pub(crate) fn above(&self, start: &[u8], real: &[u8], summary: &mut Summary) -> Option<Arc<Chain>> {
        let mut chain = None;
        if real.is_empty() {
            // A link to the root itself.
            return chain;
        }
        let slashes = real.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in std::iter::once(0).chain(slashes) {
            let path = &real[..end];
            let Ok(dir) = self.root.open_dir(as_path(path)) else { continue };
            let seen = Seen::probe(dir.as_fd());
            let skip = if end == 0 { 0 } else { end + 1 };
            let strip =
                if start == real { Strip::Bytes(skip) } else { Strip::Replace(start.len(), real[skip..].to_vec()) };
            chain = Chain::new(self.files(dir.as_fd(), path, seen, summary), strip, chain);
        }
        chain
    }

    fn files(&self, dir: BorrowedFd<'_>, path: &[u8], seen: Seen, summary: &mut Summary) -> [Option<RuleFile>; KINDS] {
        let mut files = [const { None }; KINDS];
        for (at, name) in NAMES {
            if let Some(kind) = seen.0[at] {
                files[at] = self.file(dir, name, &join(path, name), kind, summary);
            }
        }
        files[GIT_EXCLUDE] = match seen.0[GIT_EXCLUDE] {
            Some(FileKind::Dir) => self.exclude(dir, path, summary),
            Some(FileKind::Symlink) => self.file(dir, DOT_GIT, &join(path, EXCLUDE), FileKind::Symlink, summary),
            // A `.git` that is a file (of a work tree or a submodule) names a directory elsewhere.
            _ => None,
        };
        files
    }

    fn exclude(&self, dir: BorrowedFd<'_>, path: &[u8], summary: &mut Summary) -> Option<RuleFile> {
        let git = openat(dir, DOT_GIT, DIR, Mode::empty()).ok()?;
        let info = openat(&git, "info", DIR, Mode::empty()).ok()?;
        let kind = Metadata::from(&statat(&info, "exclude", AtFlags::SYMLINK_NOFOLLOW).ok()?).kind;
        self.file(info.as_fd(), b"exclude", &join(path, EXCLUDE), kind, summary)
    }

    fn file(
        &self,
        dir: BorrowedFd<'_>,
        name: &[u8],
        path: &[u8],
        kind: FileKind,
        summary: &mut Summary,
    ) -> Option<RuleFile> {
        let content = match kind {
            FileKind::Dir => return None,
            FileKind::File | FileKind::Unknown => {
                openat(dir, name, READ, Mode::empty()).map_err(Refused::from).and_then(|fd| self.read(fd))
            }
            FileKind::Symlink => self.linked(path),
            other => Err(Refused::Because(format!("it is a {}", other.as_str()))),
        };
        match content {
            Ok(content) => {
                let file = RuleFile::parse(&content);
                if file.is_cut() {
                    summary.warn(path, "ignore_file_truncated", "it has too many rules; only the first are used");
                }
                (!file.is_empty()).then_some(file)
            }
            Err(Refused::Gone) => None,
            Err(Refused::Because(reason)) => {
                summary.warn(path, "ignore_file_skipped", reason);
                None
            }
        }
    }

    fn linked(&self, path: &[u8]) -> Result<Vec<u8>, Refused> {
        match self.root.open_file_if_exists(as_path(path)) {
            Ok(Some(open)) => self.read(open.file.into()),
            Ok(None) => Err(Refused::Gone),
            Err(Error::IsADirectory { .. }) => Err(Refused::Gone),
            Err(Error::PathEscapesRoot { .. }) => Err(Refused::Because("the link leads outside the root".to_owned())),
            Err(error) => Err(Refused::Because(error.to_string())),
        }
    }

    fn read(&self, fd: OwnedFd) -> Result<Vec<u8>, Refused> {
        let meta = Metadata::of(&fd)?;
        if meta.kind == FileKind::Dir {
            return Err(Refused::Gone);
        }
        if meta.kind != FileKind::File {
            return Err(Refused::Because(format!("it is a {}", meta.kind.as_str())));
        }
        let too_large = || Err(Refused::Because(format!("it is larger than {} bytes", self.max_bytes)));
        if meta.size > self.max_bytes {
            return too_large();
        }
        let mut content = Vec::with_capacity(usize::try_from(meta.size).unwrap_or(0) + 1);
        // It may grow while it is read.
        File::from(fd).take(self.max_bytes + 1).read_to_end(&mut content)?;
        if content.len() as u64 > self.max_bytes { too_large() } else { Ok(content) }
    }
}

/// Why an ignore file is not used.
#[derive(Debug)]
enum Refused {
    /// It is not there, or a directory: nothing to tell.
    Gone,
    Because(String),
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Gone,
            // Listed as something else a moment ago.
            Errno::LOOP => Self::Because("it became a link".to_owned()),
            errno => Self::from(std::io::Error::from(errno)),
        }
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        Self::Because(error.to_string())
    }
}
