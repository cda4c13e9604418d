//! What a search gives back.

use rootle_base::Stop;
use rootle_walk::Summary;

use crate::hits::Hits;

/// The answer to one search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepResult {
    /// Files with matches, in the order asked for.
    pub files: Vec<FileMatches>,
    /// Matches seen: lines, or single matches with `only_matching` and in multiline searches.
    pub total_matches: u64,
    /// Files with matches seen.
    pub total_files: u64,
    /// Whether the totals are those of everything asked for (from the cursor on, if there was one). Otherwise there may
    /// be more.
    pub totals_exact: bool,
    /// Whether everything asked for was searched and given.
    pub complete: bool,
    /// Why not.
    pub stop: Option<StopReason>,
    /// What was and was not searched.
    pub coverage: Coverage,
    /// Continues this search where it ended. After a deadline, in path order, it goes on with the first file that was
    /// not searched: threads may have come further elsewhere, and what they found there is given again.
    pub cursor: Option<String>,
    /// The engine that ran the patterns.
    pub engine: &'static str,
}

/// Why a search ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The deadline passed.
    Deadline,
    /// The cancel token was set.
    Cancelled,
    /// The calling thread has an interrupt to handle.
    Interrupted,
    /// As many matches, or as much text, as the caller wanted; there is more.
    MaxMatches,
}

impl StopReason {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::MaxMatches => "max_matches",
        }
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Deadline => Self::Deadline,
            Stop::Cancelled => Self::Cancelled,
            Stop::Interrupted => Self::Interrupted,
        }
    }
}

/// What a search covered, counted in files unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Searched to their end, or as far as was needed.
    pub searched: u64,
    /// Bytes read from them.
    pub searched_bytes: u64,
    /// Searched up to their first NUL byte.
    pub binary: u64,
    /// Not searched: larger than `max_filesize`, or than a multiline search can hold.
    pub too_large: u64,
    /// With bytes that their encoding does not allow, in the text given or in what was transcoded.
    pub lossy: u64,
    /// Not searched: the system refused. `summary.warnings` names them.
    pub unreadable: u64,
    /// Where the backtracking engine met its step bound, so that matches may be missing.
    pub step_limited: u64,
    /// With a line so long that it was searched in overlapping pieces.
    pub long_lines_split: u64,
    /// What the walk passed over. Warnings about files are added to it.
    pub summary: Summary,
}

impl Coverage {
    /// Adds what another worker did.
    pub(crate) fn add(&mut self, other: &Self) {
        self.searched += other.searched;
        self.searched_bytes += other.searched_bytes;
        self.binary += other.binary;
        self.too_large += other.too_large;
        self.lossy += other.lossy;
        self.unreadable += other.unreadable;
        self.step_limited += other.step_limited;
        self.long_lines_split += other.long_lines_split;
    }
}

/// One file with matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileMatches {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// Matches seen in it; more than `matches` when a limit kept some out. 1 in mode `files`.
    pub count: u64,
    /// The matches, in mode `content`.
    pub matches: Hits,
    /// It has a NUL byte: what follows the first one was not searched.
    pub binary: bool,
    /// How its bytes were read, such as `utf-8` or `utf-16-le`.
    pub encoding: &'static str,
    /// Its encoding does not allow some bytes of the text given.
    pub lossy: bool,
    /// Time of the last change, when the results are sorted by it.
    pub mtime_ns: Option<i64>,
    /// The file has, or may have, more matches than are given.
    pub more: bool,
}

/// One matching line, or one match with `only_matching`; in multiline searches, the lines of adjacent matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Number of the first line, from 1.
    pub line: u64,
    /// Number of the last line.
    pub end_line: u64,
    /// Where the first match begins in its line: bytes of the text as UTF-8, from 1. 1 with `invert`.
    pub column: u64,
    /// Where the line, or with `only_matching` the match, begins: bytes from the start of the file; in a file that was
    /// transcoded, of its text as UTF-8.
    pub byte_offset: u64,
    /// The text without the line's end. Clipped around the first match.
    pub text: Box<str>,
    /// Where the matches are in `text`: characters, end exclusive.
    pub spans: Vec<(u32, u32)>,
    /// Something was left out of `text` on one side or both.
    pub clipped: bool,
    /// `text` holds U+FFFD for bytes that the encoding does not allow.
    pub lossy: bool,
    /// Lines before, that no match before it gave already.
    pub before: Vec<ContextLine>,
    /// Lines after, up to the next match.
    pub after: Vec<ContextLine>,
}

/// A line beside a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextLine {
    /// Its number, from 1.
    pub line: u64,
    /// Its text without the line's end.
    pub text: Box<str>,
    /// Its end was left out.
    pub clipped: bool,
}
