//! The whole output in a file, for commands that print more than is kept in memory.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, openat};

use super::capture::HeadTail;

/// Where the whole output goes.
#[derive(Debug)]
pub struct Spill {
    /// The directory; the file is made in it and must not exist.
    pub directory: OwnedFd,
    /// The file's name: one name, no path.
    pub name: OsString,
    /// Bytes written at most.
    pub max_bytes: u64,
    /// Whether the file is written from the first byte on, so that it can be followed. Else it is made when the output no
    /// longer fits into memory.
    pub from_start: bool,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// Bytes in the file.
    pub bytes: u64,
    /// Whether it holds everything; not when the limit was reached or the disk is full.
    pub complete: bool,
}

#[derive(Debug)]
enum State {
    Waiting,
    Open(File),
    Over,
}

/// Writes the file.
#[derive(Debug)]
pub(crate) struct Spiller {
    spill: Spill,
    state: State,
    written: u64,
    whole: bool,
}

impl Spiller {
    pub(crate) fn new(spill: Spill) -> Self {
        let from_start = spill.from_start;
        let mut spiller = Self { spill, state: State::Waiting, written: 0, whole: true };
        if from_start {
            spiller.open();
        }
        spiller
    }

    /// To be called before `bytes` are added to `kept`, which then may lose some.
    pub(crate) fn before(&mut self, kept: &HeadTail, bytes: &[u8]) {
        if matches!(self.state, State::Waiting) {
            if kept.has_room_for(bytes.len()) {
                return;
            }
            self.open();
            kept.pieces().into_iter().for_each(|piece| self.write(piece));
        }
        self.write(bytes);
    }

    fn open(&mut self) {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&self.spill.directory, &self.spill.name, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => self.state = State::Open(file.into()),
            Err(_) => self.fail(),
        }
    }

    /// A full disk must not end the command: the file is left short.
    fn fail(&mut self) {
        (self.state, self.whole) = (State::Over, false);
    }

    fn write(&mut self, bytes: &[u8]) {
        let State::Open(file) = &mut self.state else { return };
        let room = usize::try_from(self.spill.max_bytes - self.written).unwrap_or(usize::MAX);
        let part = &bytes[..bytes.len().min(room)];
        let written = file.write_all(part).is_ok();
        if written {
            self.written += part.len() as u64;
        }
        if !written || part.len() < bytes.len() {
            self.fail();
        }
    }

    /// `None` if no file was needed.
    pub(crate) fn finish(self) -> Option<Spilled> {
        match self.state {
            State::Waiting => None,
            State::Open(_) | State::Over => Some(Spilled { bytes: self.written, complete: self.whole }),
        }
    }
}
