//! Running a command from its start to the end of its last process.

use std::time::{Duration, Instant};

use rootle_base::{Context, Result, Stop};
use rustix::event::{Timespec, poll};

use super::collect::Collector;
use super::command::{Command, Ended, Outcome};
use super::descriptors::unavailable;
use super::link::{Heard, Link, start};
use super::sweep::sweep;
use crate::protocol::{Ending, Report, Request, Status};

/// How often the calling thread looks at its cancel token and its interrupt.
const TICK: Duration = Duration::from_millis(20);
/// How much longer than promised the helper may take before the host acts itself.
const OVERDUE: Duration = Duration::from_millis(500);

/// Runs `command` and waits for its end, its deadline (`ctx`), or the cancel token.
///
/// # Errors
/// [`rootle_base::Error::InvalidArgument`] for what no process can be started with,
/// [`rootle_base::Error::SandboxUnavailable`] when the helper cannot be run or the tier cannot be had, and
/// [`rootle_base::Error::Interrupted`] after an interrupt, when the command's processes are gone. A program that cannot be
/// started, a deadline and a set token are outcomes.
pub fn run(mut command: Command, ctx: &Context) -> Result<Outcome> {
    command.check()?;
    let begun = Instant::now();
    let request = request(&mut command, ctx)?;
    let (link, sources) = start(&command, &request)?;
    let collector = Collector::new(sources, command.streams, command.max_output_bytes, command.spill.take());
    let mut run = Run {
        command: &command,
        request: &request,
        link,
        collector,
        last: None,
        cgroup: None,
        asked: None,
        drain_until: None,
        interrupt_seen: begun,
    };
    let drained = run.supervise(ctx);
    run.outcome(ctx, begun, drained)
}

struct Run<'a> {
    command: &'a Command,
    request: &'a Request,
    link: Link,
    collector: Collector,
    /// The last report, when it came.
    last: Option<Report>,
    cgroup: Option<Vec<u8>>,
    /// Why and when the helper was asked to stop.
    asked: Option<(Stop, Instant)>,
    drain_until: Option<Instant>,
    interrupt_seen: Instant,
}

impl Run<'_> {
    /// Collects output until all is over; false when the streams were still open then.
    fn supervise(&mut self, ctx: &Context) -> bool {
        let mut closed = false;
        loop {
            self.wait();
            self.collector.take();
            while !closed && self.last.is_none() {
                match self.link.hear() {
                    Heard::Report(Report::Started { cgroup, .. }) => self.cgroup = cgroup,
                    Heard::Report(report) => self.last = Some(report),
                    Heard::Closed => closed = true,
                    Heard::Nothing => break,
                }
            }
            if closed && self.last.is_none() {
                self.lost();
            }
            if self.last.is_some() {
                if self.collector.at_end() {
                    return true;
                }
                let now = Instant::now();
                if *self.drain_until.get_or_insert(now + self.command.drain) <= now {
                    return false;
                }
                continue;
            }
            self.stop_when_due(ctx);
        }
    }

    fn wait(&self) {
        let mut sources: Vec<_> = self.collector.poll_fds().collect();
        if self.last.is_none() {
            sources.extend(self.link.poll_fd());
        }
        let due = self.drain_until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()).min(TICK));
        let timeout = Timespec::try_from(due).ok();
        let _ = poll(&mut sources, timeout.as_ref());
    }

    fn stop_when_due(&mut self, ctx: &Context) {
        let now = Instant::now();
        let Some((stop, since)) = self.asked else {
            if let Some(stop) = ctx.poll_interrupt(&mut self.interrupt_seen) {
                self.asked = Some((stop, now));
                self.link.stop(self.grace(stop));
            }
            return;
        };
        // What a command may have done to the helper is undone, in steps: it was stopped, one of its processes does not
        // answer, neither does.
        let silent = now.duration_since(since);
        let promised = self.grace(stop) + self.request.patience.kill;
        if silent > promised + 2 * OVERDUE {
            self.link.kill_guardian();
            self.lost();
        } else if silent > promised + OVERDUE {
            self.link.kill_supervisor();
        } else if silent > self.grace(stop) {
            self.link.wake();
        }
    }

    fn grace(&self, stop: Stop) -> Duration {
        match stop {
            Stop::Deadline => self.command.patience.grace,
            Stop::Cancelled | Stop::Interrupted => self.command.cancel_grace,
        }
    }

    /// Nobody is left to report: the host ends the command's processes itself.
    fn lost(&mut self) {
        let left = sweep(&self.request.marker, self.cgroup.as_deref(), self.request.patience.kill);
        self.last = Some(Report::Ended { ending: Ending::SupervisorLost, status: None, killed: 0, left });
    }

    fn outcome(self, ctx: &Context, begun: Instant, drained: bool) -> Result<Outcome> {
        let Self { command, collector, last, asked, .. } = self;
        if let Some((Stop::Interrupted, _)) = asked {
            return Err(ctx.error(Stop::Interrupted));
        }
        let collected = collector.finish();
        let mut outcome = Outcome {
            ended: Ended::Exited,
            exit_code: None,
            signal: None,
            start_error: None,
            stdout: collected.stdout,
            stderr: collected.stderr,
            output: collected.output,
            spilled: collected.spilled,
            drained,
            tier: command.tier,
            survivors_killed: 0,
            survivors_left: 0,
            duration: begun.elapsed(),
        };
        match last {
            Some(Report::Ended { ending, status, killed, left }) => {
                outcome.ended = ended(ending, asked.map(|(stop, _)| stop));
                match status {
                    Some(Status::Code(code)) => outcome.exit_code = Some(code),
                    Some(Status::Signal(signal)) => outcome.signal = Some(signal),
                    None => {}
                }
                (outcome.survivors_killed, outcome.survivors_left) = (killed, left);
            }
            Some(Report::NotStarted { errno }) => {
                outcome.ended = Ended::NotStarted;
                outcome.start_error = Some(errno);
                let missing = errno == rustix::io::Errno::NOENT.raw_os_error();
                outcome.exit_code = Some(if missing { 127 } else { 126 });
            }
            Some(Report::Unavailable { reason }) => {
                // What `bwrap` says of its own failure stands there; no command began.
                let said = String::from_utf8_lossy(&outcome.output.data);
                let reason = [reason.as_str(), said.trim()].join(" ");
                let tier = command.tier.as_str();
                return Err(unavailable(format!("the tier {tier} cannot be had here: {}", reason.trim_end())));
            }
            Some(Report::Started { .. }) | None => return Err(unavailable("the helper gave no report".to_owned())),
        }
        Ok(outcome)
    }
}

fn ended(ending: Ending, asked: Option<Stop>) -> Ended {
    match (ending, asked) {
        (Ending::Exited, _) => Ended::Exited,
        (Ending::ProcessLimit, _) => Ended::ProcessLimit,
        (Ending::Deadline, _) | (Ending::Stopped, Some(Stop::Deadline)) => Ended::Deadline,
        (Ending::Stopped | Ending::HostGone, _) => Ended::Cancelled,
        (Ending::SupervisorLost, _) => Ended::SupervisorLost,
    }
}

fn request(command: &mut Command, ctx: &Context) -> Result<Request> {
    use std::os::unix::ffi::OsStringExt;
    let mut random = [0_u8; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| std::io::Read::read_exact(&mut source, &mut random))
        .map_err(|error| unavailable(format!("/dev/urandom: {error}")))?;
    let marker: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Request {
        marker: marker.into_bytes(),
        argv: std::mem::take(&mut command.argv).into_iter().map(OsStringExt::into_vec).collect(),
        script: command.script.take(),
        env: std::mem::take(&mut command.env)
            .into_iter()
            .map(|(name, value)| (name.into_vec(), value.into_vec()))
            .collect(),
        tier: command.tier,
        bubblewrap: std::mem::take(&mut command.bubblewrap).into_iter().map(OsStringExt::into_vec).collect(),
        keep_survivors: command.keep_survivors,
        timeout: ctx.remaining(),
        limits: command.limits,
        patience: command.patience,
    })
}
