//! The old text laid against a part of the file, line by line.

use super::candidates::band;
use super::likeness::Likeness;
use crate::budget::{Budget, Spent};

/// What a line of the old text costs that the file has not, times its weight.
const SKIPPED_OLD: f64 = 0.5;
/// What the first of some lines costs that only the file has, and each one after it.
const FIRST_FILE: f64 = 0.35;
const NEXT_FILE: f64 = 0.05;
/// What a blank line costs that only the file has.
const BLANK_FILE: f64 = 0.03;

/// Larger matrices are not made.
const MAX_CELLS: usize = 400_000;

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
        let place = |alignment: &Self, line: usize| alignment.lines[line].map(|line| line.0);
        (0..self.lines.len())
            .filter(|&line| !likeness.old[line].is_blank())
            .all(|line| place(self, line).is_none() || place(self, line) != place(other, line))
    }

    /// The first and the last line of the file.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        let mut lines = self.lines.iter().flatten().map(|line| line.0);
        let first = lines.next()?;
        Some((first, lines.next_back().unwrap_or(first)))
    }
}

/// How a cell of the matrix was come to. Each cell has two states: the last line of the file is one of several that only
/// the file has, or it is not.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Start,
    Pair,
    Old,
    /// The file's line, from a cell outside of such lines, or within.
    FirstFile,
    NextFile,
    /// The end of such lines.
    Close,
    /// A blank line that only the file has.
    Blank,
}

struct Matrix {
    rows: usize,
    /// Half of the band, without the diagonal itself.
    half: usize,
    diagonal: isize,
    outside: Vec<(f64, Step)>,
    within: Vec<(f64, Step)>,
    alike: Vec<f64>,
    /// Pairs of lines that are not to be made.
    taken: Option<Alignment>,
}

impl Matrix {
    fn width(&self) -> usize {
        2 * self.half + 1
    }

    /// Cell (i, k): i lines of the old text are done, and so many of the file.
    fn file_at(&self, i: usize, k: usize) -> isize {
        self.diagonal + (i + k).cast_signed() - self.half.cast_signed()
    }
}

/// The best alignment near a diagonal: within the band around it, with free ends in the file, and with no line where
/// `taken` has it. `None` if nothing pairs.
pub(crate) fn align(
    likeness: &mut Likeness<'_>,
    diagonal: isize,
    taken: Option<&Alignment>,
    budget: &mut Budget,
) -> Result<Option<Alignment>, Spent> {
    let (rows, half) = (likeness.old.len(), band(likeness.old.len()));
    let cells = (rows + 1) * (2 * half + 1);
    if cells > MAX_CELLS {
        return Err(Spent);
    }
    budget.spend(cells as u64 / 4)?;
    let never = (f64::NEG_INFINITY, Step::Start);
    let mut matrix = Matrix {
        rows,
        half,
        diagonal,
        outside: vec![never; cells],
        within: vec![never; cells],
        alike: vec![0.0; cells],
        taken: taken.cloned(),
    };
    let width = matrix.width();
    let count = likeness.table.len().cast_signed();
    for k in 0..width {
        if (0..=count).contains(&matrix.file_at(0, k)) {
            matrix.outside[k].0 = 0.0;
        }
    }
    for i in 1..=rows {
        for k in 0..width {
            if (0..=count).contains(&matrix.file_at(i, k)) {
                fill(&mut matrix, likeness, i, k, budget)?;
            }
        }
    }
    Ok(trace(&matrix, likeness))
}

fn fill(
    matrix: &mut Matrix,
    likeness: &mut Likeness<'_>,
    i: usize,
    k: usize,
    budget: &mut Budget,
) -> Result<(), Spent> {
    let width = matrix.width();
    let (cell, above) = (i * width + k, (i - 1) * width + k);
    let weight = likeness.old[i - 1].weight;
    let last = matrix.file_at(i, k) - 1;
    // Where it makes no difference, lines pair with the first that fit.
    let mut best = (f64::NEG_INFINITY, Step::Start);
    if k > 0 && last >= 0 && i < matrix.rows {
        let (outside, within) = (matrix.outside[cell - 1].0, matrix.within[cell - 1].0);
        if likeness.table.is_blank(last.cast_unsigned()) {
            matrix.within[cell] = (within - BLANK_FILE, Step::NextFile);
            best = (outside - BLANK_FILE, Step::Blank);
        } else {
            let (first, next) = (outside - FIRST_FILE, within - NEXT_FILE);
            matrix.within[cell] = if next >= first { (next, Step::NextFile) } else { (first, Step::FirstFile) };
        }
        if matrix.within[cell].0 > best.0 {
            best = (matrix.within[cell].0, Step::Close);
        }
    }
    let mut take = |score: f64, step| {
        if score > best.0 {
            best = (score, step);
        }
    };
    if last >= 0 {
        let alike = likeness.get(i - 1, last.cast_unsigned(), budget)?;
        matrix.alike[cell] = alike;
        let pairs = |taken: &Alignment| taken.lines[i - 1].is_some_and(|line| line.0 == last.cast_unsigned());
        let free = likeness.old[i - 1].is_blank() || !matrix.taken.as_ref().is_some_and(pairs);
        if alike > 0.0 && free {
            take(matrix.outside[above].0 + weight * alike * alike, Step::Pair);
        }
    }
    if k + 1 < width {
        take(matrix.outside[above + 1].0 - SKIPPED_OLD * weight, Step::Old);
    }
    matrix.outside[cell] = best;
    Ok(())
}

fn trace(matrix: &Matrix, likeness: &Likeness<'_>) -> Option<Alignment> {
    let (rows, width) = (matrix.rows, matrix.width());
    let ends = matrix.outside[rows * width..].iter().map(|cell| cell.0).enumerate();
    let (mut k, score) = ends.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    if !score.is_finite() {
        return None;
    }
    let total: f64 = likeness.old.iter().map(|line| line.weight).sum();
    let mut lines = vec![None; rows];
    let mut i = rows;
    let mut within = false;
    while i > 0 {
        let cell = i * width + k;
        let step = if within { matrix.within[cell].1 } else { matrix.outside[cell].1 };
        match step {
            Step::Start => return None,
            Step::Pair => {
                lines[i - 1] = Some(((matrix.file_at(i, k) - 1).cast_unsigned(), matrix.alike[cell]));
                i -= 1;
            }
            Step::Old => (i, k) = (i - 1, k + 1),
            Step::Close => within = true,
            Step::Blank => k -= 1,
            Step::FirstFile | Step::NextFile => {
                within = step == Step::NextFile;
                k -= 1;
            }
        }
    }
    let solid = likeness.old.iter().zip(&lines).any(|(line, there)| !line.is_blank() && there.is_some());
    solid.then(|| Alignment { lines, score: score / total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Block, Table};

    fn aligned(text: &str, old: &str, diagonal: isize) -> Option<(Vec<Option<usize>>, f64)> {
        let table = Table::new(text);
        let old = Block::new(old);
        let mut likeness = Likeness::new(&table, &old);
        let found = align(&mut likeness, diagonal, None, &mut Budget::new(10_000)).unwrap()?;
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
