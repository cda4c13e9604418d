//! Why an edit was refused, and how it can be set right.

use std::fmt;

use crate::LineRange;

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The old text is nowhere in the file.
    NotFound,
    /// The old text is at more than one place.
    Ambiguous,
    /// The old text has not the expected number of places.
    CountMismatch,
    /// The best place differs from the old text in a way that may matter.
    UnsafeDifference,
    /// Two edits change the same text.
    Overlap,
    /// The new text holds a placeholder for code that was left out.
    Placeholder,
    /// The old and the new text are the same.
    NoChange,
    /// The old text is empty.
    EmptyOld,
    /// The new text holds a character that the file's encoding has not.
    Unencodable,
    /// The file is not text.
    Binary,
    /// The file is larger than allowed.
    TooLarge,
    /// The search took more work than allowed.
    Budget,
}

impl Reason {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::NotFound,
        Self::Ambiguous,
        Self::CountMismatch,
        Self::UnsafeDifference,
        Self::Overlap,
        Self::Placeholder,
        Self::NoChange,
        Self::EmptyOld,
        Self::Unencodable,
        Self::Binary,
        Self::TooLarge,
        Self::Budget,
    ];

    /// The word for it: `not_found`, `ambiguous` and so on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Ambiguous => "ambiguous",
            Self::CountMismatch => "count_mismatch",
            Self::UnsafeDifference => "unsafe_difference",
            Self::Overlap => "overlap",
            Self::Placeholder => "placeholder",
            Self::NoChange => "no_change",
            Self::EmptyOld => "empty_old",
            Self::Unencodable => "unencodable",
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::Budget => "budget",
        }
    }
}

/// Why an edit was not made. Nothing of the call was.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Which edit, counted from 0 in the caller's order.
    pub edit: usize,
    /// The kind.
    pub reason: Reason,
    /// What is wrong and what to do, in a sentence for a model.
    pub message: String,
    /// Places that come near, the best first; for an ambiguous text all its places, in the order of the file. At most
    /// [`Refusal::MAX_CANDIDATES`].
    pub candidates: Vec<Candidate>,
    /// How many places there are, for [`Reason::Ambiguous`] and [`Reason::CountMismatch`].
    pub count: Option<usize>,
    /// The file's own text at the best candidate: an `old` that matches exactly.
    pub exact_old: Option<String>,
    /// The first place with the fewest lines around it that make it the only one.
    pub unique_old: Option<String>,
}

impl Refusal {
    /// More candidates are not listed.
    pub const MAX_CANDIDATES: usize = 20;

    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            edit: 0,
            reason,
            message: message.into(),
            candidates: Vec::new(),
            count: None,
            exact_old: None,
            unique_old: None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// A place that comes near the old text.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its lines.
    pub lines: LineRange,
    /// Likeness from 0 to 1.
    pub score: f64,
    /// The file's text there, at most [`Candidate::MAX_TEXT`] bytes.
    pub text: String,
    /// The line that begins the definition around it, without its indentation.
    pub symbol: Option<String>,
    /// Where it differs from the old text; at most [`Candidate::MAX_DIFFERENCES`].
    pub differences: Vec<Difference>,
}

impl Candidate {
    /// More of the text is not given, in bytes.
    pub const MAX_TEXT: usize = 4096;
    /// More differences are not listed.
    pub const MAX_DIFFERENCES: usize = 8;
}

/// A line in which the old text and the file differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the old text, counted from 1; none for a line that only the file has.
    pub old_line: Option<u64>,
    /// The file's line, counted from 1; none for a line that only the old text has.
    pub file_line: Option<u64>,
    /// What the old text has there.
    pub old_text: String,
    /// What the file has there.
    pub file_text: String,
}
