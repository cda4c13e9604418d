//! A command in a sandbox of `bwrap`, which makes namespaces and a file system and becomes this helper again, as the first process
//! in there. That one starts the command and says exactly how it ended, which `bwrap` itself cannot: a signal comes out of it as
//! an exit code, and a missing program as code 1.
//!
//! `bwrap` runs with no variable of the command's own: what they name, such as libraries to load, would act outside the sandbox.

use std::convert::Infallible;
use std::env::{Args, args, current_dir};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};

use fork::{Fork, fork};
use nix::unistd::close;
use rootle_exec::protocol::{INSIDE, MARKER, Request};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::dup;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, set_dumpable_behavior, setpgid};

use crate::cgroup::Cgroup;
use crate::launch::{Launch, Setting, spawn};
use crate::namespace::{End, reap_all};
use crate::priority::restore;

/// The first argument of the helper inside.
const WORD: &str = "first-process";

/// Starts `bwrap` as a child of the calling process, with the command. An error says what cannot be had.
pub fn launch(request: &Request, setting: &Setting) -> Result<Launch, String> {
    let said = |error: io::Error| format!("no process can be prepared: {error}");
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(said);
    let ((started, failed), (ended, end)) = (pipe()?, pipe()?);
    match fork().map_err(said)? {
        Fork::Parent(pid) => {
            drop((failed, end));
            let pid = Pid::from_raw(pid).ok_or("fork gave no process")?;
            Ok(Launch { pid, own: false, started: Some(started), ended: Some(ended) })
        }
        Fork::Child => {
            let error = become_bwrap(request, setting, &failed, &end);
            let program = request.bubblewrap.first().map(|program| String::from_utf8_lossy(program));
            End::new(end).unavailable(&format!("{}: {error}", program.unwrap_or_default()));
            exit(127);
        }
    }
}

fn become_bwrap(request: &Request, setting: &Setting, failed: &OwnedFd, end: &OwnedFd) -> io::Error {
    restore(setting.nice);
    let prepared = setpgid(None, None)
        .map_err(io::Error::from)
        .and_then(|()| setting.cgroup.join())
        .and_then(|()| Ok((current_dir()?, text(request)?, inheritable(failed)?, inheritable(end)?)));
    let (directory, text, failed, end) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return error,
    };
    let mut arguments = request.bubblewrap.iter().map(|argument| OsStr::from_bytes(argument));
    let Some(program) = arguments.next() else { return io::ErrorKind::InvalidInput.into() };
    let mut command = Command::new(program);
    // Without the directory's name it would go elsewhere, silently, if that is not to be seen inside.
    command.args(arguments).arg("--chdir").arg(directory);
    command.args(["--", INSIDE, WORD]).args([&text, &failed, &end].map(|fd| fd.as_raw_fd().to_string()));
    command.env_clear().env(MARKER, OsStr::from_bytes(&request.marker));
    command.exec()
}

/// A copy that the next program keeps.
fn inheritable(fd: &OwnedFd) -> io::Result<OwnedFd> {
    Ok(dup(fd)?)
}

fn text(request: &Request) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("request", MemfdFlags::empty())?);
    file.write_all(&request.encode())?;
    Ok(file.into())
}

/// The arguments behind the word, when this process is the first one inside.
pub fn arguments() -> Option<Args> {
    let mut arguments = args();
    (arguments.nth(1)? == WORD).then_some(arguments)
}

/// Starts the command and stays until no process is left. Gives nothing but `None`, for arguments that are not of [`launch`].
pub fn become_first(arguments: &mut Args) -> Option<Infallible> {
    let mut next = || arguments.next()?.parse::<RawFd>().ok();
    let (text, failed, end) = (next()?, next()?, next()?);
    let request = Request::decode(&fs::read(place(text)).ok()?).ok()?;
    let (failed, mut end_of) = (take(failed)?, End::new(take(end)?));
    close(text).ok()?;
    // What it holds is not for the command, which has the same user.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let setting = Setting { cgroup: Cgroup::default(), nice: None };
    match spawn(&request, &setting, failed) {
        Ok(command) => reap_all(command, end_of),
        Err(error) => {
            end_of.unavailable(&format!("fork: {error}"));
            exit(1);
        }
    }
}

/// Takes over a pipe that was inherited: a descriptor of its own for it, and the other one closed.
fn take(fd: RawFd) -> Option<OwnedFd> {
    let own = OpenOptions::new().write(true).open(place(fd)).ok()?;
    close(fd).ok()?;
    Some(own.into())
}

fn place(fd: RawFd) -> String {
    format!("/proc/self/fd/{fd}")
}
