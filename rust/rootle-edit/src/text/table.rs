//! The lines of the file.

use memchr::memchr_iter;

use super::loose_hash;

/// One line: the text from `start` to `end`, and the line end from there to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

/// The file's lines with what is known of them.
pub(crate) struct Table<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: Vec<Line>,
    /// The hash of each line's loosest key; 0 for a blank line.
    pub(crate) keys: Vec<u64>,
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
        let keys = lines.iter().map(|line| loose_hash(&text[line.start..line.end])).collect();
        Self { text, lines, keys }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn line(&self, number: usize) -> &'a str {
        let line = self.lines[number];
        &self.text[line.start..line.end]
    }

    pub(crate) fn is_blank(&self, number: usize) -> bool {
        self.keys[number] == 0
    }

    /// The line in which a place of the text lies; the last one for the text's end.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.next <= at).min(self.lines.len().saturating_sub(1))
    }
}
