//! The moment of a change: one call that gives a name to another file.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::call::is_unsupported;
use super::temp::Temp;

/// Gives the file its name if nothing has it: `EXIST` if something does.
pub(crate) fn publish_new(temp: &mut Temp, name: &OsStr) -> Result<(), Errno> {
    match retry_on_intr(|| renameat_with(&*temp.dir, &temp.name, &*temp.dir, name, RenameFlags::NOREPLACE)) {
        Ok(()) => temp.renamed(),
        // The temporary name, left over, is removed with the guard.
        Err(errno) if is_unsupported(errno) => {
            retry_on_intr(|| linkat(&*temp.dir, &temp.name, &*temp.dir, name, AtFlags::empty()))?;
        }
        Err(errno) => return Err(errno),
    }
    Ok(())
}

/// Gives the file the name of another, which is gone then.
pub(crate) fn publish_over(temp: &mut Temp, name: &OsStr) -> Result<(), Errno> {
    retry_on_intr(|| renameat(&*temp.dir, &temp.name, &*temp.dir, name))?;
    temp.renamed();
    Ok(())
}

/// Exchanges the two names, so that the old file can be had back: false where the file system cannot.
pub(crate) fn exchange(dir: &OwnedFd, temp: &str, name: &OsStr) -> Result<bool, Errno> {
    match retry_on_intr(|| renameat_with(dir, temp, dir, name, RenameFlags::EXCHANGE)) {
        Ok(()) => Ok(true),
        Err(errno) if is_unsupported(errno) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Gives a file another name that nothing has; `EXIST` if something does.
pub(crate) fn move_aside(dir: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    match retry_on_intr(|| renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE)) {
        Err(errno) if is_unsupported(errno) => {
            retry_on_intr(|| linkat(dir, from, dir, to, AtFlags::empty()))?;
            retry_on_intr(|| unlinkat(dir, from, AtFlags::empty()))
        }
        other => other,
    }
}
