//! One file's content before and after a call: what edits, whole writings and diffs give back alike.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use memchr::memchr_iter;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use rootle_base::{Encoding, SNIFF_BYTES, Written, decode, sniff};
use rootle_edit::{LineRange, Outcome, unified_diff};

use crate::convert::{list, path_text};
use crate::edit;
use crate::read::ReadLine;
use crate::records::{Reduced, reduce};
use crate::root::Metadata;
use crate::write::dirs;

/// A file before and after a call.
#[pyclass(frozen, get_all, module = "rootle._core")]
pub struct FileEdit {
    /// Relative to the root, links resolved.
    pub path: Py<PyString>,
    /// None when there was no file.
    pub before: Option<Py<PyBytes>>,
    /// None when there is none any more.
    pub after: Option<Py<PyBytes>>,
    pub before_hash: Option<Py<PyBytes>>,
    pub hash: Option<Py<PyBytes>>,
    /// Permission bits before.
    pub mode: Option<u32>,
    pub created: bool,
    /// Whether the disk was written to.
    pub changed: bool,
    pub encoding: Py<PyString>,
    pub outcomes: Py<PyList>,
    /// Directories that were made for the file, outermost first.
    pub made_dirs: Py<PyList>,
    pub notices: Vec<String>,
    /// What the system says of the file now; None when nothing was written.
    pub metadata: Option<Py<Metadata>>,
}

/// The constructor's keywords.
const FIELDS: [&str; 13] = [
    "path",
    "before",
    "after",
    "before_hash",
    "hash",
    "mode",
    "created",
    "changed",
    "encoding",
    "outcomes",
    "made_dirs",
    "notices",
    "metadata",
];

#[pymethods]
impl FileEdit {
    #[new]
    #[pyo3(signature = (*, path, before, after, before_hash, hash, mode, created, changed, encoding, outcomes, made_dirs, notices, metadata))]
    #[expect(clippy::too_many_arguments, reason = "one keyword a field")]
    fn new(
        path: Py<PyString>,
        before: Option<Py<PyBytes>>,
        after: Option<Py<PyBytes>>,
        before_hash: Option<Py<PyBytes>>,
        hash: Option<Py<PyBytes>>,
        mode: Option<u32>,
        created: bool,
        changed: bool,
        encoding: Py<PyString>,
        outcomes: Py<PyList>,
        made_dirs: Py<PyList>,
        notices: Vec<String>,
        metadata: Option<Py<Metadata>>,
    ) -> Self {
        Self {
            path,
            before,
            after,
            before_hash,
            hash,
            mode,
            created,
            changed,
            encoding,
            outcomes,
            made_dirs,
            notices,
            metadata,
        }
    }

    /// Gives the change as a unified diff.
    #[pyo3(signature = (*, context, max_lines))]
    fn diff(&self, py: Python<'_>, context: usize, max_lines: usize) -> String {
        let (before, after) = (side(py, self.before.as_ref()), side(py, self.after.as_ref()));
        let path = self.path.bind(py).to_string_lossy().into_owned();
        py.detach(|| unified_diff(before, after, &path, context, max_lines))
    }

    /// Gives the lines around the changes as they are now.
    #[pyo3(signature = (*, context, max_lines))]
    fn snippet(&self, py: Python<'_>, context: usize, max_lines: usize) -> PyResult<Py<PyList>> {
        let Some(after) = &self.after else { return list(py, std::iter::empty::<PyResult<String>>()) };
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for outcome in self.outcomes.bind(py).iter() {
            spans.extend(outcome.extract::<PyRef<'_, edit::EditOutcome>>()?.after.iter());
        }
        around(py, after.bind(py).as_bytes(), &spans, context, max_lines)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        reduce(slf.as_any(), &FIELDS)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("FileEdit(path={:?}, changed={})", self.path.bind(py).to_string_lossy(), self.changed)
    }
}

/// What to say of a file that was, or was not, written.
pub struct Told<'a> {
    pub path: &'a Path,
    /// Content and hash.
    pub before: Option<(&'a [u8], &'a [u8; 32])>,
    pub mode: Option<u32>,
    /// The same; none if nothing changes.
    pub after: Option<(&'a [u8], &'a [u8; 32])>,
    pub encoding: Encoding,
    pub outcomes: &'a [Outcome],
    pub written: Option<&'a Written>,
}

impl Told<'_> {
    pub fn record(&self, py: Python<'_>) -> PyResult<FileEdit> {
        let bytes = |content: &[u8]| PyBytes::new(py, content).unbind();
        let before = self.before.map(|(content, hash)| (bytes(content), bytes(hash)));
        let same = || before.as_ref().map(|(content, hash)| (content.clone_ref(py), hash.clone_ref(py)));
        let after = self.after.map(|(content, hash)| (bytes(content), bytes(hash))).or_else(same);
        let (before, before_hash) = before.unzip();
        let (after, hash) = after.unzip();
        Ok(FileEdit {
            path: path_text(py, self.path.as_os_str().as_bytes())?.unbind(),
            before,
            after,
            before_hash,
            hash,
            mode: self.mode,
            created: self.written.is_some() && self.before.is_none(),
            changed: self.written.is_some(),
            encoding: edit::encoding_name(py, self.encoding),
            outcomes: edit::outcomes(py, self.outcomes)?,
            made_dirs: dirs(py, self.written.map_or(&[], |written| &written.made_dirs))?,
            notices: self.written.map(told).unwrap_or_default(),
            metadata: self.written.map(|written| Py::new(py, Metadata::of(py, &written.meta))).transpose()?,
        })
    }
}

fn side<'py>(py: Python<'py>, content: Option<&'py Py<PyBytes>>) -> &'py [u8] {
    content.map_or(&[], |bytes| bytes.as_bytes(py))
}

fn told(written: &Written) -> Vec<String> {
    written.notices.iter().map(|notice| notice.message.clone()).collect()
}

/// The bytes of the lines from `first` to `last`.
fn lines_of(body: &[u8], first: u64, last: u64) -> &[u8] {
    let after = |body: &[u8], lines: u64| {
        let feeds = usize::try_from(lines).unwrap_or(usize::MAX);
        feeds.checked_sub(1).map_or(0, |feed| memchr_iter(b'\n', body).nth(feed).map_or(body.len(), |at| at + 1))
    };
    let part = &body[after(body, first.saturating_sub(1))..];
    &part[..after(part, (last + 1).saturating_sub(first))]
}

/// The lines of `content` within `context` lines of `spans`, at most `max_lines`.
pub fn around(
    py: Python<'_>,
    content: &[u8],
    spans: &[(u64, u64)],
    context: usize,
    max_lines: usize,
) -> PyResult<Py<PyList>> {
    let context = context as u64;
    let mut ranges: Vec<LineRange> = spans
        .iter()
        .map(|(first, last)| LineRange { first: first.saturating_sub(context).max(1), last: last + context })
        .collect();
    ranges.sort_unstable_by_key(|range| range.first);
    let mut wanted = ranges.iter().peekable();
    let mut shown = Vec::new();
    let head = &content[..content.len().min(SNIFF_BYTES)];
    let form = sniff(head, head.len() == content.len(), true);
    let body = &content[form.bom_len..];
    let (first, part) = match (ranges.first(), ranges.iter().map(|range| range.last).max()) {
        (Some(range), Some(last)) if form.encoding.unit() == 1 => (range.first, lines_of(body, range.first, last)),
        _ => (1, body),
    };
    let text = decode(part, form.encoding).text;
    // A final line end begins no line.
    let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n').take(if text.is_empty() { 0 } else { usize::MAX });
    for (number, line) in (first..).zip(lines) {
        while wanted.peek().is_some_and(|range| range.last < number) {
            wanted.next();
        }
        let Some(range) = wanted.peek() else { break };
        if number < range.first {
            continue;
        }
        if shown.len() == max_lines {
            break;
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        shown.push(ReadLine {
            number: i64::try_from(number).unwrap_or(i64::MAX),
            text: PyString::new(py, line).unbind(),
            column: 1,
            total_chars: None,
            cut: false,
        });
    }
    list(py, shown.into_iter().map(|line| Bound::new(py, line)))
}
