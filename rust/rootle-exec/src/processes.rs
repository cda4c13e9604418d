//! What procfs says of processes: who descends from whom, and which carry a marker.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// A process as it was when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// Its parent's id.
    pub parent: i32,
}

/// Goes through the processes below `ancestor`, parents before their children, `ancestor` itself not among them, as long as
/// `visit` says to go on. A process that is started or adopted meanwhile may be missing; looking again finds it.
pub fn walk(ancestor: i32, mut visit: impl FnMut(Process) -> ControlFlow<()>) {
    let first = children(ancestor).unwrap_or_default();
    let mut pending: Vec<Process> = first.into_iter().map(|pid| Process { pid, parent: ancestor }).collect();
    while let Some(process) = pending.pop() {
        // Read before the visit, which may end the process.
        let below = children(process.pid).unwrap_or_default();
        if visit(process).is_break() {
            return;
        }
        pending.extend(below.into_iter().map(|pid| Process { pid, parent: process.pid }));
    }
}

/// The children of a process; `None` if it is gone.
#[must_use]
pub fn children(pid: i32) -> Option<Vec<i32>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let mut found = vec![];
    let mut listed = false;
    // The kernel lists them by the thread that started or adopted them.
    for thread in threads.flatten() {
        if let Ok(text) = fs::read_to_string(thread.path().join("children")) {
            listed = true;
            found.extend(text.split_ascii_whitespace().filter_map(|word| word.parse::<i32>().ok()));
        }
    }
    if !listed {
        // Built without these lists.
        found.extend(pids().filter(|one| parent(*one) == Some(pid)));
    }
    Some(found)
}

/// Every process that procfs shows.
pub fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
}

/// The parent of a process that exists and was not reaped.
#[must_use]
pub fn parent(pid: i32) -> Option<i32> {
    stat_field(pid, 1)?.parse().ok()
}

/// Whether the process ended and only waits to be reaped.
#[must_use]
pub fn is_zombie(pid: i32) -> bool {
    stat_field(pid, 0).is_some_and(|state| state == "Z" || state == "X")
}

/// A field of `stat` after the name, which may itself contain spaces and parentheses.
fn stat_field(pid: i32, field: usize) -> Option<String> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(name_end + 2..)?).into_owned();
    rest.split(' ').nth(field).map(str::to_owned)
}

/// Whether the process was started with `entry` (`NAME=value`) in its environment.
#[must_use]
pub fn has_in_environment(pid: i32, entry: &[u8]) -> bool {
    let path = PathBuf::from(format!("/proc/{pid}/environ"));
    fs::read(path).is_ok_and(|text| text.split(|byte| *byte == 0).any(|one| one == entry))
}

/// Sends a signal to the process that had this id and still satisfies `is_it`; the id may have passed to another process in
/// between, so the process is held by a descriptor while it is looked at. False if there is none to signal.
pub fn signal_if(pid: i32, signals: &[Signal], is_it: impl FnOnce() -> bool) -> bool {
    let Some(id) = Pid::from_raw(pid) else { return false };
    match pidfd_open(id, PidfdFlags::empty()) {
        Ok(held) => is_it() && signals.iter().fold(true, |sent, one| sent & pidfd_send_signal(&held, *one).is_ok()),
        Err(rustix::io::Errno::SRCH) => false,
        // An old kernel, or one that forbids it.
        Err(_) => is_it() && signals.iter().fold(true, |sent, one| sent & kill_process(id, *one).is_ok()),
    }
}
