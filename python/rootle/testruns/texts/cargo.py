"""cargo's test output: one summary a target, which are added up.

         Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

    running 6 tests
    test tests::ok ... ok
    ...
    test result: FAILED. 2 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.27s

A failed test's output stands between these lines and may hold lines like them. A target's summary is the last one
before the next target whose numbers add up to the number of tests that were announced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rootle import limits
from rootle.testruns.marks import Mark, between
from rootle.testruns.summary import FailedTest, RunSummary
from rootle.testruns.texts.found import Failures, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rootle.testruns.summary import Outcome

__all__ = ["find", "panic"]

_RUNNING = re.compile(r"running (\d+) tests?$")
_TARGET = re.compile(r" {3,6}Running (?:unittests )?(\S+)(?: \(.*\))?$")
_DOC = re.compile(r" {3}Doc-tests (\S+)$")
_RESULT = re.compile(
    r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out"
    r"(?:; finished in (\d+(?:\.\d+)?)s)?$"
)
_TEST = re.compile(r"test (.+) \.\.\. (ok|FAILED|ignored\b.*|bench:.*)?$")
_STDOUT = re.compile(r"---- (.+?) stdout ----$")
_BUILD = re.compile(r"error: could not compile `([^`]+)` \((.+?)\) due to ")
_BUILD_ERROR = re.compile(r"error(?:\[E\d+\])?: (.+)$")
_STOPPED = re.compile(r"error: (?:test|doctest) failed, to rerun pass ")
_MANY = re.compile(r"error: \d+ targets? failed:$")
_DIED = re.compile(r"  process didn't exit successfully: ")
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at (.+?):(\d+):\d+:?\n", re.MULTILINE)
_NOT_PANICKED = re.compile(r"note: test did not panic as expected at (.+?):(\d+):\d+")
_AT = re.compile(r"^ *--> (.+?):(\d+):\d+$", re.MULTILINE)
_NOT_MESSAGE = re.compile(r"^(?:stack backtrace:|note: (?:run with|Some details)|\s*$)", re.MULTILINE)


@dataclass(slots=True)
class _Target:
    name: str | None
    announced: int
    marks: list[Mark] = field(default_factory=list)
    result: re.Match[str] | None = None
    listed: tuple[int, int] | None = None
    end: int = 0
    _list: int | None = None

    def take(self, mark: Mark) -> None:
        """Add a line; the last summary whose numbers fit is the target's."""
        self.marks.append(mark)
        match = _RESULT.match(mark[1])
        if match and sum(int(match[group]) for group in (1, 2, 3, 4)) == self.announced:
            self.result = match
            self.end = mark[0]
            self.listed = None if self._list is None else (self._list, mark[0])
        elif mark[1] == "failures:":
            self._list = mark[0]


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find the targets and what kept others from being built."""
    targets = _targets(marks)
    broken = [mark for mark in marks if _BUILD.match(mark[1])]
    if not targets and not broken:
        return None
    failures = Failures()
    ends = [_count(target, text, failures) for target in targets]
    counted = [end for end in ends if end is not None]
    for failure in _build_failures(text, marks):
        failures.add(failure)
    known: dict[str, int | None] = {
        name: sum(int(numbers[at]) for numbers in counted) if counted else None
        for at, name in enumerate(("passed", "failed", "skipped"))
    }
    complete = len(counted) == len(targets)
    died = any("SIG" in line or "exit status" in line for line in _after_stop(text, marks)) and not complete
    total = sum(known[name] or 0 for name in known)
    outcome = _outcome(known["failed"], total, complete, bool(broken))
    first = min([mark[0] for mark in broken] + [target.marks[0][0] for target in targets])
    return Found(
        RunSummary(
            runner="cargo",
            errors=len(broken) or None,
            duration_s=round(sum(numbers[3] for numbers in counted), 3) if counted else None,
            outcome=outcome,
            complete=complete and not broken,
            failures=failures.tests,
            failures_total=failures.total,
            notes=_notes(marks, complete, died),
        ).with_counts(known),
        first,
        max([mark[0] for mark in broken] + [target.end for target in targets]),
    )


def _targets(marks: list[Mark]) -> list[_Target]:
    targets: list[_Target] = []
    name: str | None = None
    for mark in marks:
        line = mark[1]
        if match := _TARGET.match(line) or _DOC.match(line):
            name = match[1]
        elif match := _RUNNING.match(line):
            # A summary that fits must have come before another target starts; else a test printed this line.
            if targets and name is None and targets[-1].result is None:
                targets[-1].take(mark)
                continue
            targets.append(_Target(name, int(match[1]), [mark], end=mark[0]))
            name = None
        elif targets and name is None:
            targets[-1].take(mark)
    return targets


def _count(target: _Target, text: str, failures: Failures) -> tuple[int, int, int, float] | None:
    _add_failures(target, text, failures)
    match = target.result
    if match is None:
        return None
    return int(match[1]) + int(match[4]), int(match[2]), int(match[3]), float(match[6] or 0)


def _add_failures(target: _Target, text: str, failures: Failures) -> None:
    blocks = {}
    for at, (offset, line) in enumerate(target.marks):
        if match := _STDOUT.match(line):
            following = target.marks[at + 1 : at + 100]
            end = next((where for where, other in following if other.startswith(("---- ", "failures:"))), None)
            blocks[match[1]] = between(text, offset, end)
    for name in _failed(target, text):
        file, line_number, message = panic(blocks.get(name, ""))
        failures.add(FailedTest(name=name, classname=target.name, file=file, line=line_number, message=message))


def _failed(target: _Target, text: str) -> Iterator[str]:
    """Give the names of the tests that failed: from the list above the summary, else from their own lines.

    A test's own line is torn apart when tests print what they like (`--nocapture`).
    """
    if target.listed is not None:
        names = text[target.listed[0] : target.listed[1]].split("\n")
        yield from (name.strip() for name in names[1:] if name.startswith("    "))
        return
    for _, line in target.marks:
        match = _TEST.match(line)
        if match and match[2] == "FAILED":
            yield match[1].removesuffix(" - should panic")


def panic(block: str) -> tuple[str | None, int | None, str]:
    """Give place and message of a panic in a test's output; without one the output's own words."""
    match = _PANIC.search(block)
    if match is None:
        other = _NOT_PANICKED.search(block)
        if other:
            return other[1], int(other[2]), "test did not panic as expected"
        return None, None, block.strip()
    rest = block[match.end() :]
    stop = re.search(r"^(?:stack backtrace:|note: )|\n\n", rest, re.MULTILINE)
    return match[1], int(match[2]), rest[: stop.start() if stop else None].strip()


def _build_failures(text: str, marks: list[Mark]) -> Iterator[FailedTest]:
    """Make an entry of each crate that did not compile, with the first of the compiler's errors."""
    first: int | None = None
    for offset, line in marks:
        match = _BUILD.match(line)
        if match is None:
            if first is None and _BUILD_ERROR.match(line):
                first = offset
            continue
        block = text[first : min(offset, first + limits.TESTS_BLOCK_CHARS)] if first is not None else line
        place = _AT.search(block)
        yield FailedTest(
            name=f"{match[1]} ({match[2]})",
            message=block.split("\n\n")[0].strip(),
            file=place[1] if place else None,
            line=int(place[2]) if place else None,
            kind="error",
        )
        first = None


def _outcome(failed: int | None, total: int, complete: bool, broken: bool) -> Outcome | None:
    if broken:
        return "build_failed"
    if failed or not complete:
        return "failed"
    return "passed" if total else "no_tests"


def _after_stop(text: str, marks: list[Mark]) -> list[str]:
    stops = [offset for offset, line in marks if _STOPPED.match(line)]
    return text[stops[-1] : stops[-1] + 1000].split("\n") if stops else []


def _notes(marks: list[Mark], complete: bool, died: bool) -> tuple[str, ...]:
    notes = []
    if not complete:
        how = "was ended" if died else "ended"
        notes.append(f"A test program {how} without its summary; its tests are not in the counts.")
    stopped = [line for _, line in marks if _STOPPED.match(line)]
    if stopped and not any(_MANY.match(line) for _, line in marks) and "--doc" not in stopped[-1]:
        notes.append("cargo stops after the first target that fails; --no-fail-fast runs the others too.")
    return tuple(notes)
