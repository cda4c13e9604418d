"""What is known of a run of tests: counts, how it ended, and which tests failed."""

from __future__ import annotations

from dataclasses import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal, TypeAlias

    Outcome: TypeAlias = Literal["passed", "failed", "collection_error", "build_failed", "no_tests"]

__all__ = ["COUNTS", "OUTCOMES", "FailedTest", "RunSummary", "added_up", "outcome_of", "worse"]

COUNTS = ("passed", "failed", "skipped", "errors", "xfailed", "xpassed", "todo")
"""The names of the counts."""

OUTCOMES = ("no_tests", "passed", "failed", "collection_error", "build_failed")
"""How a run can end as its runner tells it, the worse the later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTest:
    """A test that failed, or a file of tests that could not be loaded.

    Attributes:
        name: As its runner writes it, so that the runner can be asked for it again where that is possible.
        message: Why, as its runner tells it.
        file: Where: the place of the failure, else the file of the test. As the runner gives it.
        line: The line there, from 1.
        classname: The class, suite or package it belongs to.
        kind: "failed", or "error" for what went wrong outside of the test itself (set-up, tear-down, loading).
    """

    name: str
    message: str = ""
    file: str | None = None
    line: int | None = None
    classname: str | None = None
    kind: Literal["failed", "error"] = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What one run of tests says of itself.

    A count is None when nothing in the text or the report tells it; it is never made up as zero.

    Attributes:
        runner: Which runner it was: "pytest", "jest", ...; several are joined by ", ".
        passed: Tests that passed; so the other counts, each test once.
        errors: Tests whose set-up or tear-down failed, and files or packages that could not be loaded or built.
        xfailed: Tests that failed as they were expected to; `xpassed` those that passed and were not.
        todo: Tests that are only announced.
        duration_s: Seconds that the runner says it took.
        outcome: How it ended, as far as the runner's own words tell; None when they do not.
        complete: The counts cover the whole run; false when it was cut short.
        failures: The tests that failed; at most `limits.TESTS_FAILURES_KEPT`.
        failures_total: How many there are in all.
        notes: What else a reader should know.
    """

    runner: str | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    errors: int | None = None
    xfailed: int | None = None
    xpassed: int | None = None
    todo: int | None = None
    duration_s: float | None = None
    outcome: Outcome | None = None
    complete: bool = True
    failures: tuple[FailedTest, ...] = ()
    failures_total: int = 0
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The counts that are known, by name."""
        return {name: value for name in COUNTS if (value := getattr(self, name)) is not None}

    def with_counts(self, counts: Mapping[str, int | None]) -> RunSummary:
        """Give the same run with other counts."""
        given: Any = {name: counts[name] for name in COUNTS if name in counts}
        return replace(self, **given)

    @property
    def bad(self) -> int:
        """How many tests failed or had errors, as far as is known."""
        return (self.failed or 0) + (self.errors or 0)


def outcome_of(
    passed: int | None,
    failed: int | None,
    errors: int | None,
    others: Iterable[int | None] = (),
    *,
    broken: Outcome = "failed",
) -> Outcome:
    """Give the outcome that counts mean; `broken` is what errors are."""
    if errors:
        return broken
    if failed:
        return "failed"
    return "passed" if passed or any(others) else "no_tests"


def worse(one: Outcome | None, other: Outcome | None) -> Outcome | None:
    """Give the worse of two outcomes; one that is not known says nothing."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=OUTCOMES.index)


def added_up(parts: list[RunSummary]) -> RunSummary:
    """Give the sum of several runs; what no part knows stays unknown."""
    total = parts[0]
    for part in parts[1:]:
        counts = {
            name: total.counts.get(name, 0) + part.counts.get(name, 0) for name in {**total.counts, **part.counts}
        }
        seconds = [run.duration_s for run in (total, part) if run.duration_s is not None]
        names = dict.fromkeys(one for run in (total, part) for one in (run.runner or "").split(", ") if one)
        total = replace(
            total,
            duration_s=sum(seconds) if seconds else None,
            runner=", ".join(names) or None,
            outcome=worse(total.outcome, part.outcome),
            complete=total.complete and part.complete,
            failures=total.failures + part.failures,
            failures_total=total.failures_total + part.failures_total,
            notes=tuple(dict.fromkeys(total.notes + part.notes)),
        ).with_counts(counts)
    return total
