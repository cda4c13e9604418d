//! Finds files and directories by glob, sorted, a page at a time.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use rootle_base::{Context, Error, FileKind, Metadata, Result, Root};

use crate::bytes::{as_path, plain, shown};
use crate::cursor::Cursor;
use crate::order::join;
use crate::reading::{Reading, read_pattern};
use crate::starts::Start;
use crate::top::{Found, Top};
use crate::{FileEntry, Filter, FilterSpec, Request, Summary, Visit, WalkOptions, path_order, walk};

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
pub fn glob(root: &Root, patterns: &[String], req: &GlobRequest<'_>, ctx: &Context) -> Result<GlobResult> {
    let base = root.relative(&req.base)?;
    let asked = base.clone();
    let base = match root.apart(ctx, move |root, _| Start::new(root, &asked)) {
        Ok(base) => base,
        Err(error) => return unanswered(&plain(&base), ctx, error),
    };
    if !base.is_dir {
        return Err(Error::NotADirectory { path: shown(&base.path) });
    }
    let identity = (patterns, &base.path, req.ignore_case, req.kinds, req.sort);
    let cursor = req.cursor.map(|text| Cursor::parse(text, &identity)).transpose()?;
    let read = Patterns { base: base.path.clone(), ignore_case: req.ignore_case, kinds: req.kinds };
    let texts = patterns.to_vec();
    let (include, exact) = match root.apart(ctx, move |root, _| read.read(root, &texts)) {
        Ok(read) => read,
        Err(error) => return unanswered(&base.path, ctx, error),
    };
    let spec = FilterSpec { include, ignore_case: req.ignore_case, base: base.path.clone(), ..FilterSpec::default() };
    let filter = Filter::new(&spec)?;

    let after = cursor.as_ref().filter(|_| req.sort == SortBy::Path).map(|cursor| cursor.path.clone());
    let top = Top::new(req.sort, req.max_results, cursor);
    for (path, meta) in &exact {
        top.add(path, meta.kind, Some(*meta));
    }
    let hunt = Arc::new(Hunt {
        top,
        filter: filter.clone(),
        exact: exact.into_keys().collect(),
        kinds: req.kinds,
        stat: req.want_stat || matches!(req.sort, SortBy::Modified | SortBy::Size),
    });
    let mut summary = Summary::default();
    if !spec.include.is_empty() {
        let starts = [as_path(&base.path).to_owned()];
        let request = Request { root, starts: &starts, options: req.options, filter: &filter, after };
        let each = hunt.clone();
        summary = walk(&request, ctx, move || Finder(each.clone()))?.1;
    }
    let (found, total, more) = hunt.top.finish();
    let last = match (&summary.stop, &summary.resume) {
        (None, _) => found.last().filter(|_| more),
        // What was missed may come before entries that were found. In path order it is known from where on.
        (Some(_), Some(resume)) if req.sort == SortBy::Path => {
            found.iter().rfind(|found| path_order(&found.path, resume).is_lt())
        }
        (Some(_), _) => None,
    };
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

/// The answer if the call had to end before there was anything to walk.
fn unanswered(path: &[u8], ctx: &Context, error: Error) -> Result<GlobResult> {
    match (ctx.stop(), &error) {
        (Some(stop), Error::DeadlineExceeded { .. } | Error::Cancelled | Error::Interrupted) => {
            Ok(GlobResult { summary: Summary::unanswered(path, stop), ..GlobResult::default() })
        }
        _ => Err(error),
    }
}

/// Existing paths that globs name exactly.
type Exact = HashMap<Vec<u8>, Metadata>;

/// How the globs are to be read.
struct Patterns {
    base: Vec<u8>,
    ignore_case: bool,
    kinds: Kinds,
}

impl Patterns {
    /// The globs to walk for, and what they name exactly.
    fn read(&self, root: &Root, patterns: &[String]) -> Result<(Vec<String>, Exact)> {
        let mut include = Vec::new();
        let mut exact = Exact::new();
        for pattern in patterns {
            let Reading { glob, path } =
                read_pattern(root, &self.base, pattern, self.ignore_case, self.kinds != Kinds::File)?;
            include.extend(glob);
            if let Some(path) = path
                && let Ok(Some(meta)) = root.stat_if_exists(as_path(&path))
                && self.kinds.has(meta.kind)
            {
                exact.insert(path, meta);
            }
        }
        Ok((include, exact))
    }
}

/// What all threads look for, and where they put it.
struct Hunt {
    top: Top,
    filter: Filter,
    /// Found already.
    exact: HashSet<Vec<u8>>,
    kinds: Kinds,
    stat: bool,
}

/// Passes on what matches.
struct Finder(Arc<Hunt>);

impl Finder {
    fn add(&self, entry: &FileEntry<'_>) {
        let hunt = &*self.0;
        if hunt.kinds.has(entry.kind()) && (hunt.exact.is_empty() || !hunt.exact.contains(entry.path())) {
            let meta = if hunt.stat { entry.stat().ok() } else { None };
            hunt.top.add(entry.path(), entry.kind(), meta);
        }
    }
}

impl Visit for Finder {
    fn file(&mut self, file: &FileEntry<'_>) {
        self.add(file);
    }

    fn dir(&mut self, dir: &FileEntry<'_>) {
        if self.0.kinds != Kinds::File && self.0.filter.wants(dir.path(), dir.name()) {
            self.add(dir);
        }
    }

    /// All is handed over at once.
    fn hand_over(&mut self, _to: &mut Self) {}

    fn done_from(&self, path: &[u8]) -> bool {
        self.0.top.done_from(path)
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
