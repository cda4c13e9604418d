//! Whether the place of a change is certain within an alignment: blank lines, brackets and lines that are only like those of
//! the old text do not decide it.

use std::ops::Range;

use super::align::Alignment;
use super::likeness::{COMMENT, Likeness, is_equal, likeness_of};
use super::safety::Doubt;
use crate::merge::Hunk;
use crate::text::{Block, is_word};

/// Lines with fewer word characters stand at many places.
const TELLING_CHARS: usize = 4;
/// More lines that only the file has part what is before them from what is behind.
const MAX_GAP: usize = 1;
/// So many lines around an alignment are looked through for a second one of a line.
const WINDOW: usize = 64;
/// So many lines around a similar line are looked through for another one, which is no less alike than by this.
const NEAR: usize = 8;
const NEARLY: f64 = 0.08;

/// Checks the place of each hunk.
pub(super) fn position(
    likeness: &Likeness<'_>,
    new: &Block<'_>,
    hunks: &[Hunk],
    alignment: &Alignment,
) -> Result<(), Doubt> {
    let finder = Finder { likeness, alignment };
    if let Some(line) = finder.moved(new, hunks)
        && !finder.is_whole(0..likeness.old.len())
    {
        return Err(Doubt::Insertion(line));
    }
    for (number, hunk) in hunks.iter().enumerate() {
        let from = number.checked_sub(1).map_or(0, |number| hunks[number].old.end);
        let to = hunks.get(number + 1).map_or(likeness.old.len(), |next| next.old.start);
        if !finder.slides_whole(new, hunk, &(from..to)) {
            return Err(Doubt::Insertion(hunk.old.end));
        }
        if !finder.is_anchored(hunk) || (hunk.old.is_empty() && finder.has_double(hunk)) {
            return Err(Doubt::Insertion(hunk.old.end));
        }
    }
    Ok(())
}

struct Finder<'a, 'b> {
    likeness: &'a Likeness<'b>,
    alignment: &'a Alignment,
}

impl Finder<'_, '_> {
    fn solid(&self, lines: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        lines.filter(|&line| !self.likeness.old[line].is_blank())
    }

    /// A line that the edit moves: as well others may be moved and this one stay.
    fn moved(&self, new: &Block<'_>, hunks: &[Hunk]) -> Option<usize> {
        let added = |line: &str| hunks.iter().any(|hunk| new.lines[hunk.new.clone()].contains(&line));
        let removed = hunks.iter().flat_map(|hunk| hunk.old.clone());
        removed.into_iter().find(|&line| {
            let text = self.likeness.old[line].text;
            text.chars().filter(|&c| is_word(c)).count() >= TELLING_CHARS && added(text)
        })
    }

    /// Whether it makes no difference over which lines the hunk may slide: the same new text comes of it with lines added,
    /// or removed, before or behind kept ones that are like them.
    fn slides_whole(&self, new: &Block<'_>, hunk: &Hunk, within: &Range<usize>) -> bool {
        let old: Vec<&str> = self.likeness.old.iter().map(|line| line.text).collect();
        let part = |up: usize, down: usize| {
            hunk.old.start.saturating_sub(up).max(within.start)..(hunk.old.end + down).min(within.end)
        };
        let removed = part(slides(&old, &hunk.old, false), slides(&old, &hunk.old, true));
        let added = part(slides(&new.lines, &hunk.new, false), slides(&new.lines, &hunk.new, true));
        // Added lines have a place between two lines at either end.
        let beside = added.start.saturating_sub(1)..(added.end + 1).min(old.len());
        self.is_whole(removed) && (added == hunk.old || self.is_whole(beside))
    }

    /// Whether those of these lines that were found follow each other in the file.
    fn is_whole(&self, lines: Range<usize>) -> bool {
        let found: Vec<usize> =
            self.solid(lines).filter_map(|line| self.alignment.lines[line].map(|there| there.0)).collect();
        found.windows(2).all(|pair| self.extra(pair[0], pair[1]) == 0)
    }

    /// How many lines the file has between two of its lines, blank ones apart.
    fn extra(&self, above: usize, below: usize) -> usize {
        (above + 1..below).filter(|&line| !self.likeness.table.is_blank(line)).count()
    }

    /// Whether the lines around the hunk, as far as no gap in the file parts them, are all that was found, or have one
    /// among them that stands but once thereabouts.
    fn is_anchored(&self, hunk: &Hunk) -> bool {
        let count = self.likeness.old.len();
        let found = |line: usize| self.alignment.lines[line].map(|there| there.0);
        let all: Vec<usize> = self.solid(0..count).filter(|&line| found(line).is_some()).collect();
        // The hunk's own lines, or the nearest ones that were found.
        let begin = all.partition_point(|&line| line < hunk.old.start);
        let end = all.partition_point(|&line| line < hunk.old.end);
        let joined = |at: usize| match (found(all[at - 1]), found(all[at])) {
            (Some(above), Some(below)) => self.extra(above, below) <= MAX_GAP,
            _ => false,
        };
        let (mut first, mut last) = (begin, end);
        let inner = |at: usize| at > 0 && at < all.len();
        while first > 0 && (!inner(first) || joined(first)) {
            first -= 1;
        }
        while last < all.len() && (!inner(last) || joined(last)) {
            last += 1;
        }
        if first == 0 && last == all.len() {
            return true;
        }
        // An insertion at a gap has lines of its own on one side only: what it stands beside is checked with it.
        if first == last {
            return true;
        }
        all[first..last].iter().any(|&line| self.is_telling(line))
    }

    /// Whether a line is in the file as it is, and stands but once around the place.
    fn is_telling(&self, line: usize) -> bool {
        let Some((there, alike)) = self.alignment.lines[line] else { return false };
        let text = self.likeness.old[line].text;
        if text.chars().filter(|&c| is_word(c)).count() < TELLING_CHARS {
            return false;
        }
        if !is_equal(alike) {
            return !self.likeness.is_material(line, there);
        }
        let table = self.likeness.table;
        let (first, last) = self.alignment.extent().unwrap_or((there, there));
        let window = first.saturating_sub(WINDOW)..last + WINDOW + 1;
        table.all(&self.likeness.old[line].key).filter(|line| window.contains(line)).take(2).count() == 1
    }

    /// Whether a line beside the insertion is only like the one of the old text, and that stands elsewhere, or another
    /// one near it is as much alike.
    fn has_double(&self, hunk: &Hunk) -> bool {
        let above = self.solid(0..hunk.old.start).next_back();
        let below = self.solid(hunk.old.end..self.likeness.old.len()).next();
        [above, below].into_iter().flatten().any(|line| {
            let Some((there, alike)) = self.alignment.lines[line] else { return false };
            if alike >= COMMENT || !self.likeness.is_material(line, there) {
                return false;
            }
            let (table, text) = (self.likeness.table, self.likeness.old[line].text);
            if table.has(&self.likeness.old[line].key) {
                return true;
            }
            let taken = |line: usize| self.alignment.lines.iter().flatten().any(|taken| taken.0 == line);
            let like = likeness_of(text, table.line(there));
            let near = there.saturating_sub(NEAR)..(there + NEAR + 1).min(table.len());
            near.filter(|&other| !table.is_blank(other) && !taken(other))
                .any(|other| likeness_of(text, table.line(other)) >= like - NEARLY)
        })
    }
}

/// Over how many lines behind, or before, a changed part may slide.
fn slides(lines: &[&str], part: &Range<usize>, down: bool) -> usize {
    let same = |a: usize, b: usize| lines[a].trim() == lines[b].trim();
    let steps = |size: usize| {
        if down {
            (part.end..lines.len()).take_while(|&at| same(at - size, at)).count()
        } else {
            (0..part.start).rev().take_while(|&at| same(at + size, at)).count()
        }
    };
    (1..=part.len()).map(steps).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // ranges of lines
    fn parts_that_slide() {
        for (lines, part, up, down) in [
            (&["a", "b", "c"][..], 1..2, 0, 0),
            (&["a", "*", "*", "b"], 1..2, 0, 1),
            (&["a", "*", "*", "b"], 2..3, 1, 0),
            (&["a", "x", "}", "y", "}", "z"], 1..3, 0, 0),
            (&["a", "x", "}", "x", "}", "z"], 1..3, 0, 2),
            (&["x", "*", "b", "*"], 0..2, 0, 0),
        ] {
            assert_eq!((slides(lines, &part, false), slides(lines, &part, true)), (up, down), "{lines:?} {part:?}");
        }
    }
}
