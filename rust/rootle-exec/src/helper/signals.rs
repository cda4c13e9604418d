//! Signals of the helper itself.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::SigSet;
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGIO, SIGPIPE, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::flag;
use signal_hook::low_level::pipe;

/// Takes every signal that can be taken and does nothing with it: a command must not end its supervisor with
/// `kill $PPID`. Being *caught*, they are at their defaults again in the command, also those that the host ignores. None is
/// blocked either, whatever the host's thread blocked.
pub fn outlive_all() {
    let _ = SigSet::all().thread_unblock();
    let unread = Arc::new(AtomicBool::new(false));
    for signal in [
        SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGIO, SIGPIPE, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU,
        SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    ] {
        let _ = flag::register(signal, Arc::clone(&unread));
    }
}

/// A socket that becomes readable when a child changed its state.
pub fn children() -> io::Result<UnixStream> {
    let (wake, write) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    pipe::register(SIGCHLD, write)?;
    Ok(wake)
}
