"""The `bash_kill` tool: end a background command."""

from __future__ import annotations

from rootle.commands import jobs_of
from rootle.commands.endings import after_words, headline, seconds
from rootle.commands.excerpt import excerpt
from rootle.commands.report import CommandReport, report_job
from rootle.framework import Deferred, base_tool
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["bash_kill"]


@base_tool(
    effect="run",
    idempotent=True,
    aliases=dict.fromkeys(("job_id", "bash_id", "shell_id", "task_id", "job", "command_id"), "id"),
)
async def bash_kill(id: str, *, workspace: AsyncWorkspace) -> Deferred[CommandReport]:
    """End a background command with everything it started."""
    jobs = jobs_of(workspace)
    job = jobs.get(id.strip())
    was_running = job.running
    if was_running:
        await job.end()
    jobs.heard(job)
    kept = job.kept(job.readable_from(job.seen))
    job.seen = kept.total
    if job.result is None:
        head = f'"{job.id}" could not be run: {job.error}'
    elif not was_running or job.result.ended == "exited":
        head = f'"{job.id}" had ended already. {headline(job.result)}'
    else:
        head = f'"{job.id}" was ended after {seconds(job.duration_s)}, with everything it started.'
    notices = [] if job.result is None else after_words(job.result, background=True)
    return report_job(job, head, excerpt(kept), (kept.start, kept.total), notices)
