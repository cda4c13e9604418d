//! `list_dir`: a directory as a tree.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Component;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rootle_base::FileKind;
use rootle_walk::{DirCounts, Filter, ListRequest, Listing};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, list, path_text, stop_text};
use crate::records::{Coverage, record, warnings};
use crate::root::Root;
use crate::rules::plain;

record! {
    /// One entry of a tree.
    ListEntry {
        path: Py<PyString>,
        depth: usize,
        kind: Py<PyString>,
        size: u64,
        mtime_ns: i64,
        mode: u32,
        link_target: Option<Py<PyString>>,
        broken: bool,
        listed: bool,
        ignored: u64,
        hidden: u64,
        not_shown: u64,
    }
}

record! {
    /// A tree in reading order.
    ListResult {
        entries: Py<PyList>,
        ignored: u64,
        hidden: u64,
        not_shown: u64,
        complete: bool,
        stop: Option<Py<PyString>>,
        coverage: Py<Coverage>,
        warnings: Py<PyList>,
        freshness: Py<PyString>,
        root: Py<PyString>,
    }
}

/// Lists a directory as a tree.
#[pyfunction]
#[pyo3(signature = (*, root, path, depth, max_entries, hidden, no_ignore, skip_dirs, extra_ignore, max_ignore_file_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn list_dir(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    depth: usize,
    max_entries: usize,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Vec<OsString>,
    extra_ignore: Vec<String>,
    max_ignore_file_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<ListResult> {
    let root = &root.get().inner;
    let options = plain(hidden, no_ignore, skip_dirs, extra_ignore, max_ignore_file_bytes);
    let (start, listing) = run(py, Limits::new(timeout_s, cancel), |context| {
        let filter = Filter::all();
        let request = ListRequest { depth, max_entries, options: &options, filter: &filter };
        let listing = rootle_walk::list_dir(root, &path.0, &request, context)?;
        // What `..` means depends on links, so that entries below such a path have another one.
        let climbs = path.0.components().any(|name| name == Component::ParentDir);
        let start = if climbs { root.real_path(&path.0)? } else { root.relative(&path.0)? };
        Ok((start, listing))
    })?;
    let start = start.as_os_str().as_bytes();
    convert(py, if start == b"." { b"" } else { start }, root.path().as_os_str().as_bytes(), &listing)
}

fn convert(py: Python<'_>, start: &[u8], root: &[u8], listing: &Listing) -> PyResult<ListResult> {
    let held_back: HashMap<&[u8], &DirCounts> =
        listing.counts.iter().map(|counts| (counts.path.as_slice(), counts)).collect();
    let none = DirCounts::default();
    let base = levels(start);
    let entries = listing.entries.iter().map(|entry| {
        let counts = held_back.get(entry.path.as_slice()).copied().unwrap_or(&none);
        let record = ListEntry {
            path: path_text(py, &entry.path)?.unbind(),
            depth: levels(&entry.path) - base,
            kind: PyString::intern(py, entry.kind.as_str()).unbind(),
            size: entry.meta.map_or(0, |meta| meta.size),
            mtime_ns: entry.meta.map_or(0, |meta| meta.mtime_ns),
            mode: entry.meta.map_or(0, |meta| meta.mode),
            link_target: match &entry.link_target {
                Some(target) => Some(path_text(py, target)?.unbind()),
                None => None,
            },
            broken: entry.broken,
            listed: entry.listed,
            ignored: counts.ignored + counts.skipped_dirs,
            hidden: counts.hidden,
            not_shown: counts.not_shown,
        };
        Bound::new(py, record)
    });
    let counts = held_back.get(start).copied().unwrap_or(&none);
    let stop = listing.stop.map(stop_text).or(listing.cut.then_some("max_entries"));
    let coverage = Coverage {
        files: listing.entries.iter().filter(|entry| entry.kind != FileKind::Dir).count() as u64,
        ignored: listing.counts.iter().map(|counts| counts.ignored + counts.skipped_dirs).sum(),
        hidden: listing.counts.iter().map(|counts| counts.hidden).sum(),
        ..Coverage::default()
    };
    Ok(ListResult {
        entries: list(py, entries)?,
        ignored: counts.ignored + counts.skipped_dirs,
        hidden: counts.hidden,
        not_shown: counts.not_shown,
        complete: stop.is_none(),
        stop: stop.map(|stop| PyString::intern(py, stop).unbind()),
        coverage: Py::new(py, coverage)?,
        warnings: warnings(py, &listing.warnings)?,
        freshness: PyString::intern(py, "scan").unbind(),
        root: path_text(py, root)?.unbind(),
    })
}

/// How many names a path has.
fn levels(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { path.iter().filter(|byte| **byte == b'/').count() + 1 }
}
