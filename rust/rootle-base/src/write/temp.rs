//! The file that becomes the target: made beside it under a name that tells what it is, and locked as long as its maker
//! lives.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::call::is_unsupported;
use super::lock::unlock;

const PREFIX: &str = ".rootle-";
const SUFFIX: &str = ".tmp";
const DIGITS: usize = 16;
const ATTEMPTS: u32 = 16;

/// Whether a file of that name was made by [`Temp::create`].
pub(crate) fn is_temp_name(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes())
        .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()))
        .is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
}

/// A name that no one else has; should one have it all the same, the system says so.
pub(crate) fn fresh_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = [
        u64::from(std::process::id()),
        COUNTER.fetch_add(1, Ordering::Relaxed),
        now.as_secs(),
        u64::from(now.subsec_nanos()),
        &raw const COUNTER as u64,
    ];
    let bytes: Vec<u8> = seed.iter().flat_map(|number| number.to_le_bytes()).collect();
    format!("{PREFIX}{}{SUFFIX}", &blake3::hash(&bytes).to_hex()[..DIGITS])
}

/// A temporary file, removed on drop unless it became something.
#[derive(Debug)]
pub(crate) struct Temp {
    pub(crate) dir: Arc<OwnedFd>,
    pub(crate) name: String,
    pub(crate) file: File,
    locked: bool,
    named: bool,
}

impl Temp {
    pub(crate) fn create(dir: &Arc<OwnedFd>, mode: Mode) -> Result<Self, Errno> {
        for _ in 0..ATTEMPTS {
            let name = fresh_name();
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = match retry_on_intr(|| openat(&**dir, &name, flags, mode)) {
                Ok(fd) => fd,
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(errno),
            };
            let mut temp = Self { dir: Arc::clone(dir), name, file: File::from(fd), locked: false, named: true };
            // Whoever sweeps may have met the file before it was locked: then it is removed, and another one made.
            match retry_on_intr(|| flock(&temp.file, FlockOperation::NonBlockingLockExclusive)) {
                Ok(()) => temp.locked = true,
                Err(Errno::WOULDBLOCK) => continue,
                Err(errno) if is_unsupported(errno) || errno == Errno::NOLCK => {}
                Err(errno) => return Err(errno),
            }
            if fstat(&temp.file)?.st_nlink > 0 {
                return Ok(temp);
            }
        }
        Err(Errno::AGAIN)
    }

    /// Takes over a file of that name whose maker died.
    pub(crate) fn adopt(dir: &Arc<OwnedFd>, name: &str) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = retry_on_intr(|| openat(&**dir, name, flags, Mode::empty())).ok()?;
        let locked = retry_on_intr(|| flock(&fd, FlockOperation::NonBlockingLockExclusive));
        if locked == Err(Errno::WOULDBLOCK) {
            return None;
        }
        let file = File::from(fd);
        Some(Self { dir: Arc::clone(dir), name: name.to_owned(), file, locked: locked.is_ok(), named: true })
    }

    /// The temporary name is gone: the file has been renamed.
    pub(crate) fn renamed(&mut self) {
        self.named = false;
    }
}

impl AsFd for Temp {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if self.named {
            let _ = retry_on_intr(|| unlinkat(&*self.dir, &self.name, AtFlags::empty()));
        }
        if self.locked {
            unlock(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_are_recognised() {
        let names: std::collections::HashSet<String> = (0..1000).map(|_| fresh_name()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| is_temp_name(name.as_bytes())));
        for other in [".rootle-.tmp", ".rootle-0123456789abcdeg.tmp", "rootle-0123456789abcdef.tmp", ".rootle-x.tmp"] {
            assert!(!is_temp_name(other.as_bytes()), "{other}");
        }
    }
}
