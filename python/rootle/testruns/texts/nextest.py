"""cargo-nextest's summary.

    ────────────
         Summary [   0.555s] 8 tests run: 4 passed, 4 failed, 1 skipped
            FAIL [   0.029s] (2/8) demo tests::res

What tests print is indented deeper than the summary; the last summary line counts.
"""

from __future__ import annotations

import re

from rootle.testruns.marks import Mark, between
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.cargo import panic
from rootle.testruns.texts.found import Failures, Found

__all__ = ["find"]

_START = re.compile(r" {4}Starting \d+ tests? across ")
_SUMMARY = re.compile(r" {5}Summary \[ *(\d+(?:\.\d+)?)s\] +(?:\d+/)?(\d+) tests? run: (.+)$")
_ITEM = re.compile(r"(\d+) (passed|failed|skipped|timed out|exec failed)\b")
_TEST = re.compile(r" +(FAIL|SIG[A-Z0-9]+|TIMEOUT|LEAK-FAIL|ABORT|XFAIL) \[[^\]]*\] (?:\( *\d+/\d+\) )?(\S+) (.+)$")
_NO_TESTS = re.compile(r"error: no tests to run")


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find the last summary and the tests that it names."""
    last = next((at for at in range(len(marks) - 1, -1, -1) if _SUMMARY.match(marks[at][1])), None)
    if last is None:
        return None
    match = _SUMMARY.match(marks[last][1])
    assert match is not None
    counts: dict[str, int] = {}
    for number, word in _ITEM.findall(match[3]):
        name = word if word in ("passed", "skipped") else "failed"
        counts[name] = counts.get(name, 0) + int(number)
    first = next((back for back in range(last, -1, -1) if _START.match(marks[back][1])), last)
    failures = _failures(text, marks[first:last])
    summary = RunSummary(
        runner="nextest",
        passed=counts.get("passed"),
        failed=counts.get("failed"),
        skipped=counts.get("skipped"),
        duration_s=float(match[1]),
        outcome=outcome_of(counts.get("passed"), counts.get("failed"), None),
        failures=failures.tests,
        failures_total=max(failures.total, counts.get("failed") or 0),
    )
    return Found(summary, marks[first][0], marks[last][0])


def _failures(text: str, marks: list[Mark]) -> Failures:
    failures = Failures()
    for at, (offset, line) in enumerate(marks):
        match = _TEST.match(line)
        if match is None:
            continue
        end = next((where for where, other in marks[at + 1 : at + 100] if _TEST.match(other)), None)
        body = re.sub(r"^    ", "", between(text, offset, end), flags=re.MULTILINE)
        _, _, stderr = body.partition("stderr ───\n")
        file, number, message = panic(stderr or body)
        failures.add(FailedTest(name=match[3], classname=match[2], file=file, line=number, message=message))
    return failures
