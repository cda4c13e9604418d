//! Whether the call must end, asked from inside the search of a file.

use std::cell::Cell;
use std::time::Instant;

use rootle_base::{Context, Stop};

/// The context as one thread may ask it: the calling thread looks for the caller's interrupt too.
#[derive(Clone, Debug)]
pub(crate) struct Poll {
    ctx: Context,
    /// When the calling thread asked last; `None` on every other thread.
    asked: Cell<Option<Instant>>,
}

impl Poll {
    pub fn new(ctx: &Context, calling_thread: bool) -> Self {
        Self { ctx: ctx.clone(), asked: Cell::new(calling_thread.then(Instant::now)) }
    }

    /// Why the call must end, if it must.
    pub fn stop(&self) -> Option<Stop> {
        let Some(mut asked) = self.asked.get() else { return self.ctx.stop() };
        let stop = self.ctx.poll_interrupt(&mut asked);
        self.asked.set(Some(asked));
        stop
    }
}
