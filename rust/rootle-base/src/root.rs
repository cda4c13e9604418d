//! The directory that everything happens beneath.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags, open, readlinkat, statat};
use rustix::io::Errno;

use crate::beneath::{Anchor, Fault, PATH_ONLY, Resolver};
use crate::failure::{Miss, open_error, os};
use crate::relative::{invalid, relative, shown};
use crate::suggest::{Budget, suggest};
use crate::{Error, FileKind, Metadata, Result, components, is_kernel_fs};

/// A directory opened once. Paths are resolved beneath its descriptor: `..` and symbolic links work as the kernel has
/// them as long as they stay inside, absolute links included; everything else is [`Error::PathEscapesRoot`], which
/// discloses nothing about the target.
///
/// Every method takes a path relative to the root, or an absolute one inside it. Errors carry the path as it was given.
/// Clones share the descriptor.
#[derive(Clone, Debug)]
pub struct Root {
    anchor: Arc<Anchor>,
    device: u64,
    on_kernel_fs: bool,
}

/// A regular file opened for reading.
#[derive(Debug)]
pub struct OpenFile {
    /// The file, at its start.
    pub file: File,
    /// What the system said about it when it was opened.
    pub meta: Metadata,
}

impl Root {
    /// Opens a directory as a root.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Resolver::Auto)
    }

    /// Opens a directory as a root with a chosen resolver.
    pub fn open_with(path: &Path, resolver: Resolver) -> Result<Self> {
        let bytes = path.as_os_str().as_bytes();
        if bytes.is_empty() {
            return Err(invalid(path, "it is empty"));
        }
        if bytes.contains(&0) {
            return Err(invalid(path, "it contains a NUL byte"));
        }
        let canonical = path.canonicalize().map_err(|source| open_error(path, source))?;
        let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = open(&canonical, flags, Mode::empty()).map_err(|errno| open_error(path, errno.into()))?;
        let meta = Metadata::of(&fd).map_err(|source| open_error(path, source))?;
        let on_kernel_fs = is_kernel_fs(&fd);

        let mut names = vec![canonical];
        if let Ok(given) = std::path::absolute(path)
            && given != names[0]
        {
            names.push(given);
        }
        Ok(Self { anchor: Arc::new(Anchor { fd, names, resolver }), device: meta.dev, on_kernel_fs })
    }

    /// The same directory as a root that stands for the one at `path`, on another machine, of which it holds a part.
    /// Results name that path, and absolute paths and links are meant there.
    ///
    /// # Errors
    /// [`Error::Io`] when there are no descriptors left.
    pub fn standing_for(&self, path: &Path) -> Result<Self> {
        let Anchor { fd, resolver, .. } = &*self.anchor;
        let fd = fd.try_clone().map_err(|source| Error::Io { path: shown(self.path()), operation: "open", source })?;
        let anchor = Anchor { fd, names: vec![path.to_owned()], resolver: *resolver };
        Ok(Self { anchor: Arc::new(anchor), device: self.device, on_kernel_fs: self.on_kernel_fs })
    }

    /// The root's canonical absolute path, as it was when the root was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.anchor.names[0]
    }

    /// The root's descriptor. It serves for opening what lies beneath; to list the root, open `.`.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.anchor.fd.as_fd()
    }

    /// The device number of the file system that holds the root.
    #[must_use]
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Makes a path relative to the root by its text alone, without asking the system. Dots and doubled slashes go, a
    /// closing slash stays (it says "directory"), and so does `..` after a name, whose meaning depends on links.
    ///
    /// # Errors
    /// [`Error::InvalidPath`] for a text that cannot be a path, [`Error::PathEscapesRoot`] for an absolute path
    /// elsewhere and for one that begins by climbing out.
    pub fn relative(&self, path: &Path) -> Result<PathBuf> {
        relative(&self.anchor.names, path)
    }

    /// Opens a regular file for reading. Anything else is refused at once and is not opened, so that a FIFO does not
    /// block and a device does not act.
    pub fn open_file(&self, path: &Path) -> Result<OpenFile> {
        let rel = self.relative(path)?;
        self.file_at(&rel, path).map_err(|miss| self.explain(miss, path))
    }

    /// As [`Root::open_file`], but `None` if nothing exists there; does not look for suggestions.
    pub fn open_file_if_exists(&self, path: &Path) -> Result<Option<OpenFile>> {
        let rel = self.relative(path)?;
        self.absent(self.file_at(&rel, path), path)
    }

    /// Opens a directory for listing.
    pub fn open_dir(&self, path: &Path) -> Result<OwnedFd> {
        let rel = self.relative(path)?;
        self.dir_at(&rel, path).map_err(|miss| self.explain(miss, path))
    }

    /// What the system says about a file, after following links.
    pub fn stat(&self, path: &Path) -> Result<Metadata> {
        let rel = self.relative(path)?;
        self.stat_at(&rel).map_err(|fault| self.explain(Miss::Fault("stat", fault), path))
    }

    /// As [`Root::stat`], but `None` if nothing exists there; does not look for suggestions.
    pub fn stat_if_exists(&self, path: &Path) -> Result<Option<Metadata>> {
        let rel = self.relative(path)?;
        self.absent(self.stat_at(&rel).map_err(|fault| Miss::Fault("stat", fault)), path)
    }

    /// What the system says about a file, or about the link if the last name is one.
    pub fn stat_link(&self, path: &Path) -> Result<Metadata> {
        let rel = self.relative(path)?;
        self.stat_link_at(&rel).map_err(|fault| self.explain(Miss::Fault("stat", fault), path))
    }

    /// The text of a symbolic link; it may name anything, also outside the root.
    pub fn read_link(&self, path: &Path) -> Result<PathBuf> {
        let rel = self.relative(path)?;
        match self.read_link_at(&rel) {
            Ok(Some(target)) => Ok(target),
            Ok(None) | Err(Fault::Os(Errno::INVAL)) => Err(invalid(path, "it is not a symbolic link")),
            Err(fault) => Err(self.explain(Miss::Fault("read", fault), path)),
        }
    }

    /// The path relative to the root with every link resolved; `.` for the root itself. Does not look for suggestions.
    pub fn real_path(&self, path: &Path) -> Result<PathBuf> {
        let rel = self.relative(path)?;
        match components::real_path(&self.anchor, &rel) {
            Ok(real) if real.as_os_str().is_empty() => Ok(PathBuf::from(".")),
            Ok(real) => Ok(real),
            Err(fault) => Err(self.explain_plainly(Miss::Fault("stat", fault), path)),
        }
    }

    /// Up to three existing paths, relative to the root, that may have been meant by one that does not exist; best
    /// first. Takes at most about 20 ms.
    #[must_use]
    pub fn suggest(&self, path: &Path) -> Vec<String> {
        self.relative(path).map(|rel| suggest(self, &rel, Budget::new())).unwrap_or_default()
    }

    pub(crate) fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Whether an open file on the device `dev` is a kernel's interface that does not count as part of the tree.
    pub(crate) fn is_foreign(&self, fd: impl AsFd, dev: u64) -> bool {
        (dev != self.device || self.on_kernel_fs) && is_kernel_fs(fd)
    }

    /// Opens the directory for listing, without working out suggestions on a miss.
    pub(crate) fn dir_at(&self, rel: &Path, given: &Path) -> Result<OwnedFd, Miss> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK;
        let fd = self.anchor.open(rel, flags).map_err(|fault| Miss::Fault("list", fault))?;
        let meta = Metadata::of(&fd).map_err(|error| Miss::io("list", &error))?;
        // A directory that was removed while it was open stays open, and empty.
        if meta.nlink == 0 {
            return Err(Miss::Fault("list", Fault::Os(Errno::NOENT)));
        }
        if meta.dev != self.device && !self.on_kernel_fs && is_kernel_fs(&fd) {
            return Err(Miss::Error(Error::NotARegularFile { path: shown(given), kind: "kernel file" }));
        }
        Ok(fd)
    }

    fn file_at(&self, rel: &Path, given: &Path) -> Result<OpenFile, Miss> {
        let fault = |fault| Miss::Fault("open", fault);
        // Looked at first, opened second, looked at again: the name may lead elsewhere by then.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        self.readable(&self.anchor.open(rel, PATH_ONLY).map_err(fault)?, given)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = self.anchor.open(rel, flags).map_err(fault)?;
        let meta = self.readable(&fd, given)?;
        Ok(OpenFile { file: File::from(fd), meta })
    }

    /// Refuses what is not a regular file with content of its own.
    fn readable(&self, fd: &OwnedFd, given: &Path) -> Result<Metadata, Miss> {
        let meta = Metadata::of(fd).map_err(|error| Miss::io("open", &error))?;
        let kind = match meta.kind {
            FileKind::File if self.is_foreign(fd, meta.dev) => "kernel file",
            FileKind::File => return Ok(meta),
            // A directory that was removed while it was open can still be opened through its descriptor.
            FileKind::Dir if meta.nlink == 0 => return Err(Miss::Fault("open", Fault::Os(Errno::NOENT))),
            FileKind::Dir => return Err(Miss::Error(Error::IsADirectory { path: shown(given) })),
            kind => kind.as_str(),
        };
        Err(Miss::Error(Error::NotARegularFile { path: shown(given), kind }))
    }

    pub(crate) fn stat_at(&self, rel: &Path) -> Result<Metadata, Fault> {
        let fd = self.anchor.open(rel, PATH_ONLY)?;
        self.present(Metadata::of(&fd).map_err(|error| os(&error))?)
    }

    fn stat_link_at(&self, rel: &Path) -> Result<Metadata, Fault> {
        let Some((parent, name)) = last_name(rel) else { return self.stat_at(rel) };
        let parent = self.anchor.open(parent, PATH_ONLY | OFlags::DIRECTORY)?;
        Ok(Metadata::from(&statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// `None` if the path can only name a directory.
    fn read_link_at(&self, rel: &Path) -> Result<Option<PathBuf>, Fault> {
        let Some((parent, name)) = last_name(rel) else {
            return self.stat_at(rel).map(|_| None);
        };
        let parent = self.anchor.open(parent, PATH_ONLY | OFlags::DIRECTORY)?;
        let target = readlinkat(&parent, name, Vec::new())?;
        Ok(Some(PathBuf::from(OsString::from_vec(target.into_bytes()))))
    }

    /// A directory that was removed while it was open can still be opened through its descriptor.
    fn present(&self, meta: Metadata) -> Result<Metadata, Fault> {
        if meta.kind == FileKind::Dir && meta.nlink == 0 { Err(Fault::Os(Errno::NOENT)) } else { Ok(meta) }
    }
}

/// Splits off the last name, if the path ends in a name.
fn last_name(rel: &Path) -> Option<(&Path, &OsStr)> {
    if rel.as_os_str().as_bytes().ends_with(b"/") {
        return None;
    }
    let parent = rel.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // `file_name` is none for a path that ends in `..`.
    rel.file_name().map(|name| (parent, name))
}
