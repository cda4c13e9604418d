//! What edits change of a file's bytes, apart from the bytes: a large file is copied once, where its result is to be.

use std::ops::Range;

use rootle_base::Encoding;

use crate::{Applied, Outcome};

/// Bytes of a file and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The bytes of the original.
    pub range: Range<usize>,
    /// What is there instead.
    pub bytes: Vec<u8>,
}

/// What edits change of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// In the order of the file; no two overlap.
    pub replaced: Vec<Replaced>,
    /// What each edit did, in the caller's order.
    pub outcomes: Vec<Outcome>,
    /// The encoding of the file.
    pub encoding: Encoding,
}

impl Changes {
    /// The length of the new content of a file that had `original` bytes.
    #[must_use]
    pub fn len_of(&self, original: usize) -> usize {
        length(original, &self.replaced)
    }

    /// Writes the new content of the file that was `original` into `out`, which must be as long as [`Changes::len_of`]
    /// says.
    ///
    /// # Panics
    /// If it is not.
    pub fn write(&self, original: &[u8], out: &mut [u8]) {
        assert_eq!(out.len(), self.len_of(original.len()), "the room for the new content");
        let mut filled = 0;
        for piece in pieces(original, &self.replaced) {
            out[filled..filled + piece.len()].copy_from_slice(piece);
            filled += piece.len();
        }
    }

    /// The changes with the new content.
    #[must_use]
    pub fn apply(self, original: &[u8]) -> Applied {
        Applied { bytes: assemble(original, &self.replaced), outcomes: self.outcomes, encoding: self.encoding }
    }
}

/// The new content.
pub(crate) fn assemble(original: &[u8], replaced: &[Replaced]) -> Vec<u8> {
    let mut result = Vec::with_capacity(length(original.len(), replaced));
    for piece in pieces(original, replaced) {
        result.extend_from_slice(piece);
    }
    result
}

fn length(original: usize, replaced: &[Replaced]) -> usize {
    let added: usize = replaced.iter().map(|change| change.bytes.len()).sum();
    let removed: usize = replaced.iter().map(|change| change.range.len()).sum();
    original + added - removed
}

fn pieces<'a>(original: &'a [u8], replaced: &'a [Replaced]) -> impl Iterator<Item = &'a [u8]> {
    let ends = [0].into_iter().chain(replaced.iter().map(|change| change.range.end));
    let starts = replaced.iter().map(|change| change.range.start).chain([original.len()]);
    let kept = ends.zip(starts).map(|(end, start)| &original[end..start]);
    let new = replaced.iter().map(|change| &change.bytes[..]).chain([&[][..]]);
    kept.zip(new).flat_map(|(kept, new)| [kept, new])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // lists of ranges, of which some hold one
    fn both_ways_give_the_same() {
        for (original, ranges, new, expected) in [
            ("abc", &[][..], "", "abc"),
            ("abc", &[1..2], "XY", "aXYc"),
            ("abc", &[0..0, 3..3], "X", "XabcX"),
            ("abcdef", &[0..2, 2..4, 6..6], "-", "--ef-"),
            ("abc", &[0..3], "", ""),
            ("", &[0..0], "X", "X"),
        ] {
            let replaced: Vec<Replaced> = ranges
                .iter()
                .map(|range: &Range<usize>| Replaced { range: range.clone(), bytes: new.as_bytes().to_vec() })
                .collect();
            let changes = Changes { replaced, outcomes: Vec::new(), encoding: Encoding::Utf8 };
            let mut out = vec![0; changes.len_of(original.len())];
            changes.write(original.as_bytes(), &mut out);
            assert_eq!(out, expected.as_bytes(), "{original} {ranges:?}");
            assert_eq!(changes.apply(original.as_bytes()).bytes, expected.as_bytes(), "{original} {ranges:?}");
        }
    }
}
