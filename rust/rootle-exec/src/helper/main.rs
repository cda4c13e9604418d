//! The process that owns commands, so that the host's own process state is never touched.
//!
//! The *guardian* is started once by its host and forks a *supervisor* for each command. The supervisor starts the command,
//! adopts every orphan of it (`PR_SET_CHILD_SUBREAPER`), ends what is left when the command's end, time or host is over, and
//! reports. A command that kills its supervisor is handed to the guardian by the kernel, which then ends it. All stand in
//! sessions of their own without a controlling terminal. No parent-death signal is used on behalf of the host, since that
//! fires when the host's *thread* ends: the host's end is seen on a descriptor of its process.
//!
//! There is one thread in each of these processes, so that a fork is a whole copy. Nothing is ever printed: standard output
//! and error belong to the command.

mod bubblewrap;
mod cgroup;
mod control;
mod guardian;
mod hierarchy;
mod launch;
mod namespace;
mod priority;
mod rlimits;
mod signals;
mod stdio;
mod supervisor;
mod tree;

use std::process::exit;

use close_fds::CloseFdsBuilder;
use fork::{Fork, fork};
use rootle_exec::packets::{receive, send};
use rootle_exec::protocol::{HELLO, Hello};
use rustix::net::RecvFlags;
use rustix::process::{Pid, PidfdFlags, chdir, getpid, pidfd_open, set_child_subreaper, setsid};

use crate::guardian::Guardian;
use crate::stdio::own_stdin;

/// The helper was not started by a host, or by one of another build.
const MISUSED: i32 = 64;
/// The system refused something that every command needs.
const REFUSED: i32 = 71;

fn main() {
    // What the host's process leaves inheritable must not reach a command.
    CloseFdsBuilder::new().cloexecfrom(3);
    if let Some(mut arguments) = bubblewrap::arguments() {
        match bubblewrap::become_first(&mut arguments) {
            Some(never) => match never {},
            None => exit(MISUSED),
        }
    }
    let Some(socket) = own_stdin() else { exit(MISUSED) };
    let Ok(Some((packet, _))) = receive(&socket, RecvFlags::empty()) else { exit(MISUSED) };
    let Ok(hello) = Hello::decode(&packet) else { exit(MISUSED) };
    let host = i32::try_from(hello.host).ok().and_then(Pid::from_raw);
    let host = host.and_then(|host| pidfd_open(host, PidfdFlags::empty()).ok());

    // The host gets no child that it did not ask for.
    match fork() {
        Ok(Fork::Parent(_)) => exit(0),
        Ok(Fork::Child) => {}
        Err(_) => exit(REFUSED),
    }
    signals::outlive_all();
    if setsid().is_err() || set_child_subreaper(Some(getpid())).is_err() || chdir("/").is_err() {
        exit(REFUSED);
    }
    let nice = priority::raise();
    let own = getpid().as_raw_nonzero().get().to_le_bytes();
    if send(&socket, &[&[HELLO], &own[..]].concat(), &[]).is_err() {
        exit(0); // The host is gone.
    }
    Guardian::new(socket, host, nice).serve();
}
