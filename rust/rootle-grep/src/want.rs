//! What a search wants of each file, boiled down from its options.

use rootle_base::Encoding;

use crate::Matcher;
use crate::matcher::Again;
use crate::options::{GrepOptions, Mode, Sort};

/// In longer lines matches are found at once, by threads that can be stopped.
const LATER_BYTES: usize = 4 << 10;

/// The part of the options that the search of a file needs.
#[derive(Clone, Debug)]
pub(crate) struct Want {
    pub mode: Mode,
    pub before: usize,
    pub after: usize,
    pub invert: bool,
    /// A hit is a match, not a line.
    pub only_matching: bool,
    /// Matches may span lines.
    pub multiline: bool,
    /// A match has something to show.
    pub spans: bool,
    pub max_line_chars: usize,
    /// Which lines are given as they are and searched for their matches when those are asked for,
    pub again: Again,
    /// up to so many bytes.
    pub later_bytes: usize,
    pub max_per_file: Option<u64>,
    /// More hits of one file are of no use to the search as a whole.
    pub max_hits: Option<u64>,
    /// Nor is more text.
    pub max_text_bytes: Option<u64>,
    /// Count what a limit keeps out.
    pub count_all: bool,
    pub max_filesize: Option<u64>,
    pub encoding: Option<Encoding>,
    pub guess_encoding: bool,
    /// Files with matches need their time of change.
    pub mtime: bool,
}

impl Want {
    pub fn new(options: &GrepOptions, matcher: &Matcher) -> Self {
        let (before, after) = options.context();
        let content = options.mode == Mode::Content;
        Self {
            mode: options.mode,
            before,
            after,
            invert: options.invert,
            only_matching: options.only_matching && !options.invert && content,
            multiline: matcher.spans_lines(),
            spans: matcher.consumes(),
            max_line_chars: options.max_line_chars,
            again: if matcher.spans_lines() {
                Again::Never
            } else if options.invert {
                // There is nothing to find in them.
                Again::Utf8
            } else {
                matcher.again()
            },
            later_bytes: options.max_line_chars.min(LATER_BYTES),
            max_per_file: options.max_per_file,
            // One more tells whether the limit kept something out.
            max_hits: options.max_matches.filter(|_| content).map(|hits| hits.saturating_add(1)),
            max_text_bytes: options.max_text_bytes,
            count_all: options.count_totals || (options.sort == Sort::Modified && options.max_per_file.is_none()),
            max_filesize: options.max_filesize,
            encoding: options.encoding,
            guess_encoding: options.guess_encoding,
            mtime: options.sort == Sort::Modified,
        }
    }
}

/// Where a buffer stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Lines before it.
    pub lines: u64,
    /// Bytes before it.
    pub bytes: u64,
}

/// A buffer and where it stands. It begins at the start of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub buf: &'a [u8],
    pub place: Place,
}
