//! The search of a tree.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rootle_base::{Context, Result};
use rootle_walk::{MAX_WARNINGS, Request, Summary, path_order, walk};

use crate::Matcher;
use crate::cursor::Cursor;
use crate::first::{First, Limits, cut};
use crate::options::{GrepOptions, Sort};
use crate::order::{self, Key};
use crate::pace::Sizes;
use crate::result::{GrepResult, StopReason};
use crate::source::is_local;
use crate::trail::{Trail, frontier};
use crate::want::Want;
use crate::worker::{Shared, Worker};

/// Searches the files that the walk `req` finds.
///
/// With a limit, exactly the first matches in the order asked for are given, on however many threads they were found;
/// a search in path order ends as soon as they are. A deadline or a cancel gives what was found until then.
///
/// # Errors
/// `InvalidArgument` and `InvalidCursor` for the options; what the walk cannot begin with; and, where a single file was
/// asked for, why it cannot be read.
pub fn grep(req: &Request<'_>, matcher: &Matcher, options: &GrepOptions, ctx: &Context) -> Result<GrepResult> {
    options.check()?;
    let spec = matcher.spec();
    let resume = options.cursor.as_deref().map(|cursor| Cursor::decode(cursor, spec, options)).transpose()?;
    let limits = Limits::of(options);
    let shared = Arc::new(Shared {
        matcher: matcher.clone(),
        want: Arc::new(Want::new(options, matcher)),
        recall: matcher.recall(),
        ctx: ctx.clone(),
        mode: options.mode,
        sort: options.sort,
        count_totals: options.count_totals,
        sizes: Sizes::default(),
        // Where reads may be short, or the root itself may not answer, nothing is taken for granted.
        local: !req.root.may_stall() && is_local(req.root.fd()),
        first: limits.map(First::new),
        caller: thread::current().id(),
        start_error: Mutex::new(None),
        resume,
    });
    let walked = Request { after: walk_after(req, &shared), ..req.clone() };
    let (workers, summary) = walk(&walked, ctx, {
        let shared = shared.clone();
        move || Worker::new(&shared)
    })?;
    let mut result = GrepResult { engine: matcher.engine(), ..GrepResult::default() };
    result.coverage.summary = summary;
    let mut trails = Vec::with_capacity(workers.len());
    let mut uncounted = result.coverage.summary.cut;
    let mut files = Vec::new();
    for worker in workers {
        result.coverage.add(&worker.coverage);
        add_warnings(&mut result.coverage.summary, worker.coverage.summary);
        result.total_matches += worker.total_matches;
        result.total_files += worker.total_files;
        uncounted |= worker.uncounted;
        files.extend(worker.files);
        trails.push(worker.trail);
    }
    let start_error = shared.start_error.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(error) = start_error.filter(|_| req.starts.len() == 1) {
        return Err(error);
    }
    order_warnings(&mut result.coverage.summary);
    let mut end = None;
    if let (Some(first), Some(limits)) = (&shared.first, limits) {
        files = first.take_files();
        end = cut(limits, &mut files).map(|(key, skip)| Cursor { key, skip });
    } else {
        files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    }
    // A thread that was left behind may have given a file and not counted it.
    result.total_files = result.total_files.max(files.len() as u64);
    result.total_matches = result.total_matches.max(files.iter().map(|(_, file)| file.count).sum());
    let stop = ctx.stop();
    result.stop = stop.map(StopReason::from).or_else(|| end.is_some().then_some(StopReason::MaxMatches));
    result.complete = result.stop.is_none();
    result.totals_exact = !uncounted && stop.is_none();
    if stop.is_some() {
        end = searched_up_to(req, options, &trails, end);
    }
    result.cursor = end.map(|end| end.encode(spec, options));
    result.files = files.into_iter().map(|(_, file)| file).collect();
    Ok(result)
}

/// Where the walk begins: where the cursor says, or the caller, whichever is later.
fn walk_after(req: &Request<'_>, shared: &Shared) -> Option<Vec<u8>> {
    let resumed = shared.resume.as_ref().filter(|_| shared.sort == Sort::Path).and_then(|cursor| match cursor.skip {
        None => Some(cursor.key.path.clone()),
        // The file itself is searched again, up to where it was given.
        Some(_) => order::before(&cursor.key.path),
    });
    match (resumed, req.after.clone()) {
        (Some(a), Some(b)) => Some(if path_order(&a, &b).is_gt() { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// Where to go on after a search that was stopped: before the first file that was not searched, and no later than `end`,
/// where what was given ends.
fn searched_up_to(req: &Request<'_>, options: &GrepOptions, trails: &[Trail], end: Option<Cursor>) -> Option<Cursor> {
    // Several starts are searched in the caller's order, not in that of paths.
    if options.sort != Sort::Path || req.starts.len() != 1 {
        return None;
    }
    let searched = Cursor { key: Key { mtime_ns: None, path: frontier(trails)? }, skip: None };
    Some(match end {
        Some(end) if end.key <= searched.key => end,
        _ => searched,
    })
}

fn add_warnings(summary: &mut Summary, other: Summary) {
    summary.warnings.extend(other.warnings);
    summary.warnings_dropped += other.warnings_dropped;
}

fn order_warnings(summary: &mut Summary) {
    summary.warnings.sort_by(|a, b| path_order(&a.path, &b.path));
    let kept = summary.warnings.len().min(MAX_WARNINGS);
    summary.warnings_dropped += (summary.warnings.len() - kept) as u64;
    summary.warnings.truncate(kept);
}
