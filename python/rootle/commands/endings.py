"""How a command ended, in words."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from rootle import limits
from rootle.contracts import CommandResult
from rootle.rendering import count_of, escape_text

if TYPE_CHECKING:
    from rootle.commands.job import Job

__all__ = ["after_words", "headline", "news", "seconds"]

_NOT_FOUND, _NOT_EXECUTABLE, _BY_SIGNAL = 127, 126, 128


def headline(result: CommandResult, benign: str | None = None, limit_s: float | None = None) -> str:
    """Say in one sentence how a command ended and how long it took."""
    took = f"after {seconds(result.duration_s)}"
    if result.timed_out or result.ended == "deadline":
        after = "" if limit_s is None else f" of {seconds(limit_s)}"
        return f"TIME LIMIT{after} reached: the command and everything it started were ended."
    if result.ended == "cancelled":
        return f"Ended from outside {took}, with everything it started."
    if result.ended == "process_limit":
        return f"Ended {took}: it had more processes than it may have."
    if result.ended == "supervisor_lost":
        return f"Ended {took}: it killed the process that supervised it. Its exit code is not known."
    if result.signal is not None:
        return f"Killed by signal {result.signal}{_named(result.signal)} {took}."
    if result.exit_code is None:
        return f"Ended {took}; its exit code is not known."
    meaning = f" ({benign})" if benign else _code_meaning(result.exit_code)
    return f"Exit code {result.exit_code}{meaning} {took}."


def after_words(result: CommandResult, *, background: bool = False, can_detach: bool = False) -> list[str]:
    """Say what the headline does not: what was kept, what is left, and what to do."""
    said: list[str] = []
    if result.timed_out or result.ended == "deadline":
        kept = "What it printed until then is above." if result.output else "It had printed nothing."
        on = f"Allow more with timeout_s (at most {limits.EXEC_MAX_TIMEOUT_S:,.0f})"
        on += ", or let it go on with run_in_background=true." if can_detach else "."
        said.append(f"{kept} {on}")
    if result.survivors_killed and result.ended == "exited":
        left = count_of(result.survivors_killed, "process", "processes")
        was = "was" if result.survivors_killed == 1 else "were"
        hint = (
            " What is meant to go on is started with run_in_background=true." if can_detach and not background else ""
        )
        said.append(f"{left} that it left running {was} ended.{hint}")
    if result.survivors_left:
        said.append(f"{count_of(result.survivors_left, 'process', 'processes')} of it still run.")
    if not result.drained:
        said.append("A process that still runs holds the output open: what it prints from now on is not seen.")
    return said


def news(job: Job) -> str:
    """Say that a background command has ended, for an answer on something else."""
    shown = escape_text(" ".join(job.command.split()))
    shown = shown if len(shown) <= limits.ARGUMENT_SHOWN_CHARS else shown[: limits.ARGUMENT_SHOWN_CHARS] + "..."
    how = f"could not be run: {job.error}" if job.result is None else f"has ended. {headline(job.result)}"
    left = job.total - job.seen
    more = f' bash_output with id="{job.id}" gives {count_of(left, "new byte")} of output.' if left > 0 else ""
    return f"(Background command {job.id}, {shown}, {how}{more})"


def seconds(duration_s: float) -> str:
    """Say a duration in seconds, as exactly as is of use: `0.02 s`, `3.1 s`, `1,800 s`."""
    if duration_s < 1:
        return f"{duration_s:.2f} s"
    return f"{duration_s:.1f} s" if duration_s < 100 and duration_s % 1 else f"{duration_s:,.0f} s"


def _named(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


def _code_meaning(code: int) -> str:
    if code == _NOT_FOUND:
        return " (command not found)"
    if code == _NOT_EXECUTABLE:
        return " (not executable)"
    if code > _BY_SIGNAL and (name := _named(code - _BY_SIGNAL)):
        memory = ", perhaps out of memory" if code - _BY_SIGNAL == signal.SIGKILL else ""
        return f" (that of a command killed by {name[2:-1]}{memory})"
    return ""
