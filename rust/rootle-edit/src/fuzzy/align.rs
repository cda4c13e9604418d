//! The old text laid against a part of the file, line by line.

use super::candidates::band;
use super::likeness::Likeness;
use crate::budget::{Budget, Spent};

/// What a line of the old text costs that the file has not, times its weight.
const SKIPPED_OLD: f64 = 0.5;
/// What a line costs that only the file has.
const SKIPPED_FILE: f64 = 0.35;
/// The same for a blank line.
const SKIPPED_BLANK: f64 = 0.03;

/// A way to lay the old text against the file.
#[derive(Clone, Debug)]
pub(crate) struct Alignment {
    /// For each line of the old text the file's line and how alike they are.
    pub(crate) lines: Vec<Option<(usize, f64)>>,
    /// At most 1.
    pub(crate) score: f64,
}

impl Alignment {
    /// Whether two alignments have no line in common.
    pub(crate) fn is_elsewhere(&self, other: &Self, likeness: &Likeness<'_>) -> bool {
        let same = |(number, (a, b)): (usize, (&Option<(usize, f64)>, &Option<(usize, f64)>))| {
            !likeness.old[number].is_blank() && a.is_some() && a.map(|a| a.0) == b.map(|b| b.0)
        };
        !self.lines.iter().zip(&other.lines).enumerate().any(same)
    }

    /// The first and the last line of the file.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        let mut lines = self.lines.iter().flatten().map(|line| line.0);
        let first = lines.next()?;
        Some((first, lines.next_back().unwrap_or(first)))
    }
}

#[derive(Clone, Copy)]
enum Step {
    Start,
    Pair,
    Old,
    File,
}

/// The best alignment near a diagonal: within the band around it, with free ends in the file. `None` if nothing pairs.
pub(crate) fn align(
    likeness: &mut Likeness<'_>,
    diagonal: isize,
    budget: &mut Budget,
) -> Result<Option<Alignment>, Spent> {
    let (rows, half) = (likeness.old.len(), band(likeness.old.len()));
    let width = 2 * half + 1;
    budget.spend((rows * width) as u64 / 4)?;
    // Cell (i, k): i lines of the old text are done and diagonal + i + k - half lines of the file.
    let file_at = |i: usize, k: usize| diagonal + (i + k).cast_signed() - half.cast_signed();
    let count = likeness.table.len().cast_signed();
    let valid = |i: usize, k: usize| (0..=count).contains(&file_at(i, k));
    let mut best = vec![f64::NEG_INFINITY; (rows + 1) * width];
    let mut steps = vec![Step::Start; (rows + 1) * width];
    let mut alike_at = vec![0.0; (rows + 1) * width];
    for k in (0..width).filter(|&k| valid(0, k)) {
        best[k] = 0.0;
    }
    for i in 1..=rows {
        let weight = likeness.old[i - 1].weight;
        for k in 0..width {
            if !valid(i, k) {
                continue;
            }
            let cell = i * width + k;
            let above = file_at(i, k);
            let pair = if above > 0 { likeness.get(i - 1, (above - 1).cast_unsigned(), budget)? } else { 0.0 };
            alike_at[cell] = pair;
            let corner = best[(i - 1) * width + k];
            // Where it makes no difference, lines pair with the first that fit.
            let mut score = (f64::NEG_INFINITY, Step::Start);
            let mut take = |other: f64, step| {
                if other > score.0 {
                    score = (other, step);
                }
            };
            if k > 0 && above > 0 && i < rows {
                let blank = likeness.table.is_blank((above - 1).cast_unsigned());
                take(best[cell - 1] - if blank { SKIPPED_BLANK } else { SKIPPED_FILE }, Step::File);
            }
            if pair > 0.0 {
                take(best[(i - 1) * width + k] + weight * pair * pair, Step::Pair);
            }
            if k + 1 < width {
                take(best[(i - 1) * width + k + 1] - SKIPPED_OLD * weight, Step::Old);
            }
            (best[cell], steps[cell]) = score;
        }
    }
    Ok(trace(likeness, rows, width, &best, &steps, &alike_at, file_at))
}

fn trace(
    likeness: &Likeness<'_>,
    rows: usize,
    width: usize,
    best: &[f64],
    steps: &[Step],
    alike_at: &[f64],
    file_at: impl Fn(usize, usize) -> isize,
) -> Option<Alignment> {
    let last = &best[rows * width..];
    let (mut k, score) = last.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    if !score.is_finite() {
        return None;
    }
    let total: f64 = likeness.old.iter().map(|line| line.weight).sum();
    let mut lines = vec![None; rows];
    let mut i = rows;
    while i > 0 {
        let cell = i * width + k;
        match steps[cell] {
            Step::Start => return None,
            Step::Pair => {
                lines[i - 1] = Some(((file_at(i, k) - 1).cast_unsigned(), alike_at[cell]));
                i -= 1;
            }
            Step::Old => (i, k) = (i - 1, k + 1),
            Step::File => k -= 1,
        }
    }
    let solid =
        |(line, there): (&super::likeness::OldLine<'_>, &Option<(usize, f64)>)| !line.is_blank() && there.is_some();
    likeness.old.iter().zip(&lines).any(solid).then(|| Alignment { lines, score: score / total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Block, Table};

    fn aligned(text: &str, old: &str, diagonal: isize) -> Option<(Vec<Option<usize>>, f64)> {
        let table = Table::new(text);
        let old = Block::new(old);
        let mut likeness = Likeness::new(&table, &old);
        let found = align(&mut likeness, diagonal, &mut Budget::new(10_000)).unwrap()?;
        Some((found.lines.iter().map(|line| line.map(|line| line.0)).collect(), found.score))
    }

    #[test]
    fn lines_find_each_other() {
        for (text, old, diagonal, lines) in [
            ("x\nalpha beta\ngamma delta\ny\n", "alpha beta\ngamma delta", 1, vec![Some(1), Some(2)]),
            // A line that the file has not, one that only the file has, and a slip.
            ("alpha beta\ngamma delta\n", "alpha beta\nnot there\ngamma delta", 0, vec![Some(0), None, Some(1)]),
            ("alpha beta\nonly here\ngamma delta\n", "alpha beta\ngamma delta", 0, vec![Some(0), Some(2)]),
            ("alpha beta\ngamma delta\n", "alhpa beta\ngamma delta", 1, vec![Some(0), Some(1)]),
            // Blank lines take part.
            ("alpha beta\n\n\ngamma delta\n", "alpha beta\n\ngamma delta", 0, vec![Some(0), Some(1), Some(3)]),
        ] {
            let (found, score) = aligned(text, old, diagonal).unwrap();
            assert!(found == lines && score <= 1.0 && score > 0.4, "{text:?} {old:?} {found:?} {score}");
        }
        assert_eq!(aligned("a\n", "something else", 0), None);
        assert_eq!(aligned("", "something else", 0), None);
    }
}
