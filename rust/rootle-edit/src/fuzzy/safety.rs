//! What must hold before an approximate match is edited: all that the edit changes is there, beyond doubt.

use std::ops::Range;

use super::align::Alignment;
use super::likeness::{Likeness, SIMILAR, is_equal};
use super::material::is_material;
use crate::merge::Hunk;
use crate::text::is_word;

/// A changed line must be so much alike.
const MIN_CHANGED: f64 = 0.85;
/// So many lines must be the same if one of the unchanged ones means something else.
const MIN_ANCHORS: usize = 3;
/// Lines with fewer word characters are no evidence.
const ANCHOR_CHARS: usize = 4;

/// Why a place is not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A line that the edit changes is not in the file, or means something else there. Number of the old text's line.
    Changed(usize),
    /// The file has other lines among those that the edit changes. Number of the old text's line.
    Interrupted(usize),
    /// It is not certain between which lines the new ones belong. Number of the old text's line after them.
    Insertion(usize),
    /// Too few lines are the same.
    TooFewAnchors,
}

/// Checks an alignment against what the edit does.
pub(crate) fn check(likeness: &Likeness<'_>, hunks: &[Hunk], alignment: &Alignment) -> Result<(), Doubt> {
    let checker = Checker { likeness, alignment };
    checker.anchors(hunks)?;
    for hunk in hunks {
        if hunk.old.clone().any(|line| !likeness.old[line].is_blank()) {
            checker.changed(hunk.old.clone())?;
        } else {
            checker.insertion(hunk)?;
        }
    }
    Ok(())
}

struct Checker<'a, 'b> {
    likeness: &'a Likeness<'b>,
    alignment: &'a Alignment,
}

impl Checker<'_, '_> {
    fn solid(&self, lines: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        lines.filter(|&line| !self.likeness.old[line].is_blank())
    }

    fn there(&self, line: usize) -> Option<(usize, f64)> {
        self.alignment.lines[line]
    }

    fn is_material(&self, line: usize, there: usize) -> bool {
        let text = self.likeness.table.text;
        let known = |word: &str| has_word(text, word);
        is_material(self.likeness.old[line].text, self.likeness.table.line(there), &known)
    }

    /// Lines that are the same and say something; and no doubt whether this is a twin of the place that is meant.
    fn anchors(&self, hunks: &[Hunk]) -> Result<(), Doubt> {
        let lines = || self.solid(0..self.likeness.old.len());
        let same = |&line: &usize| self.there(line).is_some_and(|(_, alike)| is_equal(alike));
        let says = |&line: &usize| self.likeness.old[line].text.chars().filter(|&c| is_word(c)).count() >= ANCHOR_CHARS;
        let anchors = lines().filter(same).filter(says).count();
        let changed = |line: usize| hunks.iter().any(|hunk| hunk.old.contains(&line));
        let twin = lines().any(|line| {
            let other = self.there(line).filter(|(_, alike)| !is_equal(*alike));
            !changed(line) && other.is_some_and(|(there, _)| self.is_material(line, there))
        });
        let needed = if twin { MIN_ANCHORS } else { usize::from(lines().count() > 1) };
        if anchors < needed { Err(Doubt::TooFewAnchors) } else { Ok(()) }
    }

    fn changed(&self, lines: Range<usize>) -> Result<(), Doubt> {
        let mut last: Option<usize> = None;
        for line in self.solid(lines) {
            let (there, alike) = self.there(line).ok_or(Doubt::Changed(line))?;
            if !is_equal(alike) && (alike < MIN_CHANGED * SIMILAR || self.is_material(line, there)) {
                return Err(Doubt::Changed(line));
            }
            if last.is_some_and(|last| self.file_has_text(last + 1..there)) {
                return Err(Doubt::Interrupted(line));
            }
            last = Some(there);
        }
        Ok(())
    }

    fn file_has_text(&self, mut lines: Range<usize>) -> bool {
        lines.any(|line| !self.likeness.table.is_blank(line))
    }

    fn insertion(&self, hunk: &Hunk) -> Result<(), Doubt> {
        let doubt = Err(Doubt::Insertion(hunk.old.end));
        let before = self.solid(0..hunk.old.start).rev().find_map(|line| Some((line, self.there(line)?)));
        let after = self.solid(hunk.old.end..self.likeness.old.len()).find_map(|line| Some((line, self.there(line)?)));
        // Lines of the old text, next to the place, that the file has not.
        let missing_before = self.solid(before.map_or(0, |(line, _)| line + 1)..hunk.old.start).count();
        let missing_after = self.solid(hunk.old.end..after.map_or(self.likeness.old.len(), |(line, _)| line)).count();
        let certain = |(_, (there, alike)): (usize, (usize, f64))| is_equal(alike) && self.is_unique(there);
        match (before, after) {
            (Some((_, (above, _))), Some((_, (below, _)))) if !self.file_has_text(above + 1..below) => Ok(()),
            (Some(above), Some(below)) => {
                let extra = (above.1.0 + 1..below.1.0).filter(|&line| !self.likeness.table.is_blank(line)).count();
                let stands_for = |missing: usize, other: usize, near| missing == extra && other == 0 && certain(near);
                if stands_for(missing_before, missing_after, below) || stands_for(missing_after, missing_before, above)
                {
                    return Ok(());
                }
                doubt
            }
            (Some(above), None) if missing_before == 0 && (missing_after == 0 || certain(above)) => Ok(()),
            (None, Some(below)) if missing_after == 0 && (missing_before == 0 || certain(below)) => Ok(()),
            _ => doubt,
        }
    }

    fn is_unique(&self, line: usize) -> bool {
        let keys = &self.likeness.table.keys;
        keys.iter().filter(|key| **key == keys[line]).count() == 1
    }
}

/// Whether a text holds a word that is not part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).any(|at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(is_word)
    })
}
