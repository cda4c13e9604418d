"""Runners whose text alone is read: Python's unittest, node's own runner, and mocha."""

from __future__ import annotations

import re

from rootle.testruns.marks import Mark
from rootle.testruns.summary import RunSummary, outcome_of
from rootle.testruns.texts.found import Found

__all__ = ["find_mocha", "find_node", "find_unittest"]

_RAN = re.compile(r"Ran (\d+) tests? in (\d+(?:\.\d+)?)s$")
_VERDICT = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \(([a-z ]+=\d+(?:, [a-z ]+=\d+)*)\))?$")
_UNITTEST = {
    "failures": "failed",
    "errors": "errors",
    "skipped": "skipped",
    "expected failures": "xfailed",
    "unexpected successes": "xpassed",
}
_NODE = re.compile(r"[#ℹ] (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+(?:\.\d+)?)$")
_MOCHA = re.compile(r"  (\d+) (passing|failing|pending)(?: \((\d+)(ms|s|m)\))?$")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def find_unittest(_text: str, marks: list[Mark]) -> Found | None:
    """Find the last pair of "Ran 3 tests in 0.001s" and "FAILED (failures=1)"."""
    for at in range(len(marks) - 2, -1, -1):
        ran, verdict = _RAN.match(marks[at][1]), _VERDICT.match(marks[at + 1][1])
        if ran is None or verdict is None:
            continue
        counts = {name: 0 for name in _UNITTEST.values()}
        told = set()
        for item in (verdict[1] or "").split(", "):
            word, _, number = item.partition("=")
            if word in _UNITTEST:
                counts[_UNITTEST[word]] = int(number)
                told.add(_UNITTEST[word])
        # A test whose subtests failed has several failures; the others are then more than this, not fewer.
        passed = max(0, int(ran[1]) - sum(counts.values()))
        known = {name: value if name in told else None for name, value in counts.items()}
        failed = counts["failed"] + counts["xpassed"]
        summary = RunSummary(
            runner="unittest",
            passed=passed,
            duration_s=float(ran[2]),
            outcome=outcome_of(passed, failed, counts["errors"], (counts["skipped"], counts["xfailed"])),
            failures_total=counts["failed"] + counts["errors"],
        ).with_counts(known)
        return Found(summary, marks[at][0], marks[at + 1][0])
    return None


def find_node(_text: str, marks: list[Mark]) -> Found | None:
    """Find the last block of "# pass 3" lines that node's runner ends with."""
    found: dict[str, float] = {}
    end = start = 0
    for offset, line in reversed(marks):
        match = _NODE.match(line)
        if match and match[1] not in found:
            end, start = end or offset, offset
            found[match[1]] = float(match[2])
        elif found:
            break
    if not {"tests", "pass", "fail"} <= found.keys():
        return None
    counts = {name: int(value) for name, value in found.items()}
    failed = counts["fail"] + counts.get("cancelled", 0)
    summary = RunSummary(
        runner="node",
        passed=counts["pass"],
        failed=failed,
        skipped=counts.get("skipped"),
        todo=counts.get("todo"),
        duration_s=found["duration_ms"] / 1000 if "duration_ms" in found else None,
        outcome=outcome_of(counts["pass"], failed, None, (counts.get("skipped"), counts.get("todo"))),
        failures_total=failed,
    )
    return Found(summary, start, end)


def find_mocha(_text: str, marks: list[Mark]) -> Found | None:
    """Find the last block of "3 passing (10ms)" and the lines that follow it."""
    for at in range(len(marks) - 1, -1, -1):
        match = _MOCHA.match(marks[at][1])
        if match is None or match[2] != "passing" or match[3] is None:
            continue
        counts = {"passing": int(match[1])}
        end = marks[at][0]
        for offset, line in marks[at + 1 : at + 3]:
            if more := _MOCHA.match(line):
                counts[more[2]] = int(more[1])
                end = offset
        summary = RunSummary(
            runner="mocha",
            passed=counts["passing"],
            failed=counts.get("failing"),
            skipped=counts.get("pending"),
            duration_s=int(match[3]) * _SECONDS[match[4]],
            outcome=outcome_of(counts["passing"], counts.get("failing"), None, (counts.get("pending"),)),
            failures_total=counts.get("failing", 0),
        )
        return Found(summary, marks[at][0], end)
    return None
