//! Which new line an old line has become.

use crate::distance::likeness;
use crate::text::loose;

/// Two lines that are less alike are not one line changed.
const MIN_LIKENESS: f64 = 0.4;
/// Larger groups are paired by their order, if they have the same number of lines.
const MAX_CELLS: usize = 4096;

/// For each new line the old line it was made from, rising.
pub(crate) fn pairs(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    if old.len() * new.len() > MAX_CELLS {
        let same = old.len() == new.len();
        return (0..new.len()).map(|line| same.then_some(line)).collect();
    }
    let keys = |lines: &[&str]| lines.iter().map(|line| loose(line).chars().collect()).collect::<Vec<Vec<char>>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    // best[n][o]: the greatest sum of likeness of the first n new and the first o old lines.
    let width = old.len() + 1;
    let mut best = vec![0.0_f64; width * (new.len() + 1)];
    let mut like = vec![0.0_f64; width * (new.len() + 1)];
    for n in 1..=new.len() {
        for o in 1..=old.len() {
            let alike = likeness(&old_keys[o - 1], &new_keys[n - 1]);
            like[n * width + o] = alike;
            let paired = if alike >= MIN_LIKENESS { best[(n - 1) * width + o - 1] + alike } else { 0.0 };
            best[n * width + o] = paired.max(best[(n - 1) * width + o]).max(best[n * width + o - 1]);
        }
    }
    let mut pairs = vec![None; new.len()];
    let (mut n, mut o) = (new.len(), old.len());
    while n > 0 && o > 0 {
        let here = best[n * width + o];
        let alike = like[n * width + o];
        if alike >= MIN_LIKENESS && here <= best[(n - 1) * width + o - 1] + alike {
            pairs[n - 1] = Some(o - 1);
            (n, o) = (n - 1, o - 1);
        } else if here <= best[(n - 1) * width + o] {
            n -= 1;
        } else {
            o -= 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_find_each_other() {
        let old = ["def f(a):", "return a + 1"];
        let new = ["@cache", "def f(a, b):", "# sum", "return a + b"];
        assert_eq!(pairs(&old, &new), [None, Some(0), None, Some(1)]);
        assert_eq!(pairs(&[], &["a"]), [None]);
        assert_eq!(pairs(&["", "x"], &["y", ""]), [None, Some(0)]);
    }
}
