//! What was found in one file so far: hits with their context, counts, and whether a limit ended the search.

use std::ops::Range;

use grep_matcher::{Match, Matcher};
use memchr::{memchr_iter, memrchr};

use crate::clip::{self, Clip};
use crate::hits::Hits;
use crate::lines::{blocks, count_matches, line_end, match_text, searched, trimmed};
use crate::matcher::Again;
use crate::options::Mode;
use crate::recall::LineEnd;
use crate::result::{ContextLine, Hit};
use crate::want::{View, Want};

/// The state of the search of one file. It goes on from buffer to buffer; offsets are those of the current one.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub hits: Hits,
    pub count: u64,
    /// There is, or may be, more than `hits`.
    pub more: bool,
    pub lossy: bool,
    pub text_bytes: u64,
    /// The same without the last hit.
    text_before_last: u64,
    /// Nothing more is wanted of this file.
    pub done: bool,
    /// Hits that begin at this byte of the file or before were given by an earlier search.
    skip: Option<u64>,
    /// Hits met, those skipped included.
    seen: u64,
    /// Where the last line given ends.
    given_end: usize,
    /// Its number.
    given_line: u64,
    /// Lines of context that the last hit still lacks.
    after_left: usize,
    /// Scratch.
    spans: Vec<Match>,
}

impl Found {
    /// For a file of which everything up to byte `skip` was given before.
    pub fn after(skip: Option<u64>) -> Self {
        Self { skip, ..Self::default() }
    }

    /// Gives no more hits, and goes on only to count them.
    pub fn give_no_more(&mut self, want: &Want) {
        self.more = true;
        self.done = !want.count_all;
    }

    /// Whether the file has anything to give.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// Takes the matching line, or lines in a multiline search, at `range`; `line` is the number of the first one.
    pub fn lines<M: Matcher>(
        &mut self,
        matcher: &M,
        want: &Want,
        view: View<'_>,
        range: Range<usize>,
        line: u64,
    ) -> Result<(), M::Error> {
        if want.mode != Mode::Content {
            return self.count_only(matcher, want, view, &range);
        }
        if want.only_matching {
            return self.single_matches(matcher, want, view, range, line);
        }
        if !want.multiline || want.invert {
            return self.hit(matcher, want, view, range, line);
        }
        let mut number = line;
        let mut counted = range.start;
        for block in blocks(matcher, view.buf, &range)? {
            number += memchr_iter(b'\n', &view.buf[counted..block.start]).count() as u64;
            counted = block.start;
            if self.done {
                break;
            }
            self.hit(matcher, want, view, block, number)?;
        }
        Ok(())
    }

    /// Takes one line, or the lines of one block.
    fn hit<M: Matcher>(
        &mut self,
        matcher: &M,
        want: &Want,
        view: View<'_>,
        range: Range<usize>,
        line: u64,
    ) -> Result<(), M::Error> {
        self.flush_after(want, view.buf, range.start);
        let bytes = view.buf.get(range.clone()).unwrap_or_default();
        let text = trimmed(bytes);
        let breaks = if want.multiline { memchr_iter(b'\n', text).count() as u64 } else { 0 };
        let byte_offset = view.place.bytes + range.start as u64;
        let wanted = self.wants(want, byte_offset);
        let mut count = 1;
        if wanted && let Some(text) = as_it_is(want, text) {
            let before = self.take_before(want, view.buf, range.start, line);
            let end = (!want.invert).then(|| LineEnd::of(bytes, text));
            self.text_bytes += text.len() as u64;
            self.hits.push_line(line, byte_offset, text, end, before);
        } else if wanted {
            let mut column = 1;
            let mut first = 0;
            if !want.invert {
                let matches;
                (first, matches) = self.find_spans(matcher, want, view.buf, &range, text)?;
                column = first as u64 + 1 - memrchr(b'\n', &text[..first]).map_or(0, |at| at as u64 + 1);
                count = if want.multiline { matches } else { 1 };
            }
            let shown = clip::visible(text, first, want.max_line_chars);
            let clip = clip::render(text, shown, &self.spans, want.max_line_chars);
            self.spans.clear();
            let before = self.take_before(want, view.buf, range.start, line);
            self.push(clip, Hit { line, end_line: line + breaks, column, byte_offset, before, ..Hit::default() });
        } else if want.multiline && !want.invert && self.counts(want, byte_offset) {
            count = count_matches(matcher, view.buf, &range)?;
        }
        if !wanted && self.more {
            // A hit that a limit keeps out can still be context of the last one given.
            self.flush_after(want, view.buf, view.buf.len());
        }
        if self.counts(want, byte_offset) {
            self.count += count;
        }
        self.given(want, range.end, line + breaks);
        Ok(())
    }

    /// Takes a hit whose parts were worked out elsewhere.
    pub fn ready(&mut self, want: &Want, clip: Clip, hit: Hit) {
        let byte_offset = hit.byte_offset;
        if self.wants(want, byte_offset) && want.mode == Mode::Content {
            self.push(clip, hit);
        }
        if self.counts(want, byte_offset) {
            self.count += 1;
        }
        self.done |= want.mode == Mode::Files;
    }

    /// Gives the lines before `start` that are context of `line`, which begins there.
    pub fn take_before(&mut self, want: &Want, buf: &[u8], start: usize, line: u64) -> Vec<ContextLine> {
        let floor = self.given_end;
        let mut at = start;
        let mut lines = 0;
        while lines < want.before && at > floor {
            at = memrchr(b'\n', &buf[floor..at - 1]).map_or(floor, |found| floor + found + 1);
            lines += 1;
        }
        let mut number = line - lines as u64;
        let mut context = Vec::with_capacity(lines);
        while at < start {
            let end = line_end(buf, at, start);
            context.push(self.context_line(want, number, &buf[at..end]));
            number += 1;
            at = end;
        }
        context
    }

    /// Gives the lines up to `upto` that the last hit still lacks.
    pub fn flush_after(&mut self, want: &Want, buf: &[u8], upto: usize) {
        while self.after_left > 0 && self.given_end < upto {
            let end = line_end(buf, self.given_end, upto);
            self.after_line(want, &buf[self.given_end..end], end);
        }
    }

    /// Gives `bytes`, the line that ends at `end`, if the last hit still lacks some.
    pub fn after_line(&mut self, want: &Want, bytes: &[u8], end: usize) {
        if self.after_left == 0 {
            return;
        }
        let context = self.context_line(want, self.given_line + 1, bytes);
        // After a hit that was skipped, its context is skipped too.
        self.hits.push_after(context);
        self.given_line += 1;
        self.given_end = end;
        self.after_left -= 1;
    }

    /// Everything up to `end`, where line `line` ends, was given.
    pub fn given(&mut self, want: &Want, end: usize, line: u64) {
        self.given_end = end;
        self.given_line = line;
        // What follows a hit that a limit kept out is not wanted either.
        self.after_left = if self.more { 0 } else { want.after };
    }

    /// The first `bytes` of the buffer are gone.
    pub fn slide(&mut self, bytes: usize) {
        self.given_end = self.given_end.saturating_sub(bytes);
    }

    /// Whether the next hit is to be given; settles the limits if not.
    pub fn wants(&mut self, want: &Want, byte_offset: u64) -> bool {
        if self.done || self.more {
            return false;
        }
        if want.max_per_file.is_some_and(|most| self.seen >= most)
            || want.max_hits.is_some_and(|most| self.hits.len() as u64 >= most)
            || want.max_text_bytes.is_some_and(|most| self.text_before_last >= most && !self.hits.is_empty())
        {
            self.give_no_more(want);
            return false;
        }
        self.seen += 1;
        self.text_before_last = self.text_bytes;
        self.skip.is_none_or(|skip| byte_offset > skip)
    }

    /// Whether the next hit is to be counted.
    fn counts(&self, want: &Want, byte_offset: u64) -> bool {
        (!self.more || want.count_all) && self.skip.is_none_or(|skip| byte_offset > skip)
    }

    fn count_only<M: Matcher>(
        &mut self,
        matcher: &M,
        want: &Want,
        view: View<'_>,
        range: &Range<usize>,
    ) -> Result<(), M::Error> {
        if want.mode == Mode::Files {
            self.count = 1;
            self.done = true;
            return Ok(());
        }
        let byte_offset = view.place.bytes + range.start as u64;
        self.wants(want, byte_offset);
        if self.counts(want, byte_offset) {
            self.count += if want.multiline && !want.invert { count_matches(matcher, view.buf, range)? } else { 1 };
        }
        Ok(())
    }

    fn single_matches<M: Matcher>(
        &mut self,
        matcher: &M,
        want: &Want,
        view: View<'_>,
        range: Range<usize>,
        line: u64,
    ) -> Result<(), M::Error> {
        let bytes = &view.buf[range.clone()];
        let (text, at) = searched(want, view.buf, &range);
        let mut counted = (0, 0);
        matcher.find_iter_at(text, at, |found| {
            let (from, to) = (found.start() - at, found.end() - at);
            if from >= bytes.len() && !bytes.is_empty() {
                return false;
            }
            let byte_offset = view.place.bytes + (range.start + from) as u64;
            if self.wants(want, byte_offset) {
                counted = (counted.0 + memchr_iter(b'\n', &bytes[counted.1..from]).count() as u64, from);
                let first = line + counted.0;
                let shown = match_text(bytes, from, to);
                let last = first + memchr_iter(b'\n', shown).count() as u64;
                let column = from as u64 + 1 - memrchr(b'\n', &bytes[..from]).map_or(0, |at| at as u64 + 1);
                let whole = [Match::new(0, shown.len())];
                let clip =
                    clip::render(shown, clip::visible(shown, 0, want.max_line_chars), &whole, want.max_line_chars);
                self.push(clip, Hit { line: first, end_line: last, column, byte_offset, ..Hit::default() });
            }
            if self.counts(want, byte_offset) {
                self.count += 1;
            }
            !self.done
        })
    }

    /// Fills `spans` with the matches in sight, relative to `range`. Gives the start of the first match and, in a
    /// multiline search, the number of all.
    fn find_spans<M: Matcher>(
        &mut self,
        matcher: &M,
        want: &Want,
        buf: &[u8],
        range: &Range<usize>,
        text: &[u8],
    ) -> Result<(usize, u64), M::Error> {
        let (searched, at) = searched(want, buf, range);
        let mut first = None;
        let mut shown_end = 0;
        let mut matches = 0;
        let spans = &mut self.spans;
        spans.clear();
        matcher.find_iter_at(searched, at, |found| {
            let (from, to) = (found.start() - at, found.end() - at);
            if from >= range.len() {
                return false;
            }
            if first.is_none() {
                first = Some(from.min(text.len()));
                shown_end = clip::visible(text, from.min(text.len()), want.max_line_chars).end;
            }
            matches += 1;
            if from < shown_end || spans.is_empty() {
                spans.push(Match::new(from.min(text.len()), to.min(text.len()).max(from.min(text.len()))));
            } else if !want.multiline {
                return false;
            }
            want.spans || want.multiline
        })?;
        Ok((first.unwrap_or(0), matches.max(1)))
    }

    fn push(&mut self, clip: Clip, hit: Hit) {
        self.lossy |= clip.lossy;
        self.text_bytes += clip.text.len() as u64;
        let Clip { text, spans, clipped, lossy } = clip;
        self.hits.push(Hit { text, spans, clipped, lossy, ..hit });
    }

    fn context_line(&mut self, want: &Want, line: u64, bytes: &[u8]) -> ContextLine {
        let clip = clip::head(trimmed(bytes), want.max_line_chars);
        self.lossy |= clip.lossy;
        self.text_bytes += clip.text.len() as u64;
        ContextLine { line, text: clip.text, clipped: clip.clipped }
    }
}

/// The text of a line that need not be searched for its matches yet.
fn as_it_is<'t>(want: &Want, text: &'t [u8]) -> Option<&'t str> {
    let again = match want.again {
        Again::Never => false,
        Again::Ascii => text.is_ascii(),
        Again::Utf8 => true,
    };
    if again && text.len() <= want.later_bytes { std::str::from_utf8(text).ok() } else { None }
}
