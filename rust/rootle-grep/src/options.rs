//! How a search runs and what it gives.

use rootle_base::{Error, Result};

/// What is given for a file with matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The matching lines.
    #[default]
    Content,
    /// The path alone; each file is read up to its first match.
    Files,
    /// The number of matching lines, as `rg -c` counts them.
    Count,
}

/// The order of the files given. With a limit it also says which of them are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// By path, component by component.
    #[default]
    Path,
    /// Last changed first; by path where that is equal.
    Modified,
}

/// Characters of a line that are given unless the caller says otherwise.
pub const MAX_LINE_CHARS: usize = 500;

/// A multiline search reads the whole file into memory and skips files larger than this.
pub const MAX_MULTILINE_BYTES: u64 = 64 << 20;

/// Everything about a search but the patterns and the files.
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// What is given for a file.
    pub mode: Mode,
    /// In which order.
    pub sort: Sort,
    /// Lines of context before a match.
    pub before: usize,
    /// Lines of context after a match.
    pub after: usize,
    /// Give the lines that do not match.
    pub invert: bool,
    /// Give each match by itself, without context, instead of its line. Of no effect with `invert`.
    pub only_matching: bool,
    /// Give the first this many matches, in modes `files` and `count` the first this many files.
    pub max_matches: Option<u64>,
    /// Give the first this many matches of each file.
    pub max_per_file: Option<u64>,
    /// Skip larger files.
    pub max_filesize: Option<u64>,
    /// Clip longer lines around the first match.
    pub max_line_chars: usize,
    /// Stop when the text given, context included, has this many bytes.
    pub max_text_bytes: Option<u64>,
    /// Read files that are not UTF-8 in the legacy encoding they seem to be in.
    pub guess_encoding: bool,
    /// Read every file without a byte order mark in this encoding.
    pub encoding: Option<rootle_base::Encoding>,
    /// Search everything, for true totals, although a limit is met.
    pub count_totals: bool,
    /// Whatever else tells this search from others, such as its paths and filters: a cursor is good for one search alone.
    pub scope: Vec<u8>,
    /// Go on where an earlier search with the same patterns and options ended.
    pub cursor: Option<String>,
}

impl Default for GrepOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Content,
            sort: Sort::Path,
            before: 0,
            after: 0,
            invert: false,
            only_matching: false,
            max_matches: None,
            max_per_file: None,
            max_filesize: None,
            max_line_chars: MAX_LINE_CHARS,
            max_text_bytes: None,
            guess_encoding: false,
            encoding: None,
            count_totals: false,
            scope: Vec::new(),
            cursor: None,
        }
    }
}

impl GrepOptions {
    pub(crate) fn check(&self) -> Result<()> {
        let zero = |name, value: Option<u64>| match value {
            Some(0) => Err(Error::InvalidArgument { name, reason: "it must be at least 1".to_owned() }),
            _ => Ok(()),
        };
        zero("max_matches", self.max_matches)?;
        zero("max_per_file", self.max_per_file)?;
        zero("max_line_chars", Some(self.max_line_chars as u64))?;
        zero("max_text_bytes", self.max_text_bytes)
    }

    /// The context asked for, where there is any.
    pub(crate) fn context(&self) -> (usize, usize) {
        if self.mode == Mode::Content && (!self.only_matching || self.invert) {
            (self.before, self.after)
        } else {
            (0, 0)
        }
    }
}
