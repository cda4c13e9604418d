//! `write_file`, `commit`, `recover`, `read_whole`: files as a whole.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList, PyString};
use rootle_base::{Change, Error, Expect, Result, WriteOptions};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, list, path_text};
use crate::errors::to_py;
use crate::records::record;
use crate::root::{Metadata, Root};

record! {
    /// Something about a writing that its caller may want to know.
    WriteNotice { code: Py<PyString>, message: Py<PyString> }
}

record! {
    /// A file that was written, moved or removed.
    Written {
        path: Py<PyString>,
        from_path: Option<Py<PyString>>,
        hash: Option<Py<PyBytes>>,
        created: bool,
        before: Option<Py<PyBytes>>,
        before_mode: Option<u32>,
        in_place: bool,
        hard_link_broken: bool,
        made_dirs: Py<PyList>,
        notices: Py<PyList>,
        metadata: Py<Metadata>,
    }
}

record! {
    /// One change of a commit: `write`, `remove` or `rename`.
    FileChange {
        kind: Py<PyString>,
        path: Py<PyString>,
        to: Option<Py<PyString>>,
        content: Option<Py<PyBytes>>,
        create_only: bool,
        expected_hash: Option<Py<PyBytes>>,
        mode: Option<u32>,
    }
}

record! {
    /// A file whose writing a dead process had left half done.
    RecoveredFile { path: Py<PyString>, action: Py<PyString> }
}

record! {
    /// All bytes of a file.
    WholeFile { content: Py<PyBytes>, hash: Py<PyBytes>, metadata: Py<Metadata> }
}

/// Writes the whole content of a file.
#[pyfunction]
#[pyo3(signature = (*, root, path, content, create_only, expected_hash, make_parents, allow_git_internals, max_bytes, journal_dir, mode, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn write_file(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    content: PyBackedBytes,
    create_only: bool,
    expected_hash: Option<PyBackedBytes>,
    make_parents: bool,
    allow_git_internals: bool,
    max_bytes: u64,
    journal_dir: Option<PathArg>,
    mode: Option<u32>,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<Written> {
    let root = &root.get().inner;
    let expect = expectation(create_only, expected_hash.as_deref()).map_err(|error| to_py(py, error))?;
    let journal_dir = journal_dir.map(|dir| dir.0);
    let options = WriteOptions { expect, make_parents, allow_git_internals, max_bytes, journal_dir, mode };
    let given = path.0.clone();
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart_until_committed(context, &path.0, move |root, context| {
            rootle_base::write_file(root, &given, &content, &options, context)
        })
    })?;
    written(py, &done)
}

/// Changes several files: all or none.
#[pyfunction]
#[pyo3(signature = (*, root, changes, make_parents, allow_git_internals, max_bytes, journal_dir, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn commit(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    changes: Vec<Bound<'_, FileChange>>,
    make_parents: bool,
    allow_git_internals: bool,
    max_bytes: u64,
    journal_dir: Option<PathArg>,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<Py<PyList>> {
    let root = &root.get().inner;
    let changes = changes.iter().map(|item| change(py, item.get())).collect::<PyResult<Vec<_>>>()?;
    let journal_dir = journal_dir.map(|dir| dir.0);
    let options = WriteOptions { make_parents, allow_git_internals, max_bytes, journal_dir, ..WriteOptions::default() };
    let first = changes.first().map_or_else(PathBuf::new, |change| change.path().to_owned());
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart_until_committed(context, &first, move |root, context| {
            rootle_base::commit(root, &changes, &options, context)
        })
    })?;
    list(py, done.iter().map(|done| written(py, done)))
}

/// Finishes what dead processes left half done.
#[pyfunction]
#[pyo3(signature = (*, root, journal_dir, timeout_s, cancel))]
pub fn recover(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    journal_dir: Option<PathArg>,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<Py<PyList>> {
    let root = &root.get().inner;
    let options = WriteOptions { journal_dir: journal_dir.map(|dir| dir.0), ..WriteOptions::default() };
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart(context, move |root, context| rootle_base::recover(root, &options, context))
    })?;
    list(
        py,
        done.iter().map(|file| {
            let path = path_text(py, file.path.as_os_str().as_bytes())?.unbind();
            Bound::new(py, RecoveredFile { path, action: PyString::intern(py, file.action).unbind() })
        }),
    )
}

/// Reads all bytes of a file.
#[pyfunction]
#[pyo3(signature = (*, root, path, max_bytes, timeout_s, cancel))]
pub fn read_whole(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    max_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<WholeFile> {
    let root = &root.get().inner;
    let whole = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart(context, move |root, context| rootle_base::read_whole(root, &path.0, max_bytes, context))
    })?;
    Ok(WholeFile {
        content: PyBytes::new(py, &whole.bytes).unbind(),
        hash: PyBytes::new(py, &whole.hash).unbind(),
        metadata: Py::new(py, Metadata::of(py, &whole.meta))?,
    })
}

/// What must be true of a file, from the two arguments that say it.
pub fn expectation(create_only: bool, expected_hash: Option<&[u8]>) -> Result<Expect> {
    let invalid = |reason: &str| Error::InvalidArgument { name: "expected_hash", reason: reason.to_owned() };
    match (create_only, expected_hash) {
        (true, Some(_)) => Err(invalid("a file that must not exist has no hash")),
        (true, None) => Ok(Expect::Absent),
        (false, None) => Ok(Expect::Anything),
        (false, Some(hash)) => hash.try_into().map(Expect::Hash).map_err(|_| invalid("it must have 32 bytes")),
    }
}

/// Paths of directories as Python has them.
pub fn dirs(py: Python<'_>, paths: &[PathBuf]) -> PyResult<Py<PyList>> {
    list(py, paths.iter().map(|path| path_text(py, path.as_os_str().as_bytes())))
}

/// Removes directories that are empty, in the order given; the others stay.
#[pyfunction]
#[pyo3(signature = (*, root, paths, allow_git_internals, timeout_s, cancel))]
pub fn remove_empty_dirs(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    paths: Vec<PathArg>,
    allow_git_internals: bool,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<Py<PyList>> {
    let root = &root.get().inner;
    let paths = crate::convert::paths(paths);
    let options = WriteOptions { allow_git_internals, ..WriteOptions::default() };
    let gone = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart(context, move |root, context| rootle_base::remove_empty_dirs(root, &paths, &options, context))
    })?;
    dirs(py, &gone)
}

/// The record of a file that was written.
pub fn written(py: Python<'_>, done: &rootle_base::Written) -> PyResult<Written> {
    let text = |path: &PathBuf| path_text(py, path.as_os_str().as_bytes()).map(Bound::unbind);
    let notices = done.notices.iter().map(|notice| {
        let code = PyString::intern(py, notice.code).unbind();
        Bound::new(py, WriteNotice { code, message: PyString::new(py, &notice.message).unbind() })
    });
    Ok(Written {
        path: text(&done.path)?,
        from_path: done.from.as_ref().map(text).transpose()?,
        hash: done.hash.map(|hash| PyBytes::new(py, &hash).unbind()),
        created: done.created,
        before: done.before.as_ref().map(|bytes| PyBytes::new(py, bytes).unbind()),
        before_mode: done.before_mode,
        in_place: done.in_place,
        hard_link_broken: done.hard_link_broken,
        made_dirs: dirs(py, &done.made_dirs)?,
        notices: list(py, notices)?,
        metadata: Py::new(py, Metadata::of(py, &done.meta))?,
    })
}

fn change(py: Python<'_>, record: &FileChange) -> PyResult<Change> {
    let path = |text: &Py<PyString>| text.bind(py).extract::<PathArg>().map(|path| path.0);
    let bytes = |content: &Py<PyBytes>| content.as_bytes(py).to_vec();
    let hash = record.expected_hash.as_ref().map(|hash| hash.as_bytes(py));
    let expect = expectation(record.create_only, hash).map_err(|error| to_py(py, error))?;
    let content = record.content.as_ref().map(bytes);
    let invalid = |reason: &str| to_py(py, Error::InvalidArgument { name: "changes", reason: reason.to_owned() });
    let path = path(&record.path)?;
    match (&*record.kind.bind(py).to_string_lossy(), &record.to, content) {
        ("write", None, Some(content)) => Ok(Change::Write { path, content, expect, mode: record.mode }),
        ("remove", None, None) => Ok(Change::Remove { path, expect }),
        ("rename", Some(to), content) => {
            let to = to.bind(py).extract::<PathArg>()?.0;
            Ok(Change::Rename { from: path, to, content, expect })
        }
        ("write" | "remove" | "rename", ..) => {
            Err(invalid("write takes content, remove nothing more, rename its new path and perhaps content"))
        }
        _ => Err(invalid("kind must be write, remove or rename")),
    }
}

/// A change as a record.
pub fn change_record<'py>(py: Python<'py>, change: &Change) -> PyResult<Bound<'py, FileChange>> {
    let text = |path: &PathBuf| path_text(py, path.as_os_str().as_bytes()).map(Bound::unbind);
    let bytes = |content: &[u8]| PyBytes::new(py, content).unbind();
    let (kind, path, to, content, expect, mode) = match change {
        Change::Write { path, content, expect, mode } => ("write", path, None, Some(content), expect, *mode),
        Change::Remove { path, expect } => ("remove", path, None, None, expect, None),
        Change::Rename { from, to, content, expect } => ("rename", from, Some(to), content.as_ref(), expect, None),
    };
    let expected_hash = match expect {
        Expect::Hash(hash) => Some(bytes(hash)),
        Expect::Anything | Expect::Absent => None,
    };
    let record = FileChange {
        kind: PyString::intern(py, kind).unbind(),
        path: text(path)?,
        to: to.map(text).transpose()?,
        content: content.map(|content| bytes(content)),
        create_only: matches!(expect, Expect::Absent),
        expected_hash,
        mode,
    };
    Bound::new(py, record)
}
