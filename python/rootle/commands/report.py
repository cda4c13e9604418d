"""What tools say of a command: the text that a model reads and the data that a program uses, in one form for all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from rootle import limits
from rootle.commands.endings import after_words, headline
from rootle.commands.excerpt import Excerpt, Kept, excerpt
from rootle.commands.job import Job
from rootle.commands.jobs import Jobs
from rootle.commands.run import Ran
from rootle.commands.text import hidden_characters
from rootle.contracts import CommandResult
from rootle.errors import RootleError
from rootle.framework import Deferred
from rootle.rendering import count_of, frame_tag

__all__ = ["CommandReport", "HiddenCharacter", "LeftOut", "framed", "report_ended", "report_job", "told"]

_HIDDEN_SHOWN = 5


class HiddenCharacter(BaseModel):
    """An invisible character of the text, where it stands in it (from 1), and its code point as `U+200B`."""

    line: int
    column: int
    code_point: str


class LeftOut(BaseModel):
    """Bytes of the output that the text does not show: from `first`, counted from 0, to the one before `last`."""

    first: int
    last: int


class CommandReport(BaseModel):
    """A command and what it printed.

    `output` is the text that is shown, of both streams in the order in which they arrived; `stdout` and `stderr` are
    the two apart, cut in the same way. The bytes as they were printed are in `raw_output`, `raw_stdout` and
    `raw_stderr`, up to a million of each; they are no part of the JSON.
    """

    id: str | None = None
    command: str
    running: bool = False
    ended: str | None = None
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    ok: bool | None = None
    benign: str | None = None
    duration_s: float
    tier: str | None = None
    output: str = ""
    stdout: str = ""
    stderr: str = ""
    output_total: int | None = None
    stdout_total: int | None = None
    stderr_total: int | None = None
    offset: int = 0
    next_offset: int | None = None
    truncated: bool = False
    left_out: LeftOut | None = None
    output_file: str | None = None
    survivors_killed: int = 0
    survivors_left: int = 0
    hidden_unicode: list[HiddenCharacter] = []
    notices: list[str] = []
    raw_output: bytes = Field(default=b"", exclude=True, repr=False)
    raw_stdout: bytes = Field(default=b"", exclude=True, repr=False)
    raw_stderr: bytes = Field(default=b"", exclude=True, repr=False)


def framed(text: str, total: int | None) -> str:
    """Put output between tags that it cannot close, or say that there is none."""
    text = text.rstrip("\n")
    if text:
        tag = frame_tag("output", text)
        return f"<{tag}>\n{text}\n</{tag}>"
    return "No output." if not total else f"No text among the {count_of(total, 'byte')} of output."


def told(head: str, body: str, notices: Sequence[str]) -> str:
    """Put together what the model reads."""
    return "\n".join(part for part in (head, body, *(f"({notice})" for notice in notices)) if part)


def report_ended(
    ran: Ran, jobs: Jobs, command: str, *, benign: str | None, limit_s: float | None, can_detach: bool
) -> Deferred[CommandReport]:
    """Tell of a command that was waited for; output that is not shown stays to be asked for."""
    result = ran.result
    # A sandbox that gave only a part, and not where something is missing: what it gave is all there is.
    known = result.output_gap is not None and result.output_total is not None
    total = result.output_total if known and result.output_total is not None else len(result.output)
    shown = excerpt(Kept(result.output, result.output_gap, total))
    notices = after_words(result, can_detach=can_detach)
    job = None
    if shown.first is not None and shown.last is not None:
        job = _kept(jobs, ran, command, notices)
        if job is not None:
            notices.append(_how_to_read(job.id, shown.first, shown.last))
    if result.truncated and result.output_gap is None:
        notices.append("The sandbox gave back only a part of the output.")
    if not result.spill_complete and result.spilled is not None:
        notices.append(f"Only the first {count_of(result.spilled, 'byte')} and the end could be kept.")
    hidden = hidden_characters(shown.text, _HIDDEN_SHOWN)
    notices += _hidden_words(hidden)
    text = told(headline(result, benign, limit_s), framed(shown.text, total), notices)
    build = partial(_ended_data, result, command, shown, benign, notices, hidden, job)
    return Deferred(text, build, failed=not result.ok and benign is None)


def report_job(
    job: Job, head: str, shown: Excerpt, span: tuple[int, int], notices: list[str]
) -> Deferred[CommandReport]:
    """Tell of a job: `shown` is of the bytes `span` of its output."""
    notices = list(notices)
    if shown.first is not None and shown.last is not None:
        notices.append(_how_to_read(job.id, shown.first, shown.last))
    hidden = hidden_characters(shown.text, _HIDDEN_SHOWN)
    notices += _hidden_words(hidden)
    body = framed(shown.text, None) if shown.text.strip("\n") else ""
    result = job.result
    data = CommandReport(
        id=job.id,
        command=_told(job.command),
        running=job.running,
        duration_s=job.duration_s,
        output=shown.text,
        output_total=job.total,
        offset=span[0],
        next_offset=span[1],
        truncated=shown.first is not None,
        left_out=_left_out(shown),
        output_file=job.path,
        hidden_unicode=_hidden_models(hidden),
        notices=notices,
        **({} if result is None else _ending(result)),
    )
    return Deferred(told(head, body, notices), lambda: data)


def _told(command: str) -> str:
    most = limits.COMMAND_TOLD_CHARS
    return command if len(command) <= most else command[:most] + "..."


def _kept(jobs: Jobs, ran: Ran, command: str, notices: list[str]) -> Job | None:
    try:
        return jobs.keep(ran.result, command, ran.spill_name)
    except (OSError, RootleError) as error:
        notices.append(f"What is left out could not be kept: {error}")
        return None


def _how_to_read(id: str, first: int, last: int) -> str:
    return f'{last - first:,} bytes are left out: bash_output with id="{id}", offset={first} gives them.'


def _hidden_words(hidden: Sequence[tuple[int, int, str]]) -> list[str]:
    places = ", ".join(f"{line}:{column} {code}" for line, column, code in hidden)
    return [f"hidden_unicode at {places}"] if places else []


def _hidden_models(hidden: Sequence[tuple[int, int, str]]) -> list[HiddenCharacter]:
    return [HiddenCharacter(line=line, column=column, code_point=code) for line, column, code in hidden]


def _left_out(shown: Excerpt) -> LeftOut | None:
    if shown.first is None or shown.last is None:
        return None
    return LeftOut(first=shown.first, last=shown.last)


def _ending(result: CommandResult) -> dict[str, Any]:
    return {
        "ended": result.ended,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "timed_out": result.timed_out,
        "ok": result.ok,
        "tier": result.tier,
        "survivors_killed": result.survivors_killed,
        "survivors_left": result.survivors_left,
    }


def _ended_data(
    result: CommandResult,
    command: str,
    shown: Excerpt,
    benign: str | None,
    notices: list[str],
    hidden: Sequence[tuple[int, int, str]],
    job: Job | None,
) -> CommandReport:
    def apart(data: bytes, gap: int | None, total: int | None) -> str:
        return excerpt(Kept(data, gap, len(data) if total is None else total)).text

    return CommandReport(
        id=None if job is None else job.id,
        command=_told(command),
        benign=benign,
        duration_s=result.duration_s,
        output=shown.text,
        stdout=apart(result.stdout, result.stdout_gap, result.stdout_total),
        stderr=apart(result.stderr, result.stderr_gap, result.stderr_total),
        output_total=result.output_total,
        stdout_total=result.stdout_total,
        stderr_total=result.stderr_total,
        next_offset=result.output_total,
        truncated=shown.first is not None or result.truncated,
        left_out=_left_out(shown),
        output_file=None if job is None else job.path,
        hidden_unicode=_hidden_models(hidden),
        notices=notices,
        raw_output=result.output,
        raw_stdout=result.stdout,
        raw_stderr=result.stderr,
        **_ending(result),
    )
