"""Running a command for a tool that waits for it, on whatever client there is."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeGuard, TypeVar

from rootle import limits
from rootle._core import CancelToken
from rootle.commands.command import Command
from rootle.commands.job import Job
from rootle.commands.jobs import Jobs
from rootle.commands.plain import plain_words
from rootle.commands.progress import Progress
from rootle.commands.results import of_exec, of_outcome
from rootle.contracts import CallContext, CommandResult, SandboxClient, SupportsStreaming, SupportsSupervision
from rootle.errors import RootleError, UserAbortError
from rootle.sandbox import user_spill
from rootle.sandbox.threads import in_own_thread

__all__ = ["Ran", "run_command", "run_or_detach", "supervises"]

T = TypeVar("T")


class Ran:
    """A command that ended, and the name of the file that holds its output, where there is one."""

    __slots__ = ("result", "spill_name")

    def __init__(self, result: CommandResult, spill_name: str | None = None) -> None:
        self.result = result
        self.spill_name = spill_name


def supervises(client: object) -> TypeGuard[SupportsSupervision]:
    """Whether commands on `client` can run in the background."""
    # The protocol's own check takes longer than all else that is done here for a command.
    return callable(getattr(client, "run", None)) and hasattr(client, "tier")


async def run_command(client: SandboxClient, command: Command, jobs: Jobs, context: CallContext) -> Ran:
    """Run a command to its end; cancelling the task, and the call's abort signal, end everything that it started."""
    if not supervises(client):
        return Ran(await _remote(client, command, context))
    if not context.watched:
        return await _unwatched(client, command)
    job = jobs.start(client, command, bounded=False, background=False, takes_input=False)
    await _attended(job, None, context)
    return _finished(job)


async def _unwatched(client: SupportsSupervision, command: Command) -> Ran:
    spill_name, spill = None, None
    with suppress(RootleError):  # Without a place for it, the output is cut and the result says so.
        spill = user_spill()
        spill_name = spill.new_name()
    token = CancelToken()
    work = partial(_supervised, client, command, spill=spill, spill_name=spill_name, cancel=token)
    result = of_outcome(await in_own_thread(work, token), command.argv)
    return Ran(result, None if result.spilled is None else spill_name)


def _supervised(client: SupportsSupervision, command: Command, **places: Any) -> Any:
    """Run a command in this thread, without a shell where that would only start a program."""
    options = {
        "cwd": command.cwd,
        "stdin": command.stdin,
        "timeout_s": command.timeout_s,
        "max_output_bytes": limits.EXEC_OUTPUT_BYTES,
        **places,
    }
    words = None if command.script is None else plain_words(command.script)
    root = getattr(client, "root", None)
    if words is not None and root is not None and "PWD" not in (command.env or {}):
        # A shell tells its commands where they are.
        here = os.path.realpath(os.path.join(root, command.cwd))
        outcome = client.run(words, env={"PWD": here, **(command.env or {})}, **options)
        if outcome.start_error is None:
            return outcome
    return client.run(command.argv, script=command.script, env=command.env, **options)


async def run_or_detach(
    client: SupportsSupervision, command: Command, jobs: Jobs, context: CallContext, wait_s: float
) -> Ran | Job:
    """Run a command and wait for `wait_s`; give its end, or the background job that it is from then on."""
    job = jobs.start(client, command, bounded=True, background=False, takes_input=False)
    await _attended(job, wait_s, context)
    if job.running:
        jobs.detach(job)
        return job
    return _finished(job)


async def _attended(job: Job, wait_s: float | None, context: CallContext) -> None:
    """Wait for a job and tell the host of its output; whoever is cancelled or aborted meanwhile ends it."""
    progress = Progress(context) if context.watched else None
    end = None if wait_s is None else time.monotonic() + wait_s
    release = context.on_abort(job.token.cancel)
    try:
        while True:
            steps = [] if progress is None else [limits.COMMAND_PROGRESS_S]
            if end is not None:
                steps.append(max(0.0, end - time.monotonic()))
            over = await job.ended(min(steps, default=None))
            if progress is not None:
                progress.read(job, over)
            if over or (end is not None and time.monotonic() >= end and not context.aborted):
                return
    except BaseException:
        await job.end()
        job.forget()
        raise
    finally:
        release()


def _finished(job: Job) -> Ran:
    """Give the result of a job that nobody needs any more; its file stays where the output is not all in memory."""
    if job.error is not None:
        job.forget()
        raise job.error
    assert job.result is not None
    if job.result.output_gap is None:
        job.forget()
        return Ran(job.result)
    return Ran(job.result, job.spill_name)


async def _remote(client: SandboxClient, command: Command, context: CallContext) -> CommandResult:
    argv, stdin = _argv(command)
    begun = time.monotonic()
    options: dict[str, Any] = {
        "cwd": None if command.cwd in (".", "") else command.cwd,
        "env": command.env,
        "stdin": stdin,
        "timeout_s": command.timeout_s,
        "max_output_bytes": limits.EXEC_OUTPUT_BYTES,
    }
    if context.watched and isinstance(client, SupportsStreaming):
        progress = Progress(context)
        result = await _abortable(client.exec_streaming(argv, on_output=progress.take, **options), context)
        progress.finish()
    else:
        result = await _abortable(client.exec(argv, **options), context)
    return of_exec(result, time.monotonic() - begun)


async def _abortable(call: Coroutine[Any, Any, T], context: CallContext) -> T:
    """Await a client's own coroutine, which the abort signal cancels."""
    task = asyncio.ensure_future(call)
    release = context.on_abort(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if context.aborted and not _is_cancelled():
            raise UserAbortError("aborted by the user") from None
        raise
    finally:
        release()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# Whichever shell there is; it takes the place of the first one, and the text is its one argument.
_SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1" bash; else exec sh -c "$1" sh; fi'
# The kernel takes no argument of more than 128 KiB: what is longer comes in front of the input.
_LONG = 'script="$(head -c "$1")"; eval "$script"'


def _argv(command: Command) -> tuple[list[str], bytes | None]:
    """Give the program, its arguments and its input for a client without a way of its own for scripts."""
    if command.script is None:
        return list(command.argv), command.stdin
    script = command.script.encode("utf-8", "surrogateescape")
    if len(script) <= limits.COMMAND_ARGUMENT_BYTES:
        return ["sh", "-c", _SHELL, "sh", command.script], command.stdin
    shell = f"if command -v bash >/dev/null 2>&1; then exec bash -c '{_LONG}' bash \"$1\"; else {_LONG}; fi"
    return ["sh", "-c", shell, "sh", str(len(script))], script + (command.stdin or b"")
