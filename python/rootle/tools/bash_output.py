"""The `bash_output` tool: what a background command printed, and what it is to read."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

from pydantic import Field

from rootle import limits
from rootle.commands import Job, jobs_of
from rootle.commands.endings import headline, seconds
from rootle.commands.excerpt import Excerpt, Kept, excerpt, page
from rootle.commands.report import CommandReport, report_job
from rootle.commands.text import whole_end
from rootle.contracts import CallContext
from rootle.errors import InvalidArgument
from rootle.framework import Deferred, base_tool
from rootle.rendering import count_of
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["bash_output"]


@base_tool(
    effect="run",
    destructive=False,
    aliases={
        **dict.fromkeys(("job_id", "bash_id", "shell_id", "task_id", "job", "command_id"), "id"),
        **dict.fromkeys(("wait", "timeout", "timeout_s", "block_s"), "wait_s"),
        **dict.fromkeys(("input", "text", "stdin_text"), "stdin"),
        **dict.fromkeys(("close_stdin", "eof"), "end_stdin"),
    },
)
async def bash_output(
    id: str,
    offset: int | None = None,
    wait_s: Annotated[float, Field(ge=0, le=limits.JOB_WAIT_MAX_S)] = 0,
    stdin: Annotated[str, Field(max_length=limits.COMMAND_CHARS)] | None = None,
    end_stdin: bool = False,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> Deferred[CommandReport]:
    """Give what a background command printed."""
    jobs = jobs_of(workspace)
    job = jobs.get(id.strip())
    notices: list[str] = []
    if stdin is not None or end_stdin:
        notices += await _send(job, stdin or "", end_stdin)
    if offset is not None:
        return _page(job, offset, notices)
    if stdin is not None:
        wait_s = max(wait_s, limits.JOB_ANSWER_S)
    await _until_news(job, context.remaining_s(wait_s) or 0, context)
    over = not job.running
    kept = job.kept(job.readable_from(job.seen))
    if kept.start > job.seen:
        notices.append(f"{kept.start - job.seen:,} bytes before this could not be kept.")
    if not over and kept.gap is None:
        # A character or a sequence of the terminal that is not whole yet comes with the rest of it.
        whole = whole_end(kept.data)
        kept = Kept(kept.data[:whole], None, kept.start + whole, kept.start)
    shown = excerpt(kept)
    start, job.seen = job.seen, kept.total
    if over:
        jobs.heard(job)
    if not shown.text.strip():
        notices.insert(0, "no new output" if start else "no output")
    return report_job(job, _head(job), shown, (start, kept.total), notices)


async def _send(job: Job, text: str, end: bool) -> list[str]:
    if job.input is None or not job.takes_input:
        why = "its input was closed" if job.running else "it has ended"
        raise InvalidArgument.of(
            f'"{job.id}" takes no input: {why}',
            name="stdin",
            hint="Only a command started with run_in_background=true and without stdin can be sent any.",
        )
    data = text.encode("utf-8", "surrogateescape")
    sent = await job.input.send(data, lambda: job.running)
    if end:
        job.input.close()
    if sent < len(data):
        return [
            f"it took only {sent:,} of {count_of(len(data), 'byte')} of input: it does not read, or closed its input"
        ]
    return []


async def _until_news(job: Job, wait_s: float, context: CallContext) -> None:
    """Wait for new output or for the end, and then a moment for what comes with it."""
    end = time.monotonic() + wait_s
    while job.running and job.total <= job.seen and time.monotonic() < end:
        context.check()
        await job.ended(min(limits.JOB_POLL_S, max(0.0, end - time.monotonic())))
    if wait_s and job.running:
        await asyncio.sleep(min(limits.JOB_POLL_S, wait_s))


def _page(job: Job, offset: int, notices: list[str]) -> Deferred[CommandReport]:
    """Give a page of the output from a given byte on; what is new stays new."""
    total = job.total
    start = max(0, total + offset) if offset < 0 else offset
    readable = job.readable_from(start)
    if readable > start:
        notices.append(f"{readable - start:,} bytes from {start:,} on could not be kept")
        start = readable
    length = 2 * limits.COMMAND_SHOWN_BYTES
    data = job.read(start, length)
    text, after = page(data, start, more=start + len(data) < total or job.running)
    if not data:
        notices.append(
            f"past the end: there are {count_of(total, 'byte')} of output" if start >= total else "its file is gone"
        )
    else:
        on = "" if after >= total else f"; go on with offset={after}"
        notices.append(f"bytes {start:,} to {after:,} of {total:,}{on}")
    return report_job(job, _head(job), Excerpt(text), (start, after), notices)


def _head(job: Job) -> str:
    name = f'"{job.id}"'
    if job.running:
        return f"{name} is running, since {seconds(job.duration_s)}."
    if job.error is not None:
        return f"{name} could not be run: {job.error}"
    assert job.result is not None
    return f"{name} has ended. {headline(job.result)}"
