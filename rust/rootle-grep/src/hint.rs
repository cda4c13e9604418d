//! What a search without a match may have missed.

use std::ffi::OsString;
use std::time::Duration;

use rootle_base::{CancelToken, Context, Result};
use rootle_walk::{Request, WalkOptions};

use crate::{GrepOptions, Matcher, Mode, grep};

/// Matches in files that the search passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenHint {
    /// Matches in ignored and hidden files.
    pub matches: u64,
    /// How many such files have one.
    pub files: u64,
    /// Whether these are all; otherwise time ran out and there are at least so many.
    pub exact: bool,
}

/// After a search that found nothing, looks at ignored and hidden files too, for `budget` at most and no longer than
/// `ctx` allows. Only `.git` stays out. `None` when the time was too short to find any, or all was read and there is none.
pub fn hidden_hint(
    req: &Request<'_>,
    matcher: &Matcher,
    options: &GrepOptions,
    budget: Duration,
    ctx: &Context<'_>,
) -> Result<Option<HiddenHint>> {
    let everything =
        WalkOptions { hidden: true, no_ignore: true, skip_dirs: vec![OsString::from(".git")], ..req.options.clone() };
    let req = Request { options: &everything, after: None, ..req.clone() };
    let options = GrepOptions {
        mode: Mode::Count,
        max_matches: None,
        max_per_file: None,
        max_text_bytes: None,
        cursor: None,
        ..options.clone()
    };
    let budget = ctx.remaining().map_or(budget, |left| left.min(budget));
    let within = Context::new(Some(budget), CancelToken::new()).with_interrupt(|| ctx.stop().is_some());
    let found = grep(&req, matcher, &options, &within)?;
    Ok((found.total_files > 0).then_some(HiddenHint {
        matches: found.total_matches,
        files: found.total_files,
        exact: found.complete,
    }))
}
