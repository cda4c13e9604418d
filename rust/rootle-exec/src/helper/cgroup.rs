//! Control groups for one command: of version 2, which the kernel ends at once, and of version 1's `pids` controller, where
//! only that can bound how many processes there are.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rootle_exec::protocol::{Request, Tier};

use crate::hierarchy::Hierarchy;

/// The groups that were made for one command.
#[derive(Default)]
pub struct Cgroup {
    unified: Option<PathBuf>,
    pids: Option<PathBuf>,
}

/// How often removal is tried while the kernel lets go of processes that were killed.
const REMOVAL_TRIES: u32 = 50;

impl Cgroup {
    /// Makes what the tier and the limits need. Only the tier's own group must be had: limits are also kept otherwise.
    pub fn create(request: &Request) -> Result<Self, String> {
        let name = format!("rootle-{}", String::from_utf8_lossy(&request.marker));
        let mut made = Self::default();
        if request.tier == Tier::Cgroup {
            let path = below_own(Hierarchy::Unified, &name)?;
            made.unified = Some(path.clone());
            if !path.join("cgroup.kill").exists() {
                made.remove();
                return Err("the kernel has no cgroup.kill".to_owned());
            }
            // These files are there only where the controllers are handed down.
            if let Some(memory) = request.limits.memory {
                let _ = fs::write(path.join("memory.max"), memory.to_string());
                let _ = fs::write(path.join("memory.swap.max"), "0");
            }
        }
        if let Some(processes) = request.limits.processes {
            made.limit_processes(&name, processes);
        }
        Ok(made)
    }

    fn limit_processes(&mut self, name: &str, most: u64) {
        let limit = |path: &Path| fs::write(path.join("pids.max"), most.to_string()).is_ok();
        if self.unified.as_deref().is_some_and(limit) {
            return;
        }
        for hierarchy in [Hierarchy::Controller("pids"), Hierarchy::Unified] {
            let Ok(path) = below_own(hierarchy, name) else { continue };
            if limit(&path) {
                self.pids = Some(path);
                return;
            }
            remove(&path);
        }
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.unified.iter().chain(&self.pids)
    }

    /// The directory of the group that can be killed.
    pub fn path(&self) -> Option<&[u8]> {
        self.unified.as_ref().map(|path| path.as_os_str().as_bytes())
    }

    /// Moves the calling process into the groups.
    pub fn join(&self) -> io::Result<()> {
        self.paths().try_for_each(|path| fs::write(path.join("cgroup.procs"), "0"))
    }

    /// Kills everything in the group at once, also what is being forked.
    pub fn kill(&self) {
        for path in self.paths() {
            let _ = fs::OpenOptions::new().write(true).open(path.join("cgroup.kill")).and_then(|mut file| {
                use std::io::Write;
                file.write_all(b"1")
            });
        }
    }

    /// Lets go of what lives in the groups: it goes to the groups above, and these are removed.
    pub fn release(&self) {
        for path in self.paths() {
            for _ in 0..REMOVAL_TRIES {
                let members = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
                if members.is_empty() {
                    break;
                }
                for pid in members.lines() {
                    let _ = fs::write(path.with_file_name("cgroup.procs"), pid);
                }
            }
        }
        self.remove();
    }

    /// Removes the groups when they are empty.
    pub fn remove(&self) {
        self.paths().for_each(|path| remove(path));
    }
}

fn below_own(hierarchy: Hierarchy, name: &str) -> Result<PathBuf, String> {
    let path = hierarchy.own_directory()?.join(name);
    fs::create_dir(&path).map_err(|error| format!("no control group can be made: {error}"))?;
    Ok(path)
}

fn remove(path: &Path) {
    for _ in 0..REMOVAL_TRIES {
        match fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => sleep(Duration::from_millis(1)),
            _ => return,
        }
    }
}
