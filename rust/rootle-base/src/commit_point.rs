//! The point of a call from which there is no way back. Before it the limits end the call and nothing has happened; after
//! it the call goes on to its end, so that what it did is told.

use std::sync::atomic::Ordering;

use crate::{Context, Result, Stop};

/// The call goes on and can be stopped. Its other states: 1 to 3 say why it was stopped, and these two.
pub(crate) const OPEN: u8 = 0;
/// It is too late to stop.
const COMMITTING: u8 = 4;
/// What was to be done is done.
const DONE: u8 = 5;

pub(crate) fn stop_of(state: u8) -> Option<Stop> {
    match state {
        1 => Some(Stop::Deadline),
        2 => Some(Stop::Cancelled),
        3 => Some(Stop::Interrupted),
        _ => None,
    }
}

impl Context {
    /// The last moment in which the call can be stopped: from here on what it does is seen by others, so its outcome is
    /// waited for, whatever the limits say.
    ///
    /// # Errors
    /// Why the call must end. Whoever stops it and whoever lets it go on decide for all: never both happen.
    pub fn begin_commit(&self) -> Result<()> {
        self.check()?;
        match self.call.state.compare_exchange(OPEN, COMMITTING, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(state) => stop_of(state).map_or(Ok(()), |stop| Err(self.error(stop))),
        }
    }

    /// What was begun could not be done, and nothing of it is left: the limits hold again.
    pub fn give_up_commit(&self) {
        let _ = self.call.state.compare_exchange(COMMITTING, OPEN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// What was begun is done, but for what makes it last.
    pub fn end_commit(&self) {
        let _ = self.call.state.compare_exchange(COMMITTING, DONE, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Of a call that is too late to stop: whether its work is done, and why it would have to end by now, if it would.
    pub(crate) fn late(&self) -> Option<(bool, Option<Stop>)> {
        let done = match self.call.state.load(Ordering::Acquire) {
            COMMITTING => false,
            DONE => true,
            _ => return None,
        };
        let interrupted = self.call.interrupted_late.load(Ordering::Relaxed).then_some(Stop::Interrupted);
        Some((done, interrupted.or_else(|| self.over())))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{CancelToken, Error};

    #[test]
    fn a_call_is_stopped_or_commits_and_never_both() {
        let token = CancelToken::new();
        let ctx = Context::new(None, token.clone());
        ctx.begin_commit().unwrap();
        token.cancel();
        assert_eq!((ctx.stop(), ctx.late()), (None, Some((false, Some(Stop::Cancelled)))));
        ctx.end_commit();
        assert_eq!((ctx.stop(), ctx.late()), (None, Some((true, Some(Stop::Cancelled)))));

        let ctx = Context::new(None, token.clone());
        assert!(matches!(ctx.begin_commit(), Err(Error::Cancelled)));
        assert_eq!((ctx.stop(), ctx.late()), (Some(Stop::Cancelled), None));

        let ctx = Context::new(Some(Duration::from_millis(5)), CancelToken::new());
        ctx.begin_commit().unwrap();
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(ctx.stop(), None);
        ctx.give_up_commit();
        assert_eq!((ctx.stop(), ctx.late()), (Some(Stop::Deadline), None));
        assert!(ctx.begin_commit().is_err());

        let ctx = Context::unlimited().with_interrupt(|| true);
        ctx.begin_commit().unwrap();
        let mut long_ago = Instant::now();
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(ctx.poll_interrupt(&mut long_ago), None);
        assert_eq!(ctx.late(), Some((false, Some(Stop::Interrupted))));
    }

    #[test]
    fn threads_agree_whether_a_call_was_stopped() {
        for _ in 0..500 {
            let token = CancelToken::new();
            let ctx = Context::new(None, token.clone());
            let worker = ctx.elsewhere();
            let committed = std::thread::spawn(move || worker.begin_commit().is_ok());
            token.cancel();
            let stopped = ctx.stop().is_some();
            assert_eq!(committed.join().unwrap(), !stopped);
        }
    }
}
