//! The search of one file: three system calls where it has no match and fits the first read.

use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use grep_matcher::Matcher;
use memchr::memchr;
use rootle_base::{Encoding, Metadata, SNIFF_BYTES, bom, decode, sniff};

use crate::found::Found;
use crate::pace::{Pace, Sizes};
use crate::scan::Scan;
use crate::source::{Rest, Source, read_full};
use crate::want::{Place, View, Want};
use crate::window::Window;

/// A NUL among the first bytes is looked for before anything else: what follows it need not be searched.
const BINARY_HEAD: usize = 4 << 10;

/// What one thread reuses from file to file.
pub(crate) struct Reader {
    buf: Vec<u8>,
    pub pace: Pace,
    pub sizes: Sizes,
    /// See [`crate::source::is_local`].
    pub local: bool,
}

/// How a file was read, whether or not it has a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Bytes of it; where a first match was enough, those read until then.
    pub bytes: u64,
    pub encoding: Encoding,
    pub binary: bool,
    pub too_large: bool,
    pub lossy: bool,
    pub split: bool,
    /// Time of the last change, if it was wanted and there is a match.
    pub mtime_ns: Option<i64>,
}

/// Told the time of the last change of a file that may match.
pub(crate) type Dated<'a> = &'a mut dyn FnMut(i64, &mut Found);

/// The beginning of a file, in the reader's buffer.
struct Head<'a> {
    fd: BorrowedFd<'a>,
    filled: usize,
    /// The size of a file that goes on after the buffer.
    size: Option<u64>,
    encoding: Encoding,
    /// The length of the byte order mark.
    mark: usize,
}

impl Reader {
    pub fn new(sizes: Sizes, local: bool) -> Self {
        Self { buf: vec![0; sizes.first_read], pace: Pace::new(&sizes), sizes, local }
    }

    /// Searches an open file. When its time of change is wanted, `dated` is told it before the first line that may
    /// match is looked at.
    pub fn search<M: Matcher>(
        &mut self,
        scan: &mut Scan<'_, M>,
        fd: BorrowedFd<'_>,
        found: &mut Found,
        dated: Dated<'_>,
    ) -> io::Result<Read> {
        let filled = read_full(fd, &mut self.buf, self.local)?;
        let size = if filled < self.buf.len() { None } else { Some(Metadata::of(fd)?.size) };
        let (encoding, mark) = encoding(scan.want, &self.buf[..filled], size.is_none());
        let mut read = Read {
            bytes: size.unwrap_or(filled as u64),
            encoding,
            binary: false,
            too_large: false,
            lossy: false,
            split: false,
            mtime_ns: None,
        };
        let most = scan.want.max_filesize.unwrap_or(u64::MAX);
        let most = if scan.want.multiline { most.min(self.sizes.multiline) } else { most };
        if read.bytes > most {
            read.too_large = true;
            return Ok(read);
        }
        let mut head = Head { fd, filled, size, encoding, mark };
        if let Some(size) = size
            && (scan.want.multiline || size <= self.sizes.window as u64)
        {
            self.read_rest(scan, &mut head, size)?;
        }
        if head.size.is_some() {
            date(scan.want, fd, found, &mut read, dated)?;
            self.search_large(scan, &head, found, &mut read)?;
        } else if encoding == Encoding::Utf8 {
            let mut buf = std::mem::take(&mut self.buf);
            let searched = self.search_small(scan, fd, &mut buf, mark..head.filled, found, &mut read, dated);
            self.buf = buf;
            searched?;
        } else {
            let decoded = decode(&self.buf[mark..head.filled], encoding);
            read.lossy = decoded.lossy;
            let mut text = decoded.text.into_owned().into_bytes();
            let length = text.len();
            self.search_small(scan, fd, &mut text, 0..length, found, &mut read, dated)?;
        }
        self.shrink();
        Ok(read)
    }

    /// Reads the whole file into the buffer.
    fn read_rest<M>(&mut self, scan: &Scan<'_, M>, head: &mut Head<'_>, size: u64) -> io::Result<()>
    where
        M: Matcher,
    {
        const STEP: usize = 1 << 20;
        let whole = usize::try_from(size).unwrap_or(usize::MAX);
        while head.filled < whole && scan.poll.stop().is_none() {
            let upto = whole.min(head.filled + STEP);
            if self.buf.len() < upto {
                self.buf.resize(upto, 0);
            }
            let read = read_full(head.fd, &mut self.buf[head.filled..upto], self.local)?;
            head.filled += read;
            if head.filled < upto {
                break;
            }
        }
        head.size = None;
        Ok(())
    }

    /// Searches text that is in memory as a whole.
    fn search_small<M: Matcher>(
        &mut self,
        scan: &mut Scan<'_, M>,
        buf: &mut Vec<u8>,
        text: Range<usize>,
        found: &mut Found,
        read: &mut Read,
    ) -> io::Result<()> {
        let mut bytes = &buf[text.clone()];
        if let Some(nul) = memchr(0, &bytes[..bytes.len().min(BINARY_HEAD)]) {
            bytes = &bytes[..nul];
            read.binary = true;
        }
        let place = Place { lines: 0, bytes: text.start as u64 };
        if bytes.len() > self.pace.piece() && !scan.want.multiline {
            let filled = text.start + bytes.len();
            let window = Window::new(buf, text.start..filled, Source::Ended, self.sizes);
            return self.search_window(scan, window, found, read);
        }
        let began = (bytes.len() >= self.pace.piece() / 4).then(Instant::now);
        let mut candidate = scan.first_candidate(bytes)?;
        if candidate.is_some()
            && !read.binary
            && let Some(nul) = memchr(0, bytes)
        {
            bytes = &bytes[..nul];
            read.binary = true;
            candidate = scan.first_candidate(bytes)?;
        }
        if let Some(at) = candidate {
            let view = View { buf: bytes, place };
            scan.from_candidate(view, at..bytes.len(), found)?;
            if !found.done {
                found.flush_after(scan.want, bytes, bytes.len());
            }
        }
        if let Some(began) = began {
            self.pace.learn(bytes.len(), began.elapsed());
        }
        Ok(())
    }

    /// Searches a file that does not fit into memory, or should not.
    fn search_large<M: Matcher>(
        &mut self,
        scan: &mut Scan<'_, M>,
        head: &Head<'_>,
        found: &mut Found,
        read: &mut Read,
    ) -> io::Result<()> {
        // A file system that does not know its sizes says 0.
        let left = match head.size {
            None | Some(0) => u64::MAX,
            Some(size) => size.saturating_sub(head.filled as u64),
        };
        let rest = Rest { fd: head.fd, left, local: self.local };
        let mut buf = std::mem::take(&mut self.buf);
        let text = head.mark..head.filled;
        let (text, source) = if head.encoding == Encoding::Utf8 {
            (text, Source::Plain(rest))
        } else {
            (0..0, Source::coded(head.encoding, &buf[text], rest))
        };
        let window = Window::new(&mut buf, text, source, self.sizes);
        let searched = self.search_window(scan, window, found, read);
        self.buf = buf;
        searched
    }

    fn search_window<M: Matcher>(
        &mut self,
        scan: &mut Scan<'_, M>,
        mut window: Window<'_>,
        found: &mut Found,
        read: &mut Read,
    ) -> io::Result<()> {
        window.search(scan, &mut self.pace, found)?;
        read.binary |= window.binary;
        read.split = window.split;
        read.lossy |= window.source.lossy();
        Ok(())
    }

    /// One large file must not cost its size for the rest of the search.
    fn shrink(&mut self) {
        let most = 2 * self.sizes.window.max(self.sizes.first_read);
        if self.buf.len() > most {
            self.buf.truncate(self.sizes.first_read);
            self.buf.shrink_to(most);
        }
    }
}

/// How to read a file that begins with `head`, and the length of its byte order mark.
fn encoding(want: &Want, head: &[u8], whole: bool) -> (Encoding, usize) {
    // The first bytes of the marks there are.
    if let Some(0xEF | 0xFE | 0xFF | 0) = head.first()
        && let Some(marked) = bom(head)
    {
        return marked;
    }
    if let Some(encoding) = want.encoding {
        return (encoding, 0);
    }
    if want.guess_encoding {
        let seen = &head[..head.len().min(SNIFF_BYTES)];
        let sniffed = sniff(seen, whole && seen.len() == head.len(), true);
        if !sniffed.binary {
            return (sniffed.encoding, 0);
        }
    }
    (Encoding::Utf8, 0)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
