//! Reads a directory's names.

use std::os::fd::BorrowedFd;

use rootle_base::{Context, FileKind, Metadata};
use rustix::fs::{AtFlags, statat};
use rustix::io::Errno;

/// A name of a listing. Kept small: a directory can have millions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    at: u32,
    len: u16,
    pub(crate) kind: FileKind,
    /// A link that is followed; `kind` is what it leads to.
    pub(crate) link: bool,
}

/// The entries of a directory, in buffers that are used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    names: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
}

/// The same, kept while other threads work on it.
#[derive(Debug)]
pub(crate) struct Kept {
    names: Box<[u8]>,
    pub(crate) entries: Box<[Entry]>,
}

impl Listing {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    /// Names beyond 4 GiB in one directory are left out.
    pub(crate) fn push(&mut self, name: &[u8], kind: FileKind) {
        if let (Ok(at), Ok(len)) = (u32::try_from(self.names.len()), u16::try_from(name.len())) {
            self.names.extend_from_slice(name);
            self.entries.push(Entry { at, len, kind, link: false });
        }
    }

    pub(crate) fn name(&self, entry: Entry) -> &[u8] {
        name(&self.names, entry)
    }

    /// Puts the entries in path order, which among the names of one directory is the order of bytes.
    pub(crate) fn sort(&mut self) {
        let names = &self.names;
        self.entries.sort_unstable_by(|a, b| name(names, *a).cmp(name(names, *b)));
    }

    pub(crate) fn keep(&self) -> Kept {
        Kept { names: self.names.as_slice().into(), entries: self.entries.as_slice().into() }
    }
}

impl Kept {
    pub(crate) fn name(&self, entry: Entry) -> &[u8] {
        name(&self.names, entry)
    }
}

fn name(names: &[u8], entry: Entry) -> &[u8] {
    let at = entry.at as usize;
    &names[at..at + usize::from(entry.len)]
}

/// How much of a directory one system call reads; a directory of a thousand names fits.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BUFFER: usize = 64 << 10;

/// Memory for system calls, used again for each directory.
#[derive(Debug, Default)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    /// Gives every name of the directory but `.` and `..` to `each`, until there are no more or `ctx` says to stop.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn read(
        &mut self,
        dir: BorrowedFd<'_>,
        ctx: &Context,
        mut each: impl FnMut(&[u8], FileKind),
    ) -> Result<(), Errno> {
        self.0.reserve(BUFFER);
        let mut entries = rustix::fs::RawDir::new(dir, self.0.spare_capacity_mut());
        while !(entries.is_buffer_empty() && ctx.stop().is_some()) {
            let Some(entry) = entries.next() else { return Ok(()) };
            let entry = entry?;
            given(dir, entry.file_name().to_bytes(), entry.file_type().into(), &mut each);
        }
        Ok(())
    }

    /// Gives every name of the directory but `.` and `..` to `each`, until there are no more or `ctx` says to stop.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn read(
        &mut self,
        dir: BorrowedFd<'_>,
        ctx: &Context,
        mut each: impl FnMut(&[u8], FileKind),
    ) -> Result<(), Errno> {
        for entry in rustix::fs::Dir::read_from(dir)? {
            let entry = entry?;
            given(dir, entry.file_name().to_bytes(), entry.file_type().into(), &mut each);
            if ctx.stop().is_some() {
                break;
            }
        }
        Ok(())
    }
}

#[inline]
fn given(dir: BorrowedFd<'_>, name: &[u8], kind: FileKind, each: &mut impl FnMut(&[u8], FileKind)) {
    if name == b"." || name == b".." {
        return;
    }
    // Some file systems do not tell the kind in a listing.
    let kind = if kind == FileKind::Unknown {
        let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_or(FileKind::Unknown, |stat| Metadata::from(&stat).kind)
    } else {
        kind
    };
    each(name, kind);
}
