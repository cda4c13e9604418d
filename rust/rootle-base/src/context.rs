//! When a long call must end: a monotonic deadline, a cancel token shared between threads, and the caller's interrupt.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::commit_point::{OPEN, stop_of};
use crate::{Error, Result};

/// A flag that any thread may set and every worker polls.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every call that holds this token to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the token was set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a call stops before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Deadline,
    /// The cancel token was set.
    Cancelled,
    /// The calling thread has an interrupt to handle.
    Interrupted,
}

type Interrupt = Box<dyn Fn() -> bool + Send + Sync>;

/// How often the calling thread looks for an interrupt; well under the 200 ms in which Ctrl-C must be answered.
const INTERRUPT_EVERY: Duration = Duration::from_millis(25);

/// The limits of one call. Workers poll [`Context::stop`]; only the calling thread polls [`Context::poll_interrupt`].
/// Clones are the same call: what stops one stops all.
#[derive(Clone)]
pub struct Context {
    pub(crate) call: Arc<Call>,
    /// Whether this clone may ask for the interrupt.
    asks: bool,
}

pub(crate) struct Call {
    start: Instant,
    limit: Option<Duration>,
    cancel: CancelToken,
    interrupt: Option<Interrupt>,
    pub(crate) state: AtomicU8,
    /// Whether the calling thread had an interrupt when it was too late to stop.
    pub(crate) interrupted_late: AtomicBool,
}

impl Context {
    /// No deadline, no token, no interrupt.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(None, CancelToken::new())
    }

    /// A call that may take `limit` from now and ends when `cancel` is set.
    #[must_use]
    pub fn new(limit: Option<Duration>, cancel: CancelToken) -> Self {
        let call = Call {
            start: Instant::now(),
            limit,
            cancel,
            interrupt: None,
            state: AtomicU8::new(OPEN),
            interrupted_late: AtomicBool::new(false),
        };
        Self { call: Arc::new(call), asks: true }
    }

    /// The same limits with a check that the calling thread makes: `interrupted` returns true when the call must end.
    #[must_use]
    pub fn with_interrupt(self, interrupted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let call = Call {
            start: self.call.start,
            limit: self.call.limit,
            cancel: self.call.cancel.clone(),
            interrupt: Some(Box::new(interrupted)),
            state: AtomicU8::new(self.call.state.load(Ordering::Relaxed)),
            interrupted_late: AtomicBool::new(false),
        };
        Self { call: Arc::new(call), asks: self.asks }
    }

    /// The same call as another thread may see it: [`Context::poll_interrupt`] asks for no interrupt there.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        Self { call: self.call.clone(), asks: false }
    }

    /// Time since the call began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.call.start.elapsed()
    }

    /// Time left before the deadline; `None` without one, zero when it has passed.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.call.limit.map(|limit| limit.saturating_sub(self.call.start.elapsed()))
    }

    /// Why the call must stop now, if it must. Costs one clock reading when there is a deadline. Sticky: once it has
    /// given a reason, every thread gets that reason. A call that is committing goes on to its end.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.call.state.load(Ordering::Acquire) {
            OPEN => self.over().and_then(|stop| self.set(stop)),
            state => stop_of(state),
        }
    }

    /// Why the call would have to end, were it not too late for that.
    pub(crate) fn over(&self) -> Option<Stop> {
        if self.call.cancel.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        self.call.limit.filter(|limit| self.call.start.elapsed() >= *limit).map(|_| Stop::Deadline)
    }

    /// To be called often by the calling thread, and by no other: asks for an interrupt at most every 25 ms.
    /// `last` is the caller's memory of when it last asked.
    pub fn poll_interrupt(&self, last: &mut Instant) -> Option<Stop> {
        if self.asks
            && let Some(interrupted) = &self.call.interrupt
            && last.elapsed() >= INTERRUPT_EVERY
        {
            *last = Instant::now();
            if interrupted() {
                let stop = self.set(Stop::Interrupted);
                self.call.interrupted_late.store(stop.is_none(), Ordering::Relaxed);
                return stop;
            }
        }
        self.stop()
    }

    /// An error where nothing partial can exist.
    pub fn check(&self) -> Result<()> {
        match self.stop() {
            None => Ok(()),
            Some(stop) => Err(self.error(stop)),
        }
    }

    /// The error that stands for `stop`.
    #[must_use]
    pub fn error(&self, stop: Stop) -> Error {
        match stop {
            Stop::Deadline => Error::DeadlineExceeded { limit_s: self.call.limit.unwrap_or_default().as_secs_f64() },
            Stop::Cancelled => Error::Cancelled,
            Stop::Interrupted => Error::Interrupted,
        }
    }

    /// Stops the call; gives why it is stopped, which someone else may have said first, or none if it is too late.
    fn set(&self, stop: Stop) -> Option<Stop> {
        let code = match stop {
            Stop::Deadline => 1,
            Stop::Cancelled => 2,
            Stop::Interrupted => 3,
        };
        match self.call.state.compare_exchange(OPEN, code, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some(stop),
            Err(state) => stop_of(state),
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("limit", &self.call.limit)
            .field("cancel", &self.call.cancel)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn a_call_without_limits_goes_on() {
        let ctx = Context::unlimited();
        assert_eq!((ctx.stop(), ctx.remaining()), (None, None));
        assert!(ctx.check().is_ok());
    }

    #[test]
    fn the_first_reason_stays() {
        let token = CancelToken::new();
        let ctx = Context::new(Some(Duration::ZERO), token.clone());
        assert_eq!(ctx.stop(), Some(Stop::Deadline));
        token.cancel();
        assert_eq!(ctx.stop(), Some(Stop::Deadline));
        assert_eq!(ctx.remaining(), Some(Duration::ZERO));
        assert!(matches!(ctx.check(), Err(Error::DeadlineExceeded { limit_s }) if limit_s == 0.0));
    }

    #[test]
    fn a_token_ends_the_call_from_another_thread() {
        let token = CancelToken::new();
        let ctx = Context::new(None, token.clone());
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                while ctx.stop().is_none() {
                    std::hint::spin_loop();
                }
                ctx.stop()
            });
            token.cancel();
            assert_eq!(worker.join().unwrap(), Some(Stop::Cancelled));
        });
        assert!(matches!(ctx.check(), Err(Error::Cancelled)));
    }

    #[test]
    fn the_interrupt_is_asked_for_now_and_then_and_told_to_all() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let ctx = Context::unlimited().with_interrupt(move || count.fetch_add(1, Ordering::Relaxed) == 1);
        let elsewhere = ctx.elsewhere();
        let mut last = Instant::now();
        for _ in 0..1000 {
            assert_eq!(ctx.poll_interrupt(&mut last), None);
        }
        assert!(asked.load(Ordering::Relaxed) <= 1, "asked more often than every 25 ms");
        let mut long_ago = Instant::now();
        std::thread::sleep(2 * INTERRUPT_EVERY);
        let before = asked.load(Ordering::Relaxed);
        assert_eq!(elsewhere.poll_interrupt(&mut long_ago), None);
        assert_eq!(asked.load(Ordering::Relaxed), before, "another thread asks for nothing");
        let begun = Instant::now();
        while ctx.poll_interrupt(&mut last).is_none() {
            assert!(begun.elapsed() < Duration::from_secs(2));
        }
        assert_eq!((ctx.stop(), elsewhere.stop()), (Some(Stop::Interrupted), Some(Stop::Interrupted)));
        assert!(matches!(ctx.check(), Err(Error::Interrupted)));
    }
}
