//! Resource limits, set on the process that becomes the command.

use std::fs;
use std::io;

use rootle_exec::processes::pids;
use rootle_exec::protocol::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

/// Sets the limits; a hard limit that is lower already stays.
pub fn apply(limits: &Limits) -> io::Result<()> {
    set(Resource::As, limits.memory, 0)?;
    set(Resource::Fsize, limits.file_size, 0)?;
    // SIGXCPU at the limit, SIGKILL a second later.
    set(Resource::Cpu, limits.cpu_s, 1)?;
    // It counts all processes of the user, and the superuser is exempt: the supervisor counts as well.
    if let Some(processes) = limits.processes.filter(|_| !getuid().is_root()) {
        set(Resource::Nproc, Some(processes.saturating_add(threads_of_user())), 0)?;
    }
    Ok(())
}

fn set(resource: Resource, limit: Option<u64>, slack: u64) -> io::Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let hard = getrlimit(resource).maximum;
    let maximum = hard.map_or(limit.saturating_add(slack), |hard| hard.min(limit.saturating_add(slack)));
    setrlimit(resource, Rlimit { current: Some(limit.min(maximum)), maximum: Some(maximum) })?;
    Ok(())
}

fn threads_of_user() -> u64 {
    let user = getuid().as_raw().to_string();
    let threads = |pid: i32| -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
        let owner = field("Uid:")?.split_ascii_whitespace().next()?;
        if owner == user { field("Threads:")?.parse().ok() } else { None }
    };
    pids().filter_map(threads).sum()
}
