//! Bytes on their way to the disk.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::io::{Errno, pwrite, retry_on_intr};

use super::Notice;
use super::attributes::Attributes;
use super::call::{Call, Trouble, is_unsupported};
use super::temp::Temp;
use crate::Error;

/// Bytes written at once: between them the call can be ended.
const BLOCK: usize = 256 * 1024;

/// Permission bits of a file that no one but its maker may open yet.
pub(crate) const PRIVATE: Mode = Mode::from_bits_retain(0o600);

/// Writes all of `bytes` from `at` on, however few the system takes at once. `check` is asked before each piece.
pub(crate) fn write_at(
    fd: impl AsFd,
    bytes: &[u8],
    at: u64,
    check: impl Fn() -> Result<(), Error>,
) -> Result<(), Trouble> {
    let mut done = 0;
    while done < bytes.len() {
        check()?;
        let block = &bytes[done..bytes.len().min(done + BLOCK)];
        match pwrite(fd.as_fd(), block, at + done as u64) {
            Ok(0) => return Err(Errno::IO.into()),
            Ok(written) => done += written,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Fills a temporary file with what replaces a file of these attributes.
pub(crate) fn fill(
    call: &Call<'_>,
    temp: &Temp,
    content: &[u8],
    attributes: Option<&Attributes>,
    notices: &mut Vec<Notice>,
) -> Result<(), Trouble> {
    write_at(temp, content, 0, || call.check())?;
    if let Some(attributes) = attributes {
        attributes.give(temp, notices)?;
    }
    call.check()?;
    if !sync(temp)? {
        notices.push(Notice::new("not_synced", "the file system cannot make sure that the file outlasts a power cut"));
    }
    Ok(())
}

/// Makes a file's bytes outlast a power cut; false if its file system has no such thing.
pub(crate) fn sync(fd: impl AsFd) -> Result<bool, Errno> {
    match retry_on_intr(|| fsync(fd.as_fd())) {
        Ok(()) => Ok(true),
        Err(errno) if is_unsupported(errno) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Makes the names in a directory outlast a power cut.
pub(crate) fn sync_dir(dir: &OwnedFd) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| openat(dir, ".", flags, Mode::empty()))?;
    sync(&fd).map(|_| ())
}

/// As [`sync_dir`] after a file has its new name: too late to fail, so a failure becomes a notice.
pub(crate) fn settle_dir(dir: &OwnedFd, notices: &mut Vec<Notice>) {
    if let Err(errno) = sync_dir(dir) {
        notices.push(Notice::new("not_synced", format!("the file is written, but its directory not synced: {errno}")));
    }
}
