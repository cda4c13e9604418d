//! The confined directory and what the system says of one path.

use std::os::unix::ffi::OsStrExt;

use pyo3::prelude::*;
use pyo3::types::PyString;
use rootle_base::Resolver;

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, choice, path_text};
use crate::errors::to_py;
use crate::records::record;

/// A directory opened once.
#[pyclass(frozen, module = "rootle._core")]
pub struct Root {
    pub(crate) inner: rootle_base::Root,
}

const RESOLVERS: [(&str, Resolver); 3] =
    [("auto", Resolver::Auto), ("openat2", Resolver::Openat2), ("components", Resolver::Components)];

#[pymethods]
impl Root {
    #[new]
    #[pyo3(signature = (path, *, resolver, timeout_s))]
    fn new(py: Python<'_>, path: PathArg, resolver: &str, timeout_s: f64) -> PyResult<Self> {
        let resolver = choice("resolver", resolver, &RESOLVERS).map_err(|error| to_py(py, error))?;
        let inner =
            run(py, Limits::within(timeout_s), |context| rootle_base::Root::open_within(path.0, resolver, context))?;
        Ok(Self { inner })
    }

    /// Gives the same directory as a root that stands for the one at `path` on another machine.
    fn standing_for(&self, py: Python<'_>, path: PathArg) -> PyResult<Self> {
        self.inner.standing_for(&path.0).map(|inner| Self { inner }).map_err(|error| to_py(py, error))
    }

    /// The root's absolute path, every link resolved.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        path_text(py, self.inner.path().as_os_str().as_bytes())
    }

    /// Gives `path` relative to the root, by its text alone.
    fn relative<'py>(&self, py: Python<'py>, path: PathArg) -> PyResult<Bound<'py, PyString>> {
        let relative = self.inner.relative(&path.0).map_err(|error| to_py(py, error))?;
        path_text(py, relative.as_os_str().as_bytes())
    }

    /// Looks at one path.
    #[pyo3(signature = (path, *, follow, timeout_s))]
    fn stat(&self, py: Python<'_>, path: PathArg, follow: bool, timeout_s: f64) -> PyResult<Metadata> {
        let root = &self.inner;
        let stat = run(py, Limits::within(timeout_s), |context| {
            root.apart(context, move |root, _| if follow { root.stat(&path.0) } else { root.stat_link(&path.0) })
        })?;
        Ok(Metadata::of(py, &stat))
    }

    /// Gives the path with every link resolved, relative to the root.
    #[pyo3(signature = (path, *, timeout_s, cancel))]
    fn real_path<'py>(
        &self,
        py: Python<'py>,
        path: PathArg,
        timeout_s: f64,
        cancel: Option<&Bound<'py, CancelToken>>,
    ) -> PyResult<Bound<'py, PyString>> {
        let root = &self.inner;
        let limits = Limits::new(Some(timeout_s), cancel);
        let real = run(py, limits, |context| root.apart(context, move |root, _| root.real_path(&path.0)))?;
        path_text(py, real.as_os_str().as_bytes())
    }

    fn __repr__(&self) -> String {
        format!("Root({:?})", self.inner.path())
    }
}

record! {
    /// What the system says of one path.
    Metadata {
        kind: Py<PyString>,
        size: u64,
        mtime_ns: i64,
        ctime_ns: i64,
        mode: u32,
        inode: u64,
        device: u64,
        links: u64,
    }
}

impl Metadata {
    pub fn of(py: Python<'_>, stat: &rootle_base::Metadata) -> Self {
        Self {
            kind: PyString::intern(py, stat.kind.as_str()).unbind(),
            size: stat.size,
            mtime_ns: stat.mtime_ns,
            ctime_ns: stat.ctime_ns,
            mode: stat.mode,
            inode: stat.ino,
            device: stat.dev,
            links: stat.nlink,
        }
    }
}
