//! What the host asks of the helper and what the helper answers.
//!
//! The host and its guardian share one `SOCK_SEQPACKET` socket, which is the helper's standard input. The host sends
//! [`Hello`], and hears the guardian's process id behind [`HELLO`]. A command is a [`Request`] in a memory file, and descriptors
//! of the directory to run in, of standard output and error, and of standard input unless it is empty. It can be started in
//! two ways:
//!
//! * The host sends [`RUN`] to the guardian with a socket for this command and the command's descriptors.
//! * The guardian announces a supervisor that is ready with [`READY`], a number, and two sockets. The host tells the guardian with
//!   [`TAKEN`] and the number, sends [`RUN`] with the request alone on the first socket, which is the supervisor's, and with all
//!   descriptors on the second, where the process waits that becomes the command.
//!
//! On the command's own socket the host hears [`Report`]s, and sends at most [`STOP`].

use std::time::Duration;

pub use crate::tier::Tier;
use crate::wire::{Malformed, Reader, Writer};

/// Of this layout; a helper of another build refuses to run.
const VERSION: u64 = 2;

/// The packet that says that the guardian is there.
pub const HELLO: u8 = b'H';
/// The packet that hands a command over.
pub const RUN: u8 = b'R';
/// The packet that announces a supervisor.
pub const READY: u8 = b'P';
/// The packet that says that a supervisor was put to work.
pub const TAKEN: u8 = b'T';
/// The packet that asks to end the command; the grace in microseconds follows it.
pub const STOP: u8 = b'S';

/// The first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The process that asks; its commands end with it.
    pub host: u32,
}

impl Hello {
    /// As bytes.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let mut to = Writer::default();
        to.number(VERSION);
        to.number(u64::from(self.host));
        to.finish()
    }

    /// From bytes; fails for a host of another build.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        if from.number()? != VERSION {
            return Err(Malformed);
        }
        Ok(Self { host: from.narrow()? })
    }
}

/// The variable by which every process of one command can be recognised.
pub const MARKER: &str = "ROOTLE_EXEC_ID";

/// Where the helper stands in a sandbox of [`Tier::Bubblewrap`].
pub const INSIDE: &str = "/.rootle-exec-helper";

/// What the command and everything it starts may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of address space of each process (`RLIMIT_AS`), and of memory of all of them where a control group can say so.
    pub memory: Option<u64>,
    /// Processes at one time. Counted by the helper; also `pids.max` and `RLIMIT_NPROC` where they work.
    pub processes: Option<u64>,
    /// Bytes of the largest file that a process may write (`RLIMIT_FSIZE`).
    pub file_size: Option<u64>,
    /// Seconds of processor time of each process (`RLIMIT_CPU`).
    pub cpu_s: Option<u64>,
}

/// How long the helper waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The same when the host is gone.
    pub orphan_grace: Duration,
    /// After the command's own end, for what it left behind to end by itself.
    pub settle: Duration,
    /// For processes that were killed to disappear; what is left then is reported.
    pub kill: Duration,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The value of [`MARKER`].
    pub marker: Vec<u8>,
    /// The program and its arguments.
    pub argv: Vec<Vec<u8>>,
    /// A shell's command text: given to `argv` behind `-c`, or through a memory file when it is longer than one argument
    /// can be.
    pub script: Option<Vec<u8>>,
    /// The whole environment but for the marker.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// How the processes are held together.
    pub tier: Tier,
    /// For [`Tier::Bubblewrap`]: the program `bwrap` and its options. They must show the helper at [`INSIDE`], where nothing in
    /// the sandbox can write it.
    pub bubblewrap: Vec<Vec<u8>>,
    /// Whether processes that outlive the command itself are left alone.
    pub keep_survivors: bool,
    /// Time that the command may take.
    pub timeout: Option<Duration>,
    /// What the processes may use.
    pub limits: Limits,
    /// How long to wait for what.
    pub patience: Patience,
}

/// Why the processes were ended, or that they were not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The command ended by itself.
    Exited,
    /// Its time was over.
    Deadline,
    /// The host asked for it.
    Stopped,
    /// The host is gone.
    HostGone,
    /// More processes than the limit.
    ProcessLimit,
    /// The supervising process was killed; its guardian ended the rest.
    SupervisorLost,
}

impl Ending {
    const ALL: [Self; 6] =
        [Self::Exited, Self::Deadline, Self::Stopped, Self::HostGone, Self::ProcessLimit, Self::SupervisorLost];

    fn code(self) -> u8 {
        Self::ALL.iter().position(|one| *one == self).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
    }
}

/// How the command's own process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// What the helper says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The command runs.
    Started {
        /// The process id of its supervisor.
        supervisor: i32,
        /// The directory of its control group.
        cgroup: Option<Vec<u8>>,
    },
    /// The program could not be started; the last report.
    NotStarted {
        /// The system's error number.
        errno: i32,
    },
    /// The tier cannot be had here; the last report.
    Unavailable {
        /// What failed.
        reason: String,
    },
    /// All is over; the last report.
    Ended {
        /// Why.
        ending: Ending,
        /// How the command's own process ended, if that is known.
        status: Option<Status>,
        /// Processes that outlived the command's own and were ended.
        killed: u64,
        /// Processes that could not be ended, or were kept.
        left: u64,
    },
}

impl Request {
    /// As bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.bytes(&self.marker);
        to.number(self.argv.len() as u64);
        self.argv.iter().for_each(|argument| to.bytes(argument));
        to.option(self.script.as_deref(), Writer::bytes);
        to.number(self.env.len() as u64);
        for (name, value) in &self.env {
            to.bytes(name);
            to.bytes(value);
        }
        to.byte(self.tier as u8);
        to.number(self.bubblewrap.len() as u64);
        self.bubblewrap.iter().for_each(|argument| to.bytes(argument));
        to.byte(u8::from(self.keep_survivors));
        to.option(self.timeout, Writer::duration);
        for limit in [self.limits.memory, self.limits.processes, self.limits.file_size, self.limits.cpu_s] {
            to.option(limit, Writer::number);
        }
        for time in [self.patience.grace, self.patience.orphan_grace, self.patience.settle, self.patience.kill] {
            to.duration(time);
        }
        to.finish()
    }

    /// From bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let request = Self {
            marker: from.bytes()?,
            argv: from.list(Reader::bytes)?,
            script: from.option(Reader::bytes)?,
            env: from.list(|from| Ok((from.bytes()?, from.bytes()?)))?,
            tier: Tier::take(&mut from)?,
            bubblewrap: from.list(Reader::bytes)?,
            keep_survivors: from.flag()?,
            timeout: from.option(Reader::duration)?,
            limits: Limits {
                memory: from.option(Reader::number)?,
                processes: from.option(Reader::number)?,
                file_size: from.option(Reader::number)?,
                cpu_s: from.option(Reader::number)?,
            },
            patience: Patience {
                grace: from.duration()?,
                orphan_grace: from.duration()?,
                settle: from.duration()?,
                kill: from.duration()?,
            },
        };
        from.end()?;
        Ok(request)
    }
}

impl Report {
    /// As bytes; small enough for one packet.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Writer::default();
        match self {
            Self::Started { supervisor, cgroup } => {
                to.byte(0);
                to.number(u64::from(supervisor.unsigned_abs()));
                to.option(cgroup.as_deref(), Writer::bytes);
            }
            Self::NotStarted { errno } => {
                to.byte(1);
                to.number(u64::from(errno.unsigned_abs()));
            }
            Self::Unavailable { reason } => {
                to.byte(2);
                to.bytes(reason.as_bytes());
            }
            Self::Ended { ending, status, killed, left } => {
                to.byte(3);
                to.byte(ending.code());
                to.option(*status, |to, status| {
                    let (kind, number) = match status {
                        Status::Code(code) => (0, code),
                        Status::Signal(signal) => (1, signal),
                    };
                    to.byte(kind);
                    to.number(u64::from(number.unsigned_abs()));
                });
                to.number(*killed);
                to.number(*left);
            }
        }
        to.finish()
    }

    /// From bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let report = match from.byte()? {
            0 => Self::Started { supervisor: from.narrow()?, cgroup: from.option(Reader::bytes)? },
            1 => Self::NotStarted { errno: from.narrow()? },
            2 => Self::Unavailable { reason: String::from_utf8_lossy(&from.bytes()?).into_owned() },
            3 => Self::Ended {
                ending: *Ending::ALL.get(usize::from(from.byte()?)).ok_or(Malformed)?,
                status: from.option(|from| match from.byte()? {
                    0 => Ok(Status::Code(from.narrow()?)),
                    1 => Ok(Status::Signal(from.narrow()?)),
                    _ => Err(Malformed),
                })?,
                killed: from.number()?,
                left: from.number()?,
            },
            _ => return Err(Malformed),
        };
        from.end()?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..40)
    }

    fn time() -> impl Strategy<Value = Duration> {
        (0_u64..1 << 40).prop_map(Duration::from_micros)
    }

    prop_compose! {
        fn requests()(
            marker in bytes(),
            argv in prop::collection::vec(bytes(), 0..5),
            script in prop::option::of(bytes()),
            env in prop::collection::vec((bytes(), bytes()), 0..5),
            tier in prop::sample::select(vec![Tier::Subreaper, Tier::Cgroup, Tier::PidNamespace, Tier::Bubblewrap]),
            bubblewrap in prop::collection::vec(bytes(), 0..3),
            keep_survivors in any::<bool>(),
            timeout in prop::option::of(time()),
            (memory, processes, file_size, cpu_s) in any::<(Option<u64>, Option<u64>, Option<u64>, Option<u64>)>(),
            (grace, orphan_grace, settle, kill) in (time(), time(), time(), time()),
        ) -> Request {
            Request {
                marker, argv, script, env, tier, bubblewrap, keep_survivors, timeout,
                limits: Limits { memory, processes, file_size, cpu_s },
                patience: Patience { grace, orphan_grace, settle, kill },
            }
        }
    }

    fn reports() -> impl Strategy<Value = Report> {
        let number = 0..i32::MAX;
        let status = prop_oneof![number.clone().prop_map(Status::Code), number.clone().prop_map(Status::Signal)];
        prop_oneof![
            (number.clone(), prop::option::of(bytes()))
                .prop_map(|(supervisor, cgroup)| Report::Started { supervisor, cgroup }),
            number.prop_map(|errno| Report::NotStarted { errno }),
            ".*".prop_map(|reason| Report::Unavailable { reason }),
            (prop::sample::select(Ending::ALL.to_vec()), prop::option::of(status), any::<u64>(), any::<u64>())
                .prop_map(|(ending, status, killed, left)| Report::Ended { ending, status, killed, left }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_sent_is_what_is_taken(request in requests(), report in reports(), host in any::<u32>()) {
            prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
            prop_assert_eq!(Report::decode(&report.encode()), Ok(report));
            prop_assert_eq!(Hello::decode(&Hello { host }.encode()), Ok(Hello { host }));
        }

        #[test]
        fn noise_and_parts_are_refused(noise in bytes(), request in requests(), report in reports(), cut in any::<prop::sample::Index>()) {
            let _ = (Request::decode(&noise), Report::decode(&noise), Hello::decode(&noise));
            for whole in [request.encode(), report.encode()] {
                let part = &whole[..cut.index(whole.len())];
                prop_assert!(Request::decode(part).is_err() && Report::decode(part).is_err());
            }
        }
    }
}
