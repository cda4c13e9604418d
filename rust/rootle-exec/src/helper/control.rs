//! A command as it was handed over, and the socket on which its host hears of it.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rootle_exec::packets::receive;
use rootle_exec::protocol::{Report, Request, STOP};
use rootle_exec::wire::Reader;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use rustix::process::fchdir;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::stdio::null;

/// The socket to the host.
pub struct Control(OwnedFd);

/// A command with its descriptors.
pub struct Order {
    pub request: Request,
    pub streams: CommandStreams,
}

/// Where a command runs and what it reads and writes.
pub struct CommandStreams {
    cwd: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl CommandStreams {
    /// Takes them on as the calling process's own.
    pub fn take_on(self) -> rustix::io::Result<()> {
        fchdir(&self.cwd)?;
        dup2_stdin(&self.stdin)?;
        dup2_stdout(&self.stdout)?;
        dup2_stderr(&self.stderr)
    }
}

/// What came over the socket while the command ran.
pub enum Heard {
    /// End the command, with this grace.
    Stop(Duration),
    /// The host closed its end.
    Closed,
    /// Nothing, or nothing that is known.
    Nothing,
}

/// Takes a command from its descriptors: request, directory, output, error, and perhaps input.
pub fn order(descriptors: impl IntoIterator<Item = OwnedFd>) -> Option<Order> {
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next();
    let (request, cwd, stdout, stderr) = (request(next()?)?, next()?, next()?, next()?);
    let stdin = next().or_else(null)?;
    Some(Order { request, streams: CommandStreams { cwd, stdin, stdout, stderr } })
}

/// Reads a request. Its file may be shared, so its position is left alone.
fn request(file: OwnedFd) -> Option<Request> {
    let file = File::from(file);
    let mut text = vec![0; usize::try_from(file.metadata().ok()?.len()).ok()?];
    file.read_exact_at(&mut text, 0).ok()?;
    Request::decode(&text).ok()
}

impl Control {
    pub fn new(socket: OwnedFd) -> Self {
        Self(socket)
    }

    /// Takes the request of a command that a supervisor waited for. `None` when there will be none.
    pub fn request(&self) -> Option<Request> {
        let (_, descriptors) = receive(&self.0, RecvFlags::DONTWAIT).ok()??;
        request(descriptors.into_iter().next()?)
    }

    /// Closes the connection, also for others who hold this end.
    pub fn shut(&self) {
        let _ = shutdown(&self.0, Shutdown::Both);
    }

    /// Tells the host. A host that is gone is noticed elsewhere.
    pub fn send(&self, report: &Report) {
        let bytes = report.encode();
        while send(&self.0, &bytes, SendFlags::NOSIGNAL) == Err(Errno::INTR) {}
    }

    /// Takes one packet without waiting.
    pub fn hear(&self) -> Heard {
        let mut packet = [0_u8; 32];
        match recv(&self.0, &mut packet, RecvFlags::DONTWAIT) {
            Ok((0, _)) => Heard::Closed,
            Ok((length, _)) if packet[0] == STOP => {
                Reader::new(&packet[1..length]).duration().map_or(Heard::Nothing, Heard::Stop)
            }
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Heard::Nothing,
            Err(_) => Heard::Closed,
        }
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
