//! Where lines end. A line ends at a line feed and nowhere else: form feeds, U+2028 and lone carriage returns are
//! characters like others, so that line numbers agree between all tools.

use memchr::{memchr, memchr_iter, memrchr};

use crate::Encoding;

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// There is no line feed.
    None,
    /// All with a line feed alone.
    Lf,
    /// All with a carriage return and a line feed.
    CrLf,
    /// Some in one way and some in the other.
    Mixed,
}

impl LineEnds {
    /// The word for it: `none`, `lf`, `crlf` or `mixed`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Mixed => "mixed",
        }
    }
}

/// How many lines end in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Line feeds without a carriage return before them.
    pub lf: u64,
    /// Line feeds with one.
    pub crlf: u64,
}

impl LineCounts {
    /// Counts the line ends of a text of single-byte units (any encoding but UTF-16 and UTF-32).
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut counts = Self::default();
        for lf in memchr_iter(b'\n', bytes) {
            counts.add(lf > 0 && bytes[lf - 1] == b'\r');
        }
        counts
    }

    /// All line feeds.
    #[must_use]
    pub fn total(self) -> u64 {
        self.lf + self.crlf
    }

    /// How the lines end, taken together.
    #[must_use]
    pub fn ends(self) -> LineEnds {
        match (self.lf, self.crlf) {
            (0, 0) => LineEnds::None,
            (_, 0) => LineEnds::Lf,
            (0, _) => LineEnds::CrLf,
            _ => LineEnds::Mixed,
        }
    }

    pub(crate) fn add(&mut self, after_cr: bool) {
        if after_cr {
            self.crlf += 1;
        } else {
            self.lf += 1;
        }
    }
}

/// Finds line feeds in the bytes of an encoding. Offsets are multiples of the unit's size.
#[derive(Clone, Copy)]
pub(crate) struct Newlines {
    unit: usize,
    /// Where in its unit the low byte is.
    low: usize,
}

impl Newlines {
    pub(crate) fn new(encoding: Encoding) -> Self {
        let unit = encoding.unit();
        Self { unit, low: if encoding.is_big_endian() { unit - 1 } else { 0 } }
    }

    pub(crate) fn unit(self) -> usize {
        self.unit
    }

    /// The first line feed at or after `from`.
    pub(crate) fn find(self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(hit) = memchr(b'\n', &bytes[at..]) {
            let start = (at + hit) / self.unit * self.unit;
            if self.is(b'\n', bytes, start) {
                return Some(start);
            }
            at += hit + 1;
        }
        None
    }

    /// The last line feed that begins before `end`.
    pub(crate) fn rfind(self, bytes: &[u8], end: usize) -> Option<usize> {
        let mut end = end;
        while let Some(hit) = memrchr(b'\n', &bytes[..end]) {
            let start = hit / self.unit * self.unit;
            if self.is(b'\n', bytes, start) {
                return Some(start);
            }
            end = hit;
        }
        None
    }

    /// Whether the unit that ends at `end` is a carriage return.
    pub(crate) fn cr_before(self, bytes: &[u8], end: usize) -> bool {
        end >= self.unit && self.is(b'\r', bytes, end - self.unit)
    }

    fn is(self, byte: u8, bytes: &[u8], start: usize) -> bool {
        bytes
            .get(start..start + self.unit)
            .is_some_and(|unit| unit.iter().enumerate().all(|(i, &b)| b == if i == self.low { byte } else { 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::encode;

    #[test]
    fn ends_are_named() {
        for (text, ends) in [
            ("", "none"),
            ("a\rb\x0c\u{85}\u{2028}", "none"),
            ("a\n", "lf"),
            ("\r\n", "crlf"),
            ("a\r\nb\n", "mixed"),
            ("\n\r", "lf"),
        ] {
            assert_eq!(LineCounts::of(text.as_bytes()).ends().as_str(), ends, "{text:?}");
        }
    }

    #[test]
    fn line_feeds_are_found_as_whole_units_only() {
        // U+0A0A, U+0A00 and U+000A: only the last is a line feed.
        let text = "\u{a0a}\u{a00}\r\nx\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Utf32Le, Encoding::Utf32Be] {
            let bytes = encode(text, encoding).unwrap();
            let newlines = Newlines::new(encoding);
            let (mut forward, mut at) = (Vec::new(), 0);
            while let Some(lf) = newlines.find(&bytes, at) {
                forward.push((lf, newlines.cr_before(&bytes, lf)));
                at = lf + newlines.unit();
            }
            let (mut backward, mut end) = (Vec::new(), bytes.len());
            while let Some(lf) = newlines.rfind(&bytes, end) {
                backward.insert(0, (lf, newlines.cr_before(&bytes, lf)));
                end = lf;
            }
            let unit = encoding.unit();
            let expected = if unit == 1 { [(7, true), (9, false)] } else { [(3 * unit, true), (5 * unit, false)] };
            assert_eq!(forward, expected, "{encoding}");
            assert_eq!(backward, expected, "{encoding}");
        }
    }
}
