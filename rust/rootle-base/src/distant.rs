//! File systems that may stop answering: those behind a network or a program of their own. A system call on them can
//! take for ever, so a calling thread that has limits to keep does not make it itself.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[cfg(any(target_os = "linux", target_os = "android"))]
use crate::mounts;
use crate::pool::{Errand, GRACE, apart};
use crate::relative::shown;
use crate::{Context, Error, Resolver, Result, Root, Stop};

/// How long a caller whose time is over waits for a change that is already under way, before it is told that nobody knows.
const SETTLE: Duration = Duration::from_secs(1);
/// Longer than it takes until an interrupt is asked for, as a wait that ends earlier would never ask.
const LOOK: Duration = Duration::from_millis(50);

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

/// Whether a mount that may stop answering is what stands at a path relative to the root.
pub(crate) fn is_mounted_at(root: &Root, path: &str) -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return mounts::distant()
        .is_some_and(|all| !all.is_empty() && all.iter().any(|mount| mount.point == root.path().join(path)));
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    return false;
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

    /// As [`Root::apart`], for work that changes `path` and calls [`Context::begin_commit`] before what others see. When
    /// the limits are over before that, nothing is changed, now or later. After it the outcome is waited for, but for no
    /// more than a second beyond the limits where a file system does not answer.
    ///
    /// # Errors
    /// Those of the work; why the call had to end; [`Error::WriteUnsettled`].
    pub fn apart_until_committed<T: Send + 'static>(
        &self,
        ctx: &Context,
        path: &Path,
        work: impl FnOnce(&Self, &Context) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if !self.may_stall() {
            return work(self, ctx);
        }
        let (root, elsewhere) = (self.clone(), ctx.elsewhere());
        let mut errand = Errand::send(move || work(&root, &elsewhere));
        let mut over: Option<Instant> = None;
        loop {
            if let Some(outcome) = errand.wait(ctx, Some(LOOK)).map_err(|stop| ctx.error(stop))? {
                return outcome;
            }
            if let Some((written, Some(stop))) = ctx.late() {
                let patience = if stop == Stop::Interrupted { GRACE } else { SETTLE };
                if over.get_or_insert_with(Instant::now).elapsed() >= patience {
                    return Err(Error::WriteUnsettled { path: shown(path), written });
                }
            }
        }
    }
}
