//! Records that several results share: what was covered, and what went wrong on single paths.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use rootle_walk::Summary;

use crate::convert::{list, path_text};

/// Declares a frozen record: every field can be read, and the constructor takes each as a required keyword.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[pyo3::pyclass(frozen, get_all, module = "rootle._core")]
        pub struct $name {
            $(pub $field: $type),*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*, $($field),*))]
            #[allow(clippy::too_many_arguments, reason = "one keyword a field")]
            fn new($($field: $type),*) -> Self {
                Self { $($field),* }
            }

            fn __repr__(slf: &pyo3::Bound<'_, Self>) -> pyo3::PyResult<String> {
                crate::records::show(slf.as_any(), stringify!($name), &[$(stringify!($field)),*])
            }

            fn __reduce__<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<crate::records::Reduced<'py>> {
                crate::records::reduce(slf.as_any(), &[$(stringify!($field)),*])
            }
        }
    };
}
pub(crate) use record;

/// A record as Python would write it.
pub fn show(record: &Bound<'_, PyAny>, name: &str, fields: &[&str]) -> PyResult<String> {
    let shown = fields
        .iter()
        .map(|field| Ok(format!("{field}={}", record.getattr(*field)?.repr()?.to_string_lossy())))
        .collect::<PyResult<Vec<String>>>()?;
    Ok(format!("{name}({})", shown.join(", ")))
}

/// How a record is made again: a function and its arguments.
pub type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyType>, Bound<'py, PyTuple>, Bound<'py, PyDict>));

/// What copies and pickles make a record of again.
pub fn reduce<'py>(record: &Bound<'py, PyAny>, fields: &[&str]) -> PyResult<Reduced<'py>> {
    let keywords = PyDict::new(record.py());
    for field in fields {
        keywords.set_item(field, record.getattr(*field)?)?;
    }
    made_of(record, keywords)
}

fn made_of<'py>(record: &Bound<'py, PyAny>, keywords: Bound<'py, PyDict>) -> PyResult<Reduced<'py>> {
    // What Python's own protocol calls for a class whose constructor takes keywords.
    let make = record.py().import("copyreg")?.getattr("__newobj_ex__")?;
    Ok((make, (record.get_type(), PyTuple::empty(record.py()), keywords)))
}

record! {
    /// Something that went wrong on one path while the call went on.
    PathWarning { path: Py<PyString>, code: Py<PyString>, message: Py<PyString> }
}

/// What a walk or search looked at, and what it left out, by reason.
#[pyclass(frozen, get_all, eq, module = "rootle._core")]
#[derive(Clone, Default, PartialEq)]
pub struct Coverage {
    pub files: u64,
    pub bytes: u64,
    pub directories: u64,
    pub ignored: u64,
    pub hidden: u64,
    pub skipped_dirs: u64,
    pub filtered: u64,
    pub special: u64,
    pub links: u64,
    pub binary: u64,
    pub too_large: u64,
    pub lossy: u64,
    pub unreadable: u64,
    pub step_limited: u64,
    pub long_lines_split: u64,
}

#[pymethods]
impl Coverage {
    #[new]
    #[pyo3(signature = (*, files=0, bytes=0, directories=0, ignored=0, hidden=0, skipped_dirs=0, filtered=0, special=0, links=0, binary=0, too_large=0, lossy=0, unreadable=0, step_limited=0, long_lines_split=0))]
    #[expect(clippy::too_many_arguments, reason = "one keyword a field")]
    fn new(
        files: u64,
        bytes: u64,
        directories: u64,
        ignored: u64,
        hidden: u64,
        skipped_dirs: u64,
        filtered: u64,
        special: u64,
        links: u64,
        binary: u64,
        too_large: u64,
        lossy: u64,
        unreadable: u64,
        step_limited: u64,
        long_lines_split: u64,
    ) -> Self {
        Self {
            files,
            bytes,
            directories,
            ignored,
            hidden,
            skipped_dirs,
            filtered,
            special,
            links,
            binary,
            too_large,
            lossy,
            unreadable,
            step_limited,
            long_lines_split,
        }
    }

    /// Gives the counts by name, in the order of the fields.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (name, count) in self.counts() {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        made_of(slf.as_any(), slf.get().as_dict(slf.py())?)
    }

    fn __repr__(&self) -> String {
        let shown: Vec<String> = self
            .counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name}={count}"))
            .collect();
        format!("Coverage({})", shown.join(", "))
    }
}

impl Coverage {
    fn counts(&self) -> [(&'static str, u64); 15] {
        [
            ("files", self.files),
            ("bytes", self.bytes),
            ("directories", self.directories),
            ("ignored", self.ignored),
            ("hidden", self.hidden),
            ("skipped_dirs", self.skipped_dirs),
            ("filtered", self.filtered),
            ("special", self.special),
            ("links", self.links),
            ("binary", self.binary),
            ("too_large", self.too_large),
            ("lossy", self.lossy),
            ("unreadable", self.unreadable),
            ("step_limited", self.step_limited),
            ("long_lines_split", self.long_lines_split),
        ]
    }

    /// The walk's share; a search adds its own counts.
    pub fn of_walk(summary: &Summary) -> Self {
        Self {
            files: summary.files,
            directories: summary.dirs,
            ignored: summary.ignored,
            hidden: summary.hidden,
            skipped_dirs: summary.skipped_dirs,
            filtered: summary.filtered,
            special: summary.special,
            links: summary.links,
            ..Self::default()
        }
    }
}

/// The warnings of a walk as records.
pub fn warnings(py: Python<'_>, items: &[rootle_walk::Warning]) -> PyResult<Py<PyList>> {
    list(
        py,
        items.iter().map(|item| {
            let warning = PathWarning {
                path: path_text(py, &item.path)?.unbind(),
                code: PyString::intern(py, item.code).unbind(),
                message: PyString::new(py, &item.message).unbind(),
            };
            Bound::new(py, warning)
        }),
    )
}
