//! The one mapping from the edit engine's [`Refusal`] to the classes of `rootle.errors`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rootle_edit::{Candidate, PatchError, Reason, Refusal};

/// Builds the Python exception for `refusal`; `path` is the file's, where there is one.
pub fn refused(py: Python<'_>, refusal: &Refusal, path: Option<&str>) -> PyErr {
    build(py, refusal, path).unwrap_or_else(|failure| failure)
}

/// The class for each reason. No wildcard arm: a new reason does not compile until it has its class.
fn class(reason: Reason) -> &'static str {
    match reason {
        Reason::NotFound => "TextNotFound",
        Reason::Ambiguous | Reason::CountMismatch => "AmbiguousMatch",
        Reason::UnsafeDifference => "UnsafeEdit",
        Reason::Overlap | Reason::Placeholder | Reason::NoChange | Reason::EmptyOld => "InvalidEdit",
        Reason::Unencodable => "UnencodableText",
        Reason::Binary | Reason::TooLarge | Reason::Budget => "NotEditable",
    }
}

fn build(py: Python<'_>, refusal: &Refusal, path: Option<&str>) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    if let Some(path) = path {
        details.set_item("path", path)?;
    }
    details.set_item("reason", refusal.reason.code())?;
    details.set_item("edit", refusal.edit)?;
    details.set_item("count", refusal.count)?;
    details.set_item("exact_old", refusal.exact_old.as_deref())?;
    details.set_item("unique_old", refusal.unique_old.as_deref())?;
    details.set_item("candidates", candidates(py, &refusal.candidates)?)?;
    if let Some(advice) = refusal.advice() {
        details.set_item("hint", advice)?;
    }
    let class = py.import("rootle.errors")?.getattr(class(refusal.reason))?;
    Ok(PyErr::from_value(class.call_method("of", (refusal.message.as_str(),), Some(&details))?))
}

/// The near places as plain values, which travel between processes.
fn candidates<'py>(py: Python<'py>, items: &[Candidate]) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for item in items {
        let one = PyDict::new(py);
        one.set_item("first", item.lines.first)?;
        one.set_item("last", item.lines.last)?;
        one.set_item("score", item.score)?;
        one.set_item("text", &item.text)?;
        one.set_item("symbol", item.symbol.as_deref())?;
        let differences = PyList::empty(py);
        for difference in &item.differences {
            differences.append((
                difference.old_line,
                difference.file_line,
                difference.old_text.as_str(),
                difference.file_text.as_str(),
            ))?;
        }
        one.set_item("differences", differences)?;
        all.append(one)?;
    }
    Ok(all)
}

/// The exception for a diff that cannot be read.
pub fn unreadable(py: Python<'_>, error: &PatchError) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let details = PyDict::new(py);
        details.set_item("reason", error.reason.code())?;
        details.set_item("line", error.line)?;
        let class = py.import("rootle.errors")?.getattr("InvalidPatch")?;
        Ok(PyErr::from_value(class.call_method("of", (error.to_string(),), Some(&details))?))
    };
    build().unwrap_or_else(|failure| failure)
}
