//! The lines of the file.

use std::cell::{OnceCell, RefCell};

use memchr::memchr_iter;

use super::loose_hash;
use super::sums::loose_sum;

/// One line: the text from `start` to `end`, and the line end from there to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

/// Sums looked at in one go.
const SCANNED: usize = 64;

/// A line that is looked for under the loosest key.
pub(crate) struct Key<'a> {
    text: &'a str,
    sum: u32,
    hash: OnceCell<u64>,
}

impl<'a> Key<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, sum: loose_sum(text), hash: OnceCell::new() }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.sum == 0
    }

    pub(crate) fn sum(&self) -> u32 {
        self.sum
    }

    /// Whether a line is the same but for indentation and trailing space; if not, it may still have the key.
    pub(crate) fn is_plainly(&self, line: &str) -> bool {
        self.text.trim_ascii() == line.trim_ascii()
    }

    pub(crate) fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| loose_hash(self.text))
    }
}

/// The file's lines with what is known of them.
pub(crate) struct Table<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: Vec<Line>,
    /// Of each line; see [`loose_sum`]. Hashes of whole keys cost several times as much, and most lines do without.
    sums: Vec<u32>,
    /// Those that were worked out; 0 for the others.
    hashes: RefCell<Vec<u64>>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut lines = Vec::with_capacity(text.len() / 32 + 1);
        let mut start = 0;
        for lf in memchr_iter(b'\n', text.as_bytes()) {
            let end = if lf > start && text.as_bytes()[lf - 1] == b'\r' { lf - 1 } else { lf };
            lines.push(Line { start, end, next: lf + 1 });
            start = lf + 1;
        }
        if start < text.len() {
            lines.push(Line { start, end: text.len(), next: text.len() });
        }
        let sums = lines.iter().map(|line| loose_sum(&text[line.start..line.end])).collect();
        Self { text, lines, sums, hashes: RefCell::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn line(&self, number: usize) -> &'a str {
        let line = self.lines[number];
        &self.text[line.start..line.end]
    }

    pub(crate) fn is_blank(&self, number: usize) -> bool {
        self.sums[number] == 0
    }

    /// The line in which a place of the text lies; the last one for the text's end.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.next <= at).min(self.lines.len().saturating_sub(1))
    }

    /// See [`loose_sum`]: lines with different ones have different keys.
    pub(crate) fn sums(&self) -> &[u32] {
        &self.sums
    }

    /// Whether a line with the key's sum has the key.
    fn is(&self, number: usize, key: &Key<'_>) -> bool {
        key.is_plainly(self.line(number)) || self.hash(number) == key.hash()
    }

    /// The lines that have the key.
    pub(crate) fn all<'k>(&'k self, key: &'k Key<'_>) -> impl Iterator<Item = usize> + 'k {
        let parts = self.sums.chunks(SCANNED).zip((0..).step_by(SCANNED));
        // Without a way out in the middle, the compiler looks at several sums at once.
        let some = parts.filter(|(part, _)| part.iter().fold(false, |some, sum| some | (*sum == key.sum)));
        let same = some.flat_map(|(part, from)| part.iter().zip(from..)).filter(|(sum, _)| **sum == key.sum);
        same.map(|(_, number)| number).filter(|&number| self.is(number, key))
    }

    /// Whether some line has the key.
    pub(crate) fn has(&self, key: &Key<'_>) -> bool {
        self.all(key).next().is_some()
    }

    /// Whether no other line has the key of this one.
    pub(crate) fn is_unique(&self, number: usize) -> bool {
        self.all(&Key::new(self.line(number))).take(2).count() == 1
    }

    /// The hash of a line's key; 0 for a blank line and for no other. Worked out once.
    pub(crate) fn hash(&self, number: usize) -> u64 {
        let mut hashes = self.hashes.borrow_mut();
        if hashes.is_empty() {
            *hashes = vec![0; self.len()];
        }
        if hashes[number] == 0 {
            hashes[number] = loose_hash(self.line(number));
        }
        hashes[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_under_their_keys() {
        let table = Table::new("f(a, b)\nf(b, a)\n\n  f( a,b )\nreturn x\nreturnx\n");
        for (text, lines) in
            [("f(a,b)", &[0, 3][..]), ("f(b,a)", &[1]), ("return  x", &[4]), ("returnx", &[5]), (" ", &[2]), ("g", &[])]
        {
            let key = Key::new(text);
            assert_eq!(table.all(&key).collect::<Vec<_>>(), lines, "{text}");
            assert_eq!(table.has(&key), !lines.is_empty(), "{text}");
        }
        let unique: Vec<bool> = (0..table.len()).map(|line| table.is_unique(line)).collect();
        assert_eq!(unique, [false, true, true, false, true, true]);
    }
}
