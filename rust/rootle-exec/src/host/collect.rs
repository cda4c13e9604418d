//! Reading the command's output.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, read};

use super::capture::{Captured, HeadTail};
use super::command::Streams;
use super::spill::{Spill, Spilled, Spiller};

/// Bytes taken at one time.
const PIECE: usize = 1 << 18;

/// The read ends of the command's streams, and what came out of them.
pub(crate) struct Collector {
    sources: [Option<OwnedFd>; 2],
    kept: [HeadTail; 2],
    both: HeadTail,
    streams: Streams,
    spiller: Option<Spiller>,
    piece: Vec<u8>,
}

/// What was collected.
pub(crate) struct Collected {
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) output: Captured,
    pub(crate) spilled: Option<Spilled>,
}

impl Collector {
    pub(crate) fn new(sources: [Option<OwnedFd>; 2], streams: Streams, max: usize, spill: Option<Spill>) -> Self {
        Self {
            sources,
            kept: [HeadTail::new(max), HeadTail::new(max)],
            both: HeadTail::new(max),
            streams,
            spiller: spill.map(Spiller::new),
            piece: vec![],
        }
    }

    /// Whether both streams came to their end.
    pub(crate) fn at_end(&self) -> bool {
        self.sources.iter().all(Option::is_none)
    }

    pub(crate) fn poll_fds(&self) -> impl Iterator<Item = PollFd<'_>> {
        self.sources.iter().flatten().map(|source| PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN))
    }

    /// Takes one piece of every stream that has any; the order of the two is that of looking.
    pub(crate) fn take(&mut self) {
        self.piece.resize(PIECE, 0);
        for at in 0..self.sources.len() {
            let Some(source) = &self.sources[at] else { continue };
            match read(source, self.piece.as_mut_slice()) {
                Ok(0) => self.sources[at] = None,
                Ok(length) => {
                    let bytes = &self.piece[..length];
                    if let Some(spiller) = &mut self.spiller {
                        spiller.before(&self.both, bytes);
                    }
                    self.both.push(bytes);
                    if self.streams == Streams::Separate {
                        self.kept[at].push(bytes);
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => self.sources[at] = None,
            }
        }
    }

    pub(crate) fn finish(self) -> Collected {
        let [stdout, stderr] = self.kept;
        Collected {
            stdout: stdout.finish(),
            stderr: stderr.finish(),
            output: self.both.finish(),
            spilled: self.spiller.and_then(Spiller::finish),
        }
    }
}
