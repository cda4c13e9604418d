//! Takes the wanted lines out of a file's bytes as they stream by, and counts the others.

use crate::Encoding;
use crate::line::{Builder, hidden};
use crate::lines::{LineCounts, Newlines};
use crate::read::{Line, MAX_HIDDEN, ReadRequest, Truncation};

/// Where the wanted lines begin.
pub(crate) enum Start {
    /// After so many line feeds.
    Lines(u64),
    /// At this offset, where a line begins.
    Offset(u64),
    /// Nowhere: only count.
    Never,
}

enum Phase {
    Before(Start),
    Inside(Builder),
    After,
}

pub(crate) struct Collector<'r> {
    req: &'r ReadRequest,
    encoding: Encoding,
    newlines: Newlines,
    phase: Phase,
    /// The number of the line that is being read.
    number: i64,
    /// Where that line began.
    line_start: u64,
    /// Where the bytes to come begin.
    offset: u64,
    last_is_cr: bool,
    /// Characters that may still be given.
    room: usize,
    /// Which limit ended the taking.
    reason: Option<Truncation>,
    /// Whether the last line given was cut by the limit on all characters.
    cut_by_total: bool,
    /// Where the first line that was not given begins.
    resume: u64,
    /// Bytes read only to learn how long a line is.
    pub(crate) surplus: u64,
    pub(crate) counts: LineCounts,
    pub(crate) nul: bool,
    pub(crate) lossy: bool,
    pub(crate) lines: Vec<Line>,
    pub(crate) hidden: Vec<(i64, usize, char)>,
}

impl<'r> Collector<'r> {
    /// The first byte to come is at `offset` and begins the line `number`.
    pub(crate) fn new(req: &'r ReadRequest, encoding: Encoding, offset: u64, number: i64, start: Start) -> Self {
        let mut new = Self {
            req,
            encoding,
            newlines: Newlines::new(encoding),
            phase: Phase::Before(start),
            number,
            line_start: offset,
            offset,
            last_is_cr: false,
            room: req.max_chars,
            reason: None,
            cut_by_total: false,
            resume: offset,
            surplus: 0,
            counts: LineCounts::default(),
            nul: false,
            lossy: false,
            lines: Vec::new(),
            hidden: Vec::new(),
        };
        new.begin_if_due();
        new
    }

    /// Whether all that is wanted was taken.
    pub(crate) fn done(&self) -> bool {
        matches!(self.phase, Phase::After | Phase::Before(Start::Never))
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let unit = self.newlines.unit();
        self.nul |= unit == 1 && memchr::memchr(0, bytes).is_some();
        let mut at = 0;
        while at < bytes.len() {
            let lf = self.newlines.find(bytes, at);
            let end = lf.unwrap_or(bytes.len());
            if let Phase::Inside(line) = &mut self.phase {
                if line.is_full() {
                    self.surplus += (end - at) as u64;
                }
                line.feed(&bytes[at..end]);
            }
            let Some(lf) = lf else { break };
            self.counts.add(if lf == 0 { self.last_is_cr } else { self.newlines.cr_before(bytes, lf) });
            at = lf + unit;
            self.line_start = self.offset + at as u64;
            self.line_over(true);
        }
        self.last_is_cr = self.newlines.cr_before(bytes, bytes.len() / unit * unit);
        self.offset += bytes.len() as u64;
    }

    /// Whether the bytes so far end with a line feed, or there were none.
    pub(crate) fn at_line_start(&self) -> bool {
        self.offset == self.line_start
    }

    /// The file is over. Returns the number of lines since the first byte pushed.
    pub(crate) fn end(&mut self) -> u64 {
        let open = !self.at_line_start();
        if open {
            self.line_start = self.offset;
            self.line_over(false);
        }
        self.counts.total() + u64::from(open)
    }

    /// Gives what was taken of a line that is not read to its end.
    pub(crate) fn give_up(&mut self) {
        if let Phase::Inside(line) = std::mem::replace(&mut self.phase, Phase::After) {
            self.give(line, false);
        }
    }

    /// Which limit left text out, and the line and column where that text begins.
    pub(crate) fn rest(&self, size: u64) -> (Option<Truncation>, Option<(i64, usize)>) {
        let more = self.resume < size;
        match self.lines.last() {
            // A line asked for alone is gone on with; in a longer reading the next line comes next.
            Some(line) if line.cut && (self.cut_by_total || self.lines.len() == 1 || !more) => {
                (Some(Truncation::Chars), Some((line.number, line.column + line.text.chars().count())))
            }
            Some(line) if more => (self.reason, Some((line.number + 1, 1))),
            None if more && self.reason.is_some() => (self.reason, Some((self.number, self.req.start_column))),
            _ => (None, None),
        }
    }

    fn line_over(&mut self, line_feed: bool) {
        match std::mem::replace(&mut self.phase, Phase::After) {
            Phase::After => {}
            Phase::Before(start) => {
                self.number += 1;
                self.phase = Phase::Before(match start {
                    Start::Lines(left) => Start::Lines(left.saturating_sub(1)),
                    other => other,
                });
                if line_feed {
                    self.begin_if_due();
                }
            }
            Phase::Inside(mut line) => {
                line.finish(line_feed);
                self.give(line, true);
            }
        }
    }

    fn begin_if_due(&mut self) {
        let due = match &self.phase {
            Phase::Before(Start::Lines(left)) => *left == 0,
            Phase::Before(Start::Offset(offset)) => self.line_start >= *offset,
            _ => false,
        };
        if due {
            self.resume = self.line_start;
            self.begin(self.req.start_column - 1, String::new());
        }
    }

    /// Begins a line to be given, if there is room for it.
    fn begin(&mut self, skip: usize, scratch: String) {
        self.phase = if self.lines.len() >= self.req.max_lines {
            self.reason = Some(Truncation::Lines);
            Phase::After
        } else if self.room == 0 || self.cut_by_total {
            self.reason = Some(Truncation::Chars);
            Phase::After
        } else {
            Phase::Inside(Builder::new(self.encoding, skip, self.req.max_line_chars.min(self.room), scratch))
        };
    }

    fn give(&mut self, line: Builder, complete: bool) {
        let column = if self.lines.is_empty() { self.req.start_column } else { 1 };
        let cut = !complete || line.chars > (column - 1 + line.kept) as u64;
        self.lossy |= line.lossy();
        for (at, c) in hidden(&line.text).take(MAX_HIDDEN - self.hidden.len()) {
            self.hidden.push((self.number, column + at, c));
        }
        self.cut_by_total = !complete || cut && self.room <= self.req.max_line_chars;
        // A line's end counts as a character, so that empty lines are bounded too.
        self.room = self.room.saturating_sub(line.kept + 1);
        let total_chars = complete.then_some(line.chars);
        self.lines.push(Line { number: self.number, text: line.text, column, total_chars, cut });
        self.number += 1;
        if complete {
            self.resume = self.line_start;
        }
        self.begin(0, line.scratch);
    }
}
