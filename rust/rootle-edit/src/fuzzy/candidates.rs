//! Where an approximate match may be: lines that are the same vote for the diagonal they lie on.

use std::collections::HashMap;

use super::likeness::Likeness;
use super::wanted::places;
use crate::budget::{Budget, Spent};
use crate::distance;

/// Lines that occur more often in the file tell little.
const MAX_COMMON: usize = 64;
/// Where all lines are as common as that, lines up to this often vote after all.
const MAX_VERY_COMMON: usize = 1024;
/// Texts of more lines must have a line that is in the file.
const MAX_SIMILAR: usize = 3;
/// A diagonal with a smaller part of the best one's votes is not looked at.
const MIN_PART: f64 = 0.1;
/// More diagonals are not looked at.
const MAX_DIAGONALS: usize = 32;

/// The band's half-width in lines for an old text of so many lines.
pub(super) fn band(lines: usize) -> usize {
    (lines / 4).clamp(8, 64)
}

/// Diagonals (the file's line minus the old text's), the best first.
#[allow(clippy::cast_precision_loss)] // numbers of lines
pub(super) fn diagonals(likeness: &mut Likeness<'_>, budget: &mut Budget) -> Result<Vec<isize>, Spent> {
    // Whoever is over the limit is not looked at, so there is no need to know by how much.
    let places = places(likeness, MAX_VERY_COMMON + 1);
    let total = likeness.table.len().max(2) as f64;
    let mut votes: HashMap<isize, f64> = HashMap::new();
    for most in [MAX_COMMON, MAX_VERY_COMMON] {
        for (number, line) in likeness.old.iter().enumerate() {
            let lines = places.of(number);
            if lines.is_empty() || lines.len() > most {
                continue;
            }
            budget.spend(lines.len() as u64)?;
            let rarity = (total / lines.len() as f64).ln().max(0.1);
            for &there in lines {
                *votes.entry(there.cast_signed() - number.cast_signed()).or_default() += line.weight * rarity;
            }
        }
        if !votes.is_empty() {
            break;
        }
    }
    if votes.is_empty() {
        votes = similar(likeness, budget)?;
    }
    Ok(peaks(votes, band(likeness.old.len()).cast_signed()))
}

/// Where no line of a short text is in the file, its longest line votes for lines that are similar.
fn similar(likeness: &mut Likeness<'_>, budget: &mut Budget) -> Result<HashMap<isize, f64>, Spent> {
    let mut votes = HashMap::new();
    let solid = likeness.old.iter().enumerate().filter(|(_, line)| !line.is_blank());
    let longest = solid.clone().max_by_key(|(_, line)| line.len()).map(|(number, line)| (number, line.len()));
    let Some((number, len)) = longest.filter(|_| solid.count() <= MAX_SIMILAR) else { return Ok(votes) };
    for there in 0..likeness.table.len() {
        let line = likeness.table.lines[there];
        let bytes = line.end - line.start;
        if likeness.table.is_blank(there) || bytes * 4 < len * 3 || !may_be_like(likeness, number, there) {
            continue;
        }
        let alike = likeness.get(number, there, budget)?;
        if alike > 0.0 {
            votes.insert(there.cast_signed() - number.cast_signed(), alike);
        }
    }
    Ok(votes)
}

/// Whether the characters of two lines, counted, leave it open that these are alike. ASCII lines only are told.
fn may_be_like(likeness: &Likeness<'_>, old: usize, file: usize) -> bool {
    let (line, other) = (&likeness.old[old], likeness.table.line(file));
    if !other.is_ascii() {
        return true;
    }
    let mut counts = [0_u8; 32];
    for byte in other.bytes() {
        let count = &mut counts[usize::from(byte) % 32];
        *count = count.saturating_add(1);
    }
    // White space is not counted: the class of the space, and of tabs.
    let mut own = line.counts;
    for class in [usize::from(b' ') % 32, usize::from(b'\t')] {
        (counts[class], own[class]) = (0, 0);
    }
    let solid = |counts: &distance::Counts| counts.iter().map(|count| usize::from(*count)).sum::<usize>();
    let longest = solid(&counts).max(solid(&own)).max(1);
    distance::least(&counts, &own) * 4 <= longest
}

/// The best diagonals, each with the votes of those around it, which are then not taken themselves.
fn peaks(votes: HashMap<isize, f64>, width: isize) -> Vec<isize> {
    let mut votes: Vec<(isize, f64)> = votes.into_iter().collect();
    votes.sort_by_key(|vote| vote.0);
    let mut sums = Vec::with_capacity(votes.len());
    let (mut from, mut to, mut sum) = (0, 0, 0.0);
    for &(diagonal, own) in &votes {
        while to < votes.len() && votes[to].0 <= diagonal + width {
            sum += votes[to].1;
            to += 1;
        }
        while votes[from].0 < diagonal - width {
            sum -= votes[from].1;
            from += 1;
        }
        // Its own votes count more, so that the middle of a group wins.
        sums.push((sum + own, diagonal));
    }
    sums.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Vec<isize> = Vec::new();
    let least = sums.first().map_or(0.0, |best| best.0 * MIN_PART);
    for (sum, diagonal) in sums {
        if sum < least {
            break;
        }
        if best.iter().all(|taken| (taken - diagonal).abs() > width / 2) {
            best.push(diagonal);
            if best.len() == MAX_DIAGONALS {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Block, Table};

    #[test]
    fn lines_vote() {
        let text = "a\n".repeat(100) + "one line\nanother line\na\nthird line\n";
        let table = Table::new(&text);
        let old = Block::new("one line\nanother lone\na\nthird line\n");
        let mut likeness = Likeness::new(&table, &old);
        assert_eq!(diagonals(&mut likeness, &mut Budget::new(1000)).unwrap()[0], 100);
        let common = Block::new("a\na\n");
        let found = diagonals(&mut Likeness::new(&table, &common), &mut Budget::new(1000)).unwrap();
        assert!((10..=MAX_DIAGONALS).contains(&found.len()));
    }
}
