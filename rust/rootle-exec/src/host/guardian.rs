//! The guardian as the host sees it: a process beside it, started with the first command and kept for the next ones.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Command as Spawn, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rootle_base::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::descriptors::{failed, sockets, unavailable};
use super::identity::Identity;
use crate::packets::{receive, send};
use crate::protocol::{HELLO, Hello, READY, RUN, TAKEN};

/// How long a guardian may take to say that it is there.
const HELLO_WAIT: Duration = Duration::from_secs(10);
/// How long a thread waits for another one that starts the guardian. A process that was forked meanwhile finds the lock held
/// for ever, and gets a guardian of its own.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A running guardian. It ends when its socket is closed and its last command is over.
#[derive(Debug)]
pub(crate) struct Guardian {
    socket: OwnedFd,
    /// Holds the process; `None` where the kernel has no such descriptors.
    process: Option<OwnedFd>,
    identity: Identity,
}

static CURRENT: Mutex<Option<Arc<Guardian>>> = Mutex::new(None);

/// What a command is handed over with.
pub(crate) struct Parts<'a> {
    pub(crate) request: BorrowedFd<'a>,
    /// Directory, output, error, and input unless it is empty.
    pub(crate) streams: Vec<BorrowedFd<'a>>,
    /// Whether any supervisor will do; else one is made for this command.
    pub(crate) plain: bool,
}

/// Hands a command over, and gives its socket. The guardian is the one there is, or a new one: when there is none, when it was
/// killed, or when this process is no longer what it was then.
pub(crate) fn hand_over(helper: &Path, parts: &Parts<'_>) -> Result<(Arc<Guardian>, OwnedFd)> {
    let identity = Identity::now(helper);
    let mut current = lock();
    if let Some(guardian) = current.as_deref().and_then(Option::as_ref).filter(|one| one.identity == identity)
        && let Ok(control) = guardian.give(parts)
    {
        return Ok((Arc::clone(guardian), control));
    }
    let guardian = Arc::new(Guardian::start(helper, identity)?);
    let control = guardian.give(parts).map_err(|error| unavailable(format!("the helper does not listen: {error}")))?;
    if let Some(current) = &mut current {
        **current = Some(Arc::clone(&guardian));
    }
    Ok((guardian, control))
}

fn lock() -> Option<MutexGuard<'static, Option<Arc<Guardian>>>> {
    let until = Instant::now() + LOCK_WAIT;
    loop {
        match CURRENT.try_lock() {
            Ok(current) => return Some(current),
            Err(TryLockError::Poisoned(current)) => return Some(current.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(Duration::from_micros(200)),
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

impl Guardian {
    fn start(helper: &Path, identity: Identity) -> Result<Self> {
        let cannot = |error: String| unavailable(format!("the helper {} cannot be run: {error}", helper.display()));
        let (socket, far) = sockets()?;
        // Its own environment is empty, so that nothing of the host's (LD_PRELOAD) acts on it.
        let mut starter = Spawn::new(helper)
            .env_clear()
            .stdin(Stdio::from(far))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot(error.to_string()))?;
        let hello = Hello { host: std::process::id() };
        let said = send(&socket, &hello.encode(), &[]).map_err(failed);
        // It forks and ends: the guardian is no child of this process, which would otherwise find one when it waits for its
        // own. Somebody who reaps all children may have been quicker.
        let _ = starter.wait();
        said?;
        let timeout = Timespec::try_from(HELLO_WAIT).ok();
        while poll(&mut [PollFd::new(&socket, PollFlags::IN)], timeout.as_ref()) == Err(Errno::INTR) {}
        let mut packet = [0_u8; 64];
        let length = recv(&socket, &mut packet[..], RecvFlags::DONTWAIT).map_or(0, |(length, _)| length);
        if length == 0 {
            return Err(cannot("it ended at once".to_owned()));
        }
        let pid = match packet[..length].split_first() {
            Some((&HELLO, rest)) => rest.try_into().ok().map(i32::from_le_bytes),
            _ => None,
        };
        let pid = pid.ok_or_else(|| cannot("it is of another version".to_owned()))?;
        let process = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(Self { socket, process, identity })
    }

    fn give(&self, parts: &Parts<'_>) -> rustix::io::Result<OwnedFd> {
        let all = || std::iter::once(parts.request).chain(parts.streams.iter().copied());
        while let Some((number, control, waiting)) = if parts.plain { self.ready() } else { None } {
            // First the guardian: one that is about to end refuses, and its supervisor would end with it.
            send(&self.socket, &[&[TAKEN], &number[..]].concat(), &[])?;
            let sent = send(&control, &[RUN], &[parts.request])
                .and_then(|()| send(&waiting, &[RUN], &all().collect::<Vec<_>>()));
            if sent.is_ok() {
                return Ok(control);
            }
            // Somebody killed them while they waited.
        }
        let (control, far) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        send(&self.socket, &[RUN], &std::iter::once(far.as_fd()).chain(all()).collect::<Vec<_>>())?;
        Ok(control)
    }

    /// A supervisor that is ready, if there is one now: its number, its socket, and that of the process that waits.
    fn ready(&self) -> Option<(Vec<u8>, OwnedFd, OwnedFd)> {
        let (packet, descriptors) = receive(&self.socket, RecvFlags::DONTWAIT).ok()??;
        let (READY, number) = packet.split_first().map(|(kind, rest)| (*kind, rest))? else { return None };
        let mut descriptors = descriptors.into_iter();
        Some((number.to_vec(), descriptors.next()?, descriptors.next()?))
    }

    /// Wakes it, if a command stopped it.
    pub(crate) fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// Kills it, when it does not do its part; the next command gets another.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = &self.process {
            let _ = pidfd_send_signal(process.as_fd(), signal);
        }
    }
}
