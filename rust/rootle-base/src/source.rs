//! A file's bytes as they were when it was opened: reads end at the size seen then, and at the caller's limits.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use crate::lines::Newlines;
use crate::relative::shown;
use crate::{Context, Error, Result, Stop};

/// Bytes read at once; a multiple of every encoding's unit.
pub(crate) const BLOCK_BYTES: usize = 128 * 1024;

pub(crate) struct Source<'a> {
    file: &'a File,
    path: &'a Path,
    ctx: &'a Context,
    polled: Instant,
    size: u64,
    shrunk: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a File, size: u64, path: &'a Path, ctx: &'a Context) -> Self {
        Self { file, path, ctx, polled: Instant::now(), size, shrunk: false }
    }

    /// Where the bytes end.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether the file ended before the size it had when it was opened.
    pub(crate) fn shrunk(&self) -> bool {
        self.shrunk
    }

    /// Why the call must stop now, if it must.
    pub(crate) fn stop(&mut self) -> Option<Stop> {
        self.ctx.poll_interrupt(&mut self.polled)
    }

    /// Reads `wanted` bytes at `at` into `into`, fewer only at the end of the file.
    pub(crate) fn read(&mut self, at: u64, wanted: usize, into: &mut Vec<u8>) -> Result<()> {
        let left = usize::try_from(self.size.saturating_sub(at)).unwrap_or(usize::MAX);
        let wanted = wanted.min(left);
        into.resize(wanted, 0);
        let mut filled = 0;
        while filled < wanted {
            match self.file.read_at(&mut into[filled..], at + filled as u64) {
                Ok(0) => {
                    self.size = at + filled as u64;
                    self.shrunk = true;
                    into.truncate(filled);
                    break;
                }
                Ok(n) => filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { path: shown(self.path), operation: "read", source }),
            }
        }
        Ok(())
    }

    /// Where the last `wanted` lines of the bytes after `start` begin, and how many lines that is: fewer only if there
    /// are no more. Reads blocks from the end, so that the cost does not grow with the file.
    pub(crate) fn tail(&mut self, start: u64, newlines: Newlines, wanted: u64) -> Result<(u64, u64)> {
        let unit = newlines.unit() as u64;
        let mut lines = 0;
        let mut block = Vec::new();
        // Blocks begin at whole units after `start`.
        let mut end = self.size.max(start);
        let empty = end == start;
        while end > start {
            if let Some(stop) = self.stop() {
                return Err(self.ctx.error(stop));
            }
            let from = start + (end - start - 1) / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
            self.read(from, usize::try_from(end - from).unwrap_or(BLOCK_BYTES), &mut block)?;
            let mut before = block.len();
            while let Some(lf) = newlines.rfind(&block, before) {
                let next = from + lf as u64 + unit;
                // The file's last line feed ends its last line and begins none.
                if next < self.size {
                    lines += 1;
                    if lines == wanted {
                        return Ok((next, lines));
                    }
                }
                before = lf;
            }
            end = from;
        }
        Ok((start, if empty { 0 } else { lines + 1 }))
    }
}
