//! What a helping thread has handed over, and where it is now: all that is left of it when it does not come back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::queue::{Dir, Unit};
use crate::{Summary, Visit, path_order};

/// The place where one helper leaves what it found. The lock is never held during a system call.
#[derive(Debug)]
pub(crate) struct Slot<V>(Mutex<State<V>>);

#[derive(Debug)]
struct State<V> {
    visitor: Option<V>,
    summary: Summary,
    /// What was begun and not handed over: everything from this path on may be missing.
    at: Vec<u8>,
    device: u64,
    /// Since when it is at `at`; none while it has no work.
    since: Option<Instant>,
    /// What of the same directory comes next, for others to take over.
    rest: Option<Rest>,
    /// Others have.
    taken_over: bool,
    /// The caller has gone on.
    closed: bool,
    replaced: bool,
}

/// Files that nobody has begun.
pub(crate) type Rest = (Arc<Dir>, Unit);

/// A helper that does not go on.
#[derive(Debug)]
pub(crate) struct Stalled {
    /// The file system; 0 if it is not known.
    pub(crate) device: u64,
    pub(crate) rest: Option<Rest>,
}

/// What a helper had handed over when its caller went on.
#[derive(Debug)]
pub(crate) struct Closed<V> {
    pub(crate) part: Option<(V, Summary)>,
    /// Where it still was, and for how long.
    pub(crate) busy: Option<(Vec<u8>, Duration)>,
}

impl<V: Visit> Slot<V> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            visitor: None,
            summary: Summary::default(),
            at: Vec::new(),
            device: 0,
            since: None,
            rest: None,
            taken_over: false,
            closed: false,
            replaced: false,
        }))
    }

    /// Work at `path` begins; what was done before may not be handed over.
    pub(crate) fn begin(&self, path: &[u8]) {
        let mut state = self.lock();
        if state.since.is_none() || path_order(path, &state.at).is_lt() {
            state.at.clear();
            state.at.extend_from_slice(path);
        }
        state.since = Some(Instant::now());
    }

    /// The last job is done. Where the next one leads is not known yet.
    pub(crate) fn leave(&self) {
        let mut state = self.lock();
        state.rest = None;
        state.taken_over = false;
        state.device = 0;
    }

    /// The file system that is worked on; 0 while it is not known.
    pub(crate) fn on_device(&self, device: u64) {
        self.lock().device = device;
    }

    /// Everything before `path`, where the work goes on, is handed over; `rest` comes after it. False if others have
    /// taken over what was the rest until now.
    pub(crate) fn go_on(
        &self,
        path: &[u8],
        rest: Option<Rest>,
        visitor: &mut V,
        summary: &mut Summary,
        make: impl FnOnce() -> V,
    ) -> bool {
        let mut state = self.lock();
        state.take(visitor, summary, make);
        if std::mem::take(&mut state.taken_over) {
            state.since = None;
            return false;
        }
        state.at.clear();
        state.at.extend_from_slice(path);
        state.since = Some(Instant::now());
        state.rest = rest;
        state.replaced = false;
        true
    }

    /// The work is done and all of it handed over.
    pub(crate) fn finish(&self, visitor: &mut V, summary: &mut Summary, make: impl FnOnce() -> V) {
        let mut state = self.lock();
        state.take(visitor, summary, make);
        state.since = None;
        state.rest = None;
        state.taken_over = false;
    }

    /// Whether the helper is at the same place for so long; told once for each place. It is then no more its own what
    /// comes after.
    ///
    /// `gap` makes the number of a block that never begins: in the place of what others take over, it tells visitors
    /// that what they see there is not all.
    pub(crate) fn stalled(&self, patience: Duration, gap: impl FnOnce() -> u32) -> Option<Stalled> {
        let mut state = self.lock();
        if state.replaced || state.since.is_none_or(|since| since.elapsed() < patience) {
            return None;
        }
        state.replaced = true;
        let rest = state.rest.take();
        state.taken_over = rest.is_some();
        if let Some(visitor) = state.visitor.as_mut().filter(|_| rest.is_some()) {
            visitor.child(gap());
        }
        Some(Stalled { device: state.device, rest })
    }

    /// Takes what is there. What comes later is dropped.
    pub(crate) fn close(&self) -> Closed<V> {
        let mut state = self.lock();
        state.closed = true;
        let busy = state.since.map(|since| (std::mem::take(&mut state.at), since.elapsed()));
        let summary = std::mem::take(&mut state.summary);
        Closed { part: state.visitor.take().map(|visitor| (visitor, summary)), busy }
    }

    fn lock(&self) -> MutexGuard<'_, State<V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Visit> State<V> {
    fn take(&mut self, visitor: &mut V, summary: &mut Summary, make: impl FnOnce() -> V) {
        let summary = std::mem::take(summary);
        if !self.closed {
            visitor.hand_over(self.visitor.get_or_insert_with(make));
            self.summary.merge(summary);
        }
    }
}
