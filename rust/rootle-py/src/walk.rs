//! `walk`: the files of a tree, in one compact table.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rootle_walk::{FileTable, Request, Summary, WalkOptions, list_files};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, list, path_text, paths, stop_text};
use crate::records::{Coverage, record, warnings};
use crate::root::Root;
use crate::rules::{Wanted, plain, starts};

record! {
    /// One file of a walk.
    WalkEntry { path: Py<PyString>, kind: Py<PyString>, size: Option<u64>, mtime_ns: Option<i64> }
}

/// The files that a walk found, in path order.
#[pyclass(frozen, sequence, module = "rootle._core")]
pub struct WalkResult {
    table: FileTable,
    summary: Summary,
    root: Vec<u8>,
}

#[pymethods]
impl WalkResult {
    /// The path of each file.
    #[getter]
    fn paths(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        list(py, self.table.paths().map(|path| path_text(py, path)))
    }

    #[getter]
    fn complete(&self) -> bool {
        self.summary.complete()
    }

    #[getter]
    fn stop(&self) -> Option<&'static str> {
        self.summary.stop.map(stop_text)
    }

    #[getter]
    fn coverage(&self) -> Coverage {
        Coverage::of_walk(&self.summary)
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        warnings(py, &self.summary.warnings)
    }

    #[getter]
    fn freshness(&self) -> &'static str {
        "scan"
    }

    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        path_text(py, &self.root)
    }

    fn __len__(&self) -> usize {
        self.table.len()
    }

    fn __iter__(slf: &Bound<'_, Self>) -> WalkEntries {
        WalkEntries { walk: slf.clone().unbind(), next: 0 }
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<WalkEntry> {
        // As of a list, negative places count from the end.
        let from_end = index.checked_add_unsigned(self.table.len()).filter(|_| index < 0);
        let at = usize::try_from(from_end.unwrap_or(index)).ok().filter(|at| *at < self.table.len());
        let at = at.ok_or_else(|| PyIndexError::new_err("no such file"))?;
        let stat = self.table.stat(at);
        Ok(WalkEntry {
            path: path_text(py, self.table.path(at))?.unbind(),
            kind: PyString::intern(py, self.table.kind(at).as_str()).unbind(),
            size: stat.map(|stat| stat.size),
            mtime_ns: stat.map(|stat| stat.mtime_ns),
        })
    }

    fn __repr__(&self) -> String {
        format!("WalkResult({} files)", self.table.len())
    }
}

/// Goes through the files of a walk.
#[pyclass(module = "rootle._core")]
pub struct WalkEntries {
    walk: Py<WalkResult>,
    next: isize,
}

#[pymethods]
impl WalkEntries {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<WalkEntry>> {
        let walk = self.walk.get();
        if self.next.cast_unsigned() >= walk.table.len() {
            return Ok(None);
        }
        self.next += 1;
        walk.__getitem__(py, self.next - 1).map(Some)
    }
}

/// Finds files.
#[pyfunction]
#[pyo3(signature = (*, root, paths, glob, exclude, r#type, hidden, no_ignore, skip_dirs, extra_ignore, follow_links, max_depth, threads, max_ignore_file_bytes, stat, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn walk(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    paths: Vec<PathArg>,
    glob: Vec<String>,
    exclude: Vec<String>,
    r#type: Vec<String>,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Vec<OsString>,
    extra_ignore: Vec<String>,
    follow_links: bool,
    max_depth: Option<usize>,
    threads: usize,
    max_ignore_file_bytes: u64,
    stat: bool,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<WalkResult> {
    let root = &root.get().inner;
    let paths = self::paths(paths);
    let wanted = Wanted { glob, exclude, types: r#type };
    let options = WalkOptions {
        follow_links,
        max_depth,
        threads,
        ..plain(hidden, no_ignore, skip_dirs, extra_ignore, max_ignore_file_bytes)
    };
    let (table, summary) = run(py, Limits::new(timeout_s, cancel), |context| {
        let starts = starts(root, &paths)?;
        let filter = wanted.filter(root, &starts, context)?;
        let request = Request { root, starts: &starts, options: &options, filter: &filter, after: None };
        list_files(&request, context, stat)
    })?;
    Ok(WalkResult { table, summary, root: root.path().as_os_str().as_bytes().to_vec() })
}
