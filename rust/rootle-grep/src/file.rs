//! The search of one file: three system calls where it has no match and fits the first read.

use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use grep_matcher::Matcher;
use memchr::memchr;
use rootle_base::{Encoding, Metadata, SNIFF_BYTES, bom, decode, sniff};

use crate::buffer::Buffer;
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
    buf: Buffer,
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

/// One file on its way.
struct Task<'t> {
    fd: BorrowedFd<'t>,
    found: &'t mut Found,
    read: Read,
    dated: Dated<'t>,
    /// How much of it is in the reader's buffer.
    filled: usize,
    /// Its size, if it goes on after the buffer.
    size: Option<u64>,
    /// The length of the byte order mark.
    mark: usize,
}

impl Task<'_> {
    /// Asks for the time of change, if that is wanted.
    fn date(&mut self, want: &Want) -> io::Result<()> {
        if want.mtime {
            let mtime_ns = Metadata::of(self.fd)?.mtime_ns;
            self.read.mtime_ns = Some(mtime_ns);
            (self.dated)(mtime_ns, self.found);
        }
        Ok(())
    }
}

impl Reader {
    pub fn new(sizes: Sizes, local: bool) -> Self {
        Self { buf: Buffer::spare(sizes.first_read), pace: Pace::new(&sizes), sizes, local }
    }

    /// Searches an open file. When its time of change is wanted, `dated` is told it before the first line that may
    /// match is looked at.
    pub fn search<M: Matcher>(
        &mut self,
        scan: &mut Scan<M>,
        fd: BorrowedFd<'_>,
        found: &mut Found,
        dated: Dated<'_>,
    ) -> io::Result<Read> {
        let filled = read_full(fd, &mut self.buf, self.local)?;
        let size = if filled < self.buf.len() { None } else { Some(Metadata::of(fd)?.size) };
        let (encoding, mark) = encoding(&scan.want, &self.buf[..filled], size.is_none());
        let read = Read {
            bytes: size.unwrap_or(0).max(filled as u64),
            encoding,
            binary: false,
            too_large: false,
            lossy: false,
            split: false,
            mtime_ns: None,
        };
        let mut task = Task { fd, found, read, dated, filled, size, mark };
        let most = scan.want.max_filesize.unwrap_or(u64::MAX);
        let most = if scan.want.multiline { most.min(self.sizes.multiline) } else { most };
        if task.read.bytes > most {
            task.read.too_large = true;
            return Ok(task.read);
        }
        // A file system that does not know its sizes says 0; then files are read until they end.
        if let Some(size) = size
            && (scan.want.multiline || (1..=self.sizes.window as u64).contains(&size))
        {
            self.read_rest(scan, &mut task, if size == 0 { most } else { size })?;
        }
        // The buffer cannot be lent and stay.
        let mut buf = std::mem::take(&mut self.buf);
        let searched = if task.size.is_some() && !scan.want.multiline {
            self.search_large(scan, &mut buf, &mut task)
        } else if encoding == Encoding::Utf8 {
            let text = mark..task.filled;
            self.search_small(scan, &mut buf, text, &mut task)
        } else {
            let decoded = decode(&buf[mark..task.filled], encoding);
            task.read.lossy = decoded.lossy;
            let mut text = Buffer::from(decoded.text.into_owned().into_bytes());
            let length = text.len();
            self.search_small(scan, &mut text, 0..length, &mut task)
        };
        self.buf = buf;
        self.shrink();
        searched.map(|()| task.read)
    }

    /// Reads the whole file into the buffer.
    fn read_rest<M: Matcher>(&mut self, scan: &Scan<M>, task: &mut Task<'_>, size: u64) -> io::Result<()> {
        const STEP: usize = 1 << 20;
        let whole = usize::try_from(size).unwrap_or(usize::MAX);
        while task.filled < whole && scan.poll.stop().is_none() {
            let upto = whole.min(task.filled + STEP);
            self.buf.grow(upto);
            let read = read_full(task.fd, &mut self.buf[task.filled..upto], self.local)?;
            task.filled += read;
            if task.filled < upto {
                break;
            }
        }
        task.size = None;
        Ok(())
    }

    /// Searches text that is in memory as a whole.
    fn search_small<M: Matcher>(
        &mut self,
        scan: &mut Scan<M>,
        buf: &mut Buffer,
        text: Range<usize>,
        task: &mut Task<'_>,
    ) -> io::Result<()> {
        let mut bytes = &buf[text.clone()];
        if let Some(nul) = memchr(0, &bytes[..bytes.len().min(BINARY_HEAD)]) {
            bytes = &bytes[..nul];
            task.read.binary = true;
        }
        if bytes.len() > self.pace.piece() && !scan.want.multiline {
            let filled = text.start + bytes.len();
            let window = Window::new(buf, text.start..filled, Source::Ended, self.sizes);
            return self.search_window(scan, window, task);
        }
        let began = (bytes.len() >= self.pace.piece() / 4).then(Instant::now);
        let mut candidate = scan.first_candidate(bytes)?;
        if candidate.is_some()
            && !task.read.binary
            && let Some(nul) = memchr(0, bytes)
        {
            bytes = &bytes[..nul];
            task.read.binary = true;
            candidate = scan.first_candidate(bytes)?;
        }
        if let Some(at) = candidate {
            task.date(&scan.want)?;
            let view = View { buf: bytes, place: Place { lines: 0, bytes: text.start as u64 } };
            scan.search_from(view, at..bytes.len(), task.found)?;
            if !task.found.done {
                task.found.flush_after(&scan.want, bytes, bytes.len());
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
        scan: &mut Scan<M>,
        buf: &mut Buffer,
        task: &mut Task<'_>,
    ) -> io::Result<()> {
        let left = match task.size {
            None | Some(0) => u64::MAX,
            Some(size) => size.saturating_sub(task.filled as u64),
        };
        let rest = Rest { fd: task.fd, left, local: self.local };
        let text = task.mark..task.filled;
        let (text, source) = if task.read.encoding == Encoding::Utf8 {
            (text, Source::Plain(rest))
        } else {
            (0..0, Source::coded(task.read.encoding, &buf[text], rest))
        };
        let window = Window::new(buf, text, source, self.sizes);
        self.search_window(scan, window, task)
    }

    fn search_window<M: Matcher>(
        &mut self,
        scan: &mut Scan<M>,
        mut window: Window<'_>,
        task: &mut Task<'_>,
    ) -> io::Result<()> {
        task.date(&scan.want)?;
        window.search(scan, &mut self.pace, task.found)?;
        task.read.binary |= window.binary;
        task.read.split = window.split;
        task.read.lossy |= window.source.lossy();
        Ok(())
    }

    /// One large file must not cost its size for the rest of the search.
    fn shrink(&mut self) {
        let most = 2 * self.sizes.window.max(self.sizes.first_read);
        if self.buf.len() > most {
            self.buf = Buffer::new(self.sizes.first_read);
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        std::mem::take(&mut self.buf).leave();
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
pub(crate) mod tests;
