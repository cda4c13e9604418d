//! What an edit did.

use std::fmt;
use std::ops::Range;

use rootle_base::Encoding;

/// Lines of a file, counted from 1, both ends included. An empty range (a place between two lines, or lines that were
/// all deleted) has `last == first - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    /// The first line.
    pub first: u64,
    /// The last line.
    pub last: u64,
}

impl LineRange {
    /// How many lines there are.
    #[must_use]
    pub fn len(self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.last < self.first
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len() == 1 { write!(f, "line {}", self.first) } else { write!(f, "lines {}-{}", self.first, self.last) }
    }
}

/// How near the old text is to the file's, from the strictest likeness to the loosest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// The same characters; line ends may differ.
    Exact,
    /// The same lines but for white space at their ends.
    TrailingSpace,
    /// The same lines but for the form of quotes, dashes, spaces and composed characters.
    Unicode,
    /// The same lines but for their indentation.
    Indentation,
    /// The same lines but for white space inside them.
    InnerSpace,
    /// The same lines but for blank ones.
    BlankLines,
    /// Most lines alike, and none of those that the edit changes in doubt.
    Fuzzy,
}

impl Tier {
    /// The word for it: `exact`, `trailing_space` and so on.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingSpace => "trailing_space",
            Self::Unicode => "unicode",
            Self::Indentation => "indentation",
            Self::InnerSpace => "inner_space",
            Self::BlankLines => "blank_lines",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// Something that was set right in the caller's old and new text before they matched the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repair {
    /// A Markdown fence around the text.
    Fence,
    /// Line numbers before the lines.
    LineNumbers,
    /// The `+`, `-` and space of a diff before the lines.
    DiffPrefixes,
    /// Backslashes before quotes.
    EscapedQuotes,
    /// A text written as a string literal: `\n` for a line feed and so on.
    Escapes,
    /// HTML entities.
    Entities,
}

impl Repair {
    /// The word for it: `fence`, `line_numbers` and so on.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fence => "fence",
            Self::LineNumbers => "line_numbers",
            Self::DiffPrefixes => "diff_prefixes",
            Self::EscapedQuotes => "escaped_quotes",
            Self::Escapes => "escapes",
            Self::Entities => "entities",
        }
    }
}

/// Where an edit goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The matched bytes of the file. For a match of whole lines, from the first line's beginning to the end of the last
    /// one, without its line end.
    pub range: Range<usize>,
    /// The lines which that covers.
    pub lines: LineRange,
    /// How near the texts are.
    pub tier: Tier,
    /// Likeness from 0 to 1; 1 for all tiers but [`Tier::Fuzzy`].
    pub score: f64,
    /// For each line of the old text (after repairs) the file's line, counted from 1.
    pub line_map: Vec<Option<u64>>,
    /// What was set right in the old text.
    pub repairs: Vec<Repair>,
    /// All places, in the order of the file: more than one only with `replace_all` or `expected_count`.
    pub all: Vec<Range<usize>>,
}

/// Whether there was anything to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The edit was made.
    Applied,
    /// The file has the new text already and was left alone.
    AlreadyApplied,
}

impl Status {
    /// The word for it: `applied` or `already_applied`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::AlreadyApplied => "already_applied",
        }
    }
}

/// Something about an edit that the caller should know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Warning {
    /// The new text was indented as the file is.
    IndentationAdapted,
    /// The file's own quotes, dashes or spaces were kept where the new text did not change them.
    UnicodeKept,
    /// Lines around the change differ from the old text; the file's were kept. Counted.
    ContextDiffers(usize),
    /// Lines of the old text are not in the file; they were not written. Counted.
    ContextDropped(usize),
    /// Blank lines of the old text differ from the file's; the file's were kept.
    BlankLinesDiffer,
    /// A repair was made to the given texts.
    Repaired(Repair),
}

impl Warning {
    /// The word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::IndentationAdapted => "indentation_adapted",
            Self::UnicodeKept => "unicode_kept",
            Self::ContextDiffers(_) => "context_differs",
            Self::ContextDropped(_) => "context_dropped",
            Self::BlankLinesDiffer => "blank_lines_differ",
            Self::Repaired(Repair::Fence) => "fence_removed",
            Self::Repaired(Repair::LineNumbers) => "line_numbers_removed",
            Self::Repaired(Repair::DiffPrefixes) => "diff_prefixes_removed",
            Self::Repaired(Repair::EscapedQuotes | Repair::Escapes) => "escapes_removed",
            Self::Repaired(Repair::Entities) => "entities_decoded",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndentationAdapted => f.write_str("the new text was indented as the file is"),
            Self::UnicodeKept => {
                f.write_str("the file's own quotes, dashes and spaces were kept where new left them alone")
            }
            Self::ContextDiffers(1) => {
                f.write_str("1 unchanged line of old differs from the file's line, which was kept")
            }
            Self::ContextDiffers(n) => write!(f, "{n} unchanged lines of old differ from the file's, which were kept"),
            Self::ContextDropped(1) => f.write_str("1 unchanged line of old is not in the file and was not written"),
            Self::ContextDropped(n) => write!(f, "{n} unchanged lines of old are not in the file and were not written"),
            Self::BlankLinesDiffer => f.write_str("blank lines of old differ from the file's, which were kept"),
            Self::Repaired(repair) => f.write_str(match repair {
                Repair::Fence => "a Markdown fence around old was removed",
                Repair::LineNumbers => "line numbers before the lines of old were removed",
                Repair::DiffPrefixes => "the + and - of a diff were removed from old and new",
                Repair::EscapedQuotes => "backslashes before quotes were removed from old and new",
                Repair::Escapes => "old and new were written as string literals and were decoded",
                Repair::Entities => "HTML entities in old and new were decoded",
            }),
        }
    }
}

/// What one edit did.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether there was anything to do.
    pub status: Status,
    /// How near the old text was to the file's.
    pub tier: Tier,
    /// Likeness from 0 to 1.
    pub score: f64,
    /// How many places were changed.
    pub replacements: usize,
    /// The lines of each place before the edits, in the order of the file.
    pub before: Vec<LineRange>,
    /// The lines of each place in the result.
    pub after: Vec<LineRange>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// What was set right in the given texts.
    pub repairs: Vec<Repair>,
}

/// A file after its edits.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The new content.
    pub bytes: Vec<u8>,
    /// What each edit did, in the caller's order.
    pub outcomes: Vec<Outcome>,
    /// The encoding of the file.
    pub encoding: Encoding,
}
