//! What changes from the old text to the new one, line by line.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Lines of the old text and the lines of the new one that take their place; one of the two may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Texts of more lines are compared by heuristics, not for the smallest difference.
const MAX_MINIMAL: usize = 2000;

/// The differences in order. Lines are compared as they are: white space counts.
pub(crate) fn delta(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let minimal = old.len().max(new.len()) <= MAX_MINIMAL;
    let algorithm = if minimal { Algorithm::MyersMinimal } else { Algorithm::Histogram };
    let mut diff = Diff::compute(algorithm, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| Hunk { old: range(hunk.before), new: range(hunk.after) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_in_order() {
        let hunks = delta(&["a", "b", "c", "d"], &["a", "x", "c", "y", "d"]);
        assert_eq!(hunks, [Hunk { old: 1..2, new: 1..2 }, Hunk { old: 3..3, new: 3..4 }]);
        assert_eq!(delta(&["a"], &["a "]).len(), 1);
        assert_eq!(delta(&["a"], &[]), [Hunk { old: 0..1, new: 0..0 }]);
        assert!(delta(&["a"], &["a"]).is_empty());
    }
}
