//! The search of files by whichever engine the pattern needs, for one thread.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use crate::Matcher;
use crate::file::{Dated, Read, Reader};
use crate::found::Found;
use crate::leash::Leashed;
use crate::linear;
use crate::matcher::Engine;
use crate::poll::Poll;
use crate::scan::Scan;
use crate::want::Want;
use grep_regex::RegexMatcher;

/// A search in the hands of one thread.
pub(crate) struct Searcher {
    scan: AnyScan,
    reader: Reader,
}

enum AnyScan {
    Linear(Scan<RegexMatcher>),
    Fancy(Scan<Leashed>),
}

impl Searcher {
    pub fn new(matcher: &Matcher, want: &Arc<Want>, poll: Poll, reader: Reader) -> Self {
        let scan = match matcher.inner() {
            Engine::Linear(linear) => {
                // A copy has caches of its own, which threads would otherwise fight for.
                let own = linear.matcher.clone();
                let whole_buffers = want.multiline || linear::stays_in_line(&own);
                AnyScan::Linear(Scan::new(own, want, poll, whole_buffers, linear.looks_ahead))
            }
            Engine::Fancy(fancy) => {
                AnyScan::Fancy(Scan::new(Leashed::new(fancy, poll.clone()), want, poll, true, true))
            }
        };
        Self { scan, reader }
    }

    /// Searches an open file.
    pub fn search(&mut self, fd: BorrowedFd<'_>, found: &mut Found, dated: Dated<'_>) -> io::Result<Read> {
        match &mut self.scan {
            AnyScan::Linear(scan) => self.reader.search(scan, fd, found, dated),
            AnyScan::Fancy(scan) => self.reader.search(scan, fd, found, dated),
        }
    }

    /// Whether the last file met the backtracking engine's step bound.
    pub fn take_limited(&self) -> bool {
        match &self.scan {
            AnyScan::Linear(_) => false,
            AnyScan::Fancy(scan) => scan.matcher.take_limited(),
        }
    }
}
