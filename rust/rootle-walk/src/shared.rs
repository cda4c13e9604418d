//! What all threads of one walk share.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use rootle_base::{Context, Error, Metadata, Result, Root};
use rustix::fs::{Mode, OFlags, openat};

use crate::Request;
use crate::bytes::as_path;
use crate::judge::Judge;
use crate::queue::Queue;
use crate::rules::Loader;
use crate::starts::Starts;
use crate::visit::entry_error;

/// The walk.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) req: &'a Request<'a>,
    pub(crate) ctx: &'a Context<'a>,
    pub(crate) starts: Starts,
    pub(crate) judge: Judge<'a>,
    pub(crate) loader: Loader<'a>,
    pub(crate) queue: Queue,
    next_block: AtomicU32,
    /// Device and inode of every directory entered, when links are followed.
    entered: Option<Mutex<HashSet<(u64, u64)>>>,
    failed: Mutex<Option<Error>>,
}

pub(crate) const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

impl<'a> Shared<'a> {
    pub(crate) fn new(req: &'a Request<'a>, ctx: &'a Context<'a>) -> Result<Self> {
        let starts = Starts::new(req)?;
        let count = starts.all.len();
        let first_free =
            u32::try_from(count + 1).map_err(|_| Error::Internal { message: "too many starts".to_owned() })?;
        Ok(Self {
            req,
            ctx,
            starts,
            judge: Judge::new(req.options, req.filter),
            loader: Loader { root: req.root, max_bytes: req.options.max_ignore_file_bytes },
            queue: Queue::new(count),
            next_block: AtomicU32::new(first_free),
            entered: req.options.follow_links.then(Mutex::default),
            failed: Mutex::default(),
        })
    }

    /// Numbers for so many blocks.
    pub(crate) fn blocks(&self, count: u32) -> u32 {
        self.next_block.fetch_add(count, Ordering::Relaxed)
    }

    /// Whether the directory is to be listed: always, unless links are followed and it was entered before.
    pub(crate) fn enter(&self, meta: &Metadata) -> bool {
        let Some(entered) = &self.entered else { return true };
        entered.lock().unwrap_or_else(PoisonError::into_inner).insert((meta.dev, meta.ino))
    }

    /// Ends the walk with an error.
    pub(crate) fn fail(&self, error: Error) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.queue.end();
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
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
