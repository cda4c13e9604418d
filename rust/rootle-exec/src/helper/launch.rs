//! Starting the command.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};

use fork::{Fork, fork};
use rootle_exec::packets::receive;
use rootle_exec::protocol::{MARKER, Request};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, setpgid};

use crate::cgroup::Cgroup;
use crate::control::order;
use crate::priority::{Nice, restore};
use crate::rlimits;

/// The longest text that is given as one argument; the kernel's bound is 128 KiB.
const ARGUMENT_MAX: usize = 100_000;

/// What the command's process takes on besides the request.
pub struct Setting {
    /// The control groups to join.
    pub cgroup: Cgroup,
    /// The priority to go back to.
    pub nice: Nice,
}

/// A command that is on its way.
pub struct Launch {
    /// The command's process; in a namespace, the namespace's first process.
    pub pid: Pid,
    /// Whether `pid` is the command's own process.
    pub own: bool,
    /// Ends when the program runs; holds an error number if it cannot.
    pub started: Option<OwnedFd>,
    /// Tells how the command's own process ended, where the supervisor is not its parent.
    pub ended: Option<OwnedFd>,
}

/// Starts the command as a child of the calling process.
pub fn launch(request: &Request, setting: &Setting) -> io::Result<Launch> {
    let (started, failed) = pipe_with(PipeFlags::CLOEXEC)?;
    let pid = spawn(request, setting, failed)?;
    Ok(Launch { pid, own: true, started: Some(started), ended: None })
}

/// Forks and becomes the command; an error number goes to `failed`.
pub fn spawn(request: &Request, setting: &Setting, failed: OwnedFd) -> io::Result<Pid> {
    match fork()? {
        Fork::Parent(pid) => Pid::from_raw(pid).ok_or(io::Error::from(Errno::SRCH)),
        Fork::Child => {
            let error = become_command(request, setting);
            fail(failed, &error)
        }
    }
}

/// Forks a process that waits on `socket` for the command that it becomes; it ends when the socket is closed.
pub fn wait_for_command(socket: OwnedFd, setting: &Setting) -> io::Result<Launch> {
    let (started, failed) = pipe_with(PipeFlags::CLOEXEC)?;
    match fork()? {
        Fork::Parent(pid) => {
            drop(socket);
            let pid = Pid::from_raw(pid).ok_or(io::Error::from(Errno::SRCH))?;
            Ok(Launch { pid, own: true, started: Some(started), ended: None })
        }
        Fork::Child => {
            let Ok(Some((_, descriptors))) = receive(&socket, RecvFlags::empty()) else { exit(0) };
            let error = match order(descriptors) {
                Some(order) => match order.streams.take_on() {
                    Ok(()) => become_command(&order.request, setting),
                    Err(errno) => errno.into(),
                },
                None => Errno::INVAL.into(),
            };
            fail(failed, &error)
        }
    }
}

fn fail(failed: OwnedFd, error: &io::Error) -> ! {
    let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
    let _ = File::from(failed).write_all(&errno.to_le_bytes());
    exit(127);
}

/// What the pipe of [`Launch::started`] held: the error number of a program that could not be started.
pub fn failure(started: OwnedFd) -> Option<i32> {
    let mut bytes = vec![];
    File::from(started).read_to_end(&mut bytes).ok()?;
    bytes.try_into().ok().map(i32::from_le_bytes)
}

fn become_command(request: &Request, setting: &Setting) -> io::Error {
    restore(setting.nice);
    let prepared = setpgid(None, None)
        .map_err(io::Error::from)
        .and_then(|()| setting.cgroup.join())
        .and_then(|()| rlimits::apply(&request.limits));
    if let Err(error) = prepared {
        return error;
    }
    let mut arguments = request.argv.iter().map(|argument| OsStr::from_bytes(argument));
    let Some(program) = arguments.next() else { return Errno::INVAL.into() };
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    command.envs(request.env.iter().map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))));
    command.env(MARKER, OsStr::from_bytes(&request.marker));
    match &request.script {
        None => command.exec(),
        Some(script) if script.len() <= ARGUMENT_MAX => command.arg("-c").arg(OsStr::from_bytes(script)).exec(),
        Some(script) => match long_script(script) {
            Ok(file) => command.arg("-c").arg(format!(". /proc/self/fd/{}", file.as_raw_fd())).exec(),
            Err(error) => error,
        },
    }
}

/// A file without a name that the shell reads and that ends with the command.
fn long_script(script: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("command", MemfdFlags::empty())?);
    file.write_all(script)?;
    Ok(file)
}
