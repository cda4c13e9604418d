//! What is wrong with a patch's text.

use std::fmt;

/// The kind of fault that makes a patch unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchReason {
    /// No patch of a known dialect is in the text.
    NotAPatch,
    /// A dialect that is known and not taken: context diffs, combined diffs, ed scripts.
    Unsupported,
    /// It is not said which file is meant.
    MissingName,
    /// Two names are given for one file and do not agree.
    NameConflict,
    /// The patch stops before its end marker; it may have been cut off.
    Truncated,
    /// A line that is none of those which may stand at its place.
    UnexpectedLine,
    /// A marker-like line which can be read as a marker and as content.
    AmbiguousMarker,
    /// A file's section asks for no change.
    NoChange,
    /// One file has two sections that cannot be taken together.
    DuplicateFile,
}

impl PatchReason {
    /// The reason as a word: `not_a_patch`, `ambiguous_marker` and so on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotAPatch => "not_a_patch",
            Self::Unsupported => "unsupported_patch",
            Self::MissingName => "missing_name",
            Self::NameConflict => "name_conflict",
            Self::Truncated => "truncated_patch",
            Self::UnexpectedLine => "unexpected_line",
            Self::AmbiguousMarker => "ambiguous_marker",
            Self::NoChange => "no_change",
            Self::DuplicateFile => "duplicate_file",
        }
    }
}

/// A patch that cannot be read. Nothing of it may be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The kind of fault.
    pub reason: PatchReason,
    /// The line of the patch's text where it shows, from 1.
    pub line: usize,
    /// One or two sentences for the patch's author, with the way out.
    pub message: String,
}

impl PatchError {
    pub(super) fn new(reason: PatchReason, line: usize, message: impl Into<String>) -> Self {
        Self { reason, line, message: message.into() }
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the patch: {}", self.line, self.message)
    }
}

impl std::error::Error for PatchError {}

pub(super) type Result<T> = std::result::Result<T, PatchError>;

/// A line of the patch as messages show it: bounded, on one line.
pub(super) fn quoted(line: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = line.trim_end().chars().take(SHOWN).collect();
    if shown.len() < line.trim_end().len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
