"""`Runner`: what is known of one runner."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rootle.testruns.summary import RunSummary

__all__ = ["Runner", "Selection", "basename", "no_selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of the tests that is to run: paths relative to the directory of the run, and a filter of names."""

    paths: tuple[str, ...] = ()
    filter: str | None = None


def no_selection(_: Selection) -> list[str]:
    """Give no options: for a runner whose tests cannot be chosen."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """One runner.

    Attributes:
        calls: Finds the runner in the words of a command that has lost its wrappers (`uv run`, `npx`, `time`, ...);
            gives the place behind which its own options go, or None.
        options: The options that make it write a report to a path; None when it has no report. The second argument is
            a configuration file for it, see `config`.
        at_end: Put them at the command's end (before a `--`), not right behind the runner.
        taken: Options with which the command asks for a report of its own; then none is added.
        stream: The report is its standard output, which goes into the file.
        config: The text of the configuration file that the report needs.
        read: Reads a report. The second argument says whether the run ended by itself. Raises InvalidReport.
        fills: Counts that the report has not and the text has.
        select: The options for a part of the tests.
        missing: What is printed when the runner is not there.
        unloaded: What is printed when its tests could not be loaded or built.
        empty: What is printed when there are no tests.
    """

    name: str
    calls: Callable[[Sequence[str]], int | None]
    options: Callable[[str, str], Sequence[str]] | None = None
    at_end: bool = False
    taken: tuple[str, ...] = ()
    stream: bool = False
    config: Callable[[str], str] | None = None
    read: Callable[[bytes, bool], RunSummary] | None = None
    fills: tuple[str, ...] = ()
    select: Callable[[Selection], list[str]] = no_selection
    missing: re.Pattern[str]
    unloaded: re.Pattern[str] | None = None
    empty: re.Pattern[str] | None = None
    exits: Mapping[int, str] = field(default_factory=dict)

    def has_own_report(self, words: Sequence[str]) -> bool:
        """Whether the command already asks for a report."""
        return any(word == option or word.startswith(option + "=") for word in words for option in self.taken)


def basename(word: str) -> str:
    """Give the last part of a path."""
    return word.rpartition("/")[2]
