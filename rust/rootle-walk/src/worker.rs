//! One thread of a walk.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Instant;

use rootle_base::{Error, FileKind};
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

use crate::bytes::as_path;
use crate::order::is_under;
use crate::queue::{Dir, Job, Link, Unit};
use crate::rules::Chain;
use crate::scan::{Buffer, Entry, Listing};
use crate::shared::{LIST, Shared, open_path};
use crate::slot::Slot;
use crate::team::Make;
use crate::visit::{Place, entry_error};
use crate::{FileEntry, Summary, Visit, path_order};

/// Files of one directory that a thread takes at a time. A directory with no more and without directories of its own
/// is done by the thread that lists it.
pub(crate) const CHUNK: usize = 32;

/// Files between two looks at the clock.
const POLL_EVERY: usize = 8;

/// The place of a helping thread, and how to make a visitor for it.
pub(crate) type Desk<'a, V> = (&'a Slot<V>, &'a Make<V>);

/// A thread with its visitor and its buffers. Nothing is allocated for a file.
pub(crate) struct Worker<'a, V> {
    pub(crate) shared: &'a Shared,
    pub(crate) visitor: V,
    pub(crate) summary: Summary,
    /// Where what is found is left for the caller. The calling thread, which alone may ask for interrupts, has none.
    pub(crate) desk: Option<Desk<'a, V>>,
    /// Called whenever there may be more that others could do. The calling thread's alone.
    pub(crate) help: Option<&'a dyn Fn()>,
    /// It has a job, or has not given it back.
    pub(crate) working: bool,
    asked: Instant,
    pub(crate) buffer: Buffer,
    pub(crate) listing: Listing,
    pub(crate) path: Vec<u8>,
}

/// Where a directory stands.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) above: Option<Arc<Chain>>,
    pub(crate) depth: usize,
    pub(crate) resuming: bool,
    pub(crate) block: u32,
}

impl<'a, V: Visit> Worker<'a, V> {
    pub(crate) fn new(shared: &'a Shared, visitor: V, desk: Option<Desk<'a, V>>) -> Self {
        Self {
            shared,
            visitor,
            summary: Summary::default(),
            desk,
            help: None,
            working: false,
            asked: Instant::now(),
            buffer: Buffer::default(),
            listing: Listing::default(),
            path: Vec::new(),
        }
    }

    /// Tells the visitor of the starts.
    pub(crate) fn begin(&mut self) {
        self.visitor.block(0);
        for block in (1..).take(self.shared.starts.all.len()) {
            self.visitor.child(block);
        }
    }

    /// Works until nothing is left.
    pub(crate) fn run(&mut self) {
        let shared = self.shared;
        let _guard = EndOnPanic(shared);
        while let Some(job) = self.next() {
            if self.desk.is_some() {
                self.begin_job(&job);
            }
            if self.stopped() {
                self.path_of(&job);
                self.summary.left(&self.path);
                continue;
            }
            match job {
                Job::Start(at) => self.start(at),
                Job::Part(dir, unit) => self.part(&dir, unit),
                Job::Link(link) => self.link(link),
            }
            self.call_for_help();
        }
    }

    pub(crate) fn call_for_help(&mut self) {
        if let Some(help) = self.help {
            help();
        }
    }

    /// Puts the first path of a job into `self.path`.
    fn path_of(&mut self, job: &Job) {
        self.path.clear();
        match job {
            Job::Start(at) => self.path.extend_from_slice(&self.shared.starts.all[*at].path),
            Job::Part(dir, unit) => dir.first_path(*unit, &mut self.path),
            Job::Link(link) => self.path.extend_from_slice(&link.path),
        }
    }

    /// Puts on the desk what is begun now.
    fn begin_job(&mut self, job: &Job) {
        self.path_of(job);
        let Some((slot, make)) = self.desk else { return };
        if self.shared.distant {
            slot.leave();
            slot.go_on(&self.path, None, &mut self.visitor, &mut self.summary, || make());
        } else {
            slot.begin(&self.path);
        }
    }

    /// The next job. What came of those before is handed over before the thread waits.
    fn next(&mut self) -> Option<Job> {
        let queue = &self.shared.queue;
        if self.working {
            if let Some(job) = queue.again() {
                return Some(job);
            }
            if let Some((slot, make)) = self.desk {
                slot.finish(&mut self.visitor, &mut self.summary, || make());
            }
            queue.rest();
            self.working = false;
        }
        let main = self.desk.is_none();
        let job = queue.wait(main, || !self.stopped());
        self.working = job.is_some();
        job
    }

    pub(crate) fn stopped(&mut self) -> bool {
        let ctx = &self.shared.ctx;
        let stop = if self.desk.is_none() { ctx.poll_interrupt(&mut self.asked) } else { ctx.stop() };
        if stop.is_some() {
            self.summary.stop = stop;
            self.shared.queue.end();
        }
        stop.is_some()
    }

    fn start(&mut self, at: usize) {
        let shared = self.shared;
        let start = &shared.starts.all[at];
        let Ok(block) = u32::try_from(at + 1) else { return };
        self.path.clone_from(&start.path);
        if !start.is_dir {
            self.visitor.block(block);
            if self.comes_after(false) && !self.done() {
                self.summary.files += 1;
                let name_at = self.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
                let place = Place::Beneath(&shared.root);
                let file = FileEntry { path: &self.path, name_at, kind: FileKind::File, start: true, place };
                self.visitor.file(&file);
            }
            return;
        }
        if !self.comes_after(true) || self.done() {
            return;
        }
        let fd = match shared.root.open_dir(as_path(&start.path)) {
            Ok(fd) => fd,
            Err(error) => return shared.fail(error),
        };
        let above = if shared.options.no_ignore || start.path.is_empty() {
            None
        } else {
            shared.loader.above(&start.path, &start.real, &mut self.summary)
        };
        if shared.options.max_depth != Some(0) {
            self.list(fd, &Spot { above, depth: 0, resuming: shared.after.is_some(), block });
        }
    }

    fn link(&mut self, link: Link) {
        self.path.clone_from(&link.path);
        if self.done() {
            return;
        }
        match self.shared.root.open_dir(as_path(&link.path)) {
            Ok(fd) => {
                let Link { chain: above, depth, resuming, block, .. } = link;
                self.list(fd, &Spot { above, depth, resuming, block });
            }
            Err(error) => self.unlisted(&error),
        }
    }

    pub(crate) fn part(&mut self, dir: &Arc<Dir>, unit: Unit) {
        let shared = self.shared;
        self.path.clear();
        self.path.extend_from_slice(&dir.path);
        let first = dir.listing.entries[unit.start as usize];
        let subdir = first.kind == FileKind::Dir;
        let name_at = enter(&mut self.path);
        if subdir {
            self.path.extend_from_slice(dir.listing.name(first));
            if self.done() {
                return;
            }
        }
        if !subdir && let Some((slot, _)) = self.desk {
            slot.on_device(dir.device);
        }
        let reopened;
        let parent = match &dir.fd {
            Some(held) => held.as_fd(),
            None => match open_path(&shared.root, &dir.path) {
                Ok(fd) => {
                    reopened = fd;
                    reopened.as_fd()
                }
                Err(error) => return self.unlisted(&error),
            },
        };
        if subdir {
            match openat(parent, dir.listing.name(first), LIST, Mode::empty()) {
                Ok(fd) => {
                    let (above, depth) = (dir.chain.clone(), dir.depth + 1);
                    self.list(fd, &Spot { above, depth, resuming: self.resumes(dir.resuming), block: unit.block });
                }
                // Gone, or no directory any more, since its name was read.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(errno) => self.unlisted(&entry_error(&self.path, "list", errno)),
            }
        } else {
            let entries = &dir.listing.entries[unit.start as usize..unit.end as usize];
            self.visitor.block(unit.block);
            self.files(
                parent,
                name_at,
                entries.iter().map(|entry| (*entry, dir.listing.name(*entry))),
                Some((dir, unit)),
            );
        }
    }

    /// Gives files to the visitor, whose directory's path with a closing slash is in `self.path`. They are all of `whole`,
    /// if others may take them over.
    pub(crate) fn files<'e>(
        &mut self,
        dir: BorrowedFd<'_>,
        name_at: usize,
        files: impl Iterator<Item = (Entry, &'e [u8])>,
        whole: Option<(&Arc<Dir>, Unit)>,
    ) {
        for (at, (entry, name)) in files.enumerate() {
            self.path.truncate(name_at);
            self.path.extend_from_slice(name);
            if self.shared.distant
                && let Some((slot, make)) = self.desk
            {
                let after = |(dir, unit): (&Arc<Dir>, Unit)| {
                    let next = unit.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)).saturating_add(1);
                    (next < unit.end).then(|| (dir.clone(), Unit { start: next, ..unit }))
                };
                if !slot.go_on(&self.path, whole.and_then(after), &mut self.visitor, &mut self.summary, || make()) {
                    return;
                }
            }
            if (self.shared.distant || at % POLL_EVERY == POLL_EVERY - 1) && self.stopped() {
                return self.summary.left(&self.path);
            }
            if self.done() {
                return;
            }
            self.summary.files += 1;
            let file = entry_of(self.shared, &self.path, name_at, entry, dir);
            self.visitor.file(&file);
        }
    }

    /// Whether what is in `self.path` comes after the path to resume after; a directory does if something below it may.
    pub(crate) fn comes_after(&self, is_dir: bool) -> bool {
        let Some(after) = &self.shared.after else { return true };
        path_order(&self.path, after).is_gt() || is_dir && is_under(after, &self.path)
    }

    /// Whether the path to resume after lies below the directory in `self.path`.
    pub(crate) fn resumes(&self, above: bool) -> bool {
        above && self.shared.after.as_ref().is_some_and(|after| is_under(after, &self.path))
    }

    /// Whether the visitor needs nothing from the path in `self.path` on.
    fn done(&mut self) -> bool {
        let done = self.visitor.done_from(&self.path);
        self.summary.cut |= done;
        done
    }

    pub(crate) fn unreadable(&mut self, source: &std::io::Error) {
        self.summary.warn(&self.path, "unreadable_dir", source.to_string());
    }

    fn unlisted(&mut self, error: &Error) {
        match error {
            Error::PathNotFound { .. } | Error::NotADirectory { .. } => {}
            Error::PermissionDenied { .. } => self.summary.warn(&self.path, "permission_denied", error.to_string()),
            error => self.summary.warn(&self.path, "unreadable_dir", error.to_string()),
        }
    }
}

/// Adds a slash to the path of a directory, and gives the place where names go.
pub(crate) fn enter(path: &mut Vec<u8>) -> usize {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.len()
}

pub(crate) fn entry_of<'p>(
    shared: &'p Shared,
    path: &'p [u8],
    name_at: usize,
    entry: Entry,
    dir: BorrowedFd<'p>,
) -> FileEntry<'p> {
    let place = if entry.link { Place::Beneath(&shared.root) } else { Place::In(dir) };
    FileEntry { path, name_at, kind: entry.kind, start: false, place }
}

/// Lets the other threads end when a visitor panics.
struct EndOnPanic<'a>(&'a Shared);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.queue.end();
        }
    }
}
