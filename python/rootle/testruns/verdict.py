"""What a run came to, from its exit code, its report and its text, which need not agree.

The worse of what they say counts, and the disagreement is told. A run of a known runner that ends with exit code 0 but
leaves neither report nor summary did not pass: a test may have ended the process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rootle import limits
from rootle.contracts import ExecResult
from rootle.rendering import count_of
from rootle.testruns.runners import Runner
from rootle.testruns.summary import RunSummary

__all__ = ["Status", "Verdict", "judge"]

Status: TypeAlias = Literal[
    "passed",
    "failed",
    "collection_error",
    "build_failed",
    "no_tests",
    "timeout",
    "runner_missing",
    "error",
    "unknown",
]
"""How a run ended: see `Verdict`."""

_NOT_FOUND, _NOT_EXECUTABLE, _BY_SIGNAL = 127, 126, 128
_SHELL_MISSING = re.compile(
    r"^(?:\S*sh: )?(?:\S+: )?(?:line )?(?:\d+: )?(?:exec: )?(\S+): (?:command )?not found$", re.MULTILINE
)


@dataclass(slots=True)
class Verdict:
    """The status, and what a reader should know about it.

    "passed", "failed" (a test failed), "collection_error" (files of tests could not be loaded), "build_failed" (they
    did not compile), "no_tests", "timeout", "runner_missing" (it is not installed), "error" (it ended otherwise:
    killed, misused, without its summary), "unknown" (exit code 0, and nothing that is recognised).
    """

    status: Status
    notes: list[str] = field(default_factory=list)


def judge(done: ExecResult, runners: list[Runner], report: RunSummary | None, text: RunSummary, tail: str) -> Verdict:
    """Judge a run.

    Args:
        done: How the command ended.
        runners: Those that were recognised in the command.
        report: What the reports say; None without one.
        text: What the text says.
        tail: The end of the output.
    """
    verdict = _without_limit(done, runners, report, text, tail)
    if done.timed_out:
        verdict.status = "timeout"
        verdict.notes = [note for note in verdict.notes if "exit code" not in note]
    return verdict


def _without_limit(
    done: ExecResult, runners: list[Runner], report: RunSummary | None, text: RunSummary, tail: str
) -> Verdict:
    known = report or (text if text.outcome is not None else None)
    if known is None or (known.outcome == "no_tests" and not _ended_well(done)):
        return _unsaid(done, runners, known, tail)
    assert known.outcome is not None
    verdict = Verdict(known.outcome)
    if report is not None and text.bad and not report.bad and text.runner == report.runner:
        verdict.status = "failed"
        verdict.notes.append(
            f"The report says that nothing failed, the text that {count_of(text.bad, 'test')} did: it is not trusted."
        )
    if known.outcome == "passed" and known.passed == 0 and not known.xpassed and not known.xfailed:
        verdict.notes.append("No test ran: all were skipped.")
    if _meaning(done, runners) == "no_tests" and not known.bad:
        return Verdict("no_tests", verdict.notes)
    if _ended_well(done):
        if known.bad or known.outcome in ("collection_error", "build_failed"):
            verdict.notes.append("The command ended with exit code 0 all the same.")
    elif verdict.status == "passed" and not done.timed_out:
        verdict.status = "error" if _signal(done) else "failed"
        verdict.notes.append(f"No test failed, but the command {_ending(done)}.")
    elif _signal(done):
        verdict.notes.append(f"The command {_ending(done)}.")
    return verdict


def _unsaid(done: ExecResult, runners: list[Runner], known: RunSummary | None, tail: str) -> Verdict:
    """Judge a run that says nothing of its tests."""
    if missing := _missing(done, runners, tail):
        return Verdict("runner_missing", [missing])
    for runner in runners:
        if runner.empty is not None and runner.empty.search(tail):
            return Verdict("no_tests")
        if not _ended_well(done) and runner.unloaded is not None and runner.unloaded.search(tail):
            return Verdict("collection_error" if runner.name == "pytest" else "build_failed")
    meaning = _meaning(done, runners)
    if meaning == "no_tests":
        return Verdict("no_tests")
    if known is not None and meaning is None:
        return Verdict("no_tests" if not _signal(done) else "error", _why_no_tests(done, runners))
    if not _ended_well(done):
        return Verdict("error", [f"The command {_ending(done)} and left no summary of its tests."])
    if runners:
        names = ", ".join(runner.name for runner in runners)
        return Verdict("error", [f"{names} ended with exit code 0 but left no summary: a test may have ended it."])
    return Verdict("unknown", ["The command ended with exit code 0; no test runner's summary was recognised."])


def _meaning(done: ExecResult, runners: list[Runner]) -> str | None:
    """Give what the exit code means by the words of a runner."""
    code = done.exit_code
    return next((runner.exits[code] for runner in runners if code is not None and code in runner.exits), None)


def _why_no_tests(done: ExecResult, _runners: list[Runner]) -> list[str]:
    return [f"The command {_ending(done)}."] if _signal(done) else []


def _missing(done: ExecResult, runners: list[Runner], tail: str) -> str | None:
    """Say which program is missing, when that is why nothing ran."""
    if _ended_well(done) or done.timed_out:
        return None
    for runner in runners:
        if found := runner.missing.search(tail):
            line = tail[tail.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0].strip()
            return f"{runner.name} is not there: {line[: limits.LINE_CHARS]}"
    if done.exit_code == _NOT_FOUND or done.ended == "not_started":
        found = _SHELL_MISSING.search(tail)
        return f"{found[1] if found else 'A program'} is not there." if done.exit_code != _NOT_EXECUTABLE else None
    return None


def _ended_well(done: ExecResult) -> bool:
    return done.exit_code == 0 and done.signal is None and not done.timed_out


def _signal(done: ExecResult) -> int | None:
    """Give the signal that ended the command, also when a shell tells it by its exit code."""
    if done.signal is not None:
        return done.signal
    code = done.exit_code or 0
    return code - _BY_SIGNAL if _BY_SIGNAL < code <= _BY_SIGNAL + 64 else None


def _ending(done: ExecResult) -> str:
    if done.timed_out:
        return "was ended at its time limit"
    signal = _signal(done)
    return f"was ended by signal {signal}" if signal else f"ended with exit code {done.exit_code}"
