//! Finding the matches of a line again after its search is over.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use grep_matcher::{Match, Matcher as _};

use crate::linear::Linear;
use crate::matcher::{Engine, Inner, Matcher};
use crate::pattern::PatternSpec;

/// What followed the text of a line: matches may look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// The end of the text.
    None,
    Lf,
    CrLf,
}

impl LineEnd {
    /// What `line` has beyond its `text`.
    pub fn of(line: &[u8], text: &str) -> Self {
        match line.len() - text.len() {
            0 => Self::None,
            1 => Self::Lf,
            _ => Self::CrLf,
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::None => 0,
            Self::Lf => 1,
            Self::CrLf => 2,
        }
    }
}

/// The matcher of a search, without keeping it: many results may be held, each compiled pattern takes far more room
/// than its description.
#[derive(Clone, Debug)]
pub(crate) struct Recall {
    kept: Weak<Inner>,
    spec: Arc<PatternSpec>,
}

impl Recall {
    pub fn new(inner: &Arc<Inner>) -> Self {
        Self { kept: Arc::downgrade(inner), spec: Arc::clone(&inner.spec) }
    }

    /// The column of the first match in the line of this text.
    pub fn column(&self, text: &str, end: LineEnd) -> u64 {
        let mut first = 0;
        self.each(text, end, |found| {
            first = found.start();
            false
        });
        first as u64 + 1
    }

    /// Where the matches are in the line of this text, in characters.
    pub fn spans(&self, text: &str, end: LineEnd) -> Vec<(u32, u32)> {
        let mut chars = Chars { text, ascii: text.is_ascii(), byte: 0, char: 0 };
        let mut spans = Vec::new();
        self.each(text, end, |found| {
            // An empty match has nothing to show.
            if !found.is_empty() {
                spans.push((chars.at(found.start()), chars.at(found.end())));
            }
            found.start() < text.len()
        });
        spans
    }

    /// Gives the matches, cut to the text, until `take` wants no more.
    fn each(&self, text: &str, end: LineEnd, mut take: impl FnMut(Match) -> bool) {
        let Some(matcher) = self.matcher() else { return };
        let Engine::Linear(Linear { matcher, consumes, .. }) = matcher.inner() else { return };
        let line = match end {
            LineEnd::CrLf => Cow::Owned(format!("{text}\r")),
            LineEnd::None | LineEnd::Lf => Cow::Borrowed(text),
        };
        // An empty match at the end belongs to the line only if a line feed follows.
        let upto = text.len() + end.bytes();
        let searched = matcher.find_iter(line.as_bytes(), |found| {
            let (from, to) = (found.start().min(text.len()), found.end().min(text.len()));
            found.start() < upto && take(Match::new(from, to)) && *consumes
        });
        // The linear engine's error has no value.
        let _ = searched;
    }

    fn matcher(&self) -> Option<Matcher> {
        // What compiled once compiles again.
        self.kept.upgrade().map(Matcher::from).or_else(|| Matcher::new(&self.spec).ok())
    }
}

/// Turns byte offsets into those of characters, going forward.
struct Chars<'t> {
    text: &'t str,
    ascii: bool,
    byte: usize,
    char: usize,
}

impl Chars<'_> {
    fn at(&mut self, byte: usize) -> u32 {
        if self.ascii {
            self.char = byte;
        } else {
            self.char += self.text.as_bytes()[self.byte..byte].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
            self.byte = byte;
        }
        u32::try_from(self.char).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
