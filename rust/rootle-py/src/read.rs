//! `read`: lines of one file.

use std::os::unix::ffi::OsStrExt;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use rootle_base::{ReadRequest, ReadSlice, label, read_slice};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, list, path_text};
use crate::records::record;
use crate::root::{Metadata, Root};

record! {
    /// A line without its end, from character `column` on.
    ReadLine { number: i64, text: Py<PyString>, column: usize, total_chars: Option<u64>, cut: bool }
}

record! {
    /// An invisible or direction-changing character and where it stands.
    HiddenCharacter { line: i64, column: usize, code_point: Py<PyString> }
}

record! {
    /// Lines of one file and what the file is.
    ReadResult {
        path: Py<PyString>,
        lines: Py<PyList>,
        metadata: Py<Metadata>,
        total_lines: Option<u64>,
        size: u64,
        encoding: Py<PyString>,
        bom: bool,
        lossy: bool,
        binary: bool,
        line_ends: Py<PyString>,
        final_newline: Option<bool>,
        next_line: Option<i64>,
        next_column: Option<usize>,
        hash: Option<Py<PyBytes>>,
        content: Option<Py<PyBytes>>,
        changed_while_reading: bool,
        hidden_unicode: Py<PyList>,
        root: Py<PyString>,
    }
}

/// Reads lines of one file.
#[pyfunction]
#[pyo3(signature = (*, root, path, start_line, max_lines, start_column, max_line_chars, max_chars, encoding, guess_encoding, max_hash_bytes, max_count_bytes, keep_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn read(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    start_line: i64,
    max_lines: Option<usize>,
    start_column: usize,
    max_line_chars: usize,
    max_chars: usize,
    encoding: Option<&str>,
    guess_encoding: bool,
    max_hash_bytes: u64,
    max_count_bytes: u64,
    keep_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<ReadResult> {
    let root = &root.get().inner;
    let (relative, slice) = run(py, Limits::new(timeout_s, cancel), |context| {
        let request = ReadRequest {
            start_line,
            max_lines: max_lines.unwrap_or(usize::MAX),
            start_column,
            max_line_chars,
            max_chars,
            encoding: encoding.map(label).transpose()?,
            guess_legacy: guess_encoding,
            max_hash_bytes,
            max_count_bytes,
            keep_bytes,
        };
        let relative = root.relative(&path.0)?;
        let slice = root.apart(context, move |root, context| read_slice(root, &path.0, &request, context))?;
        Ok((relative, slice))
    })?;
    convert(py, relative.as_os_str().as_bytes(), root.path().as_os_str().as_bytes(), &slice)
}

fn convert(py: Python<'_>, path: &[u8], root: &[u8], slice: &ReadSlice) -> PyResult<ReadResult> {
    let lines = slice.lines.iter().map(|line| {
        let text = PyString::new(py, &line.text).unbind();
        let line =
            ReadLine { number: line.number, text, column: line.column, total_chars: line.total_chars, cut: line.cut };
        Bound::new(py, line)
    });
    let hidden = slice.hidden_unicode.iter().map(|(line, column, character)| {
        let code_point = PyString::new(py, &format!("U+{:04X}", u32::from(*character))).unbind();
        Bound::new(py, HiddenCharacter { line: *line, column: *column, code_point })
    });
    Ok(ReadResult {
        path: path_text(py, path)?.unbind(),
        lines: list(py, lines)?,
        metadata: Py::new(py, Metadata::of(py, &slice.meta))?,
        total_lines: slice.total_lines,
        size: slice.size,
        encoding: PyString::intern(py, slice.encoding.name()).unbind(),
        bom: slice.bom,
        lossy: slice.lossy,
        binary: slice.binary,
        line_ends: PyString::intern(py, slice.line_ends.as_str()).unbind(),
        final_newline: slice.final_newline,
        next_line: slice.next.map(|(line, _)| line),
        next_column: slice.next.map(|(_, column)| column),
        hash: slice.hash.map(|hash| PyBytes::new(py, &hash).unbind()),
        content: slice.content.as_deref().map(|content| PyBytes::new(py, content).unbind()),
        changed_while_reading: slice.changed_while_reading,
        hidden_unicode: list(py, hidden)?,
        root: path_text(py, root)?.unbind(),
    })
}
