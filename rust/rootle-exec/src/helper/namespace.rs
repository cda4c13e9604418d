//! A process namespace for one command. Its first process is a fork of the supervisor that starts the command, reaps, and
//! says how the command ended; when it is killed, the kernel kills all others at once.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::process::exit;

use fork::{Fork, fork};
use rootle_exec::protocol::{Request, Status};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getegid, geteuid, set_parent_process_death_signal, setsid, wait,
};
use rustix::thread::UnshareFlags;

use crate::launch::{Launch, Setting, spawn};
use crate::priority::restore;
use crate::stdio::release;

/// Starts the command in a new namespace. An error says what cannot be had.
pub fn launch(request: &Request, setting: &Setting) -> Result<Launch, String> {
    let said = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    enter().map_err(said("no process namespace"))?;
    let (started, failed) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(said("pipe"))?;
    let (ended, end) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(said("pipe"))?;
    match fork().map_err(said("fork"))? {
        Fork::Parent(pid) => {
            drop((failed, end));
            let pid = Pid::from_raw(pid).ok_or("fork gave no process")?;
            Ok(Launch { pid, own: false, started: Some(started), ended: Some(ended) })
        }
        Fork::Child => {
            drop((started, ended));
            first(request, setting, failed, end)
        }
    }
}

/// What an [`End`] said, from the pipe of [`Launch::ended`].
pub fn decode(bytes: &[u8]) -> Option<Result<Status, String>> {
    let (kind, rest) = bytes.split_first()?;
    let number = || rest.try_into().ok().map(i32::from_le_bytes);
    match kind {
        b'c' => Some(Ok(Status::Code(number()?))),
        b's' => Some(Ok(Status::Signal(number()?))),
        _ => Some(Err(String::from_utf8_lossy(rest).into_owned())),
    }
}

fn enter() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    let as_root = user.is_root();
    let flags = if as_root { UnshareFlags::NEWPID } else { UnshareFlags::NEWPID | UnshareFlags::NEWUSER };
    // Deprecated for what UnshareFlags::FILES does to threads; there is one thread, and that flag is not used.
    #[expect(deprecated, reason = "the other form is an unsafe function")]
    rustix::thread::unshare(flags)?;
    if !as_root {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()))?;
        fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()))?;
    }
    Ok(())
}

fn own_proc() -> io::Result<()> {
    #[expect(deprecated, reason = "see above")]
    rustix::thread::unshare(UnshareFlags::NEWNS)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)?;
    Ok(())
}

/// The namespace's first process. It ends when no other is left, and with its supervisor.
fn first(request: &Request, setting: &Setting, failed: OwnedFd, end: OwnedFd) -> ! {
    let mut end = End::new(end);
    let _ = setsid();
    // The supervisor is a single thread, so its end is meant and not a thread's.
    let bound = if request.keep_survivors { None } else { Some(Signal::KILL) };
    let command = set_parent_process_death_signal(bound)
        .map_err(io::Error::from)
        .and_then(|()| own_proc())
        .and_then(|()| spawn(request, setting, failed));
    let command = match command {
        Ok(command) => command,
        Err(error) => {
            end.unavailable(&format!("no process namespace with its own /proc: {error}"));
            exit(1);
        }
    };
    // It may stay for long, with what is kept, and needs no haste.
    restore(setting.nice);
    reap_all(command, end)
}

/// Tells how `command` ended, and ends when no process is left.
pub fn reap_all(command: Pid, mut end: End) -> ! {
    release();
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => end.ended(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => exit(0),
        }
    }
}

/// The pipe on which the first process of a namespace says one thing.
pub struct End(Option<File>);

impl End {
    pub fn new(pipe: OwnedFd) -> Self {
        Self(Some(File::from(pipe)))
    }

    fn say(&mut self, kind: u8, rest: &[u8]) {
        if let Some(mut pipe) = self.0.take() {
            let _ = pipe.write_all(&[&[kind], rest].concat());
        }
    }

    /// The command could not be started, for a reason that is not its own.
    pub fn unavailable(&mut self, reason: &str) {
        self.say(b'!', reason.as_bytes());
    }

    fn ended(&mut self, status: WaitStatus) {
        match status_of(status) {
            Some(Status::Code(code)) => self.say(b'c', &code.to_le_bytes()),
            Some(Status::Signal(signal)) => self.say(b's', &signal.to_le_bytes()),
            None => {}
        }
    }
}

/// How a process ended, if it did.
pub fn status_of(status: WaitStatus) -> Option<Status> {
    status.exit_status().map(Status::Code).or_else(|| status.terminating_signal().map(Status::Signal))
}
