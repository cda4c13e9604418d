//! What the host asks for, and what it gets.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rootle_base::{Error, Result};

use super::capture::Captured;
use super::spill::{Spill, Spilled};
use crate::protocol::{Limits, Patience, Tier};

/// What the command reads.
#[derive(Debug)]
pub enum Stdin {
    /// Nothing: the end is reached at once.
    Closed,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// From a descriptor; it is the caller's to write to its other end.
    Descriptor(OwnedFd),
}

/// How the two output streams are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Each by itself, and both in the order in which they arrived.
    Separate,
    /// As one, in exactly the order in which they were written.
    Merged,
}

/// A command to run.
#[derive(Debug)]
pub struct Command {
    /// The helper executable.
    pub helper: PathBuf,
    /// The program, looked up in the `PATH` of `env`, and its arguments.
    pub argv: Vec<OsString>,
    /// A shell's command text, for an `argv` that is a shell; of any length.
    pub script: Option<Vec<u8>>,
    /// The whole environment; `ROOTLE_EXEC_ID` is added.
    pub env: Vec<(OsString, OsString)>,
    /// The directory to run in.
    pub cwd: OwnedFd,
    /// What it reads.
    pub stdin: Stdin,
    /// How its output is taken.
    pub streams: Streams,
    /// Bytes of each stream that are kept.
    pub max_output_bytes: usize,
    /// Where all of the output goes when it is more than that.
    pub spill: Option<Spill>,
    /// How its processes are held together.
    pub tier: Tier,
    /// The program `bwrap` and its options, for [`Tier::Bubblewrap`]; see [`crate::protocol::Request::bubblewrap`].
    pub bubblewrap: Vec<OsString>,
    /// What they may use.
    pub limits: Limits,
    /// Whether processes that outlive the command itself are left alone.
    pub keep_survivors: bool,
    /// How long the helper waits for what.
    pub patience: Patience,
    /// Between SIGTERM and SIGKILL when the call is cancelled or interrupted.
    pub cancel_grace: Duration,
    /// How long output is still read after the end, when something that was left holds the streams open.
    pub drain: Duration,
}

/// Why a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited,
    /// The program could not be started.
    NotStarted,
    /// At its time limit.
    Deadline,
    /// The call was cancelled.
    Cancelled,
    /// It had more processes than it may have.
    ProcessLimit,
    /// It killed its supervisor, and was ended for that.
    SupervisorLost,
}

impl Ended {
    /// The name of it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::NotStarted => "not_started",
            Self::Deadline => "deadline",
            Self::Cancelled => "cancelled",
            Self::ProcessLimit => "process_limit",
            Self::SupervisorLost => "supervisor_lost",
        }
    }
}

/// How a command ended and what it printed.
#[derive(Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ended: Ended,
    /// The command's own exit code; `None` if a signal ended it or nobody could see its end. 127 or 126 for a program that
    /// could not be started, as shells have it.
    pub exit_code: Option<i32>,
    /// The signal that ended the command's own process.
    pub signal: Option<i32>,
    /// The system's error number for a program that could not be started.
    pub start_error: Option<i32>,
    /// Standard output; empty when the streams are merged.
    pub stdout: Captured,
    /// Standard error; empty when the streams are merged.
    pub stderr: Captured,
    /// Both, in the order in which they arrived.
    pub output: Captured,
    /// The file that holds all of it.
    pub spilled: Option<Spilled>,
    /// False when something that was left held the streams open beyond the drain limit.
    pub drained: bool,
    /// What held the processes together.
    pub tier: Tier,
    /// Processes that outlived the command's own and were ended.
    pub survivors_killed: u64,
    /// Processes that still live: kept, or impossible to end.
    pub survivors_left: u64,
    /// From the call to the end.
    pub duration: Duration,
}

impl Command {
    /// Refuses what no process can be started with.
    pub(crate) fn check(&self) -> Result<()> {
        use std::os::unix::ffi::OsStrExt;
        let has_nul = |text: &OsString| text.as_bytes().contains(&0);
        let refuse = |name, reason: &str| Err(Error::InvalidArgument { name, reason: reason.to_owned() });
        if self.argv.first().is_none_or(|program| program.is_empty()) {
            return refuse("argv", "it names no program");
        }
        if self.argv.iter().any(has_nul) {
            return refuse("argv", "it contains a NUL character");
        }
        if self.bubblewrap.is_empty() == (self.tier == Tier::Bubblewrap) {
            return refuse("bubblewrap", "it goes with the tier of that name");
        }
        if self.bubblewrap.iter().any(has_nul) {
            return refuse("bubblewrap", "it contains a NUL character");
        }
        if self.tier == Tier::Bubblewrap && self.keep_survivors {
            return refuse("keep_survivors", "all processes of a bubblewrap sandbox end with it");
        }
        if self.script.as_ref().is_some_and(|script| script.contains(&0)) {
            return refuse("script", "it contains a NUL character");
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.as_bytes().contains(&b'=') || has_nul(name) {
                return refuse("env", &format!("{name:?} cannot be the name of a variable"));
            }
            if has_nul(value) {
                return refuse("env", &format!("the value of {name:?} contains a NUL character"));
            }
        }
        if self.spill.as_ref().is_some_and(|spill| {
            let name = spill.name.as_bytes();
            name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') || name.contains(&0)
        }) {
            return refuse("spill_name", "it is not the name of a file");
        }
        Ok(())
    }
}
