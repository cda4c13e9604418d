//! The supervisor: from the start of the command to the end of its last process.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::time::{Duration, Instant};

use rootle_exec::protocol::{Ending, Report, Request, Status, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper, setsid, wait, waitpid,
};

use crate::bubblewrap;
use crate::control::{Control, Heard, Order};
use crate::launch::{Launch, Setting, failure, launch, wait_for_command};
use crate::namespace::{self, decode, status_of};
use crate::signals;
use crate::stdio::release;
use crate::tree::{Tree, own};

/// Between two rounds of killing.
const ROUND: Duration = Duration::from_millis(2);
/// Between two counts of the processes, where they are limited.
const COUNT: Duration = Duration::from_millis(5);

enum Phase {
    /// The command's own process runs.
    Running,
    /// It ended; what it left may end by itself until then.
    Settling(Instant),
    /// All were asked to end and have time until then.
    Asked(Instant),
    /// All are killed, again and again until then.
    Killing(Instant),
}

struct Supervisor<'a> {
    control: &'a Control,
    request: &'a Request,
    host: Option<OwnedFd>,
    wake: UnixStream,
    launch: Launch,
    tree: Tree<'a>,
    begun: Instant,
    phase: Phase,
    ending: Ending,
    status: Option<Status>,
    /// How the process of [`Launch::pid`] ended.
    last_status: Option<Status>,
    killed: u64,
    host_gone: bool,
}

/// The exit codes by which the guardian knows that all was done; with the second, processes were left on purpose.
pub const DONE: i32 = 0;
pub const KEPT: i32 = 3;

/// Runs the command of `order` and never returns.
pub fn run(control: &Control, order: Order, host: Option<OwnedFd>, setting: &Setting) -> ! {
    let begun = Instant::now();
    let Order { request, streams } = order;
    let started = take_office().and_then(|wake| {
        streams.take_on()?;
        Ok(wake)
    });
    let started = started.map_err(|error| not_started(&error)).and_then(|wake| {
        let launch = match request.tier {
            Tier::Bubblewrap => {
                bubblewrap::launch(&request, setting).map_err(|reason| Report::Unavailable { reason })?
            }
            Tier::PidNamespace => {
                namespace::launch(&request, setting).map_err(|reason| Report::Unavailable { reason })?
            }
            Tier::Subreaper | Tier::Cgroup => launch(&request, setting).map_err(|error| not_started(&error))?,
        };
        release();
        Ok((wake, launch))
    });
    match started {
        Ok((wake, launch)) => Supervisor::new(control, &request, host, setting, wake, launch, begun).finish(),
        Err(report) => {
            setting.cgroup.remove();
            control.send(&report);
            exit(DONE)
        }
    }
}

/// Waits with a process that is ready to become a command, runs the command when it comes, and never returns.
pub fn wait_and_run(control: &Control, socket: OwnedFd, host: Option<OwnedFd>, setting: &Setting) -> ! {
    let Ok(mut wake) = take_office() else { exit(DONE) };
    let Ok(launch) = wait_for_command(socket, setting) else { exit(DONE) };
    loop {
        let mut sources =
            vec![PollFd::new(&wake, PollFlags::IN), PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN)];
        sources.extend(host.iter().map(|host| PollFd::new(host, PollFlags::IN)));
        let _ = poll(&mut sources, None);
        let [woken, spoken, orphaned] =
            [0, 1, 2].map(|at| sources.get(at).is_some_and(|one| !one.revents().is_empty()));
        if spoken && let Some(request) = control.request() {
            let begun = Instant::now();
            Supervisor::new(control, &request, host, setting, wake, launch, begun).finish();
        }
        let gone = woken && matches!(waitpid(Some(launch.pid), WaitOptions::NOHANG), Ok(Some(_)) | Err(_));
        if spoken || orphaned || gone {
            // There will be no command.
            let _ = kill_process_group(launch.pid, Signal::KILL);
            let _ = kill_process(launch.pid, Signal::KILL);
            exit(DONE);
        }
        let _ = wake.read(&mut [0; 64]);
    }
}

/// Becomes a supervisor; gives what wakes it when a child ends.
fn take_office() -> io::Result<UnixStream> {
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    signals::children()
}

fn not_started(error: &io::Error) -> Report {
    Report::NotStarted { errno: error.raw_os_error().unwrap_or_default() }
}

impl<'a> Supervisor<'a> {
    fn new(
        control: &'a Control,
        request: &'a Request,
        host: Option<OwnedFd>,
        setting: &'a Setting,
        wake: UnixStream,
        launch: Launch,
        begun: Instant,
    ) -> Self {
        let (group, init) = if launch.own { (Some(launch.pid), None) } else { (None, Some(launch.pid)) };
        Self {
            control,
            request,
            host,
            wake,
            launch,
            tree: Tree { group, init, outside: request.tier == Tier::Bubblewrap, cgroup: &setting.cgroup },
            begun,
            phase: Phase::Running,
            ending: Ending::Exited,
            status: None,
            last_status: None,
            killed: 0,
            host_gone: false,
        }
    }
}

impl Supervisor<'_> {
    /// Supervises the command to its end and reports.
    fn finish(mut self) -> ! {
        let report = self.supervise();
        if self.request.keep_survivors {
            self.tree.cgroup.release();
        } else {
            self.tree.cgroup.remove();
        }
        self.control.send(&report);
        exit(if self.request.keep_survivors { KEPT } else { DONE });
    }

    fn supervise(&mut self) -> Report {
        loop {
            let empty = self.reap();
            if let Some(report) = self.progress(empty) {
                return report;
            }
            self.wait();
        }
    }

    /// Reaps what ended; true when no child is left, and so no descendant.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.launch.pid => {
                    (self.tree.group, self.tree.init) = (None, None);
                    self.last_status = status_of(status);
                    if self.launch.own {
                        self.status = self.last_status;
                    }
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Goes from phase to phase; gives the last report when all is over.
    fn progress(&mut self, empty: bool) -> Option<Report> {
        let now = Instant::now();
        if let Some(report) = self.hear_of_launch(empty) {
            return Some(report);
        }
        if empty {
            return Some(self.ended(0));
        }
        match self.phase {
            Phase::Running if self.status.is_some() => {
                if self.request.keep_survivors {
                    return Some(self.ended(self.tree.count(u64::MAX)));
                }
                self.phase = Phase::Settling(now + self.request.patience.settle);
            }
            Phase::Running if self.over(self.request.timeout, now) => {
                self.terminate(Ending::Deadline, self.request.patience.grace);
            }
            Phase::Running if self.too_many() => self.terminate(Ending::ProcessLimit, Duration::ZERO),
            Phase::Settling(until) if now >= until => {
                self.killed = self.tree.count(u64::MAX);
                self.terminate(Ending::Exited, self.request.patience.grace);
            }
            Phase::Asked(until) if now >= until => {
                self.phase = Phase::Killing(now + self.request.patience.kill);
                self.tree.kill();
            }
            Phase::Killing(until) => {
                if now >= until {
                    return Some(self.ended(self.tree.count(u64::MAX)));
                }
                self.tree.kill();
            }
            Phase::Running | Phase::Settling(_) | Phase::Asked(_) => {}
        }
        None
    }

    fn hear_of_launch(&mut self, empty: bool) -> Option<Report> {
        let ready = |fd: &OwnedFd| {
            let mut one = [PollFd::new(fd, PollFlags::IN)];
            matches!(poll(&mut one, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(1))
        };
        // First the namespace's own trouble, then the program's, then the end of the program.
        if let Some(ended) = self.launch.ended.take_if(|ended| empty || ready(ended)) {
            let mut bytes = vec![];
            let _ = std::fs::File::from(ended).read_to_end(&mut bytes);
            match decode(&bytes) {
                Some(Ok(status)) => self.status = Some(status),
                Some(Err(reason)) => return Some(Report::Unavailable { reason }),
                // `bwrap` says on standard error why it failed.
                None if self.request.tier == Tier::Bubblewrap && matches!(self.phase, Phase::Running) => {
                    return Some(Report::Unavailable { reason: "the command did not begin.".to_owned() });
                }
                None => {}
            }
        }
        if let Some(started) = self.launch.started.take_if(|started| empty || ready(started)) {
            match failure(started) {
                Some(errno) => return Some(Report::NotStarted { errno }),
                None => {
                    let cgroup = self.tree.cgroup.path().map(<[u8]>::to_vec);
                    self.control.send(&Report::Started { supervisor: own(), cgroup });
                }
            }
        }
        None
    }

    fn over(&self, limit: Option<Duration>, now: Instant) -> bool {
        limit.is_some_and(|limit| now.duration_since(self.begun) >= limit)
    }

    fn too_many(&self) -> bool {
        self.request.limits.processes.is_some_and(|most| self.tree.count(most) > most)
    }

    fn terminate(&mut self, ending: Ending, grace: Duration) {
        let now = Instant::now();
        match self.phase {
            Phase::Running | Phase::Settling(_) => {
                self.ending = ending;
                if grace.is_zero() {
                    self.phase = Phase::Killing(now + self.request.patience.kill);
                    self.tree.kill();
                } else {
                    self.phase = Phase::Asked(now + grace);
                    self.tree.terminate();
                }
            }
            Phase::Asked(until) => self.phase = Phase::Asked(until.min(now + grace)),
            Phase::Killing(_) => {}
        }
    }

    fn ended(&self, left: u64) -> Report {
        // A namespace's first process that was killed took the command with it, and said nothing of it.
        let status = self.status.or(self.last_status);
        Report::Ended { ending: self.ending, status, killed: self.killed, left }
    }

    /// Waits until something happens or is due.
    fn wait(&mut self) {
        let patience = self.patience();
        let timeout = patience.and_then(|time| Timespec::try_from(time).ok());
        let mut sources = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if !self.host_gone {
            sources.push(PollFd::from_borrowed_fd(self.control.as_fd(), PollFlags::IN));
            sources.extend(self.host.iter().map(|host| PollFd::new(host, PollFlags::IN)));
        }
        sources.extend(self.launch.started.iter().map(|started| PollFd::new(started, PollFlags::IN)));
        sources.extend(self.launch.ended.iter().map(|ended| PollFd::new(ended, PollFlags::IN)));
        let _ = poll(&mut sources, timeout.as_ref());
        let heard = |at: usize| sources.get(at).is_some_and(|source| !source.revents().is_empty());
        let (woken, spoken) = (heard(0), !self.host_gone && heard(1));
        let orphaned = !self.host_gone && self.host.is_some() && heard(2);
        if woken {
            let mut bytes = [0_u8; 64];
            while self.wake.read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
        }
        let heard = if spoken { self.control.hear() } else { Heard::Nothing };
        match heard {
            Heard::Stop(grace) => self.terminate(Ending::Stopped, grace),
            Heard::Closed => self.orphaned(),
            Heard::Nothing if orphaned => self.orphaned(),
            Heard::Nothing => {}
        }
    }

    fn orphaned(&mut self) {
        self.host_gone = true;
        self.terminate(Ending::HostGone, self.request.patience.orphan_grace);
    }

    fn patience(&self) -> Option<Duration> {
        let now = Instant::now();
        let due = |at: Instant| at.saturating_duration_since(now);
        match self.phase {
            Phase::Running => {
                let left = self.request.timeout.map(|limit| limit.saturating_sub(now.duration_since(self.begun)));
                let count = self.request.limits.processes.map(|_| COUNT);
                left.into_iter().chain(count).min()
            }
            Phase::Settling(until) | Phase::Asked(until) => Some(due(until)),
            Phase::Killing(_) => Some(ROUND),
        }
    }
}
