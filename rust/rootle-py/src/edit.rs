//! Edits of texts: pure functions on bytes.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyString};
use rootle_base::{Encoding, label};
use rootle_edit::{Changes, Edit, LineRange, Located, Options, Outcome, locate, plan_edits};

use crate::call::{Limits, run};
use crate::convert::list;
use crate::errors::to_py;
use crate::records::record;
use crate::refusal::refused;

record! {
    /// Something about an edit that its writer should know.
    EditWarning { code: Py<PyString>, text: Py<PyString> }
}

record! {
    /// What one edit did; the pairs are first and last lines, from 1.
    EditOutcome {
        status: Py<PyString>,
        tier: Py<PyString>,
        score: f64,
        replacements: usize,
        before: Vec<(u64, u64)>,
        after: Vec<(u64, u64)>,
        warnings: Py<PyList>,
        repairs: Vec<String>,
    }
}

record! {
    /// A text after its edits: `str` if it was given as that, else `bytes`.
    EditedBytes { content: Py<PyAny>, encoding: Py<PyString>, outcomes: Py<PyList> }
}

record! {
    /// Where an edit goes: bytes, and lines from 1; `line_map` has the file's line for each line of `old`.
    LocatedText {
        start: usize,
        end: usize,
        first_line: u64,
        last_line: u64,
        tier: Py<PyString>,
        score: f64,
        line_map: Vec<Option<u64>>,
        repairs: Vec<String>,
        places: Vec<(usize, usize)>,
    }
}

/// The text of an edit, where Python has it: neither form is copied.
#[derive(FromPyObject)]
pub enum GivenText {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl GivenText {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// One edit as Python gives it: old, new, replace_all, expected_count, near_line.
#[derive(FromPyObject)]
pub struct EditArg(String, String, bool, Option<usize>, Option<u64>);

impl EditArg {
    pub fn into_edit(self) -> Edit {
        let Self(old, new, replace_all, expected_count, near_line) = self;
        Edit { replace_all, expected_count, near_line, ..Edit::new(old, new) }
    }
}

/// How edits are looked for, as the native functions take it.
pub struct EditLimits<'a> {
    pub encoding: Option<&'a str>,
    pub exact_only: bool,
    pub allow_placeholders: bool,
    pub budget: u64,
    pub max_bytes: u64,
}

impl EditLimits<'_> {
    pub fn options(&self) -> rootle_base::Result<Options> {
        Ok(Options {
            encoding: self.encoding.map(label).transpose()?,
            exact_only: self.exact_only,
            allow_placeholders: self.allow_placeholders,
            budget: self.budget,
            max_bytes: usize::try_from(self.max_bytes).unwrap_or(usize::MAX),
        })
    }
}

/// Replaces pieces of a text.
#[pyfunction]
#[pyo3(signature = (*, content, edits, encoding, exact_only, allow_placeholders, budget, max_bytes))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn edit_bytes(
    py: Python<'_>,
    content: GivenText,
    edits: Vec<EditArg>,
    encoding: Option<&str>,
    exact_only: bool,
    allow_placeholders: bool,
    budget: u64,
    max_bytes: u64,
) -> PyResult<EditedBytes> {
    let edits: Vec<Edit> = edits.into_iter().map(EditArg::into_edit).collect();
    let limits = EditLimits { encoding, exact_only, allow_placeholders, budget, max_bytes };
    let options = limits.options().map_err(|error| to_py(py, error))?;
    match run(py, Limits::none(), |_| Ok(plan_edits(content.bytes(), &edits, &options)))? {
        Ok(changes) => edited(py, &content, changes),
        Err(refusal) => Err(refused(py, &refusal, None)),
    }
}

/// Finds the place of an edit.
#[pyfunction]
#[pyo3(signature = (*, content, edit, encoding, exact_only, allow_placeholders, budget, max_bytes))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn locate_bytes(
    py: Python<'_>,
    content: GivenText,
    edit: EditArg,
    encoding: Option<&str>,
    exact_only: bool,
    allow_placeholders: bool,
    budget: u64,
    max_bytes: u64,
) -> PyResult<LocatedText> {
    let edit = edit.into_edit();
    let limits = EditLimits { encoding, exact_only, allow_placeholders, budget, max_bytes };
    let options = limits.options().map_err(|error| to_py(py, error))?;
    match run(py, Limits::none(), |_| Ok(locate(content.bytes(), &edit, &options)))? {
        Ok(located) => Ok(found(py, &located)),
        Err(refusal) => Err(refused(py, &refusal, None)),
    }
}

fn edited(py: Python<'_>, given: &GivenText, changes: Changes) -> PyResult<EditedBytes> {
    let (encoding, outcomes) = (encoding_name(py, changes.encoding), outcomes(py, &changes.outcomes)?);
    let content = match given {
        GivenText::Text(_) => {
            let bytes = changes.apply(given.bytes()).bytes;
            PyString::from_bytes(py, &bytes)?.into_any().unbind()
        }
        GivenText::Bytes(original) => {
            let write = |out: &mut [u8]| {
                changes.write(original, out);
                Ok(())
            };
            PyBytes::new_with(py, changes.len_of(original.len()), write)?.into_any().unbind()
        }
    };
    Ok(EditedBytes { content, encoding, outcomes })
}

fn found(py: Python<'_>, located: &Located) -> LocatedText {
    LocatedText {
        start: located.range.start,
        end: located.range.end,
        first_line: located.lines.first,
        last_line: located.lines.last,
        tier: PyString::intern(py, located.tier.as_str()).unbind(),
        score: located.score,
        line_map: located.line_map.clone(),
        repairs: located.repairs.iter().map(|repair| repair.as_str().to_owned()).collect(),
        places: located.all.iter().map(|place| (place.start, place.end)).collect(),
    }
}

pub fn encoding_name(py: Python<'_>, encoding: Encoding) -> Py<PyString> {
    PyString::intern(py, encoding.name()).unbind()
}

/// What each edit did, as records.
pub fn outcomes(py: Python<'_>, items: &[Outcome]) -> PyResult<Py<PyList>> {
    list(py, items.iter().map(|item| Bound::new(py, outcome(py, item)?)))
}

pub fn outcome(py: Python<'_>, item: &Outcome) -> PyResult<EditOutcome> {
    let warnings = item.warnings.iter().map(|warning| {
        let code = PyString::intern(py, warning.code()).unbind();
        Bound::new(py, EditWarning { code, text: PyString::new(py, &warning.to_string()).unbind() })
    });
    Ok(EditOutcome {
        status: PyString::intern(py, item.status.as_str()).unbind(),
        tier: PyString::intern(py, item.tier.as_str()).unbind(),
        score: item.score,
        replacements: item.replacements,
        before: spans(&item.before),
        after: spans(&item.after),
        warnings: list(py, warnings)?,
        repairs: item.repairs.iter().map(|repair| repair.as_str().to_owned()).collect(),
    })
}

fn spans(ranges: &[LineRange]) -> Vec<(u64, u64)> {
    ranges.iter().map(|range| (range.first, range.last)).collect()
}

/// Gives the difference of two contents of one file.
#[pyfunction]
#[pyo3(signature = (*, old, new, path, context, max_lines))]
pub fn unified_diff(
    py: Python<'_>,
    old: &[u8],
    new: &[u8],
    path: &str,
    context: usize,
    max_lines: usize,
) -> PyResult<String> {
    run(py, Limits::none(), |_| Ok(rootle_edit::unified_diff(old, new, path, context, max_lines)))
}
