//! What a search found, as Python sees it. It stays in the core's compact form; records are made when they are asked for.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};
use rootle_grep::FileMatches;

use crate::convert::{list, path_text};
use crate::grep_match::GrepMatch;
use crate::records::{Coverage, Reduced, record, reduce, show};

record! {
    /// A file with matches.
    GrepFile {
        path: Py<PyString>,
        count: u64,
        binary: bool,
        encoding: Py<PyString>,
        lossy: bool,
        more: bool,
        mtime_ns: Option<i64>,
    }
}

/// A file with matches, shared by its records.
pub struct File {
    pub found: FileMatches,
    path: PyOnceLock<Py<PyString>>,
}

impl File {
    pub fn path(&self, py: Python<'_>) -> PyResult<Py<PyString>> {
        let path = self.path.get_or_try_init(py, || path_text(py, &self.found.path).map(Bound::unbind))?;
        Ok(path.clone_ref(py))
    }

    fn record(&self, py: Python<'_>) -> PyResult<GrepFile> {
        Ok(GrepFile {
            path: self.path(py)?,
            count: self.found.count,
            binary: self.found.binary,
            encoding: PyString::intern(py, self.found.encoding).unbind(),
            lossy: self.found.lossy,
            more: self.found.more,
            mtime_ns: self.found.mtime_ns,
        })
    }
}

/// The files of a search, and the lists of records, which are made when they are first asked for.
pub struct Found {
    files: Vec<Arc<File>>,
    match_list: PyOnceLock<Py<PyList>>,
    file_list: PyOnceLock<Py<PyList>>,
}

impl Found {
    pub fn new(files: Vec<FileMatches>) -> Self {
        let files = files.into_iter().map(|found| Arc::new(File { found, path: PyOnceLock::new() })).collect();
        Self { files, match_list: PyOnceLock::new(), file_list: PyOnceLock::new() }
    }

    fn made(py: Python<'_>, matches: Py<PyList>, files: Py<PyList>) -> Self {
        let new = Self::new(Vec::new());
        // Both are empty, so that setting them cannot fail.
        let _ = new.match_list.set(py, matches);
        let _ = new.file_list.set(py, files);
        new
    }

    fn matches(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        let made = self.match_list.get_or_try_init(py, || {
            let mut matches = Vec::with_capacity(self.files.iter().map(|file| file.found.matches.len()).sum());
            for file in &self.files {
                for index in 0..file.found.matches.len() {
                    matches.push(Bound::new(py, GrepMatch::found(Arc::clone(file), index))?);
                }
            }
            PyList::new(py, matches).map(Bound::unbind)
        })?;
        Ok(made.clone_ref(py))
    }

    fn files(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        let made = self
            .file_list
            .get_or_try_init(py, || list(py, self.files.iter().map(|file| Bound::new(py, file.record(py)?))))?;
        Ok(made.clone_ref(py))
    }
}

/// What a search found.
#[pyclass(frozen, module = "rootle._core")]
pub struct GrepResult {
    pub found: Found,
    #[pyo3(get)]
    pub total: u64,
    #[pyo3(get)]
    pub total_files: u64,
    #[pyo3(get)]
    pub totals_exact: bool,
    #[pyo3(get)]
    pub cursor: Option<Py<PyString>>,
    #[pyo3(get)]
    pub engine: Py<PyString>,
    #[pyo3(get)]
    pub hidden_matches: Option<u64>,
    #[pyo3(get)]
    pub hidden_files: Option<u64>,
    #[pyo3(get)]
    pub complete: bool,
    #[pyo3(get)]
    pub stop: Option<Py<PyString>>,
    #[pyo3(get)]
    pub coverage: Py<Coverage>,
    #[pyo3(get)]
    pub warnings: Py<PyList>,
    #[pyo3(get)]
    pub freshness: Py<PyString>,
    #[pyo3(get)]
    pub root: Py<PyString>,
}

const RESULT_FIELDS: [&str; 15] = [
    "matches",
    "files",
    "total",
    "total_files",
    "totals_exact",
    "cursor",
    "engine",
    "hidden_matches",
    "hidden_files",
    "complete",
    "stop",
    "coverage",
    "warnings",
    "freshness",
    "root",
];

#[pymethods]
impl GrepResult {
    #[new]
    #[pyo3(signature = (*, matches, files, total, total_files, totals_exact, cursor, engine, hidden_matches, hidden_files, complete, stop, coverage, warnings, freshness, root))]
    #[expect(clippy::too_many_arguments, reason = "one keyword a field")]
    fn new(
        py: Python<'_>,
        matches: Py<PyList>,
        files: Py<PyList>,
        total: u64,
        total_files: u64,
        totals_exact: bool,
        cursor: Option<Py<PyString>>,
        engine: Py<PyString>,
        hidden_matches: Option<u64>,
        hidden_files: Option<u64>,
        complete: bool,
        stop: Option<Py<PyString>>,
        coverage: Py<Coverage>,
        warnings: Py<PyList>,
        freshness: Py<PyString>,
        root: Py<PyString>,
    ) -> Self {
        Self {
            found: Found::made(py, matches, files),
            total,
            total_files,
            totals_exact,
            cursor,
            engine,
            hidden_matches,
            hidden_files,
            complete,
            stop,
            coverage,
            warnings,
            freshness,
            root,
        }
    }

    #[getter]
    fn matches(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        self.found.matches(py)
    }

    #[getter]
    fn files(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        self.found.files(py)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        show(slf.as_any(), "GrepResult", &RESULT_FIELDS)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        reduce(slf.as_any(), &RESULT_FIELDS)
    }
}
