"""jest's summary.

    Test Suites: 2 failed, 1 passed, 3 total
    Tests:       3 failed, 1 skipped, 1 todo, 4 passed, 9 total
    Snapshots:   0 total
    Time:        1.092 s

The four lines stand together; the last such block counts. A file that could not be loaded is in none of the numbers of
tests: it is counted by its heading, "Test suite failed to run".
"""

from __future__ import annotations

import re

from rootle.testruns.marks import Mark, between
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.found import Failures, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.testruns.summary import Outcome

__all__ = ["find"]

_COUNTS = re.compile(r"(Test Suites|Tests): +(\d+ [a-z]+(?:, \d+ [a-z]+)*)$")
_TIME = re.compile(r"Time: +(\d+(?:\.\d+)?) ?(ms|s|m)\b")
_FILE = re.compile(r" ?(PASS|FAIL)  ?(?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$")
_HEADING = re.compile(r"  ● (.+)$")
_NO_TESTS = re.compile(r"No tests found, exiting with code \d")
_PLACE = re.compile(r"^ +at (?:.*\()?([^()\n]*?):(\d+):\d+\)?$", re.MULTILINE)
_BROKEN = "Test suite failed to run"
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BLOCK_LINES = 5


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find the last block of counts."""
    for at in range(len(marks) - 1, 0, -1):
        tests, suites = _COUNTS.match(marks[at][1]), _COUNTS.match(marks[at - 1][1])
        if tests and suites and (tests[1], suites[1]) == ("Tests", "Test Suites"):
            after = [line for _, line in marks[at + 1 : at + _BLOCK_LINES]]
            if after and after[0].startswith("Snapshots:"):
                return _read(text, marks, at, tests[2], suites[2])
    for offset, line in reversed(marks):
        if _NO_TESTS.match(line):
            return Found(RunSummary(runner="jest", outcome="no_tests"), offset, offset)
    return None


def _read(text: str, marks: list[Mark], at: int, tests: str, suites: str) -> Found:
    counts = _numbers(tests)
    inside, end, seconds = _run(marks, at)
    failures = _failures(text, inside)
    broken = sum(1 for test in failures.tests if test.kind == "error")
    errors = broken or None
    outcome: Outcome = outcome_of(
        counts.get("passed"),
        counts.get("failed"),
        errors,
        (counts.get("skipped"), counts.get("todo")),
        broken="collection_error",
    )
    if outcome in ("passed", "no_tests") and "failed" in _numbers(suites):
        outcome = "failed"
    summary = RunSummary(
        runner="jest",
        passed=counts.get("passed"),
        failed=counts.get("failed"),
        skipped=counts.get("skipped"),
        todo=counts.get("todo"),
        errors=errors,
        duration_s=seconds,
        outcome=outcome,
        failures=failures.tests,
        failures_total=max(failures.total, (counts.get("failed") or 0) + broken),
    )
    return Found(summary, inside[0][0], end)


def _numbers(items: str) -> dict[str, int]:
    pairs = (item.partition(" ") for item in items.split(", "))
    return {word: int(number) for number, _, word in pairs}


def _run(marks: list[Mark], at: int) -> tuple[list[Mark], int, float | None]:
    """Give the lines of the run that the block at `at` ends: from the first file after the block before."""
    first = 0
    for back in range(at - 2, -1, -1):
        if _COUNTS.match(marks[back][1]):
            first = back + 1
            break
    first = next((i for i in range(first, at) if _FILE.match(marks[i][1])), at - 1)
    inside = marks[first : at + 1]
    for offset, line in marks[at + 1 : at + _BLOCK_LINES]:
        if match := _TIME.match(line):
            return inside, offset, float(match[1]) * _SECONDS[match[2]]
    return inside, marks[at][0], None


def _failures(text: str, marks: list[Mark]) -> Failures:
    """Give each heading below a file that failed; jest repeats them at the end of a long run."""
    failures = Failures()
    file: str | None = None
    for at, (offset, line) in enumerate(marks):
        if match := _FILE.match(line):
            file = match[2] if match[1] == "FAIL" else None
        elif file is not None and (heading := _HEADING.match(line)) and heading[1] != "Console":
            end = marks[at + 1][0] if at + 1 < len(marks) else None
            body = between(text, offset, end)
            place = next((one for one in _PLACE.finditer(body) if "node_modules" not in one[1]), None)
            failures.add(
                FailedTest(
                    name=file if heading[1] == _BROKEN else heading[1],
                    classname=file,
                    message=_message(body),
                    file=place[1] if place else file,
                    line=int(place[2]) if place else None,
                    kind="error" if heading[1] == _BROKEN else "failed",
                )
            )
    return failures


def _message(body: str) -> str:
    """Give the words above the excerpt of the source and the stack."""
    lines: list[str] = []
    for line in body.split("\n"):
        if re.match(r" +(?:> ?)?\d+ \||\s+at \S+", line):
            break
        lines.append(line.strip())
    return "\n".join(lines).strip()
