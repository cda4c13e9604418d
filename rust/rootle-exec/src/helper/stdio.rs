//! The helper's own three descriptors.

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stdin};

/// Takes the socket that is standard input.
pub fn own_stdin() -> Option<OwnedFd> {
    let socket = fcntl_dupfd_cloexec(stdin(), 3).ok()?;
    dup2_stdin(null()?).ok()?;
    Some(socket)
}

/// The device that is always at its end and takes everything.
pub fn null() -> Option<OwnedFd> {
    open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Lets go of the command's streams and directory: the end of its output must depend on the command alone.
pub fn release() {
    if let Some(null) = null() {
        let _ = dup2_stdin(&null);
        let _ = dup2_stdout(&null);
        let _ = dup2_stderr(&null);
    }
    let _ = rustix::process::chdir("/");
}
