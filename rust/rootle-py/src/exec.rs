//! Commands.

use std::ffi::OsString;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use rootle_base::{Context, Error, Result};
use rootle_exec::protocol::{Limits as Resources, Patience, Tier};
use rootle_exec::{Captured, Command, Outcome, Spill, Stdin, Streams};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, choice};
use crate::records::record;
use crate::root::Root;

const TIERS: [(&str, Tier); 4] = [
    ("subreaper", Tier::Subreaper),
    ("cgroup", Tier::Cgroup),
    ("pid_namespace", Tier::PidNamespace),
    ("bubblewrap", Tier::Bubblewrap),
];

record! {
    /// What was kept of one stream.
    ExecStream { data: Py<PyBytes>, gap: Option<usize>, total: u64 }
}

record! {
    /// How a command ended and what it printed.
    ExecOutcome {
        ended: Py<PyString>,
        exit_code: Option<i32>,
        signal: Option<i32>,
        start_error: Option<i32>,
        stdout: Py<ExecStream>,
        stderr: Py<ExecStream>,
        output: Py<ExecStream>,
        spilled_bytes: Option<u64>,
        spill_complete: bool,
        drained: bool,
        tier: Py<PyString>,
        survivors_killed: u64,
        survivors_left: u64,
        duration_s: f64,
    }
}

/// Runs a command to the end of its last process.
#[pyfunction]
#[pyo3(signature = (*, helper, root, cwd, argv, script, env, stdin, stdin_fd, merge_streams, max_output_bytes, spill_root, spill_name, spill_max_bytes, spill_from_start, tier, bubblewrap, keep_survivors, memory_bytes, processes, file_bytes, cpu_s, grace_s, cancel_grace_s, settle_s, drain_s, kill_s, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn exec_command(
    py: Python<'_>,
    helper: PathArg,
    root: &Bound<'_, Root>,
    cwd: PathArg,
    argv: Vec<OsString>,
    script: Option<PyBackedBytes>,
    env: Vec<(OsString, OsString)>,
    stdin: Option<PyBackedBytes>,
    stdin_fd: Option<RawFd>,
    merge_streams: bool,
    max_output_bytes: usize,
    spill_root: Option<&Bound<'_, Root>>,
    spill_name: OsString,
    spill_max_bytes: u64,
    spill_from_start: bool,
    tier: &str,
    bubblewrap: Vec<OsString>,
    keep_survivors: bool,
    memory_bytes: Option<u64>,
    processes: Option<u64>,
    file_bytes: Option<u64>,
    cpu_s: Option<u64>,
    grace_s: f64,
    cancel_grace_s: f64,
    settle_s: f64,
    drain_s: f64,
    kill_s: f64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<ExecOutcome> {
    let spill_root = spill_root.map(|root| root.get().inner.clone());
    let root = &root.get().inner;
    let command = |ctx: &Context| -> Result<Command> {
        // Before anything is opened that could take the number of a descriptor that is closed.
        let stdin = match (stdin, stdin_fd) {
            (Some(_), Some(_)) => return Err(invalid("stdin_fd", "it excludes stdin")),
            (Some(bytes), None) => Stdin::Bytes(bytes.to_vec()),
            (None, Some(fd)) => Stdin::Descriptor(duplicate(fd)?),
            (None, None) => Stdin::Closed,
        };
        let spill =
            |directory| Spill { directory, name: spill_name, max_bytes: spill_max_bytes, from_start: spill_from_start };
        Ok(Command {
            helper: helper.0,
            argv,
            script: script.map(|script| script.to_vec()),
            env,
            cwd: root.apart(ctx, move |root, _| root.open_dir(&cwd.0))?,
            stdin,
            streams: if merge_streams { Streams::Merged } else { Streams::Separate },
            max_output_bytes,
            spill: spill_root.map(|root| root.open_dir(".".as_ref())).transpose()?.map(spill),
            tier: choice("tier", tier, &TIERS)?,
            bubblewrap,
            limits: Resources { memory: memory_bytes, processes, file_size: file_bytes, cpu_s },
            keep_survivors,
            patience: Patience {
                grace: seconds("grace_s", grace_s)?,
                // The host that is gone cannot say; what is fit for a cancelled call is fit here.
                orphan_grace: seconds("cancel_grace_s", cancel_grace_s)?,
                settle: seconds("settle_s", settle_s)?,
                kill: seconds("kill_s", kill_s)?,
            },
            cancel_grace: seconds("cancel_grace_s", cancel_grace_s)?,
            drain: seconds("drain_s", drain_s)?,
        })
    };
    let outcome = run(py, Limits::new(timeout_s, cancel), |ctx| rootle_exec::run(command(ctx)?, ctx))?;
    ExecOutcome::of(py, outcome)
}

impl ExecOutcome {
    fn of(py: Python<'_>, outcome: Outcome) -> PyResult<Self> {
        let stream = |captured: Captured| {
            let Captured { data, gap, total } = captured;
            Py::new(py, ExecStream { data: PyBytes::new(py, &data).unbind(), gap, total })
        };
        Ok(Self {
            ended: PyString::intern(py, outcome.ended.as_str()).unbind(),
            exit_code: outcome.exit_code,
            signal: outcome.signal,
            start_error: outcome.start_error,
            stdout: stream(outcome.stdout)?,
            stderr: stream(outcome.stderr)?,
            output: stream(outcome.output)?,
            spilled_bytes: outcome.spilled.map(|spilled| spilled.bytes),
            spill_complete: outcome.spilled.is_some_and(|spilled| spilled.complete),
            drained: outcome.drained,
            tier: PyString::intern(py, outcome.tier.as_str()).unbind(),
            survivors_killed: outcome.survivors_killed,
            survivors_left: outcome.survivors_left,
            duration_s: outcome.duration.as_secs_f64(),
        })
    }
}

fn invalid(name: &'static str, reason: &str) -> Error {
    Error::InvalidArgument { name, reason: reason.to_owned() }
}

fn seconds(name: &'static str, value: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value).map_err(|_| invalid(name, &format!("{value} is not a number of seconds")))
}

fn duplicate(fd: RawFd) -> Result<OwnedFd> {
    if fd < 0 {
        return Err(invalid("stdin_fd", "it is negative"));
    }
    // SAFETY: the caller owns the descriptor and keeps it open during this call; a number that is no open descriptor gives
    // an error of the duplication, which is all that is done with it.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
    borrowed.try_clone_to_owned().map_err(|error| invalid("stdin_fd", &error.to_string()))
}
