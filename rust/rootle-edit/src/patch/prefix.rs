//! Whether an edit moves lines by the one column that a prefix takes.

use std::collections::HashMap;
use std::ops::Range;

use super::model::{Hunk, LineKind};
use super::target::{Target, bare};
use crate::text::Splice;

/// Whether the changes of the file's `lines` write lines of the hunk one column to the right or left, and no removed line
/// stands moved likewise. Context that lost its prefix looks as if the file were indented by one column more.
pub(super) fn shifts_one_column(hunk: &Hunk, target: &Target<'_>, lines: Range<usize>, changes: &[Splice]) -> bool {
    let text = &target.document.text;
    let start = changes.iter().map(|change| change.range.start).fold(target.start_of(lines.start), usize::min);
    let end = changes.iter().map(|change| change.range.end).fold(target.start_of(lines.end), usize::max);
    let mut after = String::new();
    let mut done = start;
    let mut ordered: Vec<&Splice> = changes.iter().collect();
    ordered.sort_by_key(|change| (change.range.start, change.range.end));
    for change in ordered {
        after.push_str(text.get(done..change.range.start).unwrap_or(""));
        after.push_str(&change.text);
        done = change.range.end.max(done);
    }
    after.push_str(&text[done..end]);
    let (before, after) = (counts(&text[start..end]), counts(&after));
    let of = |counts: &HashMap<&str, usize>, line: &str| counts.get(line).copied().unwrap_or(0);
    let more = |line: &str| of(&after, line) > of(&before, line);
    let moved = |line: &str, right: bool| {
        if right { Some(format!(" {line}")) } else { line.strip_prefix(' ').map(str::to_owned) }
    };
    let given = |kind: LineKind| {
        let lines = hunk.lines().filter(move |line| line.0 == kind).map(|line| bare(line.1));
        lines.filter(|line| !line.trim().is_empty())
    };
    [true, false].into_iter().any(|right| {
        let shifted = given(LineKind::Added).any(|line| !more(line) && moved(line, right).is_some_and(|to| more(&to)));
        let stands = |line: &str| moved(line, right).is_some_and(|to| of(&before, line) == 0 && of(&before, &to) > 0);
        shifted && !given(LineKind::Removed).any(stands)
    })
}

fn counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in text.split_inclusive('\n').map(bare) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}
