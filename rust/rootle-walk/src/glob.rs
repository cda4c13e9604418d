//! Finds files and directories by glob, sorted, a page at a time.

use std::collections::HashSet;
use std::path::PathBuf;

use rootle_base::{Context, Error, FileKind, Metadata, Result, Root};

use crate::bytes::{as_path, shown};
use crate::cursor::Cursor;
use crate::order::join;
use crate::reading::{Reading, read_pattern};
use crate::starts::Start;
use crate::top::{Found, Top};
use crate::{FileEntry, Filter, FilterSpec, Request, Summary, Visit, WalkOptions, walk};

/// What kinds of entries are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kinds {
    /// Regular files.
    #[default]
    File,
    /// Directories.
    Dir,
    /// Both.
    Any,
}

impl Kinds {
    fn has(self, kind: FileKind) -> bool {
        match kind {
            FileKind::File => self != Self::Dir,
            FileKind::Dir => self != Self::File,
            _ => false,
        }
    }
}

/// The order of results. Ties are broken by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortBy {
    /// Newest first.
    #[default]
    Modified,
    /// In path order.
    Path,
    /// Largest first.
    Size,
    /// Fewest names in the path first.
    Depth,
}

/// What to find.
#[derive(Clone, Debug)]
pub struct GlobRequest<'a> {
    /// The directory to search, relative to the root; globs with a `/` are relative to it.
    pub base: PathBuf,
    /// Match without regard to case.
    pub ignore_case: bool,
    /// What kinds of entries are wanted.
    pub kinds: Kinds,
    /// The order, chosen before the cap.
    pub sort: SortBy,
    /// At most so many entries; the cursor goes on from there.
    pub max_results: Option<usize>,
    /// Where an earlier result ended.
    pub cursor: Option<&'a str>,
    /// Ask for size and time even if the order does not need them.
    pub want_stat: bool,
    /// What to pass over.
    pub options: &'a WalkOptions,
}

/// An entry that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobEntry {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// A file or a directory.
    pub kind: FileKind,
    /// What the system said, where it was asked.
    pub meta: Option<Metadata>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct GlobResult {
    /// In the order asked for.
    pub entries: Vec<GlobEntry>,
    /// Matches seen, those before the cursor and beyond the cap included.
    pub total: u64,
    /// Whether `total` counts every match; in path order the search ends with the cap.
    pub total_exact: bool,
    /// Entries that ignore rules dropped; a dropped directory counts once.
    pub ignored: u64,
    /// Whether nothing was left out after the last entry.
    pub complete: bool,
    /// To go on with, if there is more.
    pub cursor: Option<String>,
    /// What the walk did.
    pub summary: Summary,
}

/// Finds what matches one of the globs.
///
/// A glob without a `/` is matched against the last name of a path, at any depth; one with a `/` against the path
/// relative to the base. One that is the exact path of something is found even if it is ignored or hidden. Brackets are
/// taken for themselves where something of that very name exists (`[id].tsx`).
///
/// # Errors
/// [`Error::InvalidGlob`], [`Error::PatternTooLarge`], [`Error::PathEscapesRoot`] for a glob that climbs out,
/// [`Error::InvalidCursor`], and what opening the base gives.
pub fn glob(root: &Root, patterns: &[String], req: &GlobRequest<'_>, ctx: &Context<'_>) -> Result<GlobResult> {
    let base = Start::new(root, &root.relative(&req.base)?)?;
    if !base.is_dir {
        return Err(Error::NotADirectory { path: shown(&base.path) });
    }
    let identity = (patterns, &base.path, req.ignore_case, req.kinds, req.sort);
    let cursor = req.cursor.map(|text| Cursor::parse(text, &identity)).transpose()?;
    let mut include = Vec::new();
    let mut exact = HashSet::new();
    for pattern in patterns {
        let Reading { glob, path } =
            read_pattern(root, &base.path, pattern, req.ignore_case, req.kinds != Kinds::File)?;
        if let Some(path) = path {
            exact.insert(path);
        }
        include.extend(glob);
    }
    let spec = FilterSpec { include, ignore_case: req.ignore_case, base: base.path.clone(), ..FilterSpec::default() };
    let filter = Filter::new(&spec)?;

    let stat = req.want_stat || matches!(req.sort, SortBy::Modified | SortBy::Size);
    let top = Top::new(req.sort, req.max_results, cursor.as_ref());
    add_exact(root, &exact, req.kinds, &top);
    let mut summary = Summary::default();
    if !spec.include.is_empty() {
        let starts = [as_path(&base.path).to_owned()];
        let after = cursor.as_ref().filter(|_| req.sort == SortBy::Path).map(|cursor| cursor.path.clone());
        let request = Request { root, starts: &starts, options: req.options, filter: &filter, after };
        let make = || Finder { top: &top, filter: &filter, exact: &exact, kinds: req.kinds, stat };
        summary = walk(&request, ctx, make)?.1;
    }
    let (found, total, more) = top.finish();
    // A walk that ended early may have missed entries that come before the last one given, but in path order.
    let whole = summary.stop.is_none() || req.sort == SortBy::Path;
    let last = found.last().filter(|_| more && whole);
    let cursor = last.map(|last| Cursor { key: last.key, path: last.path.to_vec() }.text(&identity));
    Ok(GlobResult {
        entries: found.into_iter().map(GlobEntry::from).collect(),
        total,
        total_exact: summary.complete() && (req.sort != SortBy::Path || req.cursor.is_none()),
        ignored: summary.ignored,
        complete: summary.stop.is_none() && !more,
        cursor,
        summary,
    })
}

fn add_exact(root: &Root, exact: &HashSet<Vec<u8>>, kinds: Kinds, top: &Top<'_>) {
    for path in exact {
        if let Ok(Some(meta)) = root.stat_if_exists(as_path(path))
            && kinds.has(meta.kind)
        {
            top.add(path, meta.kind, Some(meta));
        }
    }
}

/// Passes on what matches.
struct Finder<'a> {
    top: &'a Top<'a>,
    filter: &'a Filter,
    /// Found already.
    exact: &'a HashSet<Vec<u8>>,
    kinds: Kinds,
    stat: bool,
}

impl Finder<'_> {
    fn add(&self, entry: &FileEntry<'_>) {
        if self.kinds.has(entry.kind()) && (self.exact.is_empty() || !self.exact.contains(entry.path())) {
            let meta = if self.stat { entry.stat().ok() } else { None };
            self.top.add(entry.path(), entry.kind(), meta);
        }
    }
}

impl Visit for Finder<'_> {
    fn file(&mut self, file: &FileEntry<'_>) {
        self.add(file);
    }

    fn dir(&mut self, dir: &FileEntry<'_>) {
        if self.kinds != Kinds::File && self.filter.wants(dir.path(), dir.name()) {
            self.add(dir);
        }
    }

    fn done_from(&self, path: &[u8]) -> bool {
        self.top.done_from(path)
    }
}

impl From<Found> for GlobEntry {
    fn from(found: Found) -> Self {
        Self { path: found.path.into(), kind: found.kind, meta: found.meta }
    }
}

/// The path of a name in the base.
pub(crate) fn in_base(base: &[u8], rest: &str) -> Vec<u8> {
    join(base, rest.trim_start_matches('/').as_bytes())
}
