//! The processes of one command, as their supervisor or guardian sees them.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rootle_exec::processes::{Process, is_zombie, parent, signal_if, walk};
use rustix::process::{Pid, Signal, getpgid, getpid, kill_process, kill_process_group};

use crate::cgroup::Cgroup;

/// One walk through a tree that grows faster than it is walked ends here, so that what ended is reaped.
const WALK: Duration = Duration::from_millis(100);

/// Everything below the calling process.
pub struct Tree<'a> {
    /// The command's process group, as long as its leader was not reaped.
    pub group: Option<Pid>,
    /// The first process of the command's namespace, as long as it was not reaped.
    pub init: Option<Pid>,
    /// Whether `init` itself stands outside: the namespace's first process is then its child.
    pub outside: bool,
    pub cgroup: &'a Cgroup,
}

impl Tree<'_> {
    fn each(&self, mut visit: impl FnMut(Process) -> ControlFlow<()>) {
        let init = self.init.map_or(0, |init| init.as_raw_nonzero().get());
        let until = Instant::now() + WALK;
        walk(own(), |process| {
            let first = process.pid == init || (self.outside && process.parent == init);
            if !first && !is_zombie(process.pid) {
                visit(process)?;
            }
            if Instant::now() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }

    /// How many processes live; counting ends above `most`.
    pub fn count(&self, most: u64) -> u64 {
        let mut count = 0;
        self.each(|_| {
            count += 1;
            if count <= most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        count
    }

    /// Asks all of them to end; those that are stopped are woken to hear it.
    pub fn terminate(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::TERM);
            let _ = kill_process_group(group, Signal::CONT);
        }
        self.each(|process| {
            let in_group = self.group.is_some() && getpgid(Pid::from_raw(process.pid)).ok() == self.group;
            if in_group { ControlFlow::Continue(()) } else { signal(process, &[Signal::TERM, Signal::CONT]) }
        });
    }

    /// Kills all that there are now. What is started meanwhile is met by the next call; the group, the namespace and the
    /// control group leave no meanwhile.
    pub fn kill(&self) {
        self.cgroup.kill();
        if let Some(init) = self.init {
            let _ = kill_process(init, Signal::KILL);
        }
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.each(|process| signal(process, &[Signal::KILL]));
    }
}

/// Signals everything below a process.
pub fn each_below(ancestor: i32, signals: &[Signal]) {
    walk(ancestor, |process| signal(process, signals));
}

/// The calling process.
pub fn own() -> i32 {
    getpid().as_raw_nonzero().get()
}

fn signal(process: Process, signals: &[Signal]) -> ControlFlow<()> {
    // Still where it was found, or adopted by us since.
    signal_if(process.pid, signals, || parent(process.pid).is_some_and(|now| now == process.parent || now == own()));
    ControlFlow::Continue(())
}
