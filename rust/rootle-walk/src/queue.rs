//! The work that is left, shared by all threads.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::order::join;
use crate::path_order;
use crate::rules::Chain;
use crate::scan::Kept;

/// A directory whose content is being worked on.
#[derive(Debug)]
pub(crate) struct Dir {
    pub(crate) path: Box<[u8]>,
    /// None if too many are open already; then it is opened again when needed.
    pub(crate) fd: Option<Held>,
    pub(crate) chain: Option<Arc<Chain>>,
    /// How many levels below its start.
    pub(crate) depth: usize,
    /// The path to resume after lies below this directory.
    pub(crate) resuming: bool,
    pub(crate) listing: Kept,
}

impl Dir {
    /// The path of the first entry of a unit.
    pub(crate) fn first_path(&self, unit: Unit) -> Vec<u8> {
        join(&self.path, self.listing.name(self.listing.entries[unit.start as usize]))
    }
}

/// Part of a directory's content: one directory, or files that follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) block: u32,
}

/// A directory reached through a link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) path: Vec<u8>,
    pub(crate) chain: Option<Arc<Chain>>,
    pub(crate) depth: usize,
    pub(crate) resuming: bool,
    pub(crate) block: u32,
}

/// What a thread takes from the queue.
#[derive(Debug)]
pub(crate) enum Job {
    Start(usize),
    Part(Arc<Dir>, Unit),
    Link(Link),
}

/// A directory's units that nobody took yet. The stack holds one frame for each directory that is worked on, so its
/// size follows the depth of the tree and not its breadth.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) dir: Arc<Dir>,
    pub(crate) units: Vec<Unit>,
    pub(crate) next: usize,
}

#[derive(Debug, Default)]
struct State {
    starts: usize,
    next_start: usize,
    /// The top is what comes first in path order.
    stack: Vec<Frame>,
    /// Units in all frames.
    waiting_units: usize,
    /// Links are followed one at a time when all else is done, the first in path order first: so it does not depend on
    /// the threads which path of a directory is the one that is given.
    links: BinaryHeap<Reverse<ByPath>>,
    working: usize,
    sleeping: usize,
    ended: bool,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    open: Arc<AtomicUsize>,
}

/// How long the calling thread sleeps before it looks for an interrupt again.
const NAP: Duration = Duration::from_millis(20);

/// Directories kept open at a time, beside the one that each thread is reading.
const MAX_OPEN: usize = 192;

impl Queue {
    pub(crate) fn new(starts: usize) -> Self {
        Self { state: Mutex::new(State { starts, ..State::default() }), ..Self::default() }
    }

    /// Work that could be done by another thread now.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting_units
    }

    /// Adds a directory's units. `busy` says that the calling thread will not take one of them at once.
    pub(crate) fn push(&self, frame: Frame, busy: bool) {
        let count = frame.units.len() - frame.next;
        if count == 0 {
            return;
        }
        let mut state = self.lock();
        state.waiting_units += count;
        state.stack.push(frame);
        let for_others = count - usize::from(!busy);
        for _ in 0..for_others.min(state.sleeping) {
            self.changed.notify_one();
        }
    }

    pub(crate) fn push_link(&self, link: Link) {
        self.lock().links.push(Reverse(ByPath(link)));
    }

    /// Gives back the job taken before, if `worked`, and takes another. Waits while others may still make work; none
    /// when all is done. `awake` is asked between naps; the walk ends when it says no.
    pub(crate) fn next(&self, worked: bool, naps: bool, mut awake: impl FnMut() -> bool) -> Option<Job> {
        let mut state = self.lock();
        state.working -= usize::from(worked);
        loop {
            if state.ended {
                return None;
            }
            if let Some(job) = state.take() {
                state.working += 1;
                return Some(job);
            }
            if state.working == 0 {
                state.ended = true;
                self.changed.notify_all();
                return None;
            }
            state.sleeping += 1;
            if naps {
                state = self.changed.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner).0;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.sleeping -= 1;
            if naps {
                // `awake` may end the queue itself, and may wait for a lock of the caller's own.
                drop(state);
                let go_on = awake();
                state = self.lock();
                if !go_on {
                    state.ended = true;
                    self.changed.notify_all();
                }
            }
        }
    }

    /// No more jobs are given out.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Gives the first path of each piece of work that nobody took, and the numbers of the starts among them.
    pub(crate) fn left(&self, mut path: impl FnMut(&[u8]), start: impl FnMut(usize)) {
        let state = self.lock();
        for frame in &state.stack {
            path(&frame.dir.first_path(frame.units[frame.next]));
        }
        for Reverse(ByPath(link)) in &state.links {
            path(&link.path);
        }
        (state.next_start..state.starts).for_each(start);
    }

    /// A descriptor to be kept while other threads need it, unless too many are.
    pub(crate) fn hold(&self, fd: OwnedFd) -> Option<Held> {
        if self.open.fetch_add(1, Atomic::Relaxed) < MAX_OPEN {
            return Some(Held { fd, open: self.open.clone() });
        }
        self.open.fetch_sub(1, Atomic::Relaxed);
        None
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<Job> {
        if let Some(frame) = self.stack.last_mut() {
            let unit = frame.units[frame.next];
            frame.next += 1;
            self.waiting_units -= 1;
            let dir = if frame.next == frame.units.len() {
                self.stack.pop().map(|frame| frame.dir)
            } else {
                Some(frame.dir.clone())
            };
            return dir.map(|dir| Job::Part(dir, unit));
        }
        if self.next_start < self.starts {
            self.next_start += 1;
            return Some(Job::Start(self.next_start - 1));
        }
        if self.working == 0 {
            return self.links.pop().map(|Reverse(ByPath(link))| Job::Link(link));
        }
        None
    }
}

/// An open directory that is counted.
#[derive(Debug)]
pub(crate) struct Held {
    fd: OwnedFd,
    open: Arc<AtomicUsize>,
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Atomic::Relaxed);
    }
}

/// Orders links by their paths.
#[derive(Debug)]
struct ByPath(Link);

impl Ord for ByPath {
    fn cmp(&self, other: &Self) -> Ordering {
        path_order(&self.0.path, &other.0.path)
    }
}

impl PartialOrd for ByPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByPath {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByPath {}
