//! Diffs on files: worked out here, written by `commit`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use rootle_base::WriteOptions;
use rootle_edit::{Candidate, Conflict, HunkOutcome, Op, PatchError, PatchOptions, Status, parse_patch};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, list};
use crate::edit::{self, EditLimits, EditOutcome};
use crate::errors::to_py;
use crate::file_edit::around;
use crate::patch_plan::{Planned, Reader, plan};
use crate::records::record;
use crate::refusal::unreadable;
use crate::root::Root;
use crate::write::{FileChange, change_record};

record! {
    /// A hunk that is in the content now; `index` counts the file's hunks from 1.
    PatchHunk { index: usize, header: Py<PyString>, outcome: Py<EditOutcome> }
}

record! {
    /// A place that comes near a hunk.
    NearText { first: u64, last: u64, score: f64, text: Py<PyString>, symbol: Option<Py<PyString>> }
}

record! {
    /// What does not fit; `index` is None where the file as a whole is meant, `line` is the diff's own.
    PatchConflict {
        index: Option<usize>,
        header: Py<PyString>,
        line: usize,
        reason: Py<PyString>,
        message: Py<PyString>,
        candidates: Py<PyList>,
        suggested_hunk: Option<Py<PyString>>,
    }
}

/// What a diff makes of one file.
#[pyclass(frozen, get_all, module = "rootle._core")]
pub struct FilePatch {
    pub path: Py<PyString>,
    pub new_path: Option<Py<PyString>>,
    pub operation: Py<PyString>,
    /// Whether there is something to write.
    pub changed: bool,
    pub before: Option<Py<PyBytes>>,
    pub after: Option<Py<PyBytes>>,
    pub before_hash: Option<Py<PyBytes>>,
    pub hash: Option<Py<PyBytes>>,
    pub applied: Py<PyList>,
    pub already_applied: Py<PyList>,
    pub conflicts: Py<PyList>,
}

#[pymethods]
impl FilePatch {
    /// Gives the lines around the changes as they will be.
    #[pyo3(signature = (*, context, max_lines))]
    fn snippet(&self, py: Python<'_>, context: usize, max_lines: usize) -> PyResult<Py<PyList>> {
        let Some(after) = &self.after else { return Ok(PyList::empty(py).unbind()) };
        let mut spans = Vec::new();
        for hunk in self.applied.bind(py).iter() {
            let hunk = hunk.extract::<PyRef<'_, PatchHunk>>()?;
            spans.extend(hunk.outcome.get().after.iter());
        }
        around(py, after.bind(py).as_bytes(), &spans, context, max_lines)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let operation = self.operation.bind(py).to_string_lossy();
        format!("FilePatch({operation} {:?}, changed={})", self.path.bind(py).to_string_lossy(), self.changed)
    }
}

record! {
    /// What a diff does, file by file; `changes` is what is to be written, empty if nothing is.
    PatchPlan { dialect: Py<PyString>, files: Py<PyList>, changes: Py<PyList>, conflicts: usize }
}

/// Works out what a diff does to the files beneath a root.
#[pyfunction]
#[pyo3(signature = (*, root, diff, path, allow_partial, allow_placeholders, allow_git_internals, budget, max_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn plan_patch(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    diff: &str,
    path: Option<PathArg>,
    allow_partial: bool,
    allow_placeholders: bool,
    allow_git_internals: bool,
    budget: u64,
    max_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<PatchPlan> {
    let root = &root.get().inner;
    let path = path.map(|path| root.relative(&path.0)).transpose().map_err(|error| to_py(py, error))?;
    let path = path.map(|path| path.to_string_lossy().into_owned());
    let limits = EditLimits { encoding: None, exact_only: false, allow_placeholders, budget, max_bytes };
    let options = limits.options().map_err(|error| to_py(py, error))?;
    let patch_options = PatchOptions { path, ..PatchOptions::default() };
    let writing = WriteOptions { make_parents: true, allow_git_internals, max_bytes, ..WriteOptions::default() };
    let diff = diff.to_owned();
    let planned = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart(context, move |root, context| {
            let reader = Reader::Root { root, context, options: &writing };
            plan(&diff, &patch_options, &reader, &options, allow_partial)
        })
    })?;
    give(py, planned)
}

/// Gives every path that a diff may mean, each reading of each name.
#[pyfunction]
#[pyo3(signature = (*, diff, path))]
pub fn patch_paths(py: Python<'_>, diff: &str, path: Option<String>) -> PyResult<Vec<String>> {
    let options = PatchOptions { path, ..PatchOptions::default() };
    let patch = py.detach(|| parse_patch(diff, &options)).map_err(|error| unreadable(py, &error))?;
    let mut paths = Vec::new();
    for mut file in patch.files {
        let moved = file.at_target();
        paths.extend(moved.map(|moved| moved.path));
        paths.push(file.path);
        paths.append(&mut file.other_paths);
        paths.extend(file.new_path);
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Works out what a diff does to files that are given as bytes by their paths.
#[pyfunction]
#[pyo3(signature = (*, files, diff, path, allow_partial, allow_placeholders, budget, max_bytes))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn patch_bytes(
    py: Python<'_>,
    files: std::collections::HashMap<String, Vec<u8>>,
    diff: &str,
    path: Option<String>,
    allow_partial: bool,
    allow_placeholders: bool,
    budget: u64,
    max_bytes: u64,
) -> PyResult<PatchPlan> {
    let limits = EditLimits { encoding: None, exact_only: false, allow_placeholders, budget, max_bytes };
    let options = limits.options().map_err(|error| to_py(py, error))?;
    let patch_options = PatchOptions { path, ..PatchOptions::default() };
    let planned =
        run(py, Limits::none(), |_| plan(diff, &patch_options, &Reader::Memory(&files), &options, allow_partial))?;
    give(py, planned)
}

fn give(py: Python<'_>, planned: Result<(&'static str, Vec<Planned>), PatchError>) -> PyResult<PatchPlan> {
    let (dialect, files) = planned.map_err(|error| unreadable(py, &error))?;
    let changes = files.iter().filter_map(|file| file.change.as_ref());
    Ok(PatchPlan {
        dialect: PyString::intern(py, dialect).unbind(),
        changes: list(py, changes.map(|change| -> PyResult<Bound<'_, FileChange>> { change_record(py, change) }))?,
        conflicts: files.iter().map(|file| file.outcome.conflicts.len()).sum(),
        files: list(py, files.iter().map(|file| Bound::new(py, file_record(py, file)?)))?,
    })
}

fn file_record(py: Python<'_>, file: &Planned) -> PyResult<FilePatch> {
    let bytes = |content: &[u8]| PyBytes::new(py, content).unbind();
    let hash = |content: &[u8]| bytes(blake3::hash(content).as_bytes());
    let outcome = &file.outcome;
    let operation = match file.patch.op {
        Op::Update => "update",
        Op::Add => "add",
        Op::Delete => "delete",
        Op::Rename => "rename",
        Op::Copy => "copy",
    };
    let hunks =
        |hunks: &[HunkOutcome], status| list(py, hunks.iter().map(|hunk| Bound::new(py, one(py, hunk, status)?)));
    Ok(FilePatch {
        path: PyString::new(py, &file.path).unbind(),
        new_path: file.patch.new_path.as_deref().map(|path| PyString::new(py, path).unbind()),
        operation: PyString::intern(py, operation).unbind(),
        changed: file.change.is_some(),
        before: file.before.as_deref().map(bytes),
        after: outcome.bytes.as_deref().map(bytes),
        before_hash: file.before.as_deref().map(hash),
        hash: outcome.bytes.as_deref().map(hash),
        applied: hunks(&outcome.applied, Status::Applied)?,
        already_applied: hunks(&outcome.already_applied, Status::AlreadyApplied)?,
        conflicts: list(py, outcome.conflicts.iter().map(|item| Bound::new(py, conflict(py, item)?)))?,
    })
}

fn one(py: Python<'_>, hunk: &HunkOutcome, status: Status) -> PyResult<PatchHunk> {
    let outcome = edit::outcome(
        py,
        &rootle_edit::Outcome {
            status,
            tier: hunk.tier,
            score: hunk.score,
            replacements: usize::from(status == Status::Applied),
            before: vec![hunk.before],
            after: vec![hunk.after],
            warnings: hunk.warnings.clone(),
            repairs: Vec::new(),
        },
    )?;
    Ok(PatchHunk {
        index: hunk.hunk + 1,
        header: PyString::new(py, &hunk.header).unbind(),
        outcome: Py::new(py, outcome)?,
    })
}

fn conflict(py: Python<'_>, item: &Conflict) -> PyResult<PatchConflict> {
    let near: &[Candidate] = item.refusal.as_ref().map_or(&[], |refusal| &refusal.candidates);
    let near = near.iter().map(|candidate| {
        let near = NearText {
            first: candidate.lines.first,
            last: candidate.lines.last,
            score: candidate.score,
            text: PyString::new(py, &candidate.text).unbind(),
            symbol: candidate.symbol.as_deref().map(|symbol| PyString::new(py, symbol).unbind()),
        };
        Bound::new(py, near)
    });
    Ok(PatchConflict {
        index: item.hunk.map(|hunk| hunk + 1),
        header: PyString::new(py, &item.header).unbind(),
        line: item.patch_line,
        reason: PyString::intern(py, item.reason.code()).unbind(),
        message: PyString::new(py, &item.message).unbind(),
        candidates: list(py, near)?,
        suggested_hunk: item.suggested_hunk.as_deref().map(|hunk| PyString::new(py, hunk).unbind()),
    })
}
