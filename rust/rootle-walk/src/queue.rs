//! The work that is left, shared by all threads.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rootle_base::NAP;

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
    /// Its file system.
    pub(crate) device: u64,
    /// The path to resume after lies below this directory.
    pub(crate) resuming: bool,
    pub(crate) listing: Kept,
}

impl Dir {
    /// Adds the path of the first entry of a unit to `path`.
    pub(crate) fn first_path(&self, unit: Unit, path: &mut Vec<u8>) {
        path.extend_from_slice(&self.path);
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(self.listing.name(self.listing.entries[unit.start as usize]));
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
    /// File systems that keep a thread waiting: what lies on them comes last.
    avoided: Vec<u64>,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// The walk has ended and nobody works any more.
    settled: Condvar,
    open: Arc<AtomicUsize>,
}

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

    /// Another job for a thread that has done its last one, if there is one now.
    pub(crate) fn again(&self) -> Option<Job> {
        let mut state = self.lock();
        if state.ended { None } else { state.take() }
    }

    /// A thread has done its last job, and handed over all that came of it.
    pub(crate) fn rest(&self) {
        let mut state = self.lock();
        state.working -= 1;
        if state.ended && state.working == 0 {
            self.settled.notify_all();
        }
    }

    /// A job for a thread that has none. Waits while others may still make work; none when all is done. `awake` is asked
    /// between naps; the walk ends when it says no.
    pub(crate) fn wait(&self, naps: bool, mut awake: impl FnMut() -> bool) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.ended {
                return None;
            }
            if let Some(job) = state.take() {
                state.working += 1;
                return Some(job);
            }
            if state.working == 0 {
                self.finish(&mut state);
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
                    self.finish(&mut state);
                }
            }
        }
    }

    /// No more jobs are given out.
    pub(crate) fn end(&self) {
        self.finish(&mut self.lock());
    }

    fn finish(&self, state: &mut State) {
        state.ended = true;
        self.changed.notify_all();
        if state.working == 0 {
            self.settled.notify_all();
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// Whether the walk has ended and nobody works any more; waits a little for it.
    pub(crate) fn has_settled(&self, nap: Duration) -> bool {
        let settled = |state: &State| state.ended && state.working == 0;
        let wait = self.settled.wait_timeout_while(self.lock(), nap, |state| !settled(state));
        settled(&wait.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// From now on, what lies on this file system comes last.
    pub(crate) fn avoid(&self, device: u64) {
        let mut state = self.lock();
        if !state.avoided.contains(&device) {
            state.avoided.push(device);
        }
    }

    /// Gives the first path of each piece of work that nobody took, and the numbers of the starts among them.
    pub(crate) fn left(&self, mut path: impl FnMut(&[u8]), start: impl FnMut(usize)) {
        let state = self.lock();
        let mut first = Vec::new();
        for frame in &state.stack {
            first.clear();
            frame.dir.first_path(frame.units[frame.next], &mut first);
            path(&first);
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
    /// `working` counts the thread that asks only if it has done its last job and not given it back.
    fn take(&mut self) -> Option<Job> {
        if self.avoided.is_empty() {
            if let Some(top) = self.stack.len().checked_sub(1) {
                return Some(self.take_from(top));
            }
        } else if let Some(at) = self.stack.iter().rposition(|frame| !self.avoided.contains(&frame.dir.device)) {
            return Some(self.take_from(at));
        }
        if self.next_start < self.starts {
            self.next_start += 1;
            return Some(Job::Start(self.next_start - 1));
        }
        if let Some(top) = self.stack.len().checked_sub(1) {
            return Some(self.take_from(top));
        }
        if self.working == 0 {
            return self.links.pop().map(|Reverse(ByPath(link))| Job::Link(link));
        }
        None
    }

    fn take_from(&mut self, at: usize) -> Job {
        let frame = &mut self.stack[at];
        let unit = frame.units[frame.next];
        frame.next += 1;
        self.waiting_units -= 1;
        let dir = if frame.next == frame.units.len() { self.stack.remove(at).dir } else { frame.dir.clone() };
        Job::Part(dir, unit)
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
