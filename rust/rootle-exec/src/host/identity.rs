//! What a process hands down to those it starts. A guardian stands for the host as the host was when it was started; when
//! any of this changes, the next command gets a new one.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit};

/// The lines of `/proc/thread-self/status` that are handed down: mask, users, groups, capabilities, processors.
const STATUS: [&str; 13] = [
    "Umask:",
    "Uid:",
    "Gid:",
    "Groups:",
    "CapInh:",
    "CapPrm:",
    "CapEff:",
    "CapBnd:",
    "CapAmb:",
    "NoNewPrivs:",
    "Seccomp:",
    "Cpus_allowed:",
    "Mems_allowed:",
];

const RESOURCES: [Resource; 16] = [
    Resource::Cpu,
    Resource::Fsize,
    Resource::Data,
    Resource::Stack,
    Resource::Core,
    Resource::Rss,
    Resource::Nproc,
    Resource::Nofile,
    Resource::Memlock,
    Resource::As,
    Resource::Locks,
    Resource::Sigpending,
    Resource::Msgqueue,
    Resource::Nice,
    Resource::Rtprio,
    Resource::Rttime,
];

/// The calling thread, as far as a process that it starts takes after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    process: u32,
    helper: PathBuf,
    status: Vec<String>,
    groups: Vec<u8>,
    limits: Vec<Rlimit>,
    nice: Option<i32>,
    /// Device and number of the root directory and of the namespaces that matter to files, processes and the network.
    places: Vec<Option<(u64, u64)>>,
}

impl Identity {
    pub(crate) fn now(helper: &Path) -> Self {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        let handed_down = |line: &&str| STATUS.iter().any(|name| line.starts_with(name));
        let place = |path: &str| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
        let namespaces = ["mnt", "net", "pid_for_children", "user"];
        Self {
            process: std::process::id(),
            helper: helper.to_owned(),
            status: status.lines().filter(handed_down).map(str::to_owned).collect(),
            groups: fs::read("/proc/thread-self/cgroup").unwrap_or_default(),
            limits: RESOURCES.into_iter().map(getrlimit).collect(),
            nice: getpriority_process(None).ok(),
            places: std::iter::once(place("/"))
                .chain(namespaces.iter().map(|name| place(&format!("/proc/thread-self/ns/{name}"))))
                .collect(),
        }
    }
}
