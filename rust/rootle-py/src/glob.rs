//! `glob`: paths by pattern.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rootle_walk::{GlobRequest, Kinds, SortBy, WalkOptions};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, choice, list, path_text, stop_text};
use crate::records::{Coverage, record, warnings};
use crate::root::Root;
use crate::rules::plain;

record! {
    /// A path that matches.
    GlobEntry { path: Py<PyString>, kind: Py<PyString>, size: Option<u64>, mtime_ns: Option<i64> }
}

record! {
    /// Paths that match, in the order asked for.
    GlobResult {
        paths: Py<PyList>,
        entries: Py<PyList>,
        total: u64,
        total_exact: bool,
        ignored: u64,
        cursor: Option<Py<PyString>>,
        complete: bool,
        stop: Option<Py<PyString>>,
        coverage: Py<Coverage>,
        warnings: Py<PyList>,
        freshness: Py<PyString>,
        root: Py<PyString>,
    }
}

/// Finds paths by glob.
#[pyfunction]
#[pyo3(signature = (*, root, patterns, path, sort, kind, ignore_case, max_results, cursor, hidden, no_ignore, skip_dirs, extra_ignore, follow_links, max_depth, threads, max_ignore_file_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn glob(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    patterns: Vec<String>,
    path: PathArg,
    sort: &str,
    kind: &str,
    ignore_case: bool,
    max_results: Option<usize>,
    cursor: Option<String>,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Vec<OsString>,
    extra_ignore: Vec<String>,
    follow_links: bool,
    max_depth: Option<usize>,
    threads: usize,
    max_ignore_file_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<GlobResult> {
    let root = &root.get().inner;
    let options = WalkOptions {
        follow_links,
        max_depth,
        threads,
        ..plain(hidden, no_ignore, skip_dirs, extra_ignore, max_ignore_file_bytes)
    };
    let (sort, kind) = (sort.to_owned(), kind.to_owned());
    let found = run(py, Limits::new(timeout_s, cancel), |context| {
        let request = GlobRequest {
            base: path.0,
            ignore_case,
            kinds: choice("kind", &kind, &KINDS)?,
            sort: choice("sort", &sort, &SORTS)?,
            max_results,
            cursor: cursor.as_deref(),
            want_stat: false,
            options: &options,
        };
        rootle_walk::glob(root, &patterns, &request, context)
    })?;
    let entries = found
        .entries
        .iter()
        .map(|entry| {
            let record = GlobEntry {
                path: path_text(py, &entry.path)?.unbind(),
                kind: PyString::intern(py, entry.kind.as_str()).unbind(),
                size: entry.meta.map(|meta| meta.size),
                mtime_ns: entry.meta.map(|meta| meta.mtime_ns),
            };
            Bound::new(py, record)
        })
        .collect::<PyResult<Vec<_>>>()?;
    let paths = list(py, entries.iter().map(|entry| Ok(entry.get().path.clone_ref(py))))?;
    let stop = found.summary.stop.map(stop_text).or(found.cursor.is_some().then_some("max_results"));
    Ok(GlobResult {
        paths,
        entries: list(py, entries.into_iter().map(Ok))?,
        total: found.total,
        total_exact: found.total_exact,
        ignored: found.ignored + found.summary.hidden + found.summary.skipped_dirs,
        cursor: found.cursor.map(|cursor| PyString::new(py, &cursor).unbind()),
        complete: found.complete,
        stop: stop.map(|stop| PyString::intern(py, stop).unbind()),
        coverage: Py::new(py, Coverage::of_walk(&found.summary))?,
        warnings: warnings(py, &found.summary.warnings)?,
        freshness: PyString::intern(py, "scan").unbind(),
        root: path_text(py, root.path().as_os_str().as_bytes())?.unbind(),
    })
}

const KINDS: [(&str, Kinds); 3] = [("file", Kinds::File), ("directory", Kinds::Dir), ("any", Kinds::Any)];

const SORTS: [(&str, SortBy); 4] =
    [("modified", SortBy::Modified), ("path", SortBy::Path), ("size", SortBy::Size), ("depth", SortBy::Depth)];
