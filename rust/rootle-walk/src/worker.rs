//! One thread of a walk.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;

use rootle_base::{Error, FileKind, Metadata, is_kernel_fs};
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

use crate::bytes::as_path;
use crate::judge::Outcome;
use crate::order::is_under;
use crate::queue::{Dir, Frame, Job, Link, Unit};
use crate::rules::{Chain, Seen};
use crate::scan::{Buffer, Entry, Listing};
use crate::shared::{LIST, Shared, open_path};
use crate::visit::{Place, entry_error};
use crate::{FileEntry, Summary, Visit, path_order};

/// Files of one directory that a thread takes at a time. A directory with no more and without directories of its own
/// is done by the thread that lists it.
const CHUNK: usize = 64;

/// Files between two looks at the clock.
const POLL_EVERY: usize = 8;

/// A thread with its visitor and its buffers. Nothing is allocated for a file.
#[derive(Debug)]
pub(crate) struct Worker<'a, V> {
    shared: &'a Shared<'a>,
    pub(crate) visitor: V,
    pub(crate) summary: Summary,
    /// The calling thread, which alone may ask for interrupts.
    main: bool,
    asked: Instant,
    buffer: Buffer,
    listing: Listing,
    path: Vec<u8>,
}

/// Where a directory stands.
#[derive(Debug)]
struct Spot {
    above: Option<Arc<Chain>>,
    depth: usize,
    resuming: bool,
    block: u32,
}

impl<'a, V: Visit> Worker<'a, V> {
    pub(crate) fn new(shared: &'a Shared<'a>, visitor: V, main: bool) -> Self {
        Self {
            shared,
            visitor,
            summary: Summary::default(),
            main,
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

    /// Works until nothing is left. `between` is called after each job.
    pub(crate) fn run(&mut self, mut between: impl FnMut()) {
        let shared = self.shared;
        let _guard = EndOnPanic(shared);
        let mut worked = false;
        while let Some(job) = {
            let main = self.main;
            shared.queue.next(worked, main, || !self.stopped())
        } {
            worked = true;
            if self.stopped() {
                return;
            }
            match job {
                Job::Start(at) => self.start(at),
                Job::Part(dir, unit) => self.part(&dir, unit),
                Job::Link(link) => self.link(link),
            }
            between();
        }
    }

    fn stopped(&mut self) -> bool {
        let ctx = self.shared.ctx;
        let stop = if self.main { ctx.poll_interrupt(&mut self.asked) } else { ctx.stop() };
        if stop.is_some() {
            self.summary.stop = stop;
            self.shared.queue.end();
        }
        stop.is_some()
    }

    fn start(&mut self, at: usize) {
        let shared = self.shared;
        let (req, start) = (shared.req, &shared.starts.all[at]);
        let Ok(block) = u32::try_from(at + 1) else { return };
        self.path.clone_from(&start.path);
        if !start.is_dir {
            self.visitor.block(block);
            if self.comes_after(false) && !self.done() {
                self.summary.files += 1;
                let name_at = self.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
                let place = Place::Beneath(req.root);
                let file = FileEntry { path: &self.path, name_at, kind: FileKind::File, start: true, place };
                self.visitor.file(&file);
            }
            return;
        }
        if !self.comes_after(true) || self.done() {
            return;
        }
        let fd = match req.root.open_dir(as_path(&start.path)) {
            Ok(fd) => fd,
            Err(error) => return shared.fail(error),
        };
        let above = if req.options.no_ignore || start.path.is_empty() {
            None
        } else {
            shared.loader.above(&start.path, &start.real, &mut self.summary)
        };
        if req.options.max_depth != Some(0) {
            self.list(fd, &Spot { above, depth: 0, resuming: req.after.is_some(), block });
        }
    }

    fn link(&mut self, link: Link) {
        self.path.clone_from(&link.path);
        if self.done() {
            return;
        }
        match self.shared.req.root.open_dir(as_path(&link.path)) {
            Ok(fd) => {
                let Link { chain: above, depth, resuming, block, .. } = link;
                self.list(fd, &Spot { above, depth, resuming, block });
            }
            Err(error) => self.unlisted(&error),
        }
    }

    fn part(&mut self, dir: &Arc<Dir>, unit: Unit) {
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
        let reopened;
        let parent = match &dir.fd {
            Some(held) => held.as_fd(),
            None => match open_path(shared.req.root, &dir.path) {
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
            self.files(parent, name_at, entries.iter().map(|entry| (*entry, dir.listing.name(*entry))));
        }
    }

    /// Gives files to the visitor, whose directory's path with a closing slash is in `self.path`.
    fn files<'e>(&mut self, dir: BorrowedFd<'_>, name_at: usize, files: impl Iterator<Item = (Entry, &'e [u8])>) {
        for (at, (entry, name)) in files.enumerate() {
            if at % POLL_EVERY == POLL_EVERY - 1 && self.stopped() {
                return;
            }
            self.path.truncate(name_at);
            self.path.extend_from_slice(name);
            if self.done() {
                return;
            }
            self.summary.files += 1;
            let file = entry_of(self.shared, &self.path, name_at, entry, dir);
            self.visitor.file(&file);
        }
    }

    /// Lists the directory whose path is in `self.path`, and hands out what is in it.
    fn list(&mut self, fd: OwnedFd, spot: &Spot) {
        let shared = self.shared;
        let meta = match Metadata::of(&fd) {
            Ok(meta) => meta,
            Err(source) => return self.unreadable(&source),
        };
        if meta.dev != shared.req.root.device() && is_kernel_fs(&fd) {
            return self.summary.warn(&self.path, "kernel_fs", "a file system of the kernel's own is not searched");
        }
        if !shared.enter(&meta) {
            return;
        }
        self.summary.dirs += 1;
        let seen = match self.read(fd.as_fd()) {
            Ok(seen) => seen,
            // Removed while it was open.
            Err(Errno::NOENT) => Seen::default(),
            Err(errno) => {
                self.unreadable(&errno.into());
                Seen::default()
            }
        };
        let above = spot.above.as_ref();
        let chain = shared.loader.enter(fd.as_fd(), &self.path, seen, above, &mut self.summary);
        let name_at = enter(&mut self.path);
        self.judge(name_at, chain.as_ref(), spot.resuming);
        self.listing.sort();
        let entries = &self.listing.entries;
        if entries.len() <= CHUNK && entries.iter().all(|entry| entry.kind != FileKind::Dir) {
            self.visitor.block(spot.block);
            let listing = std::mem::take(&mut self.listing);
            let files = listing.entries.iter().map(|entry| (*entry, listing.name(*entry)));
            self.files(fd.as_fd(), name_at, files);
            self.listing = listing;
        } else {
            self.share(fd, name_at, chain, spot);
        }
    }

    /// Reads all names. Those that are dropped by their kind or by globs are not kept.
    fn read(&mut self, dir: BorrowedFd<'_>) -> Result<Seen, Errno> {
        let Self { shared, buffer, listing, path, summary, .. } = self;
        let (filter, options) = (shared.req.filter, shared.req.options);
        let (all, ignore_files) = (filter.is_all(), !options.no_ignore);
        let dir_len = path.len();
        let name_at = enter(path);
        let mut seen = Seen::default();
        listing.clear();
        let result = buffer.read(dir, shared.ctx, |name, kind| {
            if ignore_files {
                seen.note(name, kind);
            }
            match kind {
                FileKind::File | FileKind::Dir if all => listing.push(name, kind),
                FileKind::File | FileKind::Dir => {
                    path.truncate(name_at);
                    path.extend_from_slice(name);
                    let is_dir = kind == FileKind::Dir;
                    let wanted =
                        if is_dir { !filter.excludes(path, name, true) } else { filter.wants_file(path, name) };
                    if wanted {
                        listing.push(name, kind);
                    } else {
                        summary.filtered += 1;
                    }
                }
                FileKind::Symlink if options.follow_links => listing.push(name, kind),
                FileKind::Symlink => summary.links += 1,
                _ => summary.special += 1,
            }
        });
        path.truncate(dir_len);
        result.map(|()| seen)
    }

    /// Drops the entries that rules, hidden names or the place to resume after exclude.
    fn judge(&mut self, name_at: usize, chain: Option<&Arc<Chain>>, resuming: bool) {
        let shared = self.shared;
        let mut kept = 0;
        for at in 0..self.listing.entries.len() {
            let mut entry = self.listing.entries[at];
            self.path.truncate(name_at);
            self.path.extend_from_slice(self.listing.name(entry));
            if entry.kind == FileKind::Symlink && !self.follow(&mut entry, name_at) {
                continue;
            }
            let is_dir = entry.kind == FileKind::Dir;
            match shared.judge.outcome(&self.path, &self.path[name_at..], is_dir, chain) {
                Outcome::Pass => {
                    if shared.starts.is_inner(&self.path) || resuming && !self.comes_after(is_dir) {
                        continue;
                    }
                    self.listing.entries[kept] = entry;
                    kept += 1;
                }
                Outcome::Ignored => self.summary.ignored += 1,
                Outcome::Hidden => self.summary.hidden += 1,
                Outcome::Skipped => self.summary.skipped_dirs += 1,
            }
        }
        self.listing.entries.truncate(kept);
        self.path.truncate(name_at);
    }

    /// Looks where the link in `self.path` leads; says whether it is walked.
    fn follow(&mut self, entry: &mut Entry, name_at: usize) -> bool {
        let req = self.shared.req;
        let (path, name) = (&self.path[..], &self.path[name_at..]);
        entry.link = true;
        match req.root.stat_if_exists(as_path(path)).map(|meta| meta.map(|meta| meta.kind)) {
            Ok(Some(FileKind::File)) if !req.filter.wants_file(path, name) => self.summary.filtered += 1,
            Ok(Some(FileKind::Dir)) if req.filter.excludes(path, name, true) => self.summary.filtered += 1,
            Ok(Some(kind @ (FileKind::File | FileKind::Dir))) => {
                entry.kind = kind;
                return true;
            }
            Ok(Some(_)) => self.summary.special += 1,
            Err(Error::PathEscapesRoot { .. }) => {
                self.summary.warn(path, "link_escapes_root", "the link leads outside the root");
                self.summary.links += 1;
            }
            Ok(None) | Err(_) => self.summary.links += 1,
        }
        false
    }

    /// Divides the directory's content into units that any thread can take.
    fn share(&mut self, fd: OwnedFd, name_at: usize, chain: Option<Arc<Chain>>, spot: &Spot) {
        let shared = self.shared;
        let (options, filter) = (shared.req.options, shared.req.filter);
        let deeper = options.max_depth.is_none_or(|max| spot.depth + 1 < max);
        let dir_path: Box<[u8]> = self.path[..name_at.saturating_sub(1)].into();
        let mut units: Vec<Unit> = Vec::new();
        self.visitor.block(spot.block);
        let mut at = 0;
        while at < self.listing.entries.len() {
            let entry = self.listing.entries[at];
            let start = at;
            at += 1;
            if entry.kind == FileKind::Dir {
                self.path.truncate(name_at);
                self.path.extend_from_slice(self.listing.name(entry));
                if !spot.resuming || self.comes_after(false) {
                    let dir = entry_of(shared, &self.path, name_at, entry, fd.as_fd());
                    self.visitor.dir(&dir);
                }
                if !deeper || !filter.may_contain(&self.path) {
                    continue;
                }
                if entry.link {
                    let block = shared.blocks(1);
                    self.visitor.child(block);
                    let (path, resuming) = (self.path.clone(), self.resumes(spot.resuming));
                    shared.queue.push_link(Link { path, chain: chain.clone(), depth: spot.depth + 1, resuming, block });
                    continue;
                }
            } else {
                let run = &self.listing.entries[start..self.listing.entries.len().min(start + CHUNK)];
                at = start + run.iter().take_while(|entry| entry.kind != FileKind::Dir).count();
            }
            let block = shared.blocks(1);
            self.visitor.child(block);
            if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(at)) {
                units.push(Unit { start, end, block });
            }
        }
        let Some(first) = units.first().copied() else { return };
        let dir = Arc::new(Dir {
            path: dir_path,
            fd: shared.queue.hold(fd),
            chain,
            depth: spot.depth,
            resuming: spot.resuming,
            listing: self.listing.keep(),
        });
        let files = dir.listing.entries[first.start as usize].kind != FileKind::Dir;
        shared.queue.push(Frame { dir: dir.clone(), units, next: usize::from(files) }, files);
        if files {
            self.part(&dir, first);
        }
    }

    /// Whether what is in `self.path` comes after the path to resume after; a directory does if something below it may.
    fn comes_after(&self, is_dir: bool) -> bool {
        let Some(after) = &self.shared.req.after else { return true };
        path_order(&self.path, after).is_gt() || is_dir && is_under(after, &self.path)
    }

    /// Whether the path to resume after lies below the directory in `self.path`.
    fn resumes(&self, above: bool) -> bool {
        above && self.shared.req.after.as_ref().is_some_and(|after| is_under(after, &self.path))
    }

    /// Whether the visitor needs nothing from the path in `self.path` on.
    fn done(&mut self) -> bool {
        let done = self.visitor.done_from(&self.path);
        self.summary.cut |= done;
        done
    }

    fn unreadable(&mut self, source: &std::io::Error) {
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
fn enter(path: &mut Vec<u8>) -> usize {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.len()
}

fn entry_of<'p>(
    shared: &Shared<'p>,
    path: &'p [u8],
    name_at: usize,
    entry: Entry,
    dir: BorrowedFd<'p>,
) -> FileEntry<'p> {
    let place = if entry.link { Place::Beneath(shared.req.root) } else { Place::In(dir) };
    FileEntry { path, name_at, kind: entry.kind, start: false, place }
}

/// Lets the other threads end when a visitor panics.
struct EndOnPanic<'a>(&'a Shared<'a>);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.queue.end();
        }
    }
}
