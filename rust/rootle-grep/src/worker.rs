//! One thread's part of a search: takes files from the walk, searches them, keeps what they gave.

use std::borrow::Cow;
use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use rootle_base::{Context, Error, Result};
use rootle_walk::{FileEntry, MAX_WARNINGS, Visit, Warning, path_order};

use crate::Matcher;
use crate::cursor::Cursor;
use crate::engine::Searcher;
use crate::file::{Read, Reader};
use crate::first::First;
use crate::found::Found;
use crate::options::{Mode, Sort};
use crate::order::Key;
use crate::pace::Sizes;
use crate::poll::Poll;
use crate::recall::Recall;
use crate::result::{Coverage, FileMatches};
use crate::trail::Trail;
use crate::want::Want;

/// What the workers of one search share.
pub(crate) struct Shared {
    pub matcher: Matcher,
    pub want: Arc<Want>,
    pub recall: Recall,
    pub ctx: Context,
    pub mode: Mode,
    pub sort: Sort,
    /// Count what comes after the limit too.
    pub count_totals: bool,
    pub sizes: Sizes,
    pub local: bool,
    /// Where an earlier search ended.
    pub resume: Option<Cursor>,
    /// Set when there is a limit.
    pub first: Option<First>,
    /// The thread that the caller's interrupt is asked from.
    pub caller: ThreadId,
    /// Why a start could not be searched.
    pub start_error: Mutex<Option<Error>>,
}

/// One thread's part.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    searcher: Option<Searcher>,
    /// What is kept without a limit.
    pub files: Vec<(Key, FileMatches)>,
    pub coverage: Coverage,
    pub total_matches: u64,
    pub total_files: u64,
    /// Some file has matches that were not counted, or was not searched because of a limit.
    pub uncounted: bool,
    pub trail: Trail,
    stopped: bool,
    last: Last,
}

/// This thread's copy of [`First::last`], and its generation.
#[derive(Debug, Default)]
struct Last(RefCell<(u64, Option<Key>)>);

impl Last {
    /// Whether there is a last file needed and `test` holds for it.
    fn is_before(&self, first: Option<&First>, test: impl Fn(&Key) -> bool) -> bool {
        let Some(first) = first else { return false };
        let generation = first.generation();
        if generation == 0 {
            return false;
        }
        let mut copy = self.0.borrow_mut();
        if copy.0 != generation {
            *copy = (generation, first.last());
        }
        copy.1.as_ref().is_some_and(test)
    }
}

impl Worker {
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: shared.clone(),
            searcher: None,
            files: Vec::new(),
            coverage: Coverage::default(),
            total_matches: 0,
            total_files: 0,
            uncounted: false,
            trail: Trail::default(),
            stopped: false,
            last: Last::default(),
        }
    }

    /// Whether everything at `path` and after it is after the last file needed.
    fn after_last(&self, path: &[u8]) -> bool {
        self.shared.sort == Sort::Path
            && self.last.is_before(self.shared.first.as_ref(), |last| path_order(path, &last.path).is_gt())
    }

    /// How to begin with a file, or nothing if an earlier search gave all of it.
    fn begin(&mut self, file: &FileEntry<'_>) -> Option<Found> {
        if let Some(resume) = &self.shared.resume {
            let order = path_order(file.path(), &resume.key.path);
            if self.shared.sort == Sort::Path && (order.is_lt() || (order.is_eq() && resume.skip.is_none())) {
                return None;
            }
            if order.is_eq() {
                let same = resume.key.mtime_ns.is_none_or(|mtime| file.stat().is_ok_and(|meta| meta.mtime_ns == mtime));
                return Some(Found::after(resume.skip.filter(|_| same)));
            }
        }
        if !self.after_last(file.path()) {
            return Some(Found::default());
        }
        self.uncounted |= !self.shared.count_totals;
        self.shared.count_totals.then(|| {
            let mut found = Found::default();
            found.give_no_more(&self.shared.want);
            found
        })
    }

    fn search(&mut self, path: &[u8], fd: &OwnedFd, found: &mut Found) -> Result<Read> {
        let Self { shared, searcher, last, .. } = self;
        let searcher = searcher.get_or_insert_with(|| {
            // Here, not when the worker is made: only now is it certain to be on its own thread.
            let poll = Poll::new(&shared.ctx, thread::current().id() == shared.caller);
            Searcher::new(&shared.matcher, &shared.want, poll, Reader::new(shared.sizes, shared.local))
        });
        let mut dated = |mtime_ns, found: &mut Found| {
            let key = Key { mtime_ns: Some(mtime_ns), path: path.to_vec() };
            if last.is_before(shared.first.as_ref(), |last| key > *last) {
                found.give_no_more(&shared.want);
            }
        };
        let read = searcher.search(fd.as_fd(), found, &mut dated);
        read.map_err(|source| Error::Io { path: shown(path).into_owned(), operation: "read", source })
    }

    fn take(&mut self, path: &[u8], mut found: Found, read: &Read) {
        let key = Key { mtime_ns: read.mtime_ns, path: path.to_vec() };
        // The place in the order is known only now where it is the time of change.
        if let Some(resume) = &self.shared.resume
            && (key < resume.key || (key == resume.key && resume.skip.is_none()))
        {
            return;
        }
        self.total_files += 1;
        self.total_matches += found.count;
        self.uncounted |= found.more && !self.shared.want.count_all;
        if self.shared.mode == Mode::Content && found.hits.is_empty() {
            return;
        }
        found.hits.seal(&self.shared.recall);
        let file = FileMatches {
            path: path.to_vec(),
            count: found.count,
            matches: found.hits,
            binary: read.binary,
            encoding: read.encoding.name(),
            lossy: found.lossy || read.lossy,
            mtime_ns: read.mtime_ns,
            more: found.more,
        };
        match &self.shared.first {
            Some(first) => first.add(key, file),
            None => self.files.push((key, file)),
        }
    }

    fn cover(&mut self, read: &Read, lossy: bool, limited: bool) {
        let coverage = &mut self.coverage;
        if read.too_large {
            coverage.too_large += 1;
            return;
        }
        coverage.searched += 1;
        coverage.searched_bytes += read.bytes;
        coverage.binary += u64::from(read.binary);
        coverage.lossy += u64::from(lossy);
        coverage.step_limited += u64::from(limited);
        coverage.long_lines_split += u64::from(read.split);
    }

    fn refuse(&mut self, file: &FileEntry<'_>, error: Error) {
        let code = match error {
            // It went away, or became something else, since it was listed.
            Error::PathNotFound { .. } | Error::NotARegularFile { .. } | Error::IsADirectory { .. }
                if !file.is_start() =>
            {
                return;
            }
            Error::PermissionDenied { .. } => "permission_denied",
            _ => "unreadable_file",
        };
        self.coverage.unreadable += 1;
        let summary = &mut self.coverage.summary;
        if summary.warnings.len() < MAX_WARNINGS {
            summary.warnings.push(Warning { path: file.path().to_vec(), code, message: error.to_string() });
        } else {
            summary.warnings_dropped += 1;
        }
        if file.is_start() {
            self.shared.start_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl Visit for Worker {
    fn file(&mut self, file: &FileEntry<'_>) {
        if self.stopped {
            return;
        }
        let Some(mut found) = self.begin(file) else { return };
        let read = file.open().and_then(|fd| self.search(file.path(), &fd, &mut found));
        // What was found before the call had to end is given, but the file does not count as searched.
        self.stopped = self.shared.ctx.stop().is_some();
        match read {
            Ok(read) => {
                let limited = self.searcher.as_ref().is_some_and(Searcher::take_limited);
                if !self.stopped {
                    self.cover(&read, read.lossy || found.lossy, limited);
                }
                if found.any() {
                    found.more |= self.stopped;
                    self.take(file.path(), found, &read);
                }
            }
            Err(_) if self.stopped => {}
            Err(error) => self.refuse(file, error),
        }
        if !self.stopped {
            self.trail.done(file.path());
        }
    }

    fn hand_over(&mut self, to: &mut Self) {
        to.files.append(&mut self.files);
        let coverage = std::mem::take(&mut self.coverage);
        to.coverage.add(&coverage);
        to.coverage.summary.warnings.extend(coverage.summary.warnings);
        to.coverage.summary.warnings_dropped += coverage.summary.warnings_dropped;
        to.total_matches += std::mem::take(&mut self.total_matches);
        to.total_files += std::mem::take(&mut self.total_files);
        to.uncounted |= self.uncounted;
        self.trail.hand_over(&mut to.trail);
    }

    fn done_from(&self, path: &[u8]) -> bool {
        !self.shared.count_totals && self.after_last(path)
    }

    fn block(&mut self, id: u32) {
        self.trail.block(id);
    }

    fn child(&mut self, id: u32) {
        self.trail.child(id);
    }
}

/// A path as people see it.
fn shown(path: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(path)
}
