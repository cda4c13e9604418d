//! Lists a directory with what is in it, level by level.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rootle_base::{Context, Error, FileKind, Metadata, Result, Root, Stop, is_kernel_fs};
use rustix::fs::readlinkat;
use rustix::io::Errno;

use crate::bytes::{as_path, plain, shown};
use crate::judge::{Judge, Outcome};
use crate::order::join;
use crate::patient;
use crate::rules::{Chain, Loader, Seen};
use crate::scan::{Buffer, Listing as Names};
use crate::shared::open_path;
use crate::starts::Start;
use crate::visit::stat_entry;
use crate::{Filter, Summary, WalkOptions, Warning, path_order};

/// What to list.
#[derive(Clone, Debug)]
pub struct ListRequest<'a> {
    /// Levels below the directory; 1 gives its direct entries.
    pub depth: usize,
    /// At most this many entries; the levels nearest to the directory come first.
    pub max_entries: usize,
    /// What to pass over. Threads and `max_depth` do not count here.
    pub options: &'a WalkOptions,
    /// Which files are wanted; directories are listed unless excluded.
    pub filter: &'a Filter,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// What it is; a link is a link, wherever it leads.
    pub kind: FileKind,
    /// What the system says of it, of a link itself; none if it vanished.
    pub meta: Option<Metadata>,
    /// The text of a link.
    pub link_target: Option<Vec<u8>>,
    /// A link to nothing, or out of the root.
    pub broken: bool,
    /// A directory whose own entries are in the listing, as far as they fit.
    pub listed: bool,
}

/// What is not shown of one directory. A directory that holds back nothing has no counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirCounts {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// Entries dropped by ignore rules.
    pub ignored: u64,
    /// Entries dropped because they are hidden.
    pub hidden: u64,
    /// Directories dropped because nobody wants them.
    pub skipped_dirs: u64,
    /// Entries dropped by globs or types.
    pub filtered: u64,
    /// Entries for which `max_entries` left no room.
    pub not_shown: u64,
}

impl DirCounts {
    fn any(&self) -> bool {
        self.ignored + self.hidden + self.skipped_dirs + self.filtered + self.not_shown > 0
    }
}

/// A listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In path order, so that the content of a directory follows it.
    pub entries: Vec<ListEntry>,
    /// In path order.
    pub counts: Vec<DirCounts>,
    /// `max_entries` left something out, or directories unlisted.
    pub cut: bool,
    /// Why the listing ended before its end, if it did.
    pub stop: Option<Stop>,
    /// What went wrong, in path order.
    pub warnings: Vec<Warning>,
}

/// Lists a directory breadth-first.
///
/// Where [`Root::may_stall`] says that a file system may stop answering, a directory that does not answer soon is waited
/// for while others are listed, and left out with a warning `no_answer` when the call must end.
///
/// # Errors
/// As [`Root::open_dir`], for the directory itself; what goes wrong below is a warning.
pub fn list_dir(root: &Root, dir: &Path, req: &ListRequest<'_>, ctx: &Context) -> Result<Listing> {
    let relative = root.relative(dir)?;
    let (asked, given, no_ignore) = (relative.clone(), plain(dir), req.options.no_ignore);
    let loader = Loader { root: root.clone(), max_bytes: req.options.max_ignore_file_bytes };
    let above = loader.clone();
    let begin = move |root: &Root, _: &Context| {
        let start = Start::new(root, &asked)?;
        if !start.is_dir {
            return Err(Error::NotADirectory { path: shown(&given) });
        }
        let mut summary = Summary::default();
        let chain =
            if no_ignore || start.path.is_empty() { None } else { above.above(&start.path, &start.real, &mut summary) };
        Ok((Open { path: start.path, chain, level: 0, entry: None }, summary))
    };
    let (top, summary) = match (root.apart(ctx, begin), ctx.stop()) {
        (Ok(begun), _) => begun,
        (Err(Error::DeadlineExceeded { .. } | Error::Cancelled | Error::Interrupted), Some(stop)) => {
            let warnings = Summary::unanswered(&plain(&relative), stop).warnings;
            return Ok(Listing { stop: Some(stop), warnings, ..Listing::default() });
        }
        (Err(error), _) => return Err(error),
    };
    let common = Arc::new(Common {
        root: root.clone(),
        depth: req.depth,
        no_ignore,
        filter: req.filter.clone(),
        judge: Judge::new(req.options, req.filter),
        loader,
    });
    let mut lister = Lister::new(&common, req.max_entries, ctx);
    lister.summary = summary;
    lister.open.push_back(top);
    if root.may_stall() {
        patient::run(&mut lister)?;
    } else {
        let mut asked = Instant::now();
        while let Some(open) = lister.open.pop_front() {
            lister.listed = false;
            lister.dir(&open)?;
            if let Some(entry) = open.entry {
                lister.listing.entries[entry].listed = lister.listed;
            }
            lister.listing.stop = ctx.poll_interrupt(&mut asked);
            if lister.listing.stop.is_some() {
                break;
            }
        }
    }
    Ok(lister.finish())
}

/// A directory to be listed.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) path: Vec<u8>,
    chain: Option<Arc<Chain>>,
    level: usize,
    /// Its own place among the entries; none for the directory asked for.
    pub(crate) entry: Option<usize>,
}

/// What is the same for all directories of a listing.
struct Common {
    root: Root,
    depth: usize,
    no_ignore: bool,
    filter: Filter,
    judge: Judge,
    loader: Loader,
}

/// A listing on its way.
pub(crate) struct Lister {
    common: Arc<Common>,
    pub(crate) max_entries: usize,
    pub(crate) ctx: Context,
    pub(crate) summary: Summary,
    buffer: Buffer,
    names: Names,
    pub(crate) open: VecDeque<Open>,
    pub(crate) listing: Listing,
    /// The last directory was.
    pub(crate) listed: bool,
}

impl Lister {
    fn new(common: &Arc<Common>, max_entries: usize, ctx: &Context) -> Self {
        Self {
            common: common.clone(),
            max_entries,
            ctx: ctx.clone(),
            summary: Summary::default(),
            buffer: Buffer::default(),
            names: Names::default(),
            open: VecDeque::new(),
            listing: Listing::default(),
            listed: false,
        }
    }

    /// An empty one with the room that is left in this one, for another thread.
    pub(crate) fn part(&self) -> Self {
        let left = self.max_entries.saturating_sub(self.listing.entries.len());
        Self::new(&self.common, left, &self.ctx.elsewhere())
    }

    /// Lists one directory.
    pub(crate) fn dir(&mut self, open: &Open) -> Result<()> {
        if self.listing.entries.len() >= self.max_entries && open.entry.is_some() {
            // Listing it could show nothing.
            self.listing.cut = true;
            return Ok(());
        }
        let fd = match open_path(&self.common.root, &open.path) {
            Ok(fd) => fd,
            Err(error) if open.entry.is_none() => return Err(error),
            Err(error) => {
                self.summary.warn(&open.path, "unreadable_dir", error.to_string());
                return Ok(());
            }
        };
        let below = open.entry.is_some();
        if below && Metadata::of(&fd).is_ok_and(|meta| meta.dev != self.common.root.device()) && is_kernel_fs(&fd) {
            self.summary.warn(&open.path, "kernel_fs", "a file system of the kernel's own is not listed");
            return Ok(());
        }
        let mut seen = Seen::default();
        let Self { buffer, names, ctx, .. } = self;
        names.clear();
        let read = buffer.read(fd.as_fd(), ctx, |name, kind| {
            seen.note(name, kind);
            names.push(name, kind);
        });
        if let Err(errno) = read {
            self.summary.warn(&open.path, "unreadable_dir", std::io::Error::from(errno).to_string());
        }
        names.sort();
        let chain = if self.common.no_ignore {
            None
        } else {
            self.common.loader.enter(fd.as_fd(), &open.path, seen, open.chain.as_ref(), &mut self.summary)
        };
        self.listed = true;
        self.entries(fd.as_fd(), open, chain.as_ref());
        Ok(())
    }

    fn entries(&mut self, dir: BorrowedFd<'_>, open: &Open, chain: Option<&Arc<Chain>>) {
        let common = self.common.clone();
        let mut counts = DirCounts { path: open.path.clone(), ..DirCounts::default() };
        for entry in &self.names.entries {
            let name = self.names.name(*entry);
            let path = join(&open.path, name);
            let is_dir = entry.kind == FileKind::Dir;
            let filter = &common.filter;
            let unwanted = || if is_dir { filter.excludes(&path, name, true) } else { !filter.wants_file(&path, name) };
            let full = self.listing.entries.len() >= self.max_entries;
            let dropped = match common.judge.outcome(&path, name, is_dir, chain) {
                Outcome::Ignored => Some(&mut counts.ignored),
                Outcome::Hidden => Some(&mut counts.hidden),
                Outcome::Skipped => Some(&mut counts.skipped_dirs),
                Outcome::Pass if unwanted() => Some(&mut counts.filtered),
                Outcome::Pass if full => Some(&mut counts.not_shown),
                Outcome::Pass => None,
            };
            if let Some(count) = dropped {
                *count += 1;
                continue;
            }
            if is_dir && open.level + 1 < self.common.depth && filter.may_contain(&path) {
                self.open.push_back(Open {
                    path: path.clone(),
                    chain: chain.cloned(),
                    level: open.level + 1,
                    entry: Some(self.listing.entries.len()),
                });
            }
            self.listing.entries.push(describe(&common.root, dir, name, path, entry.kind));
        }
        self.listing.cut |= counts.not_shown > 0;
        if counts.any() {
            self.listing.counts.push(counts);
        }
    }

    fn finish(mut self) -> Listing {
        self.summary.finish();
        let mut listing = self.listing;
        listing.entries.sort_by(|a, b| path_order(&a.path, &b.path));
        listing.counts.sort_by(|a, b| path_order(&a.path, &b.path));
        listing.warnings = self.summary.warnings;
        listing
    }
}

fn describe(root: &Root, dir: BorrowedFd<'_>, name: &[u8], path: Vec<u8>, kind: FileKind) -> ListEntry {
    let meta = stat_entry(dir, name, kind).ok();
    let kind = meta.map_or(kind, |meta| meta.kind);
    let (mut link_target, mut broken) = (None, false);
    if kind == FileKind::Symlink {
        link_target = readlink(dir, name).ok();
        // Says only whether the root has what it leads to; nothing of what lies outside.
        broken = !matches!(root.stat_if_exists(as_path(&path)), Ok(Some(_)));
    }
    ListEntry { path, kind, meta, link_target, broken, listed: false }
}

fn readlink(dir: BorrowedFd<'_>, name: &[u8]) -> Result<Vec<u8>, Errno> {
    Ok(readlinkat(dir, name, Vec::new())?.into_bytes())
}
