//! The last resort, for a command that killed both processes of its helper: its processes are found by their environment.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::processes::{has_in_environment, is_zombie, pids, signal_if};
use crate::protocol::MARKER;

/// Between two rounds.
const ROUND: Duration = Duration::from_millis(5);

/// Kills everything that carries the marker, and everything in the control group. Gives how many processes live on.
/// A process that cleared its environment *and* left the control group, or has none, is not found.
pub(crate) fn sweep(marker: &[u8], cgroup: Option<&[u8]>, limit: Duration) -> u64 {
    let entry = [MARKER.as_bytes(), b"=", marker].concat();
    let group = cgroup.map(|path| Path::new(std::ffi::OsStr::from_bytes(path)));
    let until = Instant::now() + limit;
    let mut quiet = 0;
    loop {
        if let Some(group) = group {
            let _ = fs::write(group.join("cgroup.kill"), "1");
        }
        let mut found = 0;
        for pid in pids().filter(|pid| has_in_environment(*pid, &entry) && !is_zombie(*pid)) {
            found += u64::from(signal_if(pid, &[Signal::KILL], || has_in_environment(pid, &entry)));
        }
        // What was being forked in the first round shows in the second.
        quiet = if found == 0 { quiet + 1 } else { 0 };
        if quiet == 2 || Instant::now() >= until {
            if let Some(group) = group {
                let _ = fs::remove_dir(group);
            }
            return found;
        }
        sleep(ROUND);
    }
}
