"""`Found`: what one runner's parser saw in an output, and where."""

from __future__ import annotations

from dataclasses import dataclass

from rootle import limits
from rootle.testruns.summary import FailedTest, RunSummary

__all__ = ["Failures", "Found"]


@dataclass(frozen=True, slots=True)
class Found:
    """A summary, and the offsets of the first and the last line of the run in the text."""

    summary: RunSummary
    start: int
    end: int


class Failures:
    """The failed tests of one run, each once, as many as are kept."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str | None, str, str], FailedTest] = {}
        self._more = 0

    def add(self, test: FailedTest) -> None:
        """Take a test; a second entry of the same one only adds what the first did not tell."""
        key = (test.classname, test.name, test.kind)
        known = self._kept.get(key)
        if known is not None and (known.message or not test.message):
            return
        if known is None and len(self._kept) >= limits.TESTS_FAILURES_KEPT:
            self._more += 1
            return
        self._kept[key] = test

    @property
    def tests(self) -> tuple[FailedTest, ...]:
        """Those that are kept."""
        return tuple(self._kept.values())

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self._kept) + self._more
