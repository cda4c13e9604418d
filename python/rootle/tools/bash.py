"""The `bash` tool: a command in a shell, waited for or in the background."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from rootle import limits
from rootle.commands import Jobs, jobs_of
from rootle.commands.benign import benign_code
from rootle.commands.command import Command, command_text, shell, split_variables, variables
from rootle.commands.endings import seconds
from rootle.commands.excerpt import Excerpt, excerpt
from rootle.commands.job import Job
from rootle.commands.places import place
from rootle.commands.report import CommandReport, report_ended, report_job
from rootle.commands.run import Ran, run_command, run_or_detach, supervises
from rootle.contracts import CallContext
from rootle.errors import InvalidArgument
from rootle.framework import Deferred, base_tool
from rootle.sandbox import client_of
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["bash"]

_HOW = "bash_output gives what it prints, bash_kill ends it; its end is told with the next answer of any tool."


@base_tool(
    effect="run",
    aliases={
        **dict.fromkeys(("cmd", "script", "commands", "shell_command", "bash_command", "code"), "command"),
        **dict.fromkeys(("workdir", "working_dir", "working_directory", "directory", "dir"), "cwd"),
        **dict.fromkeys(("timeout", "timeout_seconds", "timeout_sec", "timeout_secs"), "timeout_s"),
        **dict.fromkeys(("background", "is_background", "in_background"), "run_in_background"),
        **dict.fromkeys(("environment", "env_vars", "envs"), "env"),
        **dict.fromkeys(("input", "stdin_text"), "stdin"),
    },
)
async def bash(
    command: Annotated[str, BeforeValidator(command_text), Field(min_length=1, max_length=limits.COMMAND_CHARS)],
    cwd: str = ".",
    env: Annotated[list[str], BeforeValidator(variables)] | None = None,
    stdin: Annotated[str, Field(max_length=limits.COMMAND_CHARS)] | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EXEC_MAX_TIMEOUT_S)] | None = None,
    run_in_background: bool = False,
    auto_background: bool = False,
    description: str | None = None,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> Deferred[CommandReport]:
    """Run a command in a shell."""
    client, jobs = client_of(workspace), jobs_of(workspace)
    wait_s = limits.EXEC_TIMEOUT_S if timeout_s is None else timeout_s
    detachable = supervises(client)
    limit_s = timeout_s if run_in_background else None if auto_background else context.remaining_s(wait_s)
    work = Command(
        argv=[shell()],
        text=command,
        script=command,
        cwd=await place(workspace, client, cwd),
        env=split_variables(env),
        stdin=None if stdin is None else stdin.encode("utf-8", "surrogateescape"),
        timeout_s=limit_s,
        description=description,
    )
    if not run_in_background and not auto_background:
        return _report(await run_command(client, work, jobs, context), jobs, command, limit_s, detachable)
    if not supervises(client):
        raise _no_background("run_in_background" if run_in_background else "auto_background")
    if run_in_background:
        job = jobs.start(client, work, bounded=True, background=True, takes_input=stdin is None)
        return report_job(job, f'Started in the background as "{job.id}". {_HOW}', Excerpt(""), (0, 0), [])
    ran = await run_or_detach(client, work, jobs, context, context.remaining_s(wait_s) or 0)
    return _detached(ran, wait_s) if isinstance(ran, Job) else _report(ran, jobs, command, None, True)


def _no_background(name: str) -> InvalidArgument:
    return InvalidArgument.of(
        f"{name}: commands of this sandbox cannot go on in the background, for its client only runs them to their end",
        name=name,
        hint="Run it in the foreground, with a timeout_s that is long enough.",
    )


def _detached(job: Job, wait_s: float) -> Deferred[CommandReport]:
    kept = job.kept(0)
    job.seen = kept.total
    head = f'Still running after {seconds(wait_s)}: it goes on in the background as "{job.id}". {_HOW}'
    return report_job(job, head, excerpt(kept), (0, kept.total), [])


def _report(ran: Ran, jobs: Jobs, command: str, limit_s: float | None, can_detach: bool) -> Deferred[CommandReport]:
    result = ran.result
    benign = benign_code(command, result.exit_code, quiet=not result.stderr)
    return report_ended(ran, jobs, command, benign=benign, limit_s=limit_s, can_detach=can_detach)
