//! One line built from pieces: only the characters that are wanted are kept, the rest is counted.

use crate::Encoding;
use crate::hidden::is_hidden;
use crate::stream::Stream;

/// Bytes decoded at once.
const PIECE_BYTES: usize = 8 * 1024;

pub(crate) struct Builder {
    stream: Stream,
    pub(crate) scratch: String,
    /// Characters still to pass over.
    skip: usize,
    /// Characters still to keep.
    room: usize,
    /// A carriage return that belongs to the text unless a line feed comes next.
    pending_cr: bool,
    broken: bool,
    /// What is kept.
    pub(crate) text: String,
    /// Characters kept.
    pub(crate) kept: usize,
    /// Characters of the line so far.
    pub(crate) chars: u64,
}

impl Builder {
    /// A line of which at most `room` characters are wanted, after the first `skip`. `scratch` is any string, for its
    /// memory.
    pub(crate) fn new(encoding: Encoding, skip: usize, room: usize, scratch: String) -> Self {
        Self {
            stream: Stream::new(encoding),
            scratch,
            skip,
            room,
            pending_cr: false,
            broken: false,
            text: String::new(),
            kept: 0,
            chars: 0,
        }
    }

    /// Whether nothing more will be kept.
    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Whether U+FFFD stands in the kept text for bytes without meaning.
    pub(crate) fn lossy(&self) -> bool {
        self.broken && self.text.contains(char::REPLACEMENT_CHARACTER)
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.decode(piece, false);
        }
    }

    /// The line is over; `line_feed` says that a line feed ended it.
    pub(crate) fn finish(&mut self, line_feed: bool) {
        self.decode(b"", true);
        if std::mem::take(&mut self.pending_cr) && !line_feed {
            self.take("\r");
        }
    }

    fn decode(&mut self, piece: &[u8], last: bool) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.broken |= self.stream.feed(piece, last, &mut scratch);
        if !scratch.is_empty() {
            if std::mem::take(&mut self.pending_cr) {
                self.take("\r");
            }
            let text = scratch.strip_suffix('\r');
            self.pending_cr = text.is_some();
            self.take(text.unwrap_or(&scratch));
        }
        self.scratch = scratch;
    }

    fn take(&mut self, mut text: &str) {
        let mut count = text.chars().count();
        self.chars += count as u64;
        if self.skip > 0 {
            let skipped = self.skip.min(count);
            text = &text[byte_of(text, skipped)..];
            self.skip -= skipped;
            count -= skipped;
        }
        if self.room >= count {
            self.text.push_str(text);
            self.room -= count;
            self.kept += count;
        } else if self.room > 0 {
            self.text.push_str(&text[..byte_of(text, self.room)]);
            self.kept += std::mem::take(&mut self.room);
        }
    }
}

/// Where the character number `chars`, counted from 0, begins.
fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The hidden characters of a text, with their place counted in characters from 0.
pub(crate) fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    // Nearly all text is ASCII, which hides nothing.
    let text = if text.is_ascii() { "" } else { text };
    let mut before = None;
    text.chars().enumerate().filter(move |&(_, c)| is_hidden(c, before.replace(c)))
}
