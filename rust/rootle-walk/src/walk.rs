//! The walk: threads and their end.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rootle_base::{Context, Error, Result};

use crate::bytes::plain;
use crate::shared::Shared;
use crate::starts::Starts;
use crate::team::{Make, Team};
use crate::worker::Worker;
use crate::{Request, Summary, Visit};

/// More threads than this only wait for one another.
const MAX_THREADS: usize = 12;

/// Waking a thread costs as much as reading a file or two, so the calling thread works alone until the walk has lasted
/// this long ...
const ALONE: Duration = Duration::from_micros(100);
/// ... and there is something for others to take; or until there is so much that it cannot end soon.
const ENOUGH: usize = 2;
const PLENTY: usize = 100;

/// Walks the tree in parallel. `make` makes a visitor for each thread that takes part, and for what each hands over; all
/// come back in the end.
///
/// Where [`rootle_base::Root::may_stall`] says that a file system may stop answering, other threads do all of it, and when the call must
/// end those that do not come back are left behind; what they had handed over counts, and the place where they are is a
/// warning `no_answer`.
///
/// # Errors
/// Only for a start that does not exist, lies outside the root or is neither file nor directory. What goes wrong below
/// is a warning in the summary.
///
/// # Panics
/// If a visitor panics, so does the walk.
pub fn walk<V: Visit + 'static>(
    req: &Request<'_>,
    ctx: &Context,
    make: impl Fn() -> V + Send + Sync + 'static,
) -> Result<(Vec<V>, Summary)> {
    run(req, ctx, make, req.root.may_stall())
}

/// The same; whether the tree may stall is for the caller to say.
fn run<V: Visit + 'static>(
    req: &Request<'_>,
    ctx: &Context,
    make: impl Fn() -> V + Send + Sync + 'static,
    distant: bool,
) -> Result<(Vec<V>, Summary)> {
    let began = Instant::now();
    let mut at = PathBuf::new();
    let starts = match Starts::new(req, ctx, &mut at) {
        Ok(starts) => starts,
        Err(error @ (Error::DeadlineExceeded { .. } | Error::Cancelled | Error::Interrupted)) => {
            let Some(stop) = ctx.stop() else { return Err(error) };
            return Ok((vec![make()], Summary::unanswered(&plain(&at), stop)));
        }
        Err(error) => return Err(error),
    };
    let shared = Arc::new(Shared::new(req, ctx, starts, distant)?);
    let make: Make<V> = Arc::new(make);
    let team = Team::new(&shared, make.clone());
    let helpers = Cell::new(0);
    let help = || {
        let most = most_helpers(req.options.threads);
        if helpers.get() < most {
            // No more than there is work for: each costs the caller the time to wake it.
            let waiting = shared.queue.waiting();
            let wanted = most.min(waiting);
            if helpers.get() < wanted && is_worth_help(waiting, began) {
                (helpers.replace(wanted)..wanted).for_each(|_| _ = team.hire());
            }
        }
    };
    let mut main = Worker::new(&shared, make(), None);
    main.help = Some(&help);
    main.begin();
    let stop = if shared.distant && (0..threads(req.options.threads)).filter(|_| team.hire()).count() > 0 {
        team.watch(ctx)
    } else {
        main.run();
        team.settle(ctx)
    };
    if let Some(panic) = shared.panic() {
        resume_unwind(panic);
    }
    if let Some(error) = shared.failure() {
        return Err(error);
    }
    let Worker { visitor, mut summary, .. } = main;
    summary.stop = summary.stop.or(stop);
    let mut visitors = vec![visitor];
    for (visitor, part) in team.part(&mut summary) {
        visitors.push(visitor);
        summary.merge(part);
    }
    if summary.stop.is_some() {
        let mut starts = Vec::new();
        shared.queue.left(|path| summary.left(path), |start| starts.push(start));
        starts.iter().for_each(|start| summary.left(&shared.starts.all[*start].path));
    }
    summary.finish();
    Ok((visitors, summary))
}

fn is_worth_help(waiting: usize, began: Instant) -> bool {
    waiting >= PLENTY || waiting >= ENOUGH && began.elapsed() >= ALONE
}

/// How many the machine offers. The system is asked once: it takes several calls to learn it.
static OFFERED: OnceLock<usize> = OnceLock::new();

pub(crate) fn threads(wanted: usize) -> usize {
    match wanted {
        0 => *OFFERED.get_or_init(|| available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS)),
        wanted => wanted,
    }
}

/// The same without the caller. Until the first helper has asked the system, that one is all.
fn most_helpers(wanted: usize) -> usize {
    let threads = if wanted == 0 { OFFERED.get().copied().unwrap_or(2) } else { wanted };
    threads - 1
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
