//! Which of several alignments is meant.

use super::align::{Alignment, align};
use super::candidates::diagonals;
use super::likeness::{Likeness, is_equal};
use crate::budget::{Budget, Spent};

/// Less alike is not a match.
pub(crate) const MIN_SCORE: f64 = 0.4;
/// By how much the best must be more alike than all others that it does not dominate.
const MARGIN: f64 = 0.12;
/// For an old text of one line, which must have so many characters and be so much alike.
const ONE_LINE_MARGIN: f64 = 0.2;
const ONE_LINE_CHARS: usize = 10;
const ONE_LINE_SCORE: f64 = 0.6;

/// How the search ends.
pub(crate) enum Choice {
    One(Alignment),
    /// These are equally good.
    Several(Vec<Alignment>),
    None,
}

/// The best alignment, and those that have no line where it has it, nor where one before them has it, the best first.
pub(crate) fn rank(likeness: &mut Likeness<'_>, budget: &mut Budget) -> Result<Vec<Alignment>, Spent> {
    let mut found = Vec::new();
    for diagonal in diagonals(likeness, budget)? {
        found.extend(align(likeness, diagonal, None, budget)?.map(|alignment| (diagonal, alignment)));
    }
    let order = |a: &Alignment, b: &Alignment| b.score.total_cmp(&a.score).then(a.extent().cmp(&b.extent()));
    found.sort_by(|a, b| order(&a.1, &b.1));
    let Some(best) = found.first().map(|(_, best)| best.clone()) else { return Ok(Vec::new()) };
    // A rival may be so near that the best hides it.
    let mut rivals = Vec::new();
    for (diagonal, alignment) in found {
        if alignment.is_elsewhere(&best, likeness) {
            rivals.push(alignment);
        } else {
            rivals.extend(align(likeness, diagonal, Some(&best), budget)?);
        }
    }
    rivals.sort_by(order);
    let mut apart = vec![best];
    for alignment in rivals {
        if apart.iter().all(|taken| taken.is_elsewhere(&alignment, likeness)) {
            apart.push(alignment);
        }
    }
    Ok(apart)
}

/// The one that stands out among ranked alignments.
pub(crate) fn choose(likeness: &Likeness<'_>, ranked: &[Alignment]) -> Choice {
    let Some((best, rest)) = ranked.split_first() else { return Choice::None };
    let solid: Vec<_> = likeness.old.iter().filter(|line| !line.is_blank()).collect();
    let one_line = solid.len() == 1;
    let enough = if one_line { ONE_LINE_SCORE } else { MIN_SCORE };
    if best.score < enough || (one_line && solid[0].len() < ONE_LINE_CHARS) {
        return Choice::None;
    }
    let margin = if one_line { ONE_LINE_MARGIN } else { MARGIN };
    let rivals: Vec<&Alignment> =
        rest.iter().filter(|rival| best.score - rival.score < margin && !dominates(likeness, best, rival)).collect();
    if rivals.is_empty() {
        Choice::One(best.clone())
    } else {
        Choice::Several([best].into_iter().chain(rivals).cloned().collect())
    }
}

/// Whether each line is at least as much alike in the first as in the second, and one is the same in the first only.
fn dominates(likeness: &Likeness<'_>, first: &Alignment, second: &Alignment) -> bool {
    let mut more = false;
    if !is_compact(likeness, first) {
        return false;
    }
    for ((line, a), b) in likeness.old.iter().zip(&first.lines).zip(&second.lines) {
        if line.is_blank() {
            continue;
        }
        let (a, b) = (a.map_or(0.0, |line| line.1), b.map_or(0.0, |line| line.1));
        if a < b {
            return false;
        }
        more |= is_equal(a) && !is_equal(b);
    }
    more
}

/// Whether all lines were found, with none that only the file has between them.
fn is_compact(likeness: &Likeness<'_>, alignment: &Alignment) -> bool {
    let solid = |line: &usize| !likeness.old[*line].is_blank();
    let found: Option<Vec<usize>> =
        (0..likeness.old.len()).filter(solid).map(|line| alignment.lines[line].map(|there| there.0)).collect();
    found.is_some_and(|found| {
        found.windows(2).all(|pair| (pair[0] + 1..pair[1]).all(|line| likeness.table.is_blank(line)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Block, Table};

    fn chosen(text: &str, old: &str) -> Result<usize, usize> {
        let table = Table::new(text);
        let old = Block::new(old);
        let mut likeness = Likeness::new(&table, &old);
        let ranked = rank(&mut likeness, &mut Budget::new(100_000)).unwrap();
        match choose(&likeness, &ranked) {
            Choice::One(alignment) => Ok(alignment.extent().unwrap().0),
            Choice::Several(all) => Err(all.len()),
            Choice::None => Err(0),
        }
    }

    #[test]
    fn the_best_must_stand_out() {
        let twins = "def first(a):\n    total = compute(a)\n    return total\n\ndef second(a):\n    total = compute(a)\n    return total\n";
        assert_eq!(chosen(twins, "def second(a):\n    totla = compute(a)\n    return total"), Ok(4));
        assert_eq!(chosen(twins, "def third(a):\n    total = compute(a)\n    return total"), Err(2));
        assert_eq!(chosen(twins, "while nothing:\n    like this\n    is there"), Err(0));
        assert_eq!(chosen("a = some_function(argument)\n", "a = some_functoin(argument)"), Ok(0));
        assert_eq!(chosen("argument\n", "argumetn"), Err(0));
    }
}
