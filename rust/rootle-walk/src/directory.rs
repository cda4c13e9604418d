//! One directory of a walk: its listing, what of it passes, and its division into work.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rootle_base::{Error, FileKind, Metadata, is_kernel_fs};
use rustix::io::Errno;

use crate::Visit;
use crate::bytes::as_path;
use crate::judge::Outcome;
use crate::queue::{Dir, Frame, Link, Unit};
use crate::rules::{Chain, Seen};
use crate::scan::Entry;
use crate::worker::{CHUNK, Spot, Worker, enter, entry_of};

impl<V: Visit> Worker<'_, V> {
    /// Lists the directory whose path is in `self.path`, and hands out what is in it.
    pub(crate) fn list(&mut self, fd: OwnedFd, spot: &Spot) {
        let shared = self.shared;
        let meta = match Metadata::of(&fd) {
            Ok(meta) => meta,
            Err(source) => return self.unreadable(&source),
        };
        if meta.dev != shared.root.device() && is_kernel_fs(&fd) {
            return self.summary.warn(&self.path, "kernel_fs", "a file system of the kernel's own is not searched");
        }
        if !shared.enter(&meta) {
            return;
        }
        if let Some((slot, _)) = self.desk {
            slot.on_device(meta.dev);
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
        if self.stopped() {
            // Perhaps not all of it was read.
            return self.summary.left(&self.path);
        }
        let above = spot.above.as_ref();
        let chain = shared.loader.enter(fd.as_fd(), &self.path, seen, above, &mut self.summary);
        let name_at = enter(&mut self.path);
        self.judge(name_at, chain.as_ref(), spot.resuming);
        self.listing.sort();
        let entries = &self.listing.entries;
        let few = entries.len() <= CHUNK && !shared.distant;
        if few && entries.iter().all(|entry| entry.kind != FileKind::Dir) {
            self.visitor.block(spot.block);
            let listing = std::mem::take(&mut self.listing);
            let files = listing.entries.iter().map(|entry| (*entry, listing.name(*entry)));
            self.files(fd.as_fd(), name_at, files, None);
            self.listing = listing;
        } else {
            self.share(fd, meta.dev, name_at, chain, spot);
        }
    }

    /// Reads all names. Those that are dropped by their kind or by globs are not kept.
    fn read(&mut self, dir: BorrowedFd<'_>) -> Result<Seen, Errno> {
        let Self { shared, buffer, listing, path, summary, .. } = self;
        let (filter, options) = (&shared.filter, &shared.options);
        let (all, ignore_files) = (filter.is_all(), !options.no_ignore);
        let dir_len = path.len();
        let name_at = enter(path);
        let mut seen = Seen::default();
        listing.clear();
        let result = buffer.read(dir, &shared.ctx, |name, kind| {
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
                dropped => self.drop_entry(dropped),
            }
        }
        self.listing.entries.truncate(kept);
        self.path.truncate(name_at);
    }

    /// Counts the entry in `self.path`, which is not walked.
    fn drop_entry(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => return,
            Outcome::Ignored => self.summary.ignored += 1,
            Outcome::Hidden => self.summary.hidden += 1,
            Outcome::Skipped => self.summary.skipped_dirs += 1,
        }
        if self.summary.dropped.len() < self.shared.options.note_dropped {
            self.summary.dropped.push(self.path.clone());
        }
    }

    /// Looks where the link in `self.path` leads; says whether it is walked.
    fn follow(&mut self, entry: &mut Entry, name_at: usize) -> bool {
        let shared = self.shared;
        let (path, name) = (&self.path[..], &self.path[name_at..]);
        entry.link = true;
        match shared.root.stat_if_exists(as_path(path)).map(|meta| meta.map(|meta| meta.kind)) {
            Ok(Some(FileKind::File)) if !shared.filter.wants_file(path, name) => self.summary.filtered += 1,
            Ok(Some(FileKind::Dir)) if shared.filter.excludes(path, name, true) => self.summary.filtered += 1,
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
    fn share(&mut self, fd: OwnedFd, device: u64, name_at: usize, chain: Option<Arc<Chain>>, spot: &Spot) {
        let shared = self.shared;
        let (options, filter) = (&shared.options, &shared.filter);
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
            device,
            resuming: spot.resuming,
            listing: self.listing.keep(),
        });
        let files = dir.listing.entries[first.start as usize].kind != FileKind::Dir;
        shared.queue.push(Frame { dir: dir.clone(), units, next: usize::from(files) }, files);
        self.call_for_help();
        if files {
            self.part(&dir, first);
        }
    }
}
