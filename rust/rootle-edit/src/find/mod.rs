//! Where an old text stands: matches that are exact under some key, and the search for approximate ones.

mod elision;
mod exact;
mod fragment;
mod whole;

pub(crate) use elision::across_elisions;
pub(crate) use exact::{exact, placement};
pub(crate) use fragment::{fragments, splits_word};
pub(crate) use whole::{Whole, place, whole_lines};

use crate::Tier;

/// Where one line of the old text stands in the file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A place that matches the old text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placement {
    /// For each line of the old text its place; none if the file lacks the line.
    pub(crate) spans: Vec<Option<Span>>,
    /// Whether the spans are whole lines of the file.
    pub(crate) whole: bool,
    pub(crate) tier: Tier,
    pub(crate) score: f64,
}

impl Placement {
    /// From the beginning of the first span to the end of the last one.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let mut spans = self.spans.iter().flatten();
        let first = spans.next().copied().unwrap_or(Span { start: 0, end: 0 });
        let last = spans.next_back().copied().unwrap_or(first);
        first.start..last.end
    }
}

/// The length of the line end that begins at `at`; 0 in the middle of a line and at the end of the text.
pub(crate) fn line_end_len(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) }
}

/// Whether a line begins at `at`.
pub(crate) fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// Whether a line's text ends at `at`.
pub(crate) fn is_line_end(text: &str, at: usize) -> bool {
    at == text.len() || line_end_len(text, at) > 0
}
