//! Pipes, memory files and sockets.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};

use rootle_base::{Error, Result};
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use rustix::io::ioctl_fionbio;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

/// The size asked for the pipes: fewer wake-ups for commands that print much. A user's share of pipe memory is bounded, so a
/// refusal is fine.
const PIPE_BYTES: usize = 1 << 18;

/// A pipe for the command's output: the end that is read without waiting, and the command's.
pub(crate) fn stream() -> Result<(OwnedFd, OwnedFd)> {
    let (near, far) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
    let _ = fcntl_setpipe_size(&near, PIPE_BYTES);
    // Only the near end: the flag belongs to the end, and programs do not expect it on theirs.
    ioctl_fionbio(&near, true).map_err(failed)?;
    Ok((near, far))
}

/// A file without a name, at its start.
pub(crate) fn memory(bytes: &[u8]) -> Result<OwnedFd> {
    let mut file = File::from(memfd_create("rootle", MemfdFlags::CLOEXEC).map_err(failed)?);
    file.write_all(bytes).map_err(failed)?;
    seek(&file, SeekFrom::Start(0)).map_err(failed)?;
    Ok(file.into())
}

/// Two connected sockets that keep packets apart.
pub(crate) fn sockets() -> Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).map_err(failed)
}

/// A descriptor of the caller's own.
pub(crate) fn duplicate(fd: impl AsFd) -> Result<OwnedFd> {
    fd.as_fd().try_clone_to_owned().map_err(failed)
}

pub(crate) fn unavailable(reason: String) -> Error {
    Error::SandboxUnavailable { reason }
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    unavailable(format!("no process can be prepared: {error}"))
}
