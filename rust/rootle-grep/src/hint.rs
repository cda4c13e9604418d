//! What a search without a match may have missed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use rootle_base::{CancelToken, Context, Result, Root};
use rootle_walk::{Filter, Request, Summary, WalkOptions};

use crate::{GrepOptions, Matcher, Mode, grep};

/// Matches in files that the search passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenHint {
    /// Matches in ignored and hidden files.
    pub matches: u64,
    /// How many such files have one.
    pub files: u64,
    /// Whether these are all; otherwise time ran out, or too much was passed over, and there are at least so many.
    pub exact: bool,
}

/// Looks into what a search that found nothing passed over, as far as its `summary` names it
/// ([`WalkOptions::note_dropped`]), for `budget` at most and no longer than `ctx` allows. `.git` stays out.
///
/// # Errors
/// As [`grep()`].
pub fn hidden_hint(
    req: &Request<'_>,
    matcher: &Matcher,
    options: &GrepOptions,
    summary: &Summary,
    budget: Duration,
    ctx: &Context,
) -> Result<Option<HiddenHint>> {
    let (filter, dropped) = (req.filter.clone(), summary.dropped.clone());
    let worth = move |root: &Root, _: &Context| {
        let starts = dropped.iter().filter(|path| worth_a_look(root, &filter, path));
        Ok(starts.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect::<Vec<_>>())
    };
    let Ok(starts) = req.root.apart(ctx, worth) else { return Ok(None) };
    if starts.is_empty() {
        return Ok(None);
    }
    let everything = WalkOptions {
        hidden: true,
        no_ignore: true,
        skip_dirs: vec![OsString::from(".git")],
        note_dropped: 0,
        ..req.options.clone()
    };
    let req = Request { starts: &starts, options: &everything, after: None, ..req.clone() };
    let options = GrepOptions {
        mode: Mode::Count,
        max_matches: None,
        max_per_file: None,
        max_text_bytes: None,
        cursor: None,
        ..options.clone()
    };
    let budget = ctx.remaining().map_or(budget, |left| left.min(budget));
    let outer = ctx.clone();
    let within = Context::new(Some(budget), CancelToken::new()).with_interrupt(move || outer.stop().is_some());
    // An entry that vanished meanwhile is no reason to fail: this is a hint.
    let Ok(found) = grep(&req, matcher, &options, &within) else { return Ok(None) };
    let all_named = summary.dropped.len() as u64 == summary.ignored + summary.hidden + summary.skipped_dirs;
    Ok((found.total_files > 0).then_some(HiddenHint {
        matches: found.total_matches,
        files: found.total_files,
        exact: found.complete && all_named,
    }))
}

/// A file that is named as a start is not filtered, so it is done here; of a directory, `.git` alone is left out.
fn worth_a_look(root: &Root, filter: &Filter, path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let is_dir =
        || root.stat_link(OsStr::from_bytes(path).as_ref()).is_ok_and(|meta| meta.kind == rootle_base::FileKind::Dir);
    name != b".git" && (filter.is_all() || filter.wants_file(path, name) || is_dir())
}
