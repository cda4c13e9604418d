//! What a caller asks for.

use rootle_base::Encoding;

/// One replacement of a text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace, as the caller believes the file to have it.
    pub old: String,
    /// The text to put in its place.
    pub new: String,
    /// Replace every place where `old` stands, instead of requiring that there be one. Matches of whole lines and exact
    /// matches only, never an approximate one.
    pub replace_all: bool,
    /// How many places `old` must have; with more than 1, all of them are replaced. Places that overlap count as one.
    pub expected_count: Option<usize>,
    /// The line, counted from 1, near which `old` begins. Decides between places that are equally good, and nothing else.
    pub near_line: Option<u64>,
    /// Lines that stand above the place, outermost first (`class A`, `def f`): the first one is looked for from the
    /// beginning of the file, each next one below the one before. Decides between places that are equally good: those
    /// below the last of the lines, and within what that encloses, come first.
    pub scope: Vec<String>,
    /// Where in the file `old` must stand.
    pub anchor: Anchor,
}

impl Edit {
    /// Replaces the one place where `old` stands.
    #[must_use]
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            replace_all: false,
            expected_count: None,
            near_line: None,
            scope: Vec::new(),
            anchor: Anchor::Anywhere,
        }
    }
}

/// Where in the file the old text must stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Anywhere.
    #[default]
    Anywhere,
    /// At the beginning of the file.
    Start,
    /// At the end of the file.
    End,
}

/// Work that one edit may cost if nothing else is said: some tens of milliseconds.
pub const DEFAULT_BUDGET: u64 = 6_000_000;
/// The largest file that is edited if nothing else is said, in bytes.
pub const DEFAULT_MAX_BYTES: usize = 256 * 1024 * 1024;

/// How edits are looked for and applied.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The encoding of the file; guessed from its bytes if not given. A byte order mark counts more.
    pub encoding: Option<Encoding>,
    /// Take exact matches only.
    pub exact_only: bool,
    /// Accept a new text in which a placeholder ("rest of the code unchanged") stands for code.
    pub allow_placeholders: bool,
    /// Units of work that the search for an approximate match may cost for each edit: about one for each line
    /// compared and for each 64 characters of an edit distance. See [`DEFAULT_BUDGET`].
    pub budget: u64,
    /// The largest file, in bytes. See [`DEFAULT_MAX_BYTES`].
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            encoding: None,
            exact_only: false,
            allow_placeholders: false,
            budget: DEFAULT_BUDGET,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}
