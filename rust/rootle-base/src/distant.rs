//! File systems that may stop answering: those behind a network or a program of their own. A system call on them can
//! take for ever, so a calling thread that has limits to keep does not make it itself.

use std::path::{Path, PathBuf};

#[cfg(any(target_os = "linux", target_os = "android"))]
use crate::mounts;
use crate::pool::apart;
use crate::{Context, Resolver, Result, Root};

/// Whether a mount that may stop answering is the file system of the root at `path` or lies below it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn may_stall(path: &Path, device: u64) -> bool {
    // What is not known may be anything.
    mounts::distant().is_none_or(|all| all.iter().any(|mount| mount.device == device || mount.point.starts_with(path)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn may_stall(_path: &Path, _device: u64) -> bool {
    false
}

/// Whether there is any such mount, so that a path may lead there.
fn any() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return mounts::distant().is_none_or(|all| !all.is_empty());
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    return false;
}

impl Root {
    /// Opens a directory as a root within the limits of `ctx`, whatever it lies on.
    ///
    /// # Errors
    /// As [`Root::open_with`], and why the call had to end.
    pub fn open_within(path: PathBuf, resolver: Resolver, ctx: &Context) -> Result<Self> {
        if any() {
            apart(ctx, move || Self::open_with(&path, resolver)).map_err(|stop| ctx.error(stop))?
        } else {
            Self::open_with(&path, resolver)
        }
    }

    /// Whether something in the tree lies on a file system that may stop answering, as those behind a network or a
    /// program of their own do. Known from the system's table of mounts, without asking any of them; on systems other
    /// than Linux none is known.
    #[must_use]
    pub fn may_stall(&self) -> bool {
        may_stall(self.path(), self.device())
    }

    /// Does `work` so that the limits of `ctx` hold even if a file system does not answer: here, or on another thread
    /// where [`Root::may_stall`] says so.
    ///
    /// # Errors
    /// Those of the work, and why the call had to end.
    pub fn apart<T: Send + 'static>(
        &self,
        ctx: &Context,
        work: impl FnOnce(&Self, &Context) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if !self.may_stall() {
            return work(self, ctx);
        }
        let (root, elsewhere) = (self.clone(), ctx.elsewhere());
        apart(ctx, move || work(&root, &elsewhere)).map_err(|stop| ctx.error(stop))?
    }
}
