//! What must hold before an approximate match is edited: all that the edit changes is there, beyond doubt.

use std::ops::Range;

use super::align::Alignment;
use super::evidence::evidence;
use super::heads::{heads, is_named_alike};
use super::likeness::{Likeness, MIN_LIKENESS, is_equal, likeness_of};
use super::position::position;
use crate::merge::{Hunk, pairs};
use crate::text::{Block, is_blank, quotes_alike};

/// How much more alike one line must be than another.
const CLEARLY: f64 = 0.15;
/// So many lines between two changes are an island.
const ISLAND: usize = 3;

/// Why a place is not edited. Numbers are those of the old text's lines, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A line that the edit changes is not in the file, or means something else there.
    Changed(usize),
    /// A line that names what the change stands under is not in the file, or names something else there.
    Named(usize),
    /// The file has other lines among or beside those that the edit changes.
    Interrupted(usize),
    /// It is not certain between which lines the new ones belong, before this one.
    Insertion(usize),
    /// Blank lines are not where the old text has them, and the edit is about them.
    Blank,
    /// Too few lines are the same.
    TooFewAnchors,
}

/// Checks an alignment against what the edit does.
pub(crate) fn check(
    likeness: &Likeness<'_>,
    new: &Block<'_>,
    hunks: &[Hunk],
    alignment: &Alignment,
    rival: f64,
) -> Result<(), Doubt> {
    let checker = Checker { likeness, alignment };
    evidence(likeness, hunks, alignment, rival)?;
    checker.slips(hunks)?;
    checker.islands(hunks)?;
    checker.named(new, hunks)?;
    for hunk in hunks {
        if hunk.old.clone().any(|line| !likeness.old[line].is_blank()) {
            checker.changed(hunk.old.clone())?;
            checker.edges(new, hunk)?;
        } else {
            checker.insertion(hunk)?;
        }
    }
    position(likeness, new, hunks, alignment)
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
        self.likeness.is_material(line, there)
    }

    /// One of the changed lines may have a slip. The same in several is no slip: the place has other names.
    fn slips(&self, hunks: &[Hunk]) -> Result<(), Doubt> {
        let changed = hunks.iter().flat_map(|hunk| hunk.old.clone());
        let differs = |line: &usize| self.there(*line).is_some_and(|(_, alike)| !is_equal(alike));
        match changed.filter(differs).nth(1) {
            Some(line) => Err(Doubt::Changed(line)),
            None => Ok(()),
        }
    }

    /// A line left over between two changes: another way to tell them apart may call it changed.
    fn islands(&self, hunks: &[Hunk]) -> Result<(), Doubt> {
        let lines = self.solid(0..self.likeness.old.len());
        for line in lines.filter(|line| !hunks.iter().any(|hunk| hunk.old.contains(line))) {
            let above = hunks.iter().map(|hunk| hunk.old.end).filter(|&end| end <= line).max();
            let below = hunks.iter().map(|hunk| hunk.old.start).filter(|&start| start > line).min();
            let island = above.zip(below).is_some_and(|(above, below)| below - above <= ISLAND);
            if island
                && self.there(line).is_some_and(|(there, alike)| !is_equal(alike) && self.is_material(line, there))
            {
                return Err(Doubt::Changed(line));
            }
        }
        Ok(())
    }

    /// What the changes stand under must be there by its name.
    fn named(&self, new: &Block<'_>, hunks: &[Hunk]) -> Result<(), Doubt> {
        let old: Vec<&str> = self.likeness.old.iter().map(|line| line.text).collect();
        for hunk in hunks {
            let solid = |line: &&&str| !is_blank(line);
            let first = old[hunk.old.clone()].iter().find(solid).or(new.lines[hunk.new.clone()].iter().find(solid));
            let Some(first) = first else { continue };
            let other = |line: &usize| match self.there(*line) {
                Some((there, alike)) => !is_equal(alike) && !is_named_alike(self.likeness, *line, there),
                None => true,
            };
            if let Some(line) = heads(&old, hunk.old.start, first).find(other) {
                return Err(Doubt::Named(line));
            }
        }
        Ok(())
    }

    fn changed(&self, lines: Range<usize>) -> Result<(), Doubt> {
        let mut last: Option<usize> = None;
        for line in lines {
            let Some((there, alike)) = self.there(line) else {
                // A blank line that is not there need not be removed.
                if self.likeness.old[line].is_blank() {
                    continue;
                }
                return Err(Doubt::Changed(line));
            };
            let quotes = || quotes_alike(self.likeness.old[line].text, self.likeness.table.line(there));
            if if is_equal(alike) { !quotes() } else { self.is_material(line, there) } {
                return Err(Doubt::Changed(line));
            }
            if last.is_some_and(|last| self.file_has_text(last + 1..there)) {
                return Err(Doubt::Interrupted(line));
            }
            last = Some(there);
        }
        Ok(())
    }

    /// Lines that only the file has, next to the changed ones: one such line does no harm if what is changed there is the
    /// line itself, and not a place beside it.
    fn edges(&self, new: &Block<'_>, hunk: &Hunk) -> Result<(), Doubt> {
        let lines: Vec<usize> = self.solid(hunk.old.clone()).collect();
        let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return Ok(()) };
        let (Some((top, _)), Some((bottom, _))) = (self.there(first), self.there(last)) else { return Ok(()) };
        let above = self.solid(0..hunk.old.start).rev().find_map(|line| Some((line, self.there(line)?.0)));
        let below =
            self.solid(hunk.old.end..self.likeness.old.len()).find_map(|line| Some((line, self.there(line)?.0)));
        // The lines beside the changed ones were not found: where the change ends is not certain.
        let lacks = |line: Option<usize>| line.is_some_and(|line| self.there(line).is_none());
        let lost_above = lacks(self.solid(0..hunk.old.start).next_back());
        let lost_below = lacks(self.solid(hunk.old.end..self.likeness.old.len()).next());
        let extra = |lines: Range<usize>| lines.filter(|&line| !self.likeness.table.is_blank(line)).count();
        let missing = |lines: Range<usize>| self.solid(lines).count();
        let above =
            above.map_or(0, |(line, there)| extra(there + 1..top).saturating_sub(missing(line + 1..hunk.old.start)));
        let below =
            below.map_or(0, |(line, there)| extra(bottom + 1..there).saturating_sub(missing(hunk.old.end..line)));
        if above + below == 0 && !lost_above && !lost_below {
            return Ok(());
        }
        let old: Vec<&str> = lines.iter().map(|&line| self.likeness.old[line].text).collect();
        let new = &new.lines[hunk.new.clone()];
        let adds_blank = new.iter().any(|line| is_blank(line)) && lines.len() == hunk.old.len();
        let new: Vec<&str> = new.iter().copied().filter(|line| !is_blank(line)).collect();
        // Lines that take the place of old ones stand where these stood; those that are added could stand elsewhere.
        let paired = pairs(&old, &new);
        // So do lines that are like their old ones, and not like the line that only the file has.
        let table = self.likeness.table;
        let beside = [(above, top.checked_sub(1)), (below, Some(bottom + 1).filter(|&line| line < table.len()))];
        let others: Vec<&str> =
            beside.iter().filter(|(extra, _)| *extra > 0).filter_map(|(_, line)| Some(table.line((*line)?))).collect();
        let alike = |end: usize| {
            let Some(line) = paired[end] else { return false };
            let like = likeness_of(old[line], new[end]);
            let other = others.iter().map(|other| likeness_of(other, new[end])).fold(0.0, f64::max);
            like >= MIN_LIKENESS && like >= other + CLEARLY
        };
        let top_kept = !adds_blank && !new.is_empty() && alike(0);
        let bottom_kept = !adds_blank && !new.is_empty() && (alike(new.len() - 1) || is_continued(&new, &paired));
        let safe = |extra: usize, lost: bool, kept: bool| match extra {
            0 => !lost || kept,
            1 => kept || (new.is_empty() && !lost),
            _ => false,
        };
        let safe_above = safe(above, lost_above, top_kept);
        let safe_below = safe(below, lost_below, bottom_kept);
        if safe_above && safe_below { Ok(()) } else { Err(Doubt::Interrupted(first)) }
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
        self.likeness.table.is_unique(line)
    }
}

/// Whether the lines after the last one that has an old line lie within brackets that are opened there or before.
fn is_continued(new: &[&str], paired: &[Option<usize>]) -> bool {
    let last = paired.iter().rposition(Option::is_some).filter(|last| last + 1 < new.len());
    let Some(last) = last else { return false };
    let mut depth = 0_i32;
    for (number, line) in new.iter().enumerate() {
        if number > last && depth <= 0 {
            return false;
        }
        for c in line.chars() {
            depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        }
    }
    true
}
