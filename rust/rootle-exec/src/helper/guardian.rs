//! The guardian: forks supervisors, and stands in for one that is killed.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fork::{Fork, fork};
use rootle_exec::packets::{receive, send};
use rootle_exec::processes::{children, signal_if};
use rootle_exec::protocol::{Ending, READY, RUN, Report, TAKEN};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, Shutdown, SocketFlags, SocketType, shutdown, socketpair};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, pidfd_open, wait, waitid,
};

use crate::cgroup::Cgroup;
use crate::control::{Control, order};
use crate::launch::Setting;
use crate::priority::Nice;
use crate::supervisor;
use crate::tree::{each_below, own};

/// How long it waits for another command before it ends.
const IDLE: Duration = Duration::from_secs(60);
/// How often it looks whether a supervisor was stopped, and reaps what it adopted.
const ROUNDS: Duration = Duration::from_millis(250);
/// How long what a supervisor left is killed, when it was ready before its command was known.
const PREPARED_KILL: Duration = Duration::from_secs(2);
/// Between two rounds of killing.
const ROUND: Duration = Duration::from_millis(2);

/// A command that runs.
struct Ward {
    supervisor: Pid,
    held: Option<OwnedFd>,
    control: Control,
    cgroup: Cgroup,
    kill: Duration,
    /// Its number while it waits for a command.
    ready: Option<u64>,
}

pub struct Guardian {
    socket: Option<OwnedFd>,
    host: Option<OwnedFd>,
    nice: Nice,
    wards: Vec<Ward>,
    /// What commands left on purpose.
    kept: HashSet<i32>,
    next: u64,
}

impl Guardian {
    pub fn new(socket: OwnedFd, host: Option<OwnedFd>, nice: Nice) -> Self {
        Self { socket: Some(socket), host, nice, wards: vec![], kept: HashSet::new(), next: 0 }
    }

    /// Serves the host until it is gone, or wants nothing for long.
    pub fn serve(mut self) -> ! {
        self.prepare();
        loop {
            let idle = self.wait();
            self.reap();
            if self.socket.is_none() && self.wards.is_empty() {
                exit(0);
            }
            if idle && !self.at_work() {
                self.retire();
            }
        }
    }

    fn at_work(&self) -> bool {
        self.wards.iter().any(|ward| ward.ready.is_none())
    }

    /// Waits for something to happen, and takes a command. True if nothing happened for long.
    fn wait(&mut self) -> bool {
        let time = if self.at_work() { ROUNDS } else { IDLE };
        let mut sources = vec![];
        if let Some(socket) = &self.socket {
            sources.push(PollFd::new(socket, PollFlags::IN));
            sources.extend(self.host.iter().map(|host| PollFd::new(host, PollFlags::IN)));
        }
        let of_host = sources.len();
        sources.extend(
            self.wards.iter().filter_map(|ward| ward.held.as_ref()).map(|held| PollFd::new(held, PollFlags::IN)),
        );
        let happened = poll(&mut sources, Timespec::try_from(time).ok().as_ref());
        let heard = |at: usize| at < of_host && !sources[at].revents().is_empty();
        let (spoken, orphaned) = (heard(0), heard(1));
        if orphaned {
            self.socket = None; // The supervisors see it too.
        } else if spoken {
            match self.socket.as_ref().map(|socket| receive(socket, RecvFlags::DONTWAIT)) {
                Some(Ok(Some((packet, descriptors)))) => self.take(&packet, descriptors),
                Some(Err(Errno::AGAIN)) => {}
                _ => self.socket = None,
            }
        }
        happened == Ok(0)
    }

    fn take(&mut self, packet: &[u8], descriptors: Vec<OwnedFd>) {
        match packet.split_first() {
            Some((&RUN, [])) => self.take_command(descriptors),
            Some((&TAKEN, number)) => {
                let number = number.try_into().ok().map(u64::from_le_bytes);
                if let Some(ward) = self.wards.iter_mut().find(|ward| ward.ready.is_some() && ward.ready == number) {
                    ward.ready = None;
                }
                self.prepare();
            }
            // What cannot be understood is dropped, upon which the host sees its socket closed.
            _ => {}
        }
    }

    fn take_command(&mut self, descriptors: Vec<OwnedFd>) {
        let mut descriptors = descriptors.into_iter();
        let Some(control) = descriptors.next().map(Control::new) else { return };
        let Some(order) = order(descriptors) else { return };
        let cgroup = match Cgroup::create(&order.request) {
            Ok(cgroup) => cgroup,
            Err(reason) => return control.send(&Report::Unavailable { reason }),
        };
        match fork() {
            Ok(Fork::Parent(pid)) => {
                self.wards.extend(Ward::new(pid, control, cgroup, order.request.patience.kill, None));
            }
            Ok(Fork::Child) => {
                let (host, setting) = self.become_supervisor(cgroup);
                supervisor::run(&control, order, host, &setting);
            }
            Err(error) => {
                cgroup.remove();
                control.send(&Report::NotStarted { errno: error.raw_os_error().unwrap_or_default() });
            }
        }
    }

    /// Forks a supervisor that waits for a command, and announces it. Without one, commands start more slowly.
    fn prepare(&mut self) {
        let pair = || socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
        let (Some(socket), Ok((control, own)), Ok((waiting, socket_of_command))) = (&self.socket, pair(), pair())
        else {
            return;
        };
        let own = Control::new(own);
        match fork() {
            Ok(Fork::Parent(pid)) => {
                drop(socket_of_command);
                let number = self.next;
                self.next += 1;
                let packet = [&[READY], &number.to_le_bytes()[..]].concat();
                let announced = send(socket, &packet, &[control.as_fd(), waiting.as_fd()]);
                self.wards.extend(Ward::new(pid, own, Cgroup::default(), PREPARED_KILL, Some(number)));
                if announced.is_err() {
                    self.socket = None;
                }
            }
            Ok(Fork::Child) => {
                drop((control, waiting));
                let (host, setting) = self.become_supervisor(Cgroup::default());
                supervisor::wait_and_run(&own, socket_of_command, host, &setting);
            }
            Err(_) => {}
        }
    }

    /// Lets go of all that is the guardian's: other commands' sockets must close when their own processes are gone.
    fn become_supervisor(&mut self, cgroup: Cgroup) -> (Option<OwnedFd>, Setting) {
        self.wards.clear();
        self.socket = None;
        (self.host.take(), Setting { cgroup, nice: self.nice })
    }

    /// Reaps what ended, and stands in for supervisors that did not end by themselves.
    fn reap(&mut self) {
        let mut ended = vec![];
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => match self.wards.iter().position(|ward| ward.supervisor == pid) {
                    Some(at) => ended.push((self.wards.swap_remove(at), status.exit_status())),
                    None => drop(self.kept.remove(&pid.as_raw_nonzero().get())),
                },
                Err(Errno::INTR) => {}
                Ok(None) | Err(_) => break,
            }
        }
        // First what must end, so that it is not taken for what is kept.
        let well = |code: Option<i32>| matches!(code, Some(supervisor::DONE | supervisor::KEPT));
        ended.iter().filter(|(_, code)| !well(*code)).for_each(|(ward, _)| self.stand_in(ward));
        if ended.iter().any(|(_, code)| *code == Some(supervisor::KEPT)) {
            self.kept = self.adopted().collect();
        }
        for ward in &self.wards {
            let stopped = waitid(WaitId::Pid(ward.supervisor), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
            if matches!(stopped, Ok(Some(_))) {
                let _ = kill_process(ward.supervisor, Signal::CONT);
            }
        }
    }

    /// The children that are no supervisors.
    fn adopted(&self) -> impl Iterator<Item = i32> {
        let is_supervisor = |pid: i32| self.wards.iter().any(|ward| ward.supervisor.as_raw_nonzero().get() == pid);
        children(own()).unwrap_or_default().into_iter().filter(move |pid| !is_supervisor(*pid))
    }

    /// Ends what a killed supervisor left: every child of the guardian that is neither a supervisor nor kept is an orphan of
    /// such a one.
    fn stand_in(&self, ward: &Ward) {
        let until = Instant::now() + ward.kill;
        let mut killed = 0;
        let left = loop {
            ward.cgroup.kill();
            let orphans: Vec<i32> = self.adopted().filter(|pid| !self.kept.contains(pid)).collect();
            killed = killed.max(orphans.len() as u64);
            for orphan in &orphans {
                each_below(*orphan, &[Signal::KILL]);
                signal_if(*orphan, &[Signal::KILL], || true);
                // Reaped by its own id only, so that no supervisor's end is missed.
                let _ =
                    Pid::from_raw(*orphan).map(|orphan| rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG));
            }
            if orphans.is_empty() || Instant::now() >= until {
                break orphans.len() as u64;
            }
            sleep(ROUND);
        };
        ward.cgroup.remove();
        ward.control.send(&Report::Ended { ending: Ending::SupervisorLost, status: None, killed, left });
    }

    /// Ends. A command that is being handed over is still taken, and the next one finds the socket closed.
    fn retire(&mut self) {
        let Some(socket) = self.socket.take() else { return };
        let _ = shutdown(&socket, Shutdown::Read);
        while let Ok(Some((packet, descriptors))) = receive(&socket, RecvFlags::empty()) {
            self.take(&packet, descriptors);
        }
        self.wards.iter().filter(|ward| ward.ready.is_some()).for_each(|ward| ward.control.shut());
    }
}

impl Ward {
    fn new(pid: i32, control: Control, cgroup: Cgroup, kill: Duration, ready: Option<u64>) -> Option<Self> {
        let supervisor = Pid::from_raw(pid)?;
        let held = pidfd_open(supervisor, PidfdFlags::empty()).ok();
        Some(Self { supervisor, held, control, cgroup, kill, ready })
    }
}
