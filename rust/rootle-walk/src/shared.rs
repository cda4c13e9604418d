//! What all threads of one walk share.

use std::any::Any;
use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rootle_base::{Context, Error, Metadata, Result, Root};
use rustix::fs::{Mode, OFlags, openat};

use crate::bytes::as_path;
use crate::judge::Judge;
use crate::queue::Queue;
use crate::rules::Loader;
use crate::starts::Starts;
use crate::visit::entry_error;
use crate::{Filter, Request, WalkOptions};

/// The walk. It owns all it needs, so that a thread that does not come back from a system call can be left behind.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) root: Root,
    pub(crate) options: WalkOptions,
    pub(crate) filter: Filter,
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) ctx: Context,
    /// Some of the tree may stop answering: see [`Root::may_stall`].
    pub(crate) distant: bool,
    pub(crate) starts: Starts,
    pub(crate) judge: Judge,
    pub(crate) loader: Loader,
    pub(crate) queue: Queue,
    next_block: AtomicU32,
    /// Device and inode of every directory entered, when links are followed.
    entered: Option<Mutex<HashSet<(u64, u64)>>>,
    failed: Mutex<Option<Error>>,
    panicked: Mutex<Option<Panic>>,
}

/// What a visitor panicked with.
pub(crate) type Panic = Box<dyn Any + Send>;

pub(crate) const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

impl Shared {
    pub(crate) fn new(req: &Request<'_>, ctx: &Context, starts: Starts, distant: bool) -> Result<Self> {
        let count = starts.all.len();
        let first_free =
            u32::try_from(count + 1).map_err(|_| Error::Internal { message: "too many starts".to_owned() })?;
        Ok(Self {
            root: req.root.clone(),
            options: req.options.clone(),
            filter: req.filter.clone(),
            after: req.after.clone(),
            ctx: ctx.clone(),
            distant,
            starts,
            judge: Judge::new(req.options, req.filter),
            loader: Loader { root: req.root.clone(), max_bytes: req.options.max_ignore_file_bytes },
            queue: Queue::new(count),
            next_block: AtomicU32::new(first_free),
            entered: req.options.follow_links.then(Mutex::default),
            failed: Mutex::default(),
            panicked: Mutex::default(),
        })
    }

    /// Numbers for so many blocks.
    pub(crate) fn blocks(&self, count: u32) -> u32 {
        self.next_block.fetch_add(count, Ordering::Relaxed)
    }

    /// Whether the directory is to be listed: always, unless links are followed and it was entered before.
    pub(crate) fn enter(&self, meta: &Metadata) -> bool {
        let Some(entered) = &self.entered else { return true };
        lock(entered).insert((meta.dev, meta.ino))
    }

    /// Ends the walk with an error.
    pub(crate) fn fail(&self, error: Error) {
        lock(&self.failed).get_or_insert(error);
        self.queue.end();
    }

    /// Ends the walk with a panic of a visitor, which the caller is to have.
    pub(crate) fn panicked(&self, panic: Panic) {
        lock(&self.panicked).get_or_insert(panic);
        self.queue.end();
    }

    /// Whether it is of no use to wait for others.
    pub(crate) fn is_lost(&self) -> bool {
        lock(&self.failed).is_some() || lock(&self.panicked).is_some()
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.failed).take()
    }

    pub(crate) fn panic(&self) -> Option<Panic> {
        lock(&self.panicked).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a directory below the root by its path, however long that is.
pub(crate) fn open_path(root: &Root, path: &[u8]) -> Result<OwnedFd> {
    /// What the system takes as one path, with room for the end.
    const PIECE: usize = 4000;
    if path.len() <= PIECE {
        return root.open_dir(as_path(path));
    }
    let Some(cut) = path[..PIECE].iter().rposition(|byte| *byte == b'/') else {
        return Err(Error::InvalidPath { path: crate::bytes::shown(&path[..100]), reason: "a name is too long" });
    };
    let mut dir = root.open_dir(as_path(&path[..cut]))?;
    // Name by name, and no links: so it stays below.
    for name in path[cut + 1..].split(|byte| *byte == b'/') {
        dir = openat(dir.as_fd(), name, LIST, Mode::empty()).map_err(|errno| entry_error(path, "list", errno))?;
    }
    Ok(dir)
}
