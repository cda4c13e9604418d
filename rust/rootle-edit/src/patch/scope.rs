//! The texts of `@@` lines: which part of a file they mean.

use std::ops::Range;

use super::target::Target;
use crate::text::leading;

/// The lines of the one definition or section that `scope` (outermost first) names, its first line included. None if
/// there is no such line, or more than one.
pub(super) fn block(target: &Target<'_>, scope: &[String]) -> Option<Range<usize>> {
    let mut within = 0..target.len();
    for text in scope {
        let head = only_line(target, within.clone(), text)?;
        within = head..end_of_block(target, head);
    }
    (!scope.is_empty()).then_some(within)
}

/// The only line within the range that is the text, or else the only one that begins with it.
fn only_line(target: &Target<'_>, within: Range<usize>, text: &str) -> Option<usize> {
    let text = text.trim();
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut lines = within.clone().filter(|line| fits(target.table.line(*line).trim()));
        lines.next().map(|first| (first, lines.next().is_none()))
    };
    let begins = |line: &str| {
        let whole_word = |rest: &str| {
            !text.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        };
        line.strip_prefix(text).is_some_and(whole_word)
    };
    // Git cuts long lines, within a word too.
    let cut = |line: &str| text.len() >= 40 && line.starts_with(text);
    let (line, alone) = only(&|line| line == text).or_else(|| only(&begins)).or_else(|| only(&cut))?;
    alone.then_some(line)
}

/// The line after the block that line `head` begins: the next one that is indented no more, brackets aside. Where the
/// text is flat (a heading), to the end.
fn end_of_block(target: &Target<'_>, head: usize) -> usize {
    let depth = |line: usize| leading(target.table.line(line)).len();
    let solid = |line: &usize| !target.table.is_blank(*line);
    let own = depth(head);
    let opens = |line: usize| target.table.line(line).trim_start().starts_with(['{', '}', ')', ']']);
    let mut below = (head + 1..target.len()).filter(solid);
    match below.find(|line| !opens(*line)) {
        Some(first) if depth(first) > own => {}
        _ => return target.len(),
    }
    (head + 1..target.len()).filter(solid).find(|line| depth(*line) <= own && !opens(*line)).unwrap_or(target.len())
}

/// Whether lines may be put right below this line: its brackets are closed, but for a brace that opens the block.
pub(super) fn ends_a_head(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches('{');
    let count = |bracket: char| line.matches(bracket).count();
    count('(') == count(')') && count('[') == count(']') && !line.ends_with(['\\', ','])
}
