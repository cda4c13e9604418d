//! How a native function runs: the GIL released, limits applied, Ctrl-C answered, a panic turned into an exception.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::prelude::*;
use rootle_base::{Context, Error, Result};

use crate::errors::to_py;

/// A flag that ends every call it was given to; may be set from any thread.
#[pyclass(frozen, module = "rootle._core")]
#[derive(Default)]
pub struct CancelToken {
    pub(crate) inner: rootle_base::CancelToken,
}

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Asks every call that holds this token to stop.
    fn cancel(&self) {
        self.inner.cancel();
    }

    /// Whether the token was set.
    #[getter]
    fn cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
}

/// The limits that every long call takes.
pub struct Limits {
    pub timeout_s: Option<f64>,
    pub cancel: Option<rootle_base::CancelToken>,
}

impl Limits {
    /// For a call that asks nothing of the system.
    pub fn none() -> Self {
        Self { timeout_s: None, cancel: None }
    }

    /// For a call that looks at one path.
    pub fn within(timeout_s: f64) -> Self {
        Self { timeout_s: Some(timeout_s), cancel: None }
    }

    pub fn new(timeout_s: Option<f64>, cancel: Option<&Bound<'_, CancelToken>>) -> Self {
        Self { timeout_s, cancel: cancel.map(|token| token.get().inner.clone()) }
    }

    fn context(self) -> Result<Context> {
        let limit = match self.timeout_s {
            None => None,
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| Error::InvalidArgument {
                name: "timeout_s",
                reason: format!("{seconds} is not a number of seconds"),
            })?),
        };
        Ok(Context::new(limit, self.cancel.unwrap_or_default()))
    }
}

/// Runs `work` with the GIL released. An interrupt that Python has pending (Ctrl-C) ends it and is raised, whatever partial
/// result there is.
pub fn run<T: Send>(py: Python<'_>, limits: Limits, work: impl FnOnce(&Context) -> Result<T> + Send) -> PyResult<T> {
    let raised = Arc::new(Mutex::new(None::<PyErr>));
    let raise = raised.clone();
    let outcome = py.detach(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let context = limits.context()?.with_interrupt(move || {
                Python::attach(|py| match py.check_signals() {
                    Ok(()) => false,
                    Err(error) => {
                        *raise.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                        true
                    }
                })
            });
            work(&context)
        }))
    });
    if let Some(error) = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
        return Err(error);
    }
    match outcome {
        Ok(result) => result.map_err(|error| to_py(py, error)),
        Err(panic) => Err(to_py(py, Error::Internal { message: panic_text(panic.as_ref()) })),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown".to_owned());
    format!("panic: {text}")
}

/// Panics inside a call, so that tests can show what a fault of the core looks like from Python.
#[pyfunction]
#[pyo3(name = "_provoke_panic")]
pub fn provoke_panic(py: Python<'_>) -> PyResult<()> {
    run(py, Limits::none(), |_| -> Result<()> { panic!("provoked") })
}
