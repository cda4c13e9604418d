//! Searching a buffer in memory: a quick look for a candidate line, then exact line semantics from there on.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::found::Found;
use crate::options::Mode;
use crate::poll::Poll;
use crate::want::{View, Want};
use grep_matcher::{LineMatchKind, Matcher};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use memchr::{memchr_iter, memrchr};

/// Everything about a search that does not change from file to file.
pub(crate) struct Scan<M> {
    pub matcher: M,
    pub want: Arc<Want>,
    pub poll: Poll,
    /// Whether a buffer can be asked as a whole for its first candidate line.
    pub whole_buffers: bool,
    /// Whether a match may depend on what follows it.
    pub looks_ahead: bool,
    searcher: Searcher,
}

impl<M: Matcher> Scan<M> {
    pub fn new(matcher: M, want: &Arc<Want>, poll: Poll, whole_buffers: bool, looks_ahead: bool) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(want.mode == Mode::Content)
            .invert_match(want.invert)
            .multi_line(want.multiline)
            .binary_detection(BinaryDetection::none())
            .bom_sniffing(false)
            .build();
        Self { matcher, want: want.clone(), poll, whole_buffers, looks_ahead, searcher }
    }

    /// Where in `bytes` the first line that may match begins. `None`: nothing matches.
    pub fn first_candidate(&self, bytes: &[u8]) -> io::Result<Option<usize>> {
        if self.want.invert || !self.whole_buffers {
            return Ok((!bytes.is_empty()).then_some(0));
        }
        if self.want.multiline {
            // It is known where a match ends, not where it begins.
            return Ok(self.matcher.shortest_match(bytes).map_err(stopped)?.map(|_| 0));
        }
        let found = self.matcher.find_candidate_line(bytes).map_err(stopped)?;
        Ok(found.map(|found| {
            let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = found;
            memrchr(b'\n', &bytes[..at]).map_or(0, |found| found + 1)
        }))
    }

    /// Searches the lines in `range` of the view, from its first candidate on.
    pub fn lines(&mut self, view: View<'_>, range: Range<usize>, found: &mut Found) -> io::Result<()> {
        if let Some(at) = self.first_candidate(&view.buf[range.clone()])? {
            self.search_from(view, range.start + at..range.end, found)?;
        }
        if !found.done {
            found.flush_after(&self.want, view.buf, range.end);
        }
        Ok(())
    }

    /// Searches the lines in `range`, the first of which may match.
    pub fn search_from(&mut self, view: View<'_>, range: Range<usize>, found: &mut Found) -> io::Result<()> {
        let first_line = match self.want.mode {
            Mode::Content => view.place.lines + memchr_iter(b'\n', &view.buf[..range.start]).count() as u64 + 1,
            Mode::Files | Mode::Count => 0,
        };
        let gather = Gather {
            matcher: &self.matcher,
            want: &self.want,
            poll: &self.poll,
            view,
            shift: range.start,
            first_line,
            calls: 0,
            found,
        };
        self.searcher.search_slice(&self.matcher, &view.buf[range], gather)
    }
}

/// Hands the lines that the searcher found to [`Found`].
struct Gather<'a, M> {
    matcher: &'a M,
    want: &'a Want,
    poll: &'a Poll,
    view: View<'a>,
    /// Where in the view the searched slice begins.
    shift: usize,
    /// The number of its first line.
    first_line: u64,
    calls: u32,
    found: &'a mut Found,
}

impl<M: Matcher> Sink for Gather<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, lines: &SinkMatch<'_>) -> io::Result<bool> {
        const POLL_EVERY: u32 = 512;
        self.calls += 1;
        if self.calls.is_multiple_of(POLL_EVERY) && self.poll.stop().is_some() {
            return Ok(false);
        }
        let range = lines.bytes_range_in_buffer();
        let range = self.shift + range.start..self.shift + range.end;
        let line = lines.line_number().map_or(0, |number| self.first_line + number - 1);
        self.found.lines(self.matcher, self.want, self.view, range, line).map_err(stopped)?;
        Ok(!self.found.done)
    }
}

/// The matcher's only error: the search must end, and the context knows why.
pub(crate) fn stopped(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, error.to_string())
}
