//! Temporary files of processes that died.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, openat, statat, unlinkat};

use super::journal::Journals;
use super::lock::unlock;
use super::temp::is_temp_name;

/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Files removed at most.
const MAX_REMOVED: usize = 64;

/// Removes temporary files whose maker is gone, except those that an unfinished commit needs. What cannot be removed
/// stays: sweeping never fails a call.
pub(crate) fn sweep(dir: &OwnedFd, journals: &Journals) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(entries) = openat(dir, ".", flags, Mode::empty()).and_then(Dir::new) else { return };
    let dead = entries
        .take(MAX_ENTRIES)
        .map_while(Result::ok)
        .filter(|entry| is_temp_name(entry.file_name().to_bytes()))
        .take(MAX_REMOVED);
    let mut needed = None;
    for entry in dead {
        let name = entry.file_name().to_string_lossy();
        if !needed.get_or_insert_with(|| journals.needed_temps()).contains(&*name) {
            remove_dead(dir, &name);
        }
    }
}

fn remove_dead(dir: &OwnedFd, name: &str) {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let Ok(fd) = openat(dir, name, flags, Mode::empty()) else { return };
    // The maker holds the lock as long as it lives, in whatever container.
    if flock(&fd, FlockOperation::NonBlockingLockExclusive).is_err() {
        return;
    }
    if let (Ok(open), Ok(named)) = (fstat(&fd), statat(dir, name, AtFlags::SYMLINK_NOFOLLOW))
        && FileType::from_raw_mode(open.st_mode) == FileType::RegularFile
        && (open.st_dev, open.st_ino) == (named.st_dev, named.st_ino)
    {
        let _ = unlinkat(dir, name, AtFlags::empty());
    }
    unlock(&fd);
}
