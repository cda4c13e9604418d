"""`Jobs`: the commands of one workspace that run in the background, and those whose output can still be asked for."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from rootle import limits
from rootle.commands.command import Command
from rootle.commands.job import Job
from rootle.commands.job_input import JobInput
from rootle.commands.results import of_outcome
from rootle.contracts import CommandResult, SupportsSupervision
from rootle.errors import TooManyJobs, UnknownJob
from rootle.sandbox import user_spill

__all__ = ["Jobs", "jobs_of"]

_lock = threading.Lock()


def _after_fork() -> None:
    # Another thread of the parent may have held the lock; nobody in the child will release it.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def jobs_of(workspace: Any) -> Jobs:
    """Give the jobs of a workspace; they end with it, with `Toolbox.close`, and with this process.

    Args:
        workspace: A `Workspace` or an `AsyncWorkspace`.
    """
    state = getattr(workspace, "sync", workspace)
    if state.jobs is None:
        with _lock:
            if state.jobs is None:
                jobs = Jobs()
                weakref.finalize(state, jobs.end)  # Also at the exit of the interpreter.
                state.jobs = jobs
    found: Jobs = state.jobs
    return found


class Jobs:
    """Commands by id, for threads.

    Attributes:
        on_end: Called with each background job when it has ended, in that job's thread; what they raise is lost.
    """

    def __init__(self) -> None:
        self.on_end: list[Callable[[Job], object]] = []
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        # Those that count among the jobs that may run at one time, for as long as they run.
        self._bounded: set[Job] = set()
        self._count = 0
        self._unheard: set[str] = set()
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __len__(self) -> int:
        """Give the number of commands whose output can be asked for."""
        return len(self._jobs)

    @property
    def all(self) -> list[Job]:
        """Every command that is known, the oldest first."""
        self._forget_parent()
        with self._lock:
            return list(self._jobs.values())

    @property
    def running(self) -> list[Job]:
        """Those that run."""
        return [job for job in self.all if job.running]

    def get(self, id: str) -> Job:
        """Give a command by its id; raises UnknownJob."""
        self._forget_parent()
        with self._lock:
            job = self._jobs.get(id)
            if job is not None:
                return job
            known = [f"{one.id} ({'running' if one.running else 'ended'})" for one in self._jobs.values()]
        hint = (
            f"Known are {', '.join(known)}." if known else "No command runs in the background, and none was cut short."
        )
        raise UnknownJob.of(f'there is no command "{id}"', name=id, hint=hint)

    def start(
        self, client: SupportsSupervision, command: Command, *, bounded: bool, background: bool, takes_input: bool
    ) -> Job:
        """Start a command in a thread of its own.

        Args:
            client: Where it runs.
            command: What is run.
            bounded: Whether it counts among those that may run at one time: it is or may become a background job.
            background: Whether it is known by its id from now on; otherwise `detach` makes it so.
            takes_input: Whether text can be sent to it while it runs; its `stdin` is then left out.

        Raises:
            TooManyJobs: When as many as are allowed run.
            SandboxUnavailable: When there is no place for its output.
        """
        self._forget_parent()
        job = self._new(command.text, command.description, bounded)
        theirs = None
        if takes_input:
            job.input = JobInput()
            theirs = job.input.theirs
        try:
            job.run(partial(_run, client, command, job, theirs), self._ended)
        except BaseException:  # No thread can be had.
            if job.input is not None:
                job.input.close()
                os.close(job.input.theirs)
            with self._lock:
                self._bounded.discard(job)
            raise
        if background:
            self.detach(job)
        return job

    def detach(self, job: Job) -> None:
        """Have a started command be known by its id."""
        with self._lock:
            self._jobs[job.id] = job
            if not job.running and not job.heard:
                self._unheard.add(job.id)
        self._make_room()

    def keep(self, result: CommandResult, command: str, spill_name: str | None) -> Job:
        """Have the output of a command that ended be known by an id; a file is made for it unless there is one."""
        spill = user_spill()
        name = spill.keep(result.output) if spill_name is None else spill_name
        with self._lock:
            self._count += 1
            job = Job(f"c{self._count}", command, None, spill, name)
        job.ended_with(result)
        job.slim()
        self.detach(job)
        return job

    def heard(self, job: Job) -> None:
        """Note that somebody was told of a job's end."""
        with self._lock:
            if not job.running:
                job.heard = True
                self._unheard.discard(job.id)

    @property
    def unheard(self) -> bool:
        """Whether a background job ended of which nobody was told."""
        return bool(self._unheard)

    def take_unheard(self) -> list[Job]:
        """Give the background jobs that ended and of which nobody was told; from now on somebody was."""
        found = [job for job in self.all if not job.running and not job.heard]
        for job in found:
            self.heard(job)
        return found

    def end(self) -> list[Job]:
        """Have all that runs be ended, without waiting for it, and give what that is."""
        running = self.running
        for job in running:
            job.token.cancel()
        return running

    def close(self) -> None:
        """End all that runs and wait until it is gone, up to `limits.JOB_CLOSE_S`; outputs stay until they are old."""
        running = self.end()
        end = time.monotonic() + limits.JOB_CLOSE_S
        for job in running:
            job.wait(max(0.0, end - time.monotonic()))
            self.heard(job)

    def _new(self, text: str, description: str | None, bounded: bool) -> Job:
        spill = user_spill()
        with self._lock:
            counted = sum(job.running for job in self._bounded)
            if bounded and counted >= limits.JOBS_MAX:
                running = [job.id for job in self._jobs.values() if job.running]
                raise TooManyJobs.of(f"{counted} commands run in the background already", running=running)
            self._count += 1
            job = Job(f"c{self._count}", text, description, spill, spill.new_name())
            if bounded:
                self._bounded.add(job)
            return job

    def _ended(self, job: Job) -> None:
        with self._lock:
            self._bounded.discard(job)
            known = job.id in self._jobs
            if known and not job.heard:
                self._unheard.add(job.id)
        if known:
            job.slim()
            self._make_room()
            for call in list(self.on_end):
                with suppress(Exception):
                    call(job)

    def _make_room(self) -> None:
        with self._lock:
            ended = [job for job in self._jobs.values() if not job.running]
            size = sum(job.total for job in ended)
            gone = []
            while ended and (len(ended) > limits.JOBS_KEPT or size > limits.JOBS_KEPT_BYTES) and len(ended) > 1:
                job = ended.pop(0)
                gone.append(job)
                size -= job.total
                del self._jobs[job.id]
                self._unheard.discard(job.id)
        for job in gone:
            job.forget()

    def _forget_parent(self) -> None:
        """In a forked child the jobs are the parent's: no thread waits for them here."""
        if self._process != os.getpid():
            self._lock = threading.Lock()
            self._jobs.clear()
            self._unheard.clear()
            self._bounded.clear()
            self._process = os.getpid()


def _run(client: SupportsSupervision, command: Command, job: Job, stdin_fd: int | None) -> CommandResult:
    try:
        outcome = client.run(
            command.argv,
            script=command.script,
            cwd=command.cwd,
            env=command.env,
            stdin=None if stdin_fd is not None else command.stdin,
            stdin_fd=stdin_fd,
            timeout_s=command.timeout_s,
            max_output_bytes=limits.EXEC_OUTPUT_BYTES,
            spill=job.spill,
            spill_name=job.spill_name,
            spill_from_start=True,
            cancel=job.token,
        )
    finally:
        if stdin_fd is not None:
            os.close(stdin_fd)
    return of_outcome(outcome, command.argv)
