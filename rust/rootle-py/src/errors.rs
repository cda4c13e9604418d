//! The one mapping from the core's [`Error`] to the classes of `rootle.errors`.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rootle_base::Error;

/// Builds the Python exception for `error` by calling `rootle.errors.<Class>.of(message, **details)`.
pub fn to_py(py: Python<'_>, error: Error) -> PyErr {
    build(py, error).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let message = error.to_string();
    let details = PyDict::new(py);
    // No wildcard arm: a new kind of error does not compile until it has its class.
    let class = match error {
        Error::PathEscapesRoot { path } => {
            details.set_item("path", path)?;
            "PathEscapesRoot"
        }
        Error::PathNotFound { path, suggestions } => {
            details.set_item("path", path)?;
            details.set_item("suggestions", suggestions)?;
            "PathNotFound"
        }
        Error::NotADirectory { path } => {
            details.set_item("path", path)?;
            "NotADirectory"
        }
        Error::IsADirectory { path } => {
            details.set_item("path", path)?;
            "IsADirectory"
        }
        Error::NotARegularFile { path, kind } => {
            details.set_item("path", path)?;
            details.set_item("kind", kind)?;
            "NotARegularFile"
        }
        Error::SymlinkLoop { path } => {
            details.set_item("path", path)?;
            "SymlinkLoop"
        }
        Error::PermissionDenied { path, operation } => {
            details.set_item("path", path)?;
            details.set_item("operation", operation)?;
            "PermissionDenied"
        }
        Error::ProtectedPath { path } => {
            details.set_item("path", path)?;
            "ProtectedPath"
        }
        Error::AlreadyExists { path } => {
            details.set_item("path", path)?;
            "AlreadyExists"
        }
        Error::StaleFile { path, expected, current } => {
            details.set_item("path", path)?;
            details.set_item("expected_hash", expected.map(|hash| PyBytes::new(py, &hash)))?;
            details.set_item("current_hash", current.map(|hash| PyBytes::new(py, &hash)))?;
            "StaleFile"
        }
        Error::FileTooLarge { path, size, limit } => {
            details.set_item("path", path)?;
            details.set_item("size", size)?;
            details.set_item("limit", limit)?;
            "FileTooLarge"
        }
        Error::Unwritable { path, reason } => {
            details.set_item("path", path)?;
            details.set_item("operation", "write")?;
            details.set_item("reason", reason)?;
            "Unwritable"
        }
        Error::CommitIncomplete { path, reason, written } => {
            details.set_item("path", path)?;
            details.set_item("operation", "write")?;
            details.set_item("reason", reason)?;
            details.set_item("written", written)?;
            "CommitIncomplete"
        }
        Error::WriteUnsettled { path, written } => {
            details.set_item("path", path)?;
            details.set_item("operation", "write")?;
            details.set_item("written", written)?;
            "WriteUnsettled"
        }
        Error::InvalidPath { path, reason } => {
            details.set_item("path", path)?;
            details.set_item("reason", reason)?;
            "InvalidPath"
        }
        Error::RootGone { path } => {
            details.set_item("path", path)?;
            "RootGone"
        }
        Error::InvalidPattern { pattern, reason } => {
            details.set_item("pattern", pattern)?;
            details.set_item("reason", reason)?;
            "InvalidPattern"
        }
        Error::PatternTooLarge { pattern, reason } => {
            details.set_item("pattern", pattern)?;
            details.set_item("reason", reason)?;
            "PatternTooLarge"
        }
        Error::InvalidGlob { glob, reason } => {
            details.set_item("glob", glob)?;
            details.set_item("reason", reason)?;
            "InvalidGlob"
        }
        Error::UnknownFileType { name, suggestions } => {
            details.set_item("name", name)?;
            details.set_item("suggestions", suggestions)?;
            "UnknownFileType"
        }
        Error::InvalidCursor { reason } => {
            details.set_item("reason", reason)?;
            "InvalidCursor"
        }
        Error::InvalidArgument { name, reason } => {
            details.set_item("name", name)?;
            details.set_item("reason", reason)?;
            "InvalidArgument"
        }
        Error::DeadlineExceeded { limit_s } => {
            details.set_item("limit_s", limit_s)?;
            "DeadlineExceeded"
        }
        Error::Cancelled => "UserAbortError",
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        Error::Io { path, operation, source } => {
            details.set_item("path", path)?;
            details.set_item("operation", operation)?;
            details.set_item("os_error", source.raw_os_error())?;
            "IoFailed"
        }
        Error::SandboxUnavailable { reason } => {
            details.set_item("reason", reason)?;
            "SandboxUnavailable"
        }
        Error::Internal { message } => {
            details.set_item("reason", message)?;
            "RootleInternalError"
        }
    };
    let instance = py.import("rootle.errors")?.getattr(class)?.call_method("of", (message,), Some(&details))?;
    Ok(PyErr::from_value(instance))
}
