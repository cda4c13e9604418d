//! The old text as it stands in the file, wherever in a line it begins and ends.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;
use rootle_base::LineEnds;

use super::{Placement, Span, line_end_len};
use crate::Tier;
use crate::text::{Block, Document};

/// All places, in order; places that overlap are all given unless `disjoint`. Line ends need not be the same. More than
/// `limit` are not looked for.
pub(crate) fn exact(document: &Document<'_>, old: &str, disjoint: bool, limit: usize) -> Vec<Range<usize>> {
    let text = &*document.text;
    if !old.contains('\n') {
        return search(text.as_bytes(), old.as_bytes(), disjoint, limit);
    }
    let ends = document.line_ends();
    let plain: Cow<'_, str> = if old.contains('\r') { old.replace("\r\n", "\n").into() } else { old.into() };
    match ends {
        LineEnds::None => Vec::new(),
        LineEnds::Lf => search(text.as_bytes(), plain.as_bytes(), disjoint, limit),
        LineEnds::CrLf => search(text.as_bytes(), plain.replace('\n', "\r\n").as_bytes(), disjoint, limit),
        LineEnds::Mixed => {
            let (unified, removed) = without_returns(text);
            // A removed carriage return stands before the line feed that is now at its offset.
            let back = |at: usize| at + removed.partition_point(|&offset| offset < at);
            let found = search(unified.as_bytes(), plain.as_bytes(), disjoint, limit);
            found.into_iter().map(|hit| back(hit.start)..back(hit.end)).collect()
        }
    }
}

fn search(text: &[u8], needle: &[u8], disjoint: bool, limit: usize) -> Vec<Range<usize>> {
    let finder = Finder::new(needle);
    let step = if disjoint { needle.len() } else { first_char_len(needle) };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(hit) = finder.find(&text[from..]) {
        let start = from + hit;
        found.push(start..start + needle.len());
        if found.len() == limit {
            break;
        }
        from = start + step;
    }
    found
}

fn first_char_len(needle: &[u8]) -> usize {
    1 + needle[1..].iter().take_while(|byte| (**byte & 0xc0) == 0x80).count()
}

/// The text with `\n` for `\r\n`, and the offsets in it of the line feeds that lost their carriage return.
fn without_returns(text: &str) -> (String, Vec<usize>) {
    let mut unified = String::with_capacity(text.len());
    let mut removed = Vec::new();
    let mut from = 0;
    for at in memchr_iter(b'\r', text.as_bytes()) {
        if text.as_bytes().get(at + 1) == Some(&b'\n') {
            unified.push_str(&text[from..at]);
            removed.push(unified.len());
            from = at + 1;
        }
    }
    unified.push_str(&text[from..]);
    (unified, removed)
}

/// The place of each piece of the old text within an exact match.
pub(crate) fn placement(text: &str, old: &Block<'_>, range: &Range<usize>) -> Placement {
    let mut at = range.start;
    let spans = old.lines.iter().map(|line| {
        let span = Span { start: at, end: at + line.len() };
        at = span.end;
        at += if at < range.end { line_end_len(text, at) } else { 0 };
        Some(span)
    });
    Placement { spans: spans.collect(), whole: false, tier: Tier::Exact, score: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // lists of ranges, of which some hold one
    fn line_ends_do_not_matter() {
        for (text, old, expected) in [
            ("a\nb\nc", "b\nc", &[2..5][..]),
            ("a\r\nb\r\nc", "b\nc", &[3..7]),
            ("a\nb\r\nc\nb\nc", "b\nc", &[2..6, 7..10]),
            ("a\nb\nc", "b\r\nc", &[2..5]),
            ("x\r\ry\r\nz\n", "y\nz\n", &[3..8]),
            ("aaa", "aa", &[0..2, 1..3]),
            ("ab", "b\n", &[]),
        ] {
            let document = Document::new(text.as_bytes(), &Options::default()).unwrap();
            let found = exact(&document, old, false, usize::MAX);
            assert_eq!(found, expected, "{text:?} {old:?}");
            for range in found {
                let block = Block::pieces(old);
                let placed = placement(text, &block, &range);
                assert_eq!(placed.range(), range);
                for (line, span) in block.lines.iter().zip(placed.spans) {
                    let span = span.unwrap();
                    assert_eq!(&text[span.start..span.end], *line);
                }
            }
        }
        let document = Document::new(b"aaaa", &Options::default()).unwrap();
        assert_eq!(exact(&document, "aa", true, usize::MAX), [0..2, 2..4]);
        assert_eq!(exact(&document, "a", false, 2).len(), 2);
    }
}
