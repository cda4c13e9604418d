"""vitest's summary.

     Test Files  2 failed | 1 passed (3)
          Tests  3 failed | 4 passed | 1 expected fail | 1 skipped | 1 todo (10)
       Start at  22:12:26
       Duration  1.27s (transform 47ms, ...)

The lines stand together; the last such block counts. A file that could not be loaded has a heading that names it twice.
"""

from __future__ import annotations

import re

from rootle.testruns.marks import Mark, between
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.found import Failures, Found

__all__ = ["find"]

_FILES = re.compile(r" Test Files  (no test files|\d+ [a-z ]+?(?: \| \d+ [a-z ]+?)* \(\d+\))$")
_TESTS = re.compile(r"      Tests  (no tests|\d+ [a-z ]+?(?: \| \d+ [a-z ]+?)* \(\d+\))$")
_ERRORS = re.compile(r"     Errors  (\d+) errors?$")
_TIME = re.compile(r"   Duration  (\d+(?:\.\d+)?)(ms|s|m)\b")
_RUN = re.compile(r" (?:RUN|DEV)  v\d")
_HEADING = re.compile(r" FAIL  (?:\|[^|]*\| )?(\S+)(?: > (.+)| \[ .* \])?$")
_NO_TESTS = re.compile(r"No test files found, exiting with code \d")
_PLACE = re.compile(r"^ *(?:❯ (?:\S+ )?|File: )([^\s:]+):(\d+):\d+$", re.MULTILINE)
_NAMES = {"expected fail": "xfailed"}
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BLOCK_LINES = 5


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find the last block of counts."""
    for at in range(len(marks) - 1, 0, -1):
        tests = _TESTS.match(marks[at][1])
        if tests and _FILES.match(marks[at - 1][1]):
            return _read(text, marks, at, tests[1])
    for offset, line in reversed(marks):
        if _NO_TESTS.match(line):
            return Found(RunSummary(runner="vitest", outcome="no_tests"), offset, offset)
    return None


def _read(text: str, marks: list[Mark], at: int, tests: str) -> Found:
    counts = _numbers(tests)
    start = next((back for back in range(at, -1, -1) if _RUN.match(marks[back][1])), at - 1)
    end, seconds, unhandled = marks[at][0], None, 0
    for offset, line in marks[at + 1 : at + _BLOCK_LINES]:
        if match := _TIME.match(line):
            end, seconds = offset, float(match[1]) * _SECONDS[match[2]]
        elif match := _ERRORS.match(line):
            end, unhandled = offset, int(match[1])
    # Standard error, where the failures are told, may come after the summary.
    stop = next((later for later in range(at + 1, len(marks)) if _RUN.match(marks[later][1])), len(marks))
    failures = _failures(text, marks[start:stop])
    broken = sum(1 for test in failures.tests if test.kind == "error")
    summary = RunSummary(
        runner="vitest",
        errors=broken + unhandled or None,
        duration_s=seconds,
        outcome=outcome_of(
            counts.get("passed"),
            counts.get("failed"),
            broken + unhandled,
            (counts.get("skipped"), counts.get("todo"), counts.get("xfailed")),
            broken="collection_error" if broken else "failed",
        ),
        failures=failures.tests,
        failures_total=max(failures.total, (counts.get("failed") or 0) + broken),
    ).with_counts(counts)
    return Found(summary, marks[start][0], end)


def _numbers(items: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items.rpartition(" (")[0].split(" | "):
        number, _, word = item.partition(" ")
        if number.isdecimal():
            counts[_NAMES.get(word, word)] = int(number)
    return counts


def _failures(text: str, marks: list[Mark]) -> Failures:
    failures = Failures()
    for at, (offset, line) in enumerate(marks):
        heading = _HEADING.match(line)
        if heading is None:
            continue
        end = next((where for where, other in marks[at + 1 : at + 200] if other.startswith(("⎯", " FAIL "))), None)
        body = between(text, offset, end)
        place = next((one for one in _PLACE.finditer(body) if "node_modules" not in one[1]), None)
        broken = heading[2] is None
        failures.add(
            FailedTest(
                name=heading[1] if broken else heading[2],
                classname=heading[1],
                message=re.split(r"\n *(?:❯|File:|Plugin:) ", body, maxsplit=1)[0].strip(),
                file=place[1] if place else heading[1],
                line=int(place[2]) if place else None,
                kind="error" if broken else "failed",
            )
        )
    return failures
