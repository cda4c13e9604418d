//! A hunk at its place as splices of the file's text. Context lines stay as the file has them.

use super::model::{Dialect, Hunk, LineKind};
use super::target::{Target, bare};
use crate::text::Splice;

/// A run of lines that a hunk takes out, and those it puts in.
struct Run<'h> {
    from: usize,
    to: usize,
    added: Vec<&'h str>,
}

/// The splices of a hunk whose old lines stand at line `at`; for a bare insertion, which goes above line `at`.
pub(super) fn splices(target: &Target<'_>, hunk: &Hunk, at: usize, verbatim: bool, close_end: bool) -> Vec<Splice> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut line = at;
    let mut open = false;
    for (kind, text) in hunk.lines() {
        if kind == LineKind::Context {
            line += 1;
            open = false;
            continue;
        }
        if !open {
            runs.push(Run { from: line, to: line, added: Vec::new() });
            open = true;
        }
        if let Some(run) = runs.last_mut() {
            if kind == LineKind::Removed {
                line += 1;
                run.to = line;
            } else {
                run.added.push(text);
            }
        }
    }
    runs.iter().map(|run| splice(target, hunk, run, verbatim, close_end)).collect()
}

fn splice(target: &Target<'_>, hunk: &Hunk, run: &Run<'_>, verbatim: bool, close_end: bool) -> Splice {
    let mut range = target.start_of(run.from)..target.start_of(run.to);
    let mut text = String::new();
    let at_end = run.to == target.len();
    if at_end && run.from == run.to && target.open_ended() && !run.added.is_empty() {
        text.push_str(line_end(target, run.from));
    }
    for (number, added) in run.added.iter().enumerate() {
        let added = if run.from == 0 && number == 0 { added.strip_prefix('\u{feff}').unwrap_or(added) } else { added };
        if verbatim {
            text.push_str(added.strip_suffix('\n').unwrap_or(added));
            text.push('\n');
        } else {
            text.push_str(bare(added));
            text.push_str(line_end(target, (run.from + number).min(run.to.max(run.from + 1) - 1)));
        }
    }
    if at_end && stays_open(target, hunk, close_end) {
        if run.added.is_empty() {
            // The line before becomes the last one.
            range.start = run.from.checked_sub(1).map_or(0, |before| target.table.lines[before].end);
        } else {
            let own = run.added.last().is_some_and(|line| line.strip_suffix('\n').unwrap_or(line).ends_with('\r'));
            text.pop();
            if text.ends_with('\r') && !own {
                text.pop();
            }
        }
    }
    Splice { range, text }
}

/// Whether the result's last line is to have no line end, where the hunk writes the end of the file: as the hunk's marks
/// ask, and where they ask for no change, as the file has it.
fn stays_open(target: &Target<'_>, hunk: &Hunk, close_end: bool) -> bool {
    match (hunk.old_open_end, hunk.new_open_end) {
        (false, true) => true,
        (true, false) => false,
        _ if close_end && hunk.claim.is_none() => false,
        _ => target.open_ended(),
    }
}

/// Codex ends every file that it writes with a line end.
pub(super) fn closes_end(dialect: Dialect, compat_codex: bool) -> bool {
    compat_codex && dialect == Dialect::V4a
}

/// The line end for a line that is put at line `at`: that of the line which is there, else of the one before or after.
fn line_end<'t>(target: &'t Target<'_>, at: usize) -> &'t str {
    let end_of = |line: usize| {
        let line = target.table.lines.get(line)?;
        Some(&target.document.text[line.end..line.next]).filter(|end| !end.is_empty())
    };
    end_of(at)
        .or_else(|| end_of(at.checked_sub(1)?))
        .or_else(|| end_of(at + 1))
        .unwrap_or_else(|| target.document.dominant())
}
