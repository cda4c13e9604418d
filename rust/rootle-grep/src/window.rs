//! Searching a file piece by piece, with bounded memory: windows that end at the ends of lines, with as much of the text
//! before them as context needs.

use std::io;
use std::ops::Range;
use std::time::Instant;

use grep_matcher::Matcher;
use memchr::{memchr, memchr_iter, memrchr};

use crate::buffer::Buffer;
use crate::found::Found;
use crate::pace::{Pace, Sizes};
use crate::scan::Scan;
use crate::source::Source;
use crate::want::{Place, View, Want};

/// Text kept before a window for context, at most.
const LOOK_BACK: usize = 64 << 10;

/// A buffer that moves over a file.
pub(crate) struct Window<'a> {
    pub(super) buf: &'a mut Buffer,
    /// How much of the buffer holds text.
    pub(super) filled: usize,
    pub source: Source<'a>,
    /// Nothing comes after what is in the buffer.
    pub(super) ended: bool,
    pub(super) place: Place,
    /// Where the text that was not searched yet begins.
    pub(super) core: usize,
    /// A NUL byte ended the text.
    pub binary: bool,
    /// A line was longer than the window.
    pub split: bool,
    pub(super) sizes: Sizes,
}

impl<'a> Window<'a> {
    /// Begins with the bytes in `text`; the rest of the file comes from `source`.
    pub fn new(buf: &'a mut Buffer, text: Range<usize>, source: Source<'a>, sizes: Sizes) -> Self {
        buf.copy_within(text.clone(), 0);
        let mut window = Self {
            buf,
            filled: text.len(),
            ended: matches!(source, Source::Ended),
            source,
            place: Place { lines: 0, bytes: text.start as u64 },
            core: 0,
            binary: false,
            split: false,
            sizes,
        };
        window.cut_at_nul(0);
        window
    }
}

impl Window<'_> {
    /// Searches everything, or until nothing more is wanted or the call must end.
    pub fn search<M: Matcher>(&mut self, scan: &mut Scan<M>, pace: &mut Pace, found: &mut Found) -> io::Result<()> {
        while !found.done && scan.poll.stop().is_none() {
            let piece = pace.piece();
            self.make_room(&scan.want, piece, found)?;
            if self.core == self.filled {
                break;
            }
            let upto = self.filled.min(self.core + piece);
            let end = if upto == self.filled && self.ended {
                Some(upto)
            } else {
                memrchr(b'\n', &self.buf[self.core..upto]).map(|at| self.core + at + 1)
            };
            let end = if end.is_some() { end } else { self.end_of_line(upto)? };
            let Some(end) = end else {
                self.long_line(scan, pace, found)?;
                continue;
            };
            let began = Instant::now();
            let view = View { buf: &self.buf[..self.filled], place: self.place };
            scan.lines(view, self.core..end, found)?;
            pace.learn(end - self.core, began.elapsed());
            self.core = end;
        }
        Ok(())
    }

    /// Where the line ends that goes on at `from`, if it is not longer than a window. A line is split for its length
    /// alone: what is found must not depend on how fast this machine is today.
    fn end_of_line(&mut self, from: usize) -> io::Result<Option<usize>> {
        let most = self.core + self.sizes.window;
        if !self.ended && self.filled < most {
            self.fill(most)?;
        }
        let upto = self.filled.min(most);
        let end = memchr(b'\n', &self.buf[from.min(upto)..upto]).map(|at| from + at + 1);
        Ok(end.or((self.ended && upto == self.filled).then_some(upto)))
    }

    /// Sees to it that a piece is in the buffer, unless the file ends before.
    fn make_room(&mut self, want: &Want, piece: usize, found: &mut Found) -> io::Result<()> {
        if self.ended || self.filled - self.core >= piece {
            return Ok(());
        }
        let mut keep = self.core;
        for _ in 0..want.before {
            if keep == 0 {
                break;
            }
            let start = memrchr(b'\n', &self.buf[..keep - 1]).map_or(0, |at| at + 1);
            if self.core - start > LOOK_BACK {
                break;
            }
            keep = start;
        }
        self.forget(keep, found);
        self.fill(self.core + piece)
    }

    /// Reads until the buffer holds `upto` bytes.
    pub(super) fn fill(&mut self, upto: usize) -> io::Result<()> {
        self.buf.grow(upto);
        let from = self.filled;
        let read = self.source.read(&mut self.buf[from..])?;
        self.ended = from + read < self.buf.len();
        self.filled += read;
        self.cut_at_nul(from);
        Ok(())
    }

    /// Text ends at the first NUL byte, which is not before `from`.
    fn cut_at_nul(&mut self, from: usize) {
        if let Some(at) = memchr(0, &self.buf[from..self.filled]) {
            self.filled = from + at;
            self.ended = true;
            self.binary = true;
        }
    }

    /// Drops the first `bytes` of the buffer.
    pub(super) fn forget(&mut self, bytes: usize, found: &mut Found) {
        if bytes == 0 {
            return;
        }
        self.place.lines += memchr_iter(b'\n', &self.buf[..bytes]).count() as u64;
        self.place.bytes += bytes as u64;
        self.buf.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
        self.core = self.core.saturating_sub(bytes);
        found.slide(bytes);
    }
}
