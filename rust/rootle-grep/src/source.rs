//! Where the bytes of a file come from: the system, through a decoder where the text is not UTF-8.

use std::io;
use std::os::fd::BorrowedFd;

use rootle_base::Encoding;
use rootle_base::Stream;
use rustix::io::Errno;

/// One page; short reads that are no end of file are whole pages where they happen at all on a disk.
const PAGE: usize = 4096;

/// Reads into all of `into`, or up to the end of the file. On a `local` file system, whose reads are never short but at
/// the end, that is one system call for a small file.
pub(crate) fn read_full(fd: BorrowedFd<'_>, into: &mut [u8], local: bool) -> io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        let read = match rustix::io::read(fd, &mut into[filled..]) {
            Ok(read) => read,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
        };
        filled += read;
        if read == 0 || (local && filled < into.len() && filled % PAGE != 0) {
            break;
        }
    }
    Ok(filled)
}

/// The rest of a file of which the beginning was read.
pub(crate) enum Source<'a> {
    /// There is none.
    Ended,
    /// Bytes that are searched as they are.
    Plain(Rest<'a>),
    /// Bytes that are decoded first.
    Coded(Box<Coded<'a>>),
}

/// An open file and how much of it is left. Reading ends at the size seen when it was opened, however the file grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest<'a> {
    pub fd: BorrowedFd<'a>,
    pub left: u64,
    pub local: bool,
}

impl Rest<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let read = read_full(self.fd, &mut into[..most], self.local)?;
        self.left = if read < most { 0 } else { self.left - read as u64 };
        Ok(read)
    }
}

/// A file on its way through a decoder.
pub(crate) struct Coded<'a> {
    rest: Rest<'a>,
    decoder: Stream,
    raw: Vec<u8>,
    /// Decoded, and taken up to `taken`.
    text: String,
    taken: usize,
    lossy: bool,
    ended: bool,
}

/// How much is decoded at a time.
const RAW: usize = 64 << 10;

impl<'a> Source<'a> {
    /// Decodes `rest`, the first bytes of which are `head`.
    pub fn coded(encoding: Encoding, head: &[u8], rest: Rest<'a>) -> Self {
        let mut decoder = Stream::new(encoding);
        let mut text = String::new();
        let lossy = decoder.feed(head, false, &mut text);
        Self::Coded(Box::new(Coded { rest, decoder, raw: vec![0; RAW], text, taken: 0, lossy, ended: false }))
    }

    /// Reads up to `into.len()` bytes of text; less than that only at the end.
    pub fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Ended => Ok(0),
            Self::Plain(rest) => rest.read(into),
            Self::Coded(coded) => coded.read(into),
        }
    }

    /// Whether bytes had no meaning in the encoding.
    pub fn lossy(&self) -> bool {
        matches!(self, Self::Coded(coded) if coded.lossy)
    }
}

impl Coded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let ready = &self.text.as_bytes()[self.taken..];
            if !ready.is_empty() {
                let take = ready.len().min(into.len() - filled);
                into[filled..filled + take].copy_from_slice(&ready[..take]);
                filled += take;
                self.taken += take;
                continue;
            }
            if self.ended {
                break;
            }
            self.text.clear();
            self.taken = 0;
            let read = self.rest.read(&mut self.raw)?;
            self.ended = read < self.raw.len();
            self.lossy |= self.decoder.feed(&self.raw[..read], self.ended, &mut self.text);
        }
        Ok(filled)
    }
}

/// Whether reads of files on the same file system as `fd` are never short but at their end.
pub(crate) fn is_local(fd: BorrowedFd<'_>) -> bool {
    /// ext2-4, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs, ramfs.
    const LOCAL: [u64; 9] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0xCA45_1A4E,
        0x8584_58F6,
    ];
    match rustix::fs::fstatfs(fd) {
        // The field's type differs between systems; the magic numbers have 32 bits.
        #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
        Ok(stat) => LOCAL.contains(&(stat.f_type as u64 & 0xFFFF_FFFF)),
        Err(_) => false,
    }
}
