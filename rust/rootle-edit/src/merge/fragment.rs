//! The merge into a part of the text that may begin and end within a line.

use super::{Change, Hunk, Merged};
use crate::find::{Placement, is_line_end, is_line_start, line_end_len};
use crate::text::Block;

/// Makes the hunks between pieces of the texts, as plain replacement would, but piece by piece: pieces that stay keep
/// their bytes, and new line ends are those of their neighbours.
pub(crate) fn merge_fragment(
    text: &str,
    line_end: &str,
    new: &Block<'_>,
    hunks: &[Hunk],
    placement: &Placement,
) -> Merged {
    let spans: Vec<_> = placement.spans.iter().copied().flatten().collect();
    let end_at = |at: usize| {
        let len = line_end_len(text, at);
        (len > 0).then(|| &text[at..at + len])
    };
    // The line end after an old piece within the match; else after the last one that has one; else around the match.
    let internal: Vec<&str> =
        spans.iter().take(spans.len().saturating_sub(1)).filter_map(|span| end_at(span.end)).collect();
    let around = spans
        .last()
        .and_then(|last| end_at(text[last.end..].find(['\r', '\n']).map_or(text.len(), |at| last.end + at)));
    let end_for = |piece: usize| internal.get(piece).or(internal.last()).copied().or(around).unwrap_or(line_end);
    let mut merged = Merged::default();
    for hunk in hunks {
        let lines = &new.lines[hunk.new.clone()];
        let (old, count) = (&hunk.old, spans.len());
        let mut made = String::new();
        for (number, line) in lines.iter().enumerate() {
            made.push_str(line);
            if number + 1 < lines.len() {
                made.push_str(end_for(old.start + number.min(old.len().saturating_sub(1))));
            }
        }
        let change = if !old.is_empty() && !lines.is_empty() {
            Change { range: spans[old.start].start..spans[old.end - 1].end, text: made }
        } else if !old.is_empty() {
            let range = match (old.start, old.end) {
                (start, end) if start > 0 => spans[start - 1].end..spans[end - 1].end,
                (_, end) if end < count => spans[0].start..spans[end].start,
                _ => whole_with_end(text, spans[0].start, spans[count - 1].end),
            };
            Change { range, text: String::new() }
        } else if old.start > 0 {
            let at = spans[old.start - 1].end;
            Change { range: at..at, text: format!("{}{made}", end_for(old.start - 1)) }
        } else {
            let at = spans.first().map_or(0, |span| span.start);
            Change { range: at..at, text: format!("{made}{}", end_for(0)) }
        };
        merged.changes.push(change);
    }
    merged
}

/// The range, with its line end if it is whole lines: nothing is to be left of them, not even a blank line.
fn whole_with_end(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    if !is_line_start(text, start) || !is_line_end(text, end) {
        return start..end;
    }
    let len = line_end_len(text, end);
    if len > 0 || start == 0 {
        return start..end + len;
    }
    let bytes = text.as_bytes();
    let before = if start > 1 && bytes[start - 2] == b'\r' { 2 } else { 1 };
    start - before..end
}
