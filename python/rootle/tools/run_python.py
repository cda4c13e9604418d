"""The `run_python` tool: a program in Python, in an interpreter of its own."""

from __future__ import annotations

import sys
from typing import Annotated

from pydantic import BeforeValidator, Field

from rootle import limits
from rootle.commands import jobs_of
from rootle.commands.command import Command, split_variables, variables
from rootle.commands.places import place
from rootle.commands.program import LAUNCHER
from rootle.commands.report import CommandReport, report_ended
from rootle.commands.run import run_command, supervises
from rootle.contracts import CallContext
from rootle.framework import Deferred, base_tool
from rootle.sandbox import client_of
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["run_python"]


@base_tool(
    effect="run",
    aliases={
        **dict.fromkeys(("source", "script", "program", "python_code", "python"), "code"),
        **dict.fromkeys(("argv", "arguments"), "args"),
        **dict.fromkeys(("input", "stdin_text"), "stdin"),
        **dict.fromkeys(("timeout", "timeout_seconds", "timeout_sec", "timeout_secs"), "timeout_s"),
        **dict.fromkeys(("workdir", "working_dir", "working_directory", "directory", "dir"), "cwd"),
        **dict.fromkeys(("environment", "env_vars", "envs"), "env"),
    },
)
async def run_python(
    code: Annotated[str, Field(min_length=1, max_length=limits.COMMAND_CHARS)],
    args: list[str] | None = None,
    stdin: Annotated[str, Field(max_length=limits.COMMAND_CHARS)] | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EXEC_MAX_TIMEOUT_S)] = limits.EXEC_TIMEOUT_S,
    cwd: str = ".",
    env: Annotated[list[str], BeforeValidator(variables)] | None = None,
    import_root: bool = False,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> Deferred[CommandReport]:
    """Run a program in Python."""
    client = client_of(workspace)
    jobs = jobs_of(workspace)
    source = code.encode("utf-8", "surrogatepass")
    given = (stdin or "").encode("utf-8", "surrogateescape")
    python = sys.executable if supervises(client) and sys.executable else "python3"
    limit_s = context.remaining_s(timeout_s)
    command = Command(
        argv=[python, *LAUNCHER, str(len(source)), "root" if import_root else "", *(args or ())],
        text="python",
        cwd=await place(workspace, client, cwd),
        env=split_variables(env),
        stdin=source + given,
        timeout_s=limit_s,
    )
    ran = await run_command(client, command, jobs, context)
    return report_ended(ran, jobs, "python", benign=None, limit_s=limit_s, can_detach=False)
