//! A match as Python sees it: each value is converted when it is read.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rootle_grep::HitRef;

use crate::found::File;
use crate::records::{Reduced, record, reduce, show};

record! {
    /// A line before or after a match.
    ContextLine { line: u64, text: Py<PyString> }
}

/// A matching line.
#[pyclass(frozen, module = "rootle._core")]
pub struct GrepMatch(Held);

/// Where the values of a match are.
enum Held {
    /// In what the search found.
    Found { file: Arc<File>, index: usize },
    /// A record made by hand.
    Made(Box<Values>),
}

struct Values {
    path: Py<PyString>,
    line: u64,
    end_line: u64,
    column: u64,
    byte_offset: u64,
    text: Py<PyString>,
    spans: Py<PyTuple>,
    clipped: bool,
    lossy: bool,
    before: Py<PyTuple>,
    after: Py<PyTuple>,
}

const MATCH_FIELDS: [&str; 11] =
    ["path", "line", "end_line", "column", "byte_offset", "text", "spans", "clipped", "lossy", "before", "after"];

impl GrepMatch {
    pub fn found(file: Arc<File>, index: usize) -> Self {
        Self(Held::Found { file, index })
    }

    /// A value of the record.
    fn value<T>(&self, found: impl FnOnce(HitRef<'_>) -> T, made: impl FnOnce(&Values) -> T) -> T {
        match &self.0 {
            Held::Found { file, index } => found(file.found.matches.at(*index)),
            Held::Made(values) => made(values),
        }
    }
}

#[pymethods]
impl GrepMatch {
    #[new]
    #[pyo3(signature = (*, path, line, end_line, column, byte_offset, text, spans, clipped, lossy, before, after))]
    #[expect(clippy::too_many_arguments, reason = "one keyword a field")]
    fn new(
        path: Py<PyString>,
        line: u64,
        end_line: u64,
        column: u64,
        byte_offset: u64,
        text: Py<PyString>,
        spans: Py<PyTuple>,
        clipped: bool,
        lossy: bool,
        before: Py<PyTuple>,
        after: Py<PyTuple>,
    ) -> Self {
        let values = Values { path, line, end_line, column, byte_offset, text, spans, clipped, lossy, before, after };
        Self(Held::Made(Box::new(values)))
    }

    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<Py<PyString>> {
        match &self.0 {
            Held::Found { file, .. } => file.path(py),
            Held::Made(values) => Ok(values.path.clone_ref(py)),
        }
    }

    #[getter]
    fn line(&self) -> u64 {
        self.value(|hit| hit.line(), |made| made.line)
    }

    #[getter]
    fn end_line(&self) -> u64 {
        self.value(|hit| hit.end_line(), |made| made.end_line)
    }

    #[getter]
    fn column(&self) -> u64 {
        self.value(|hit| hit.column(), |made| made.column)
    }

    #[getter]
    fn byte_offset(&self) -> u64 {
        self.value(|hit| hit.byte_offset(), |made| made.byte_offset)
    }

    #[getter]
    fn text(&self, py: Python<'_>) -> Py<PyString> {
        self.value(|hit| PyString::new(py, hit.text()).unbind(), |made| made.text.clone_ref(py))
    }

    #[getter]
    fn spans(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        self.value(|hit| PyTuple::new(py, hit.spans()).map(Bound::unbind), |made| Ok(made.spans.clone_ref(py)))
    }

    #[getter]
    fn clipped(&self) -> bool {
        self.value(|hit| hit.clipped(), |made| made.clipped)
    }

    #[getter]
    fn lossy(&self) -> bool {
        self.value(|hit| hit.lossy(), |made| made.lossy)
    }

    #[getter]
    fn before(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        self.value(|hit| context(py, hit.before()), |made| Ok(made.before.clone_ref(py)))
    }

    #[getter]
    fn after(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        self.value(|hit| context(py, hit.after()), |made| Ok(made.after.clone_ref(py)))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        show(slf.as_any(), "GrepMatch", &MATCH_FIELDS)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        reduce(slf.as_any(), &MATCH_FIELDS)
    }
}

fn context(py: Python<'_>, lines: &[rootle_grep::ContextLine]) -> PyResult<Py<PyTuple>> {
    let records = lines
        .iter()
        .map(|line| Bound::new(py, ContextLine { line: line.line, text: PyString::new(py, &line.text).unbind() }))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, records)?.unbind())
}
