//! Small conversions that every record shares.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rootle_base::{Error, Result, Stop};

use crate::errors::to_py;

/// A path argument: `str`, `bytes` or path-like; text that no file name can have is an `InvalidPath`.
pub struct PathArg(pub PathBuf);

impl<'py> FromPyObject<'_, 'py> for PathArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<PathBuf>() {
            Ok(path) => Ok(Self(path)),
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) => {
                let path = object.str().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
                Err(to_py(object.py(), Error::InvalidPath { path, reason: "it is not encodable as a file name" }))
            }
            Err(error) => Err(error),
        }
    }
}

/// The paths of a list of path arguments.
pub fn paths(arguments: Vec<PathArg>) -> Vec<PathBuf> {
    arguments.into_iter().map(|argument| argument.0).collect()
}

/// A file name as Python's own functions give it: UTF-8, other bytes as lone surrogates.
pub fn path_text<'py>(py: Python<'py>, path: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(path) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => Ok(OsStr::from_bytes(path).into_pyobject(py)?),
    }
}

/// What a word stands for; any other word is refused with those there are.
pub fn choice<T: Copy>(name: &'static str, word: &str, choices: &[(&str, T)]) -> Result<T> {
    choices.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        Error::InvalidArgument { name, reason: format!("{word:?} is none of {}", known.join(", ")) }
    })
}

/// The word for why a call stopped early.
pub fn stop_text(stop: Stop) -> &'static str {
    match stop {
        Stop::Deadline => "deadline",
        Stop::Cancelled => "cancelled",
        Stop::Interrupted => "interrupted",
    }
}

/// A list of records, built in one go.
pub fn list<'py, T>(py: Python<'py>, items: impl IntoIterator<Item = PyResult<T>>) -> PyResult<Py<PyList>>
where
    T: IntoPyObject<'py>,
{
    let items = items.into_iter().collect::<PyResult<Vec<T>>>()?;
    Ok(PyList::new(py, items)?.unbind())
}
