//! The threads that help the caller of a walk, and how it parts with them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rootle_base::{Context, GRACE, NAP, Stop, hand_off};

use crate::queue::{Frame, Unit};
use crate::shared::Shared;
use crate::slot::{Closed, Slot, Stalled};
use crate::walk::threads;
use crate::worker::Worker;
use crate::{Summary, Visit};

/// A helper that is at the same file or directory for so long gets another beside it, ...
const PATIENCE: Duration = Duration::from_millis(50);
/// ... up to so many more.
const MAX_STALLED: usize = 16;

pub(crate) type Make<V> = Arc<dyn Fn() -> V + Send + Sync>;

/// The helpers of one walk.
pub(crate) struct Team<V> {
    shared: Arc<Shared>,
    make: Make<V>,
    slots: RefCell<Vec<Arc<Slot<V>>>>,
}

impl<V: Visit + 'static> Team<V> {
    pub(crate) fn new(shared: &Arc<Shared>, make: Make<V>) -> Self {
        Self { shared: shared.clone(), make, slots: RefCell::default() }
    }

    /// Lets another thread help; false if there is none.
    pub(crate) fn hire(&self) -> bool {
        let slot = Arc::new(Slot::new());
        let (shared, make, theirs) = (self.shared.clone(), self.make.clone(), slot.clone());
        let job = move || {
            // The walk may be over before a thread comes to this.
            if shared.queue.has_ended() {
                return;
            }
            // Here, so that the caller of a process's first walk need not ask the system for it.
            let _ = threads(0);
            let mut worker = Worker::new(&shared, make(), Some((&*theirs, &make)));
            let outcome = catch_unwind(AssertUnwindSafe(|| worker.run()));
            if let Err(panic) = outcome {
                shared.panicked(panic);
                if worker.working {
                    shared.queue.rest();
                }
            }
        };
        let hired = hand_off(Box::new(job)).is_ok();
        if hired {
            self.slots.borrow_mut().push(slot);
        }
        hired
    }

    /// Lets the helpers do all of the walk, in a tree where any system call may take for ever: a helper that does not
    /// come back gets another beside it, which takes over the files that it would have come to, and in the end is left
    /// behind.
    pub(crate) fn watch(&self, ctx: &Context) -> Option<Stop> {
        let most = self.slots.borrow().len() + MAX_STALLED;
        self.wait(ctx, || {
            let new = || self.shared.blocks(1);
            let stalled: Vec<Stalled> =
                self.slots.borrow().iter().filter_map(|slot| slot.stalled(PATIENCE, new)).collect();
            for Stalled { device, rest } in stalled {
                if device != 0 {
                    self.shared.queue.avoid(device);
                }
                if let Some((dir, unit)) = rest {
                    let block = new();
                    self.shared.queue.push(Frame { dir, units: vec![Unit { block, ..unit }], next: 0 }, true);
                }
                if self.slots.borrow().len() < most {
                    self.hire();
                }
            }
        })
    }

    /// Waits for those that still work when there is nothing left to be done, or no time.
    pub(crate) fn settle(&self, ctx: &Context) -> Option<Stop> {
        self.wait(ctx, || {})
    }

    /// Gives why the call had to end before that.
    fn wait(&self, ctx: &Context, between: impl Fn()) -> Option<Stop> {
        let mut asked = Instant::now();
        let mut over: Option<(Stop, Instant)> = None;
        loop {
            let nap = ctx.remaining().filter(|left| !left.is_zero()).map_or(NAP, |left| left.min(NAP));
            if self.shared.queue.has_settled(nap) || self.shared.is_lost() {
                return over.map(|(stop, _)| stop);
            }
            if let Some(stop) = ctx.poll_interrupt(&mut asked) {
                self.shared.queue.end();
                if over.get_or_insert_with(|| (stop, Instant::now())).1.elapsed() >= GRACE {
                    return Some(stop);
                }
            } else {
                between();
            }
        }
    }

    /// Takes what each helper has handed over, and notes in `summary` what others still have in hand; these are left
    /// behind.
    pub(crate) fn part(self, summary: &mut Summary) -> Vec<(V, Summary)> {
        let mut parts = Vec::new();
        for slot in self.slots.into_inner() {
            let Closed { part, busy } = slot.close();
            parts.extend(part);
            if let Some((at, since)) = busy {
                summary.left(&at);
                if self.shared.distant && since >= GRACE {
                    summary.no_answer(&at);
                }
            }
        }
        parts
    }
}
