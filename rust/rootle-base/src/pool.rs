//! Threads that are kept for the next call, since starting one costs as much as reading a dozen small files.
//!
//! A thread that never comes back from a system call is lost to the pool and replaced; nobody waits for it. So jobs own
//! everything they touch.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use crate::process::PerProcess;
use crate::{Context, Stop};

/// Work for another thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// Threads of one process, those included that do not come back. Beyond it jobs wait for a thread.
const MAX_THREADS: usize = 128;
/// A thread without work for so long ends.
const IDLE: Duration = Duration::from_secs(60);

/// How often a waiting caller looks at its limits.
pub const NAP: Duration = Duration::from_millis(20);
/// How long a caller whose time is over waits for others to hand over what they have.
pub const GRACE: Duration = Duration::from_millis(100);

static POOL: PerProcess<Pool> = PerProcess::new();

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Threads that wait, those included that were woken and did not take their job yet.
    idle: usize,
    threads: usize,
}

/// Gives a job to another thread. A panic in it goes no further.
///
/// # Errors
/// Gives the job back if there is no thread and the system has none to give.
pub fn hand_off(job: Job) -> Result<(), Job> {
    let pool = POOL.get();
    let mut state = pool.lock();
    state.jobs.push_back(job);
    if state.idle >= state.jobs.len() {
        drop(state);
        pool.work.notify_one();
        return Ok(());
    }
    if state.threads >= MAX_THREADS {
        return Ok(());
    }
    state.threads += 1;
    drop(state);
    if Builder::new().name("rootle".to_owned()).spawn(|| POOL.get().serve()).is_ok() {
        return Ok(());
    }
    let mut state = pool.lock();
    state.threads -= 1;
    // While there are others, one of them will come to it.
    match state.jobs.pop_back() {
        Some(job) if state.threads == 0 => Err(job),
        Some(job) => {
            state.jobs.push_back(job);
            Ok(())
        }
        None => Ok(()),
    }
}

impl Pool {
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // Whoever waits for the job has been told by the job itself.
                let _ = catch_unwind(AssertUnwindSafe(job));
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, waited) = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that another thread does, and whose outcome is waited for now or later. What is dropped is left to itself: it
/// should look at the limits between its system calls.
#[derive(Debug)]
pub struct Errand<T>(Arc<(Mutex<Option<thread::Result<T>>>, Condvar)>);

impl<T: Send + 'static> Errand<T> {
    /// Sends `work` to another thread; does it here if there is none.
    pub fn send(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let shared = Arc::new((Mutex::new(None), Condvar::new()));
        let theirs = shared.clone();
        let job = move || {
            let outcome = catch_unwind(AssertUnwindSafe(work));
            *theirs.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            theirs.1.notify_one();
        };
        if let Err(job) = hand_off(Box::new(job)) {
            job();
        }
        Self(shared)
    }

    /// Waits for the outcome: no longer than `ctx` allows and [`GRACE`], and with `patience` no longer than that, which
    /// gives none. To be called until it gives an outcome, and not after.
    ///
    /// # Errors
    /// Why the call must end, if the work did not end before.
    ///
    /// # Panics
    /// If the work did.
    pub fn wait(&mut self, ctx: &Context, patience: Option<Duration>) -> Result<Option<T>, Stop> {
        let began = Instant::now();
        let mut asked = began;
        let mut over: Option<Instant> = None;
        loop {
            let left = patience.map_or(NAP, |patience| patience.saturating_sub(began.elapsed()).min(NAP));
            let nap = ctx.remaining().filter(|left| !left.is_zero()).map_or(left, |most| left.min(most));
            let outcome = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = self.0.1.wait_timeout_while(outcome, nap, |outcome| outcome.is_none());
            match wait.unwrap_or_else(PoisonError::into_inner).0.take() {
                Some(Ok(value)) => return Ok(Some(value)),
                Some(Err(panic)) => resume_unwind(panic),
                None => {}
            }
            if let Some(stop) = ctx.poll_interrupt(&mut asked) {
                if over.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    return Err(stop);
                }
            } else if patience.is_some_and(|patience| began.elapsed() >= patience) {
                return Ok(None);
            }
        }
    }
}

/// Does `work` on another thread and waits for it, but no longer than `ctx` allows and [`GRACE`].
///
/// # Errors
/// Why the call must end, if the work did not end before.
///
/// # Panics
/// If the work does.
pub fn apart<T: Send + 'static>(ctx: &Context, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Stop> {
    let mut errand = Errand::send(work);
    loop {
        if let Some(value) = errand.wait(ctx, None)? {
            return Ok(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::CancelToken;

    #[test]
    fn jobs_end_before_any_thread_is_started_for_the_next() {
        let mut seen = HashSet::new();
        for _ in 0..200 {
            seen.insert(apart(&Context::unlimited(), || thread::current().id()).unwrap());
        }
        // A thread takes a moment to be free again, and other tests use the pool too.
        assert!(seen.len() < 40, "{} threads for 200 jobs", seen.len());
        assert!(!seen.contains(&thread::current().id()));
    }

    #[test]
    fn jobs_that_wait_for_one_another_each_get_a_thread() {
        let (sender, receiver) = channel::<u32>();
        let (done, end) = channel::<u32>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..8 {
            let (receiver, done) = (receiver.clone(), done.clone());
            let job = move || done.send(receiver.lock().unwrap().recv().unwrap()).unwrap();
            assert!(hand_off(Box::new(job)).is_ok());
        }
        assert!(hand_off(Box::new(move || (0..8).for_each(|at| sender.send(at).unwrap()))).is_ok());
        let mut got: Vec<u32> = (0..8).map(|_| end.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        got.sort_unstable();
        assert_eq!(got, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_not_the_pool() {
        let caught = catch_unwind(|| apart(&Context::unlimited(), || -> u32 { panic!("mine") }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"mine"));
        assert_eq!(apart(&Context::unlimited(), || 7), Ok(7));
    }

    #[test]
    fn limits_hold_whatever_the_work_does() {
        let token = CancelToken::new();
        let after = Duration::from_millis(60);
        let interrupted = Instant::now();
        for (ctx, expected) in [
            (Context::new(Some(after), CancelToken::new()), Stop::Deadline),
            (Context::new(None, token.clone()), Stop::Cancelled),
            (Context::unlimited().with_interrupt(move || interrupted.elapsed() > after), Stop::Interrupted),
        ] {
            let token = token.clone();
            thread::spawn(move || {
                thread::sleep(after);
                token.cancel();
            });
            let (hold, held) = channel::<()>();
            let begun = Instant::now();
            assert_eq!(apart(&ctx, move || held.recv()).map(|_| ()), Err(expected));
            let taken = begun.elapsed();
            assert!(taken > GRACE && taken < after + GRACE + Duration::from_millis(400), "{expected:?}: {taken:?}");
            drop(hold);
        }
    }

    #[test]
    fn what_is_done_within_the_grace_is_given() {
        let ctx = Context::new(Some(Duration::from_millis(10)), CancelToken::new());
        assert_eq!(apart(&ctx, || thread::sleep(Duration::from_millis(40))), Ok(()));
    }
}
