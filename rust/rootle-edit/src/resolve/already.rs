//! Whether the file has the new text already, so that a call that is made again changes nothing.

use std::ops::Range;

use super::lines::blocks;
use crate::Tier;
use crate::budget::{Budget, Spent};
use crate::find::{Whole, splits_word, whole_lines};
use crate::merge::Hunk;
use crate::repair::Pair;
use crate::text::{Block, Key, Table, fold, is_blank, is_word, line_tier, loose};

/// A new text of fewer characters, white space apart, may stand anywhere.
const MIN_CHARS: usize = 16;
/// The same for what is added to an old text that stays, which is to have a letter or a digit among them: brackets and
/// blank lines come twice for good reasons.
const MIN_ADDED: usize = 3;

/// Whether the new text is the old one with something around it, and that stands around the match already.
pub(super) fn is_around(text: &str, old: &str, new: &str, hit: &Range<usize>, line_end: &str) -> bool {
    if new.len() <= old.len() {
        return false;
    }
    let crlf = text[hit.clone()].contains("\r\n") || (line_end == "\r\n" && !old.contains('\n'));
    let native = |given: &str| {
        let plain = given.replace("\r\n", "\n");
        if crlf { plain.replace('\n', "\r\n") } else { plain }
    };
    let (old, new) = (native(old), native(new));
    let stands = |(at, _): (usize, &str)| {
        let Some(start) = hit.start.checked_sub(at) else { return false };
        let end = start + new.len();
        let same = text.as_bytes().get(start..end) == Some(new.as_bytes());
        let added = solid(&new).saturating_sub(solid(&old));
        let words = words(&new) > words(&old);
        same && ((added >= MIN_ADDED && words) || splits_word(text, hit.start) || splits_word(text, hit.end))
    };
    new.match_indices(&old).any(stands)
}

/// A place where all lines of the new text stand.
pub(super) struct Present {
    pub(super) place: Whole,
    /// Whether all changes show in the new text, and no line that the edit only removes is in the file.
    pub(super) sure: bool,
}

/// The only place where all lines of the new text stand, if they say enough.
pub(super) fn present(
    table: &Table<'_>,
    pair: &Pair,
    hunks: &[Hunk],
    budget: &mut Budget,
) -> Result<Option<Present>, Spent> {
    let (old, new) = blocks(pair);
    if solid(&pair.new) < MIN_CHARS || !hunks.iter().any(|hunk| shows(&new, hunk)) {
        return Ok(None);
    }
    let mut found = whole_lines(table, &new, budget)?;
    let Some(only) = found.pop().filter(|_| found.is_empty()) else { return Ok(None) };
    // What the edit writes must be there to the letter, but for quotes and such that the file keeps.
    let written = |line: usize| hunks.iter().any(|hunk| hunk.new.contains(&line));
    let same = |(number, (line, there)): (usize, (&&str, &Option<usize>))| {
        let Some(there) = there.map(|there| table.line(there)) else { return false };
        if written(number) {
            fold(line) == fold(there)
        } else {
            line_tier(line, there).is_some_and(|tier| tier <= Tier::Indentation)
        }
    };
    let removed = hunks.iter().filter(|hunk| hunk.new.is_empty()).flat_map(|hunk| hunk.old.clone());
    let still = removed.filter(|&line| says(old.lines[line])).any(|line| table.has(&Key::new(old.lines[line])));
    let there = only.tier < Tier::BlankLines && new.lines.iter().zip(&only.map).enumerate().all(same);
    Ok(there.then_some(Present { place: only, sure: !still && hunks.iter().all(|hunk| shows(&new, hunk)) }))
}

/// Whether the new text stands, to the letter, over a place where the old one was found only under a looser key.
pub(super) fn stands_over(
    table: &Table<'_>,
    pair: &Pair,
    map: &[Option<usize>],
    budget: &mut Budget,
) -> Result<bool, Spent> {
    let new = Block::new(&pair.new);
    let (Some(first), Some(last)) = (map.iter().flatten().min(), map.iter().flatten().max()) else { return Ok(false) };
    Ok(whole_lines(table, &new, budget)?.iter().any(|hit| {
        let (top, bottom) = (hit.map.iter().flatten().min(), hit.map.iter().flatten().max());
        hit.tier == Tier::Exact && top <= Some(first) && bottom >= Some(last)
    }))
}

/// Whether the new text would look otherwise without the hunk.
fn shows(new: &Block<'_>, hunk: &Hunk) -> bool {
    let solid = |lines: &[&str]| lines.iter().any(|line| !is_blank(line));
    solid(&new.lines[hunk.new.clone()]) || (solid(&new.lines[..hunk.new.start]) && solid(&new.lines[hunk.new.end..]))
}

/// Whether a line is not just a bracket or so.
fn says(line: &str) -> bool {
    line.chars().filter(|&c| is_word(c)).count() >= 4
}

fn words(text: &str) -> usize {
    text.chars().filter(|&c| is_word(c)).count()
}

fn solid(text: &str) -> usize {
    loose(text).chars().filter(|c| !c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_the_match() {
        for (text, old, new, already) in [
            ("a\nadded_line()\n", "a\n", "a\nadded_line()\n", true),
            ("a\r\nadded_line()\r\n", "a\n", "a\nadded_line()\n", true),
            ("a\nadded_line()\n", "added_line()", "a\nadded_line()", false),
            ("a_line_above\nb\n", "b", "a_line_above\nb", true),
            ("x = 10", "x = 1", "x = 10", true),
            ("a\n\n", "a\n", "a\n\n", false),
            ("    a()\n    b()\n", "    a()\n", "    a()\n    b()\n", true),
            ("a\n}\n", "a", "a\n}", false),
            ("a\nother\n", "a\n", "a\nadded_line()\n", false),
        ] {
            let native = if text.contains('\r') { old.replace('\n', "\r\n") } else { old.to_owned() };
            let at = text.find(&native).unwrap();
            let line_end = if text.contains('\r') { "\r\n" } else { "\n" };
            assert_eq!(is_around(text, old, new, &(at..at + native.len()), line_end), already, "{text:?} {new:?}");
        }
    }
}
