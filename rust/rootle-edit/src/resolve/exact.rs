//! Matches that are exact.

use std::ops::Range;

use memchr::memchr_iter;

use super::already::is_around;
use super::pick::pick;
use super::reindent::with_lead;
use super::{Place, Resolved, Scene, Step};
use crate::budget::Budget;
use crate::find::{exact, is_line_end, is_line_start, placement, splits_word, whole_lines};
use crate::fuzzy::is_comment_tail;
use crate::merge::{delta, merge_fragment, tokens};
use crate::repair::Pair;
use crate::text::{Block, is_blank};
use crate::{Edit, Reason, Refusal, Warning, report};

/// More places are not looked for, if all are replaced.
const MAX_PLACES: usize = 1_000_000;
/// More places are not counted, if there should be one.
const MAX_COUNTED: usize = 10_000;
/// The work that looking for a copy at another depth may cost.
const COPY_BUDGET: u64 = 1_000_000;

pub(super) fn resolve(scene: &Scene<'_>, edit: &Edit, pair: &Pair) -> Step {
    let many = edit.replace_all || edit.expected_count.is_some_and(|count| count > 1);
    let hits = exact(scene.document, &pair.old, many, if many { MAX_PLACES } else { MAX_COUNTED });
    if hits.is_empty() || (!many && stands_at_end(scene.text(), &pair.old)) {
        return Ok(None);
    }
    let line_of = |hit: usize| memchr_iter(b'\n', &scene.text().as_bytes()[..hits[hit].start]).count() as u64;
    let picked = pick(scene, edit, &hits, line_of).map_err(|reason| report::places(scene, edit, reason, &hits))?;
    let ended = Pair { new: format!("{}\n", pair.new), ..pair.clone() };
    let meant = |hit: &Range<usize>| if loses_line_end(scene.text(), pair, hit) { &ended } else { pair };
    if many {
        let places = picked.iter().map(|&hit| place(scene, meant(&hits[hit]), &hits[hit])).collect();
        return Ok(Some(Resolved::new(crate::Status::Applied, pair, places)));
    }
    let hit = hits[picked[0]].clone();
    let pair = meant(&hit);
    if pair.old == pair.new {
        let message = "old and new differ in the last line's end only; to join lines, give both of them";
        return Err(Refusal::new(Reason::NoChange, message));
    }
    if is_other_depth(scene.text(), pair, &hit)
        || begins_with_line_end(scene.text(), pair, &hit)
        || ends_before_comment(scene.text(), pair, &hit)
        || ends_within_line(scene.text(), pair, &hit)
    {
        return Ok(None);
    }
    if is_around(scene.text(), &pair.old, &pair.new, &hit, scene.line_end()) {
        return Ok(Some(Resolved::already(pair, placement(scene.text(), &Block::pieces(&pair.old), &hit))));
    }
    single(scene, edit, pair, hit).map(Some)
}

/// Whether the text begins within a line's indentation and reaches the line's end: then it is the line at another depth.
fn is_other_depth(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    let line_start = text[..hit.start].rfind('\n').map_or(0, |lf| lf + 1);
    let lead = &text[line_start..hit.start];
    let indented = pair.old.starts_with([' ', '\t']) && !pair.old.trim().is_empty();
    indented && !lead.is_empty() && lead.trim().is_empty() && ends_line(text, pair, hit)
}

/// Whether the match ends where a line does: before its line end, or behind it.
fn ends_line(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    pair.old.ends_with('\n') || is_line_end(text, hit.end)
}

/// Whether the old text ends with its last line and the new one leaves that line's end out, with another line, or
/// the end of the file, behind: nobody who gives whole lines wants the next one joined to them, or the last one left open.
fn loses_line_end(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    let open = !is_line_end(text, hit.end) || hit.end == text.len();
    pair.old.ends_with('\n') && !pair.new.is_empty() && !pair.new.ends_with('\n') && open
}

/// Whether both texts begin with a blank line that in the file is only the end of the line above: no exact match then.
fn begins_with_line_end(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    let blank = |text: &str| text.starts_with(['\n', '\r']);
    blank(&pair.old) && blank(&pair.new) && !is_line_start(text, hit.start)
}

/// Whether lines are to be put in after a line that has more in the file than in the old text, which is white space or a
/// comment: they do not belong before that.
fn ends_before_comment(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    let line_start = text[..hit.start].rfind('\n').map_or(0, |lf| lf + 1);
    let rest = text[hit.end..].split('\n').next().unwrap_or("");
    let (old, new) = (Block::pieces(&pair.old), Block::pieces(&pair.new));
    let grows = delta(&old.lines, &new.lines).last().is_some_and(|hunk| hunk.old.start == old.len());
    let whole = text[line_start..hit.start].trim().is_empty() && old.lines.last().is_some_and(|last| !is_blank(last));
    let spaces = rest.strip_suffix('\r').unwrap_or(rest);
    let tail = !spaces.is_empty() && (spaces.trim().is_empty() || is_comment_tail(spaces));
    whole && grows && tail
}

/// Whether the text's last lines, which are all that the file has there but for a last line feed, are the old text: one more
/// place than the exact ones.
fn stands_at_end(text: &str, old: &str) -> bool {
    let (text, old) = (text.as_bytes(), old.as_bytes());
    let Some(old) = old.strip_suffix(b"\n").filter(|old| !old.is_empty() && !text.ends_with(b"\n")) else {
        return false;
    };
    text.strip_suffix(old).is_some_and(|rest| rest.last().is_none_or(|last| *last == b'\n'))
}

/// Whether lines are to be removed, or put in, at a place within a line where the old text happens to end: what the line
/// has behind that would go on with another line.
fn ends_within_line(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    if is_line_end(text, hit.end) || pair.old.ends_with('\n') || !pair.old.contains('\n') || pair.new.is_empty() {
        return false;
    }
    let (old, new) = (Block::pieces(&pair.old), Block::pieces(&pair.new));
    let hunks = delta(&old.lines, &new.lines);
    hunks.last().is_some_and(|hunk| {
        hunk.old.end == old.len() && hunk.old.start > 0 && (hunk.new.is_empty() || hunk.old.is_empty())
    })
}

/// The changes of one match.
fn place(scene: &Scene<'_>, pair: &Pair, hit: &Range<usize>) -> Place {
    let mut old = Block::pieces(&pair.old);
    let mut new = Block::pieces(&pair.new);
    if pair.new.is_empty() && !pair.old.ends_with('\n') {
        new.lines.clear();
    } else if old.lines.len() > 1
        && new.lines.len() > 1
        && old.lines.last() == Some(&"")
        && new.lines.last() == Some(&"")
    {
        // Both end with a line feed: it stays.
        old.lines.pop();
        new.lines.pop();
    }
    let placement = placement(scene.text(), &old, hit);
    let hunks = delta(&old.lines, &new.lines);
    let merged = merge_fragment(scene.text(), scene.line_end(), &new, &hunks, &placement);
    Place { placement, changes: merged.changes }
}

fn single(scene: &Scene<'_>, edit: &Edit, pair: &Pair, hit: Range<usize>) -> Result<Resolved, Refusal> {
    let text = scene.text();
    if joins_next_line(text, pair, &hit) {
        return Err(report::joined(scene, &hit));
    }
    let line_start = text[..hit.start].rfind('\n').map_or(0, |lf| lf + 1);
    let lead = &text[line_start..hit.start];
    let after_indent = lead.trim().is_empty();
    if splits(scene, pair, &hit, after_indent) {
        return Err(report::places(scene, edit, Reason::UnsafeDifference, &[hit]));
    }
    if lead.is_empty() || !after_indent || is_line_end(&pair.old, 0) {
        return Ok(Resolved::new(crate::Status::Applied, pair, vec![place(scene, pair, &hit)]));
    }
    // The text begins after a line's indentation. With more lines, it may be a copy at another depth that is meant.
    if pair.old.trim_end().contains('\n') {
        let old = Block::new(&pair.old);
        let copies = whole_lines(scene.table(), &old, &mut Budget::new(COPY_BUDGET));
        let copies = copies.map_err(|_| report::out_of_budget(edit))?;
        if copies.len() > 1 {
            let ranges: Vec<_> = copies.iter().map(|copy| copy.placement(scene.table()).range()).collect();
            return Err(report::places(scene, edit, Reason::Ambiguous, &ranges));
        }
    }
    let whole_line = ends_line(text, pair, &hit);
    if pair.new.is_empty() && !whole_line {
        return Ok(Resolved::new(crate::Status::Applied, pair, vec![place(scene, pair, &hit)]));
    }
    let made = with_lead(lead, &pair.old, &pair.new);
    let indented = made.len() > lead.len() + pair.new.len();
    let pair = Pair { old: format!("{lead}{}", pair.old), new: made, repairs: pair.repairs.clone() };
    let mut resolved = Resolved::new(crate::Status::Applied, &pair, vec![place(scene, &pair, &(line_start..hit.end))]);
    if indented {
        resolved.warnings.push(Warning::IndentationAdapted);
    }
    Ok(resolved)
}

/// Whether the new text adds lines and lacks the line feed that the old one ends with, so that the last one would run into
/// the file's next line.
fn joins_next_line(text: &str, pair: &Pair, hit: &Range<usize>) -> bool {
    if !pair.old.ends_with('\n') || pair.new.ends_with('\n') || is_line_end(text, hit.end) {
        return false;
    }
    let (old, new) = (Block::new(&pair.old), Block::new(&pair.new));
    delta(&old.lines, &new.lines).last().is_some_and(|hunk| hunk.old.start == old.len())
}

/// Whether the text is a line's from its beginning, or to its end, and stops within a word of it: then it is another line
/// that is meant.
fn splits(scene: &Scene<'_>, pair: &Pair, hit: &Range<usize>, from_start: bool) -> bool {
    let text = scene.text();
    let several = |line: Option<&str>| line.is_some_and(|line| tokens(line).0.len() > 1);
    let to_end = is_line_end(text, hit.end) && !is_line_start(text, hit.end);
    (from_start && several(pair.old.rsplit('\n').next()) && splits_word(text, hit.end))
        || (to_end && several(pair.old.split('\n').next()) && splits_word(text, hit.start))
}
