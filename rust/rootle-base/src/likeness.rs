//! How near two file names are, for people and for models: case, word separators, extensions and slips of the keyboard.

use strsim::{damerau_levenshtein, jaro_winkler};

/// Names longer than this are compared for equality only: edit distance is quadratic.
const MAX_COMPARED_CHARS: usize = 100;

/// A file's name taken apart for comparison.
pub(crate) struct Name {
    folded: String,
    /// Letters and digits only: `foo-bar`, `foo_bar` and `fooBar` are one.
    bare: String,
    stem_end: usize,
}

impl Name {
    pub(crate) fn new(name: &str) -> Self {
        let folded = name.to_lowercase();
        let bare = folded.chars().filter(|c| c.is_alphanumeric() || *c == '.').collect();
        let stem_end = folded.rfind('.').filter(|&dot| dot > 0).unwrap_or(folded.len());
        Self { folded, bare, stem_end }
    }

    fn stem(&self) -> &str {
        &self.folded[..self.stem_end]
    }

    fn extension(&self) -> &str {
        &self.folded[self.stem_end..]
    }

    /// How near two names are, if they are near enough to be suggested.
    pub(crate) fn likeness(&self, other: &Self) -> Option<f64> {
        if self.folded == other.folded {
            return Some(4.0);
        }
        if self.bare == other.bare {
            return Some(3.0);
        }
        if self.stem() == other.stem() {
            return Some(2.0);
        }
        // An extension in common says nothing; one that differs counts as part of the name.
        let (a, b) = if self.extension() == other.extension() {
            (self.stem(), other.stem())
        } else {
            (self.folded.as_str(), other.folded.as_str())
        };
        let (len_a, len_b) = (a.chars().count(), b.chars().count());
        let longest = len_a.max(len_b);
        if longest > MAX_COMPARED_CHARS {
            return None;
        }
        #[allow(clippy::cast_precision_loss)] // at most 100
        let edit = 1.0 - damerau_levenshtein(a, b) as f64 / longest.max(1) as f64;
        let jaro = jaro_winkler(a, b);
        (edit >= 0.6 || jaro >= 0.9).then_some(edit.max(jaro - 0.3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_goes_from_case_to_slips() {
        let score = |a: &str, b: &str| Name::new(a).likeness(&Name::new(b));
        let falling = ["Readme.md", "read_me.md", "readme.txt", "raedme.md", "reamde2.md"];
        let scores: Vec<f64> = falling.iter().map(|name| score("readme.md", name).unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        for (a, b) in [("a.py", "b.py"), ("main.rs", "grep.rs"), ("x", "y"), ("", "y")] {
            assert_eq!(score(a, b), None, "{a} {b}");
        }
        let long = "n".repeat(200);
        assert_eq!(score(&long, &(long.clone() + "x")), None);
        assert!(score(&long, &long.to_uppercase()).is_some());
    }
}
