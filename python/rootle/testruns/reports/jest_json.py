"""The JSON report that jest and vitest write in the same shape."""

from __future__ import annotations

import json
import re
from textwrap import dedent
from typing import Any

from rootle.testruns.marks import plain_text
from rootle.testruns.reports.invalid import InvalidReport
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.found import Failures

__all__ = ["read_jest_json"]

_STATUS = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "disabled": "skipped",
    "focused": "passed",
    "todo": "todo",
}
_FRAME = re.compile(r"^\s+at (?:.*\()?(?:file://)?(/[^()\n]*?|[^()\n:]+?):(\d+):\d+\)?$", re.MULTILINE)
_STACK = re.compile(r"\n\s+at \S")
_AT = re.compile(r"(/[^\s():]+|[\w./-]+\.[cm]?[jt]sx?)[ :(]+(\d+):\d+\)?")


def read_jest_json(data: bytes, runner: str) -> RunSummary:
    """Read a report.

    Raises:
        InvalidReport: When it is no whole report.
    """
    try:
        report = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidReport(f"it is no JSON: {error}") from None
    if not isinstance(report, dict) or not isinstance(report.get("testResults"), list):
        raise InvalidReport("it has no testResults")
    counts = {"passed": 0, "failed": 0, "skipped": 0, "todo": 0}
    failures = Failures()
    errors = 0
    for file in report["testResults"]:
        if not isinstance(file, dict):
            raise InvalidReport("testResults holds something else than objects")
        errors += _read_file(file, counts, failures)
    for name, key in (("passed", "numPassedTests"), ("failed", "numFailedTests")):
        if report.get(key) != counts[name]:
            raise InvalidReport(f"{key} is {report.get(key)!r}, but {counts[name]} tests {name}")
    outcome = outcome_of(
        counts["passed"], counts["failed"], errors, (counts["skipped"], counts["todo"]), broken="collection_error"
    )
    notes: tuple[str, ...] = ()
    if report.get("success") is False and outcome in ("passed", "no_tests") and report["testResults"]:
        outcome = "failed"
        notes = (f"No test failed, but {runner} says that the run did.",)
    return RunSummary(
        runner=runner,
        errors=errors,
        duration_s=_duration(report),
        outcome=outcome,
        failures=failures.tests,
        failures_total=failures.total,
        notes=notes,
    ).with_counts(counts)


def _read_file(file: dict[str, Any], counts: dict[str, int], failures: Failures) -> int:
    """Count the tests of a file; give 1 when the file itself could not be loaded, else 0."""
    path = str(file.get("name", ""))
    tests = file.get("assertionResults")
    if not isinstance(tests, list):
        raise InvalidReport("a file has no assertionResults")
    failed_before = counts["failed"]
    for test in tests:
        status = _STATUS.get(str(test.get("status"))) if isinstance(test, dict) else None
        if status is None:
            raise InvalidReport("a test has no known status")
        counts[status] += 1
        if status == "failed":
            failures.add(_failure(test, path))
    if file.get("status") != "failed" or counts["failed"] > failed_before:
        return 0
    message = plain_text(str(file.get("message", ""))).strip()
    place = _own_place(message, path)
    failures.add(
        FailedTest(
            name=path,
            message=_of_suite(message),
            file=path,
            line=place,
            kind="error",
        )
    )
    return 1


def _failure(test: dict[str, Any], path: str) -> FailedTest:
    messages = [plain_text(one) for one in test.get("failureMessages") or [] if isinstance(one, str)]
    said = "\n".join(_without_stack(one) for one in messages)
    frames = [(match[1], int(match[2])) for one in messages for match in _FRAME.finditer(one)]
    own = [frame for frame in frames if "/node_modules/" not in frame[0] and not frame[0].startswith("node:")]
    in_test = [frame for frame in own if frame[0] == path]
    places: list[tuple[str, int | None]] = [*in_test[:1], *own[:1], (path, None)]
    file, line = places[0]
    location = test.get("location")
    if line is None and isinstance(location, dict) and isinstance(location.get("line"), int):
        line = location["line"]
    ancestors = [str(title) for title in test.get("ancestorTitles") or []]
    return FailedTest(
        name=" > ".join([*ancestors, str(test.get("title", ""))]),
        classname=path,
        message=said,
        file=file,
        line=line,
    )


def _without_stack(message: str) -> str:
    stack = _STACK.search(message)
    return (message[: stack.start()] if stack else message).strip()


def _of_suite(message: str) -> str:
    """Give what is wrong with a file, without the advice that jest puts before it and the stack behind it."""
    words = message.removeprefix("● Test suite failed to run").strip()
    _, _, details = re.sub(r"\n[ \t]+Details:\n", "\nDetails:\n", words).partition("\nDetails:\n")
    return _without_stack(dedent("    " + (details or words).strip()))


def _own_place(message: str, path: str) -> int | None:
    """Give the line of the file that a message about loading it names."""
    name = path.rpartition("/")[2]
    for match in _AT.finditer(message):
        if match[1].rpartition("/")[2] == name:
            return int(match[2])
    return None


def _duration(report: dict[str, Any]) -> float | None:
    start = report.get("startTime")
    ends = [file.get("endTime") for file in report["testResults"]]
    numbers = [end for end in ends if isinstance(end, int | float)]
    if not isinstance(start, int | float) or not numbers:
        return None
    return round(max(0.0, max(numbers) - start) / 1000, 3)
