"""The events of `go test -json`, one JSON object a line; a stream that was cut short is read as far as it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rootle import limits
from rootle.testruns.reports.invalid import InvalidReport
from rootle.testruns.summary import FailedTest, RunSummary
from rootle.testruns.texts.found import Failures
from rootle.testruns.texts.go import compiler_error, leaves, place_and_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.testruns.summary import Outcome

__all__ = ["printed_by_go", "read_go_events"]


@dataclass(slots=True)
class _Package:
    verdicts: dict[str, str] = field(default_factory=dict)
    output: dict[str, list[str]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    verdict: str | None = None
    seconds: float = 0.0
    failed_build: str | None = None


def read_go_events(data: bytes, *, ended: bool = True) -> RunSummary:
    """Read a stream.

    Args:
        data: The stream.
        ended: Whether `go test` ended by itself: tests that were still running then failed.

    Raises:
        InvalidReport: When there is no event in it.
    """
    packages: dict[str, _Package] = {}
    builds: dict[str, str] = {}
    for event in _events(data):
        action = event["Action"]
        if action in ("build-output", "build-fail"):
            name = str(event.get("ImportPath"))
            builds[name] = (builds.get(name, "") + str(event.get("Output", "")))[: limits.TESTS_BLOCK_CHARS]
        elif isinstance(event.get("Package"), str):
            _take(packages.setdefault(event["Package"], _Package()), event, action)
    if not packages and not builds:
        raise InvalidReport("it has no events")
    return _summary(packages, builds, ended)


def printed_by_go(data: bytes, most: int) -> str:
    """Give what `go test -v` would have printed: the end of it, at most `most` characters."""
    parts: list[str] = []
    size = 0
    for line in reversed(data.splitlines()):
        event = _event(line)
        text = str(event.get("Output", "")) if event else line.decode("utf-8", "replace") + "\n"
        parts.append(text)
        size += len(text)
        if size >= most:
            break
    return "".join(reversed(parts))[-most:]


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        if (event := _event(line)) is not None:
            yield event


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("Action"), str) else None


def _take(package: _Package, event: dict[str, Any], action: str) -> None:
    test = event.get("Test")
    if action == "output":
        # Only the end of what a test printed can be needed, and only its own.
        name = test if isinstance(test, str) else ""
        text = str(event.get("Output", ""))
        kept = package.output.setdefault(name, [])
        kept.append(text)
        package.sizes[name] = package.sizes.get(name, 0) + len(text)
        if package.sizes[name] > 4 * limits.TESTS_BLOCK_CHARS:
            joined = "".join(kept)[-limits.TESTS_BLOCK_CHARS :]
            package.output[name], package.sizes[name] = [joined], len(joined)
    elif isinstance(test, str):
        # A result of a test that did not begin is a line that another one printed.
        if action == "run" or (action in ("pass", "fail", "skip") and test in package.verdicts):
            package.verdicts[test] = action
            if action in ("pass", "skip"):
                package.output.pop(test, None)
                package.sizes.pop(test, None)
    elif action in ("pass", "fail", "skip"):
        package.verdict = action
        elapsed = event.get("Elapsed")
        package.seconds = float(elapsed) if isinstance(elapsed, int | float) else 0.0
        build = event.get("FailedBuild")
        package.failed_build = build if isinstance(build, str) else None


def _summary(packages: dict[str, _Package], builds: dict[str, str], ended: bool) -> RunSummary:
    counts = {"pass": 0, "fail": 0, "skip": 0}
    failures = Failures()
    errors, complete = 0, ended
    notes: list[str] = []
    for name, package in packages.items():
        running = [test for test, verdict in package.verdicts.items() if verdict == "run"]
        complete = complete and package.verdict is not None
        # A test without a verdict was running when its program ended: by its own doing, unless time was up.
        verdicts = {
            test: "fail" if verdict == "run" else verdict
            for test, verdict in package.verdicts.items()
            if verdict != "run" or package.verdict is not None
        }
        if package.verdict is None:
            running = [test for test in running if not any(other.startswith(test + "/") for other in running)]
            notes += [f"{test} ({name}) was running when time was up." for test in running[:3] if not ended]
        found = leaves(verdicts)
        for test in found:
            counts[verdicts[test]] += 1
            if verdicts[test] == "fail":
                failures.add(_failure(name, test, package))
        if package.verdict == "fail" and not any(verdicts[test] == "fail" for test in found):
            errors += 1
            failures.add(_package_failure(name, package, builds))
    broken = any(package.failed_build or _setup_failed(package) for package in packages.values())
    return RunSummary(
        runner="go",
        passed=counts["pass"],
        failed=counts["fail"],
        skipped=counts["skip"],
        errors=errors,
        duration_s=round(sum(package.seconds for package in packages.values()), 3),
        outcome=_outcome(counts, errors, broken or (bool(builds) and not packages)),
        complete=complete,
        failures=failures.tests,
        failures_total=failures.total,
        notes=tuple(notes),
    )


def _outcome(counts: dict[str, int], errors: int, broken: bool) -> Outcome:
    if broken:
        return "build_failed"
    if counts["fail"] or errors:
        return "failed"
    return "passed" if any(counts.values()) else "no_tests"


def _failure(package: str, test: str, found: _Package) -> FailedTest:
    printed = "".join(found.output.get(test, []))
    block = "".join(
        line for line in printed.splitlines(keepends=True) if not line.lstrip().startswith(("=== ", "--- FAIL: "))
    )
    if not block.strip():
        # A program that ended on its own says so for the package, not for the test.
        block = "".join(found.output.get("", []))[-limits.TESTS_BLOCK_CHARS :]
    file, line, message = place_and_message(block)
    return FailedTest(name=test, classname=package, file=file, line=line, message=message)


def _setup_failed(package: _Package) -> bool:
    return any(text.rstrip().endswith(("[build failed]", "[setup failed]")) for text in package.output.get("", []))


def _package_failure(name: str, package: _Package, builds: dict[str, str]) -> FailedTest:
    """Make an entry of a package that failed without a failing test: it did not build, or it ended before its tests."""
    told = builds.get(package.failed_build or "", "") or "".join(package.output.get("", []))
    if place := compiler_error(told):
        return FailedTest(name=name, message=place[2], file=place[0], line=place[1], kind="error")
    file, line, message = place_and_message(told)
    return FailedTest(name=name, message=message, file=file, line=line, kind="error")
