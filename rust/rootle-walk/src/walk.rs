//! The walk: threads and their end.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};

use rootle_base::{Context, Result};

use crate::shared::Shared;
use crate::worker::Worker;
use crate::{Request, Summary, Visit};

/// More threads than this only wait for one another.
const MAX_THREADS: usize = 12;

/// Starting a thread, and waiting for its end, costs as much as listing some hundred files, so the calling thread works
/// alone until the walk has lasted this long ...
const ALONE: Duration = Duration::from_millis(1);
/// ... and there is something for others to take; or until there is so much that it cannot end soon.
const ENOUGH: usize = 2;
const PLENTY: usize = 100;

/// Walks the tree in parallel. `make` makes a visitor for each thread that takes part; all come back in the end.
///
/// # Errors
/// Only for a start that does not exist, lies outside the root or is neither file nor directory. What goes wrong below
/// is a warning in the summary.
///
/// # Panics
/// If a visitor panics, so does the walk, after all threads have ended.
pub fn walk<V: Visit>(req: &Request<'_>, ctx: &Context<'_>, make: impl Fn() -> V + Sync) -> Result<(Vec<V>, Summary)> {
    let began = Instant::now();
    let shared = Shared::new(req, ctx)?;
    let mut workers = scope(|scope| {
        let mut main = Worker::new(&shared, make(), true);
        let mut helpers = Vec::new();
        let mut alone = req.options.threads != 1;
        main.begin();
        main.run(|| {
            if alone && is_worth_help(shared.queue.waiting(), began) {
                alone = false;
                let (shared, make) = (&shared, &make);
                let start = || {
                    scope.spawn(move || {
                        let mut helper = Worker::new(shared, make(), false);
                        helper.run(|| {});
                        (helper.visitor, helper.summary)
                    })
                };
                helpers.extend((1..threads(req.options.threads)).map(|_| start()));
            }
        });
        let mut workers = vec![(main.visitor, main.summary)];
        for helper in helpers {
            workers.push(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        workers
    });
    if let Some(error) = shared.failure() {
        return Err(error);
    }
    let mut summary = Summary::default();
    for (_, part) in &mut workers {
        summary.merge(std::mem::take(part));
    }
    if summary.stop.is_some() {
        let mut left = Summary::default();
        let mut starts = Vec::new();
        shared.queue.left(|path| left.left(path), |start| starts.push(start));
        starts.iter().for_each(|start| left.left(&shared.starts.all[*start].path));
        summary.merge(left);
    }
    summary.finish();
    Ok((workers.into_iter().map(|(visitor, _)| visitor).collect(), summary))
}

fn is_worth_help(waiting: usize, began: Instant) -> bool {
    waiting >= PLENTY || waiting >= ENOUGH && began.elapsed() >= ALONE
}

fn threads(wanted: usize) -> usize {
    // The system is asked once: it takes several calls to learn how many there are.
    static OFFERED: OnceLock<usize> = OnceLock::new();
    match wanted {
        0 => *OFFERED.get_or_init(|| available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS)),
        wanted => wanted,
    }
}
