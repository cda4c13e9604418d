//! The host's end of one command.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rootle_base::Result;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, send};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::command::{Command, Stdin, Streams};
use super::descriptors::{duplicate, memory, stream};
use super::guardian::{Guardian, Parts, hand_over};
use crate::packets::receive;
use crate::protocol::{Report, Request, STOP, Tier};
use crate::wire::Writer;

/// The socket to a command's supervisor. When it is closed, the supervisor ends the command.
pub(crate) struct Link {
    control: Option<OwnedFd>,
    guardian: Arc<Guardian>,
    supervisor: Option<OwnedFd>,
}

/// What the socket gave.
pub(crate) enum Heard {
    Report(Report),
    Closed,
    Nothing,
}

/// Starts `command`. Gives the link and the read ends of its streams.
pub(crate) fn start(command: &Command, request: &Request) -> Result<(Link, [Option<OwnedFd>; 2])> {
    let (stdout, stdout_far) = stream()?;
    let (stderr, stderr_far) = match command.streams {
        Streams::Separate => stream().map(|(near, far)| (Some(near), far))?,
        Streams::Merged => (None, duplicate(&stdout_far)?),
    };
    let text = memory(&request.encode())?;
    let stdin = match &command.stdin {
        Stdin::Closed => None,
        Stdin::Bytes(bytes) => Some(memory(bytes)?),
        Stdin::Descriptor(fd) => Some(duplicate(fd)?),
    };
    let mut streams = vec![command.cwd.as_fd(), stdout_far.as_fd(), stderr_far.as_fd()];
    streams.extend(stdin.as_ref().map(AsFd::as_fd));
    // What needs a group or a namespace is prepared for the one command.
    let plain = request.tier == Tier::Subreaper && request.limits.processes.is_none();
    let (guardian, control) = hand_over(&command.helper, &Parts { request: text.as_fd(), streams, plain })?;
    Ok((Link { control: Some(control), guardian, supervisor: None }, [Some(stdout), stderr]))
}

impl Link {
    /// The socket, until the other side closed it.
    pub(crate) fn poll_fd(&self) -> Option<PollFd<'_>> {
        self.control.as_ref().map(|control| PollFd::new(control, PollFlags::IN))
    }

    /// Takes one report without waiting.
    pub(crate) fn hear(&mut self) -> Heard {
        let Some(control) = &self.control else { return Heard::Closed };
        match receive(control, RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN) => Heard::Nothing,
            Ok(Some((packet, _))) => match Report::decode(&packet) {
                Ok(report) => {
                    if let Report::Started { supervisor, .. } = &report {
                        let pid = Pid::from_raw(*supervisor);
                        self.supervisor = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
                    }
                    Heard::Report(report)
                }
                Err(_) => Heard::Nothing,
            },
            Ok(None) | Err(_) => {
                self.control = None;
                Heard::Closed
            }
        }
    }

    /// Asks the supervisor to end the command.
    pub(crate) fn stop(&self, grace: Duration) {
        let mut packet = Writer::default();
        packet.byte(STOP);
        packet.duration(grace);
        if let Some(control) = &self.control {
            let _ = send(control, &packet.finish(), SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        }
    }

    /// Wakes supervisor and guardian, which a command may have stopped.
    pub(crate) fn wake(&self) {
        self.guardian.wake();
        if let Some(supervisor) = &self.supervisor {
            let _ = pidfd_send_signal(supervisor, Signal::CONT);
        }
    }

    /// Kills the supervisor, which does not answer; the guardian then ends the command.
    pub(crate) fn kill_supervisor(&self) {
        if let Some(supervisor) = &self.supervisor {
            let _ = pidfd_send_signal(supervisor, Signal::KILL);
        }
    }

    /// Kills the guardian as well.
    pub(crate) fn kill_guardian(&self) {
        self.guardian.kill();
    }
}
