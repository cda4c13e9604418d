"""From what a client gives to `CommandResult`, the one form that tools work with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rootle.contracts import CommandResult, ExecResult

__all__ = ["of_exec", "of_outcome"]


def of_outcome(outcome: Any, argv: Sequence[str]) -> CommandResult:
    """Take the outcome of a supervised run."""
    stdout, stderr, output = outcome.stdout, outcome.stderr, outcome.output
    said = b""
    if outcome.start_error is not None:
        said = f"{argv[0]}: {os.strerror(outcome.start_error)}\n".encode(errors="surrogateescape")
    timed_out = outcome.ended == "deadline"
    return CommandResult(
        exit_code=None if timed_out else outcome.exit_code,
        signal=outcome.signal,
        stdout=stdout.data,
        stderr=stderr.data + said,
        # Results are kept by hosts: what is the same is there once.
        output=stdout.data if stdout.total and not stderr.total else output.data + said,
        timed_out=timed_out,
        truncated=stdout.gap is not None or stderr.gap is not None,
        duration_s=outcome.duration_s,
        ended=outcome.ended,
        tier=outcome.tier,
        stdout_total=stdout.total,
        stderr_total=stderr.total + len(said),
        output_total=output.total + len(said),
        stdout_gap=stdout.gap,
        stderr_gap=stderr.gap,
        output_gap=output.gap,
        survivors_killed=outcome.survivors_killed,
        survivors_left=outcome.survivors_left,
        drained=outcome.drained,
        spilled=outcome.spilled_bytes,
        spill_complete=outcome.spill_complete,
    )


def of_exec(result: ExecResult, took_s: float) -> CommandResult:
    """Take the result of a client that knows no more than the contract: the streams stand one after the other.

    Args:
        result: What the client gave; where output is missing in it is not known.
        took_s: Seconds that the call took, for a client that does not measure.
    """
    if isinstance(result, CommandResult):
        return result
    output = result.stdout + result.stderr
    total = None
    if not result.truncated:
        total = len(output)
    elif result.stdout_total is not None and result.stderr_total is not None:
        total = result.stdout_total + result.stderr_total
    return CommandResult(
        exit_code=result.exit_code,
        signal=result.signal,
        stdout=result.stdout,
        stderr=result.stderr,
        output=output,
        timed_out=result.timed_out,
        truncated=result.truncated,
        duration_s=result.duration_s or took_s,
        ended="deadline" if result.timed_out else result.ended,
        tier=result.tier,
        stdout_total=result.stdout_total if result.truncated else len(result.stdout),
        stderr_total=result.stderr_total if result.truncated else len(result.stderr),
        output_total=total,
        survivors_left=result.survivors_left,
    )
