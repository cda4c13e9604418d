//! The component walk: each name is opened relative to its directory's descriptor without following links; links are
//! read and spliced into the path, `..` goes back to the descriptor the walk came from. So `a/../x` means what the
//! kernel means by it, and a link can lead only to where names beneath the root lead.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::{Errno, retry_on_intr};

use crate::beneath::{Anchor, Fault, PATH_ONLY};
use crate::kernel_fs::is_procfs;
use crate::relative;

/// As many links as the kernel follows.
const MAX_LINKS: u32 = 40;
/// Descriptors kept for going back; a path deeper than that opens earlier directories again.
const MAX_KEPT: usize = 64;

/// Opens `path` beneath the root.
pub(crate) fn open(root: &Anchor, path: &Path, flags: OFlags) -> Result<OwnedFd, Fault> {
    let mut walk = Walk::new(root, path);
    walk.run(flags)
}

/// The path of `path` beneath the root without links and dots; empty for the root itself.
pub(crate) fn real_path(root: &Anchor, path: &Path) -> Result<PathBuf, Fault> {
    let mut walk = Walk::new(root, path);
    walk.run(PATH_ONLY | OFlags::CLOEXEC)?;
    Ok(walk.names.iter().collect())
}

/// The directory of a path's last name and what is missing on the way there.
pub(crate) struct Located {
    /// The deepest directory that exists.
    pub(crate) dir: OwnedFd,
    /// Its real path beneath the root; empty for the root itself.
    pub(crate) dir_path: PathBuf,
    /// Directories below it that do not exist, outermost first.
    pub(crate) missing: Vec<OsString>,
    /// The last name. What stands there is no link, unless links were not to be followed.
    pub(crate) name: OsString,
    /// Every name that the walk met, in the path and in the links on the way.
    pub(crate) passed: Vec<OsString>,
}

/// Finds the directory that holds the last name of `path`; `None` if the path can only name a directory. With
/// `follow` a link in the last place is followed, also one to something that does not exist.
pub(crate) fn locate(root: &Anchor, path: &Path, follow: bool) -> Result<Option<Located>, Fault> {
    Walk::new(root, path).locate(follow)
}

/// What one name turned out to be.
enum Step {
    Opened(OwnedFd),
    /// A symbolic link with this text.
    Link(Vec<u8>),
}

struct Walk<'r> {
    root: &'r Anchor,
    /// What is left of the path, the next component last.
    todo: Vec<OsString>,
    /// The real names from the root to where the walk is.
    names: Vec<OsString>,
    /// The descriptors of the last `dirs.len()` directories of `names`.
    dirs: VecDeque<OwnedFd>,
    links: u32,
}

impl<'r> Walk<'r> {
    fn new(root: &'r Anchor, path: &Path) -> Self {
        let mut walk = Self { root, todo: Vec::new(), names: Vec::new(), dirs: VecDeque::new(), links: 0 };
        walk.push_todo(path.as_os_str().as_bytes());
        walk
    }

    fn push_todo(&mut self, path: &[u8]) {
        self.todo.extend(relative::components(path).rev().map(OsStr::to_os_string));
    }

    fn here(&self) -> BorrowedFd<'_> {
        self.dirs.back().unwrap_or(&self.root.fd).as_fd()
    }

    fn run(&mut self, flags: OFlags) -> Result<OwnedFd, Fault> {
        while let Some(name) = self.todo.pop() {
            if name == "." {
                continue;
            }
            if name == ".." {
                self.leave()?;
                continue;
            }
            let is_last = self.todo.is_empty();
            let flags = if is_last { flags } else { PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC };
            match self.step(&name, flags)? {
                Step::Link(target) => self.splice(target)?,
                Step::Opened(fd) if is_last => {
                    self.names.push(name);
                    return Ok(fd);
                }
                Step::Opened(fd) => self.enter(name, fd),
            }
        }
        // The path is the root, or ends in `.`, `..` or a slash: it names the directory where the walk is.
        Ok(open_at(self.here(), OsStr::new("."), flags)?)
    }

    fn locate(mut self, follow: bool) -> Result<Option<Located>, Fault> {
        let mut passed = Vec::new();
        while let Some(name) = self.todo.pop() {
            passed.push(name.clone());
            if name == "." {
                continue;
            }
            if name == ".." {
                self.leave()?;
                continue;
            }
            let is_last = self.todo.is_empty();
            let kind = if is_last { OFlags::empty() } else { OFlags::DIRECTORY };
            match self.step(&name, PATH_ONLY | kind | OFlags::CLOEXEC) {
                Ok(Step::Link(target)) if follow || !is_last => self.splice(target)?,
                Ok(_) if is_last => return self.located(Vec::new(), name, passed).map(Some),
                Ok(Step::Opened(fd)) => self.enter(name, fd),
                Err(Fault::Os(Errno::NOENT)) => return self.below(name, passed),
                // A file that cannot even be looked at, such as one on a stalled mount, is told by its opening.
                Err(fault) => return Err(fault),
                Ok(Step::Link(_)) => unreachable!("links on the way are followed"),
            }
        }
        Ok(None)
    }

    /// `name` does not exist where the walk is.
    fn below(mut self, name: OsString, mut passed: Vec<OsString>) -> Result<Option<Located>, Fault> {
        let mut rest = vec![name];
        while let Some(name) = self.todo.pop() {
            if name == ".." {
                return Err(Fault::Os(Errno::NOENT));
            }
            if name != "." {
                passed.push(name.clone());
                rest.push(name);
            } else if self.todo.is_empty() {
                return Ok(None);
            }
        }
        match rest.pop() {
            Some(name) => self.located(rest, name, passed).map(Some),
            None => Ok(None),
        }
    }

    fn located(self, missing: Vec<OsString>, name: OsString, passed: Vec<OsString>) -> Result<Located, Fault> {
        let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open_at(self.here(), OsStr::new("."), flags)?;
        Ok(Located { dir, dir_path: self.names.iter().collect(), missing, name, passed })
    }

    /// Opens one name without following it.
    fn step(&self, name: &OsStr, flags: OFlags) -> Result<Step, Fault> {
        match open_at(self.here(), name, flags | OFlags::NOFOLLOW) {
            // With O_PATH the system opens the link itself.
            Ok(fd) if flags.contains(PATH_ONLY) && is_link(&fd)? => {
                Ok(Step::Link(readlinkat(&fd, "", Vec::new())?.into_bytes()))
            }
            Ok(fd) => Ok(Step::Opened(fd)),
            // Which error a link gives depends on the flags and the system.
            Err(errno @ (Errno::NOTDIR | Errno::LOOP | Errno::MLINK)) => {
                match readlinkat(self.here(), name, Vec::new()) {
                    Ok(target) => Ok(Step::Link(target.into_bytes())),
                    Err(_) => Err(errno.into()),
                }
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Goes on along the text of a link found where the walk is.
    fn splice(&mut self, target: Vec<u8>) -> Result<(), Fault> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Fault::Loop);
        }
        // Links of procfs lead to open files and other processes' directories, not to what their text says.
        if is_procfs(self.here()) {
            return Err(Fault::Escape);
        }
        if target.is_empty() {
            return Err(Fault::Os(Errno::NOENT));
        }
        if target[0] == b'/' {
            let target = PathBuf::from(OsString::from_vec(target));
            let rest = relative::below(&self.root.names, &target).ok_or(Fault::Escape)?;
            self.names.clear();
            self.dirs.clear();
            self.push_todo(&rest);
        } else {
            self.push_todo(&target);
        }
        Ok(())
    }

    fn enter(&mut self, name: OsString, fd: OwnedFd) {
        self.names.push(name);
        self.dirs.push_back(fd);
        if self.dirs.len() > MAX_KEPT {
            self.dirs.pop_front();
        }
    }

    fn leave(&mut self) -> Result<(), Fault> {
        if self.names.pop().is_none() {
            return Err(Fault::Escape);
        }
        self.dirs.pop_back();
        if self.dirs.is_empty() && !self.names.is_empty() {
            self.reopen()?;
        }
        Ok(())
    }

    /// Opens the directory of `names` again, from the root and without following anything.
    fn reopen(&mut self) -> Result<(), Fault> {
        let names = std::mem::take(&mut self.names);
        for name in names {
            let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = open_at(self.here(), &name, flags)?;
            self.enter(name, fd);
        }
        Ok(())
    }
}

fn open_at(dir: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| openat(dir, name, flags, Mode::empty()))
}

fn is_link(fd: &OwnedFd) -> Result<bool, Errno> {
    Ok(FileType::from_raw_mode(fstat(fd)?.st_mode) == FileType::Symlink)
}
