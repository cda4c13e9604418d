//! A line longer than the window is searched in pieces that overlap: a match shorter than the overlap lies in one of
//! them, whatever the length of the line.

use std::io;
use std::time::Instant;

use grep_matcher::{Match, Matcher};
use memchr::{memchr, memchr_iter};

use crate::clip::{self, Clip};
use crate::found::Found;
use crate::options::Mode;
use crate::pace::Pace;
use crate::result::Hit;
use crate::scan::{Scan, stopped};
use crate::want::Want;
use crate::window::Window;

/// What is known of the line while it passes by.
struct Line {
    number: u64,
    /// Where it begins in the file.
    start: u64,
    /// Its first bytes.
    head: Vec<u8>,
    /// The text of its first match and the match's column.
    first: Option<(Clip, u64)>,
}

/// One piece, as offsets into the buffer.
struct Piece {
    /// What may be looked at begins here,
    left: usize,
    /// what is searched here.
    at: usize,
    /// Matches that begin from here on are left to the next piece.
    settled: usize,
    right: usize,
    /// The line ends at `right`.
    last: bool,
}

impl Window<'_> {
    /// Searches the line that begins at `core` and is not in the buffer as a whole.
    pub(super) fn long_line<M: Matcher>(
        &mut self,
        scan: &mut Scan<M>,
        pace: &mut Pace,
        found: &mut Found,
    ) -> io::Result<()> {
        self.split = true;
        let want = &*scan.want.clone();
        let number = self.place.lines + memchr_iter(b'\n', &self.buf[..self.core]).count() as u64 + 1;
        let before = found.take_before(want, &self.buf[..self.filled], self.core, number);
        let head_end =
            self.filled.min(self.core + want.max_line_chars.saturating_mul(4).saturating_add(4).min(pace.piece() / 2));
        let mut line = Line {
            number,
            start: self.place.bytes + self.core as u64,
            head: self.buf[self.core..head_end].to_vec(),
            first: None,
        };
        let mut at = self.core;
        let end = loop {
            if scan.poll.stop().is_some() || found.done {
                return Ok(());
            }
            let began = Instant::now();
            let piece = self.next_piece(at, pace.piece(), found)?;
            let next = if want.only_matching {
                self.every_match(scan, &piece, &line, found)?
            } else {
                self.first_match(scan, &piece, &mut line)?
            };
            pace.learn(piece.right - piece.at, began.elapsed());
            if piece.last {
                break piece.right;
            }
            at = next;
        };
        self.finish(want, &line, end, found);
        if want.only_matching {
            found.given(want, self.core, number);
        } else if line.first.is_some() == want.invert {
            found.after_line(want, &line.head, self.core);
        } else {
            let (clip, column) = line.first.unwrap_or_else(|| (clip::head(&line.head, want.max_line_chars), 1));
            let hit = Hit { line: number, end_line: number, column, byte_offset: line.start, before, ..Hit::default() };
            found.ready(want, Clip { clipped: true, ..clip }, hit);
            found.given(want, self.core, number);
        }
        Ok(())
    }

    /// Gets the piece that begins at `at` into the buffer.
    fn next_piece(&mut self, mut at: usize, size: usize, found: &mut Found) -> io::Result<Piece> {
        // However slow the machine, the overlap stays: which matches are found must not depend on it.
        let overlap = self.sizes.overlap.min(self.sizes.window / 2);
        let size = size.max(overlap + overlap / 8 + 1);
        if !self.ended && self.filled - at < size {
            let keep = at.saturating_sub(overlap);
            self.forget(keep, found);
            at -= keep;
            self.fill(at + size)?;
        }
        let upto = self.filled.min(at + size);
        let line_end = memchr(b'\n', &self.buf[at..upto]).map(|found| at + found);
        let last = line_end.is_some() || (upto == self.filled && self.ended);
        let right = line_end.unwrap_or(upto);
        let settled = if last { right } else { right - overlap };
        // `core` is where the line begins, or 0 when that is gone.
        let left = self.core.max(at.saturating_sub(overlap));
        Ok(Piece { left, at, settled, right, last })
    }

    /// Looks for the line's first match, unless it was found. Gives where to go on.
    fn first_match<M: Matcher>(&self, scan: &Scan<M>, piece: &Piece, line: &mut Line) -> io::Result<usize> {
        if line.first.is_some() {
            return Ok(piece.right);
        }
        let text = &self.buf[piece.left..piece.right];
        let Some(first) = accepted(scan, text, piece, piece.at - piece.left)? else {
            return Ok(piece.settled);
        };
        let column = self.place.bytes + (piece.left + first.start()) as u64 - line.start + 1;
        let max_chars = scan.want.max_line_chars;
        let clip = if scan.want.mode == Mode::Content && !scan.want.invert {
            let shown = clip::visible(text, first.start(), max_chars);
            let mut spans = Vec::new();
            let in_sight = |found: Match| {
                spans.push(found);
                found.start() < shown.end
            };
            scan.matcher.find_iter_at(text, first.start(), in_sight).map_err(stopped)?;
            spans.retain(|found| found.start() < shown.end);
            clip::render(text, shown, &spans, max_chars)
        } else {
            Clip::default()
        };
        line.first = Some((clip, column));
        Ok(piece.right)
    }

    /// Takes every match of the piece. Gives where to go on.
    fn every_match<M: Matcher>(
        &self,
        scan: &Scan<M>,
        piece: &Piece,
        line: &Line,
        found: &mut Found,
    ) -> io::Result<usize> {
        let text = &self.buf[piece.left..piece.right];
        let mut from = piece.at - piece.left;
        while let Some(matched) = accepted(scan, text, piece, from)? {
            let byte_offset = self.place.bytes + (piece.left + matched.start()) as u64;
            let bytes = &text[matched.start()..matched.end()];
            let max_chars = scan.want.max_line_chars;
            let whole = [Match::new(0, bytes.len())];
            let clip = clip::render(bytes, clip::visible(bytes, 0, max_chars), &whole, max_chars);
            let column = byte_offset - line.start + 1;
            let hit = Hit { line: line.number, end_line: line.number, column, byte_offset, ..Hit::default() };
            found.ready(&scan.want, clip, hit);
            from = matched.end() + usize::from(matched.is_empty());
            if found.done || from > text.len() {
                break;
            }
        }
        Ok(piece.settled.max(piece.left + from).min(piece.right))
    }

    /// Goes behind the line, which ends at `end`, and leaves its head in the buffer as context for what follows.
    fn finish(&mut self, want: &Want, line: &Line, end: usize, found: &mut Found) {
        let next = self.filled.min(end + 1);
        let keep = line.head.len() + 1;
        if want.before == 0 || keep > next {
            self.core = next;
            return;
        }
        self.place.lines = line.number - 1;
        self.place.bytes += (next - keep) as u64;
        self.buf.copy_within(next..self.filled, keep);
        self.filled -= next - keep;
        self.buf[..line.head.len()].copy_from_slice(&line.head);
        self.buf[line.head.len()] = b'\n';
        self.core = keep;
        found.slide(next);
    }
}

/// The next match in the piece that the piece can vouch for.
fn accepted<M: Matcher>(scan: &Scan<M>, text: &[u8], piece: &Piece, from: usize) -> io::Result<Option<Match>> {
    let found = scan.matcher.find_at(text, from).map_err(stopped)?;
    Ok(found.filter(|found| {
        piece.last
            || (piece.left + found.start() < piece.settled
                // It ends where the piece does, which the pattern may have taken for the end of the line.
                && !(scan.looks_ahead && found.end() == text.len()))
    }))
}
