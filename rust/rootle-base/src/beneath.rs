//! Opening a path beneath a directory's descriptor: by the kernel's own `openat2` where there is one, else component by
//! component. Whatever the tree's links say and whoever changes them meanwhile, nothing outside the directory is opened.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::components;

/// How paths are resolved beneath the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolver {
    /// `openat2`; where the system has none or forbids it, component by component.
    #[default]
    Auto,
    /// `openat2` only; an error where the system has none.
    Openat2,
    /// Component by component, each opened without following links.
    Components,
}

/// Why a path cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It leads outside.
    Escape,
    /// More than forty links.
    Loop,
    /// The system's error.
    Os(Errno),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::XDEV => Self::Escape,
            Errno::LOOP => Self::Loop,
            other => Self::Os(other),
        }
    }
}

/// A descriptor for looking at a file without opening it, or for opening what lies below it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) const PATH_ONLY: OFlags = OFlags::PATH;
/// A descriptor for looking at a file without opening it, or for opening what lies below it.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) const PATH_ONLY: OFlags = OFlags::NONBLOCK;

/// The directory beneath which everything is opened.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) fd: OwnedFd,
    /// Absolute paths of the directory, the canonical one first: links that start with one of them lead inside.
    pub(crate) names: Vec<PathBuf>,
    pub(crate) resolver: Resolver,
}

impl Anchor {
    /// Opens `path`, which is relative and was checked by [`crate::relative`], following links that stay beneath.
    pub(crate) fn open(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Fault> {
        let flags = flags | OFlags::CLOEXEC;
        let by_kernel = match self.resolver {
            Resolver::Components => false,
            Resolver::Openat2 => true,
            Resolver::Auto => !UNAVAILABLE.load(Ordering::Relaxed),
        };
        if by_kernel {
            match openat2(&self.fd, path, flags) {
                Answer::Final(result) => return result.map_err(Fault::from),
                Answer::AskComponents => {}
                Answer::Refused(_) if self.resolver == Resolver::Auto && !works(&self.fd) => {
                    UNAVAILABLE.store(true, Ordering::Relaxed);
                }
                Answer::Refused(errno) => return Err(Fault::Os(errno)),
            }
        }
        components::open(self, path, flags)
    }
}

/// Set once `openat2` was found to be missing or forbidden by a seccomp filter: it does not come back in a process.
static UNAVAILABLE: AtomicBool = AtomicBool::new(false);

/// What `openat2` said.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
enum Answer {
    Final(Result<OwnedFd, Errno>),
    /// It refuses every absolute link, gives one error for "too many links" and "a link of procfs", and gives up when
    /// directories are renamed meanwhile: the component walk tells these cases apart.
    AskComponents,
    /// There is no such system call, or the path is refused in the same words.
    Refused(Errno),
}

/// The kernel answers `EAGAIN` when a rename elsewhere might have moved a `..` on the way; usually once.
#[cfg(target_os = "linux")]
const ATTEMPTS: u32 = 16;

#[cfg(target_os = "linux")]
fn openat2(root: &OwnedFd, path: &Path, flags: OFlags) -> Answer {
    use rustix::fs::{Mode, ResolveFlags};
    for _ in 0..ATTEMPTS {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(root.as_fd(), path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::XDEV | Errno::LOOP) => return Answer::AskComponents,
            Err(errno @ (Errno::NOSYS | Errno::PERM)) => return Answer::Refused(errno),
            result => return Answer::Final(result),
        }
    }
    Answer::AskComponents
}

#[cfg(not(target_os = "linux"))]
fn openat2(_: &OwnedFd, _: &Path, _: OFlags) -> Answer {
    Answer::Refused(Errno::NOSYS)
}

/// Whether `openat2` can open the root itself, which tells a refused path from a refused system call.
fn works(root: &OwnedFd) -> bool {
    matches!(openat2(root, Path::new("."), PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC), Answer::Final(Ok(_)))
}
