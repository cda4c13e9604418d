"""pytest's terminal output.

    =========================== short test summary info ============================
    FAILED tests/test_a.py::test_fail - assert 1 == 2
    ========================= 1 failed, 2 passed in 0.12s ==========================

With `-q` the last line has no fence and the header is missing. A test may print such a line too. What is taken is the
line that ends a session: fenced in the width of its header, after the last of its sections; a session inside another
one (a test that runs pytest and shows its output) belongs to that test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from textwrap import dedent

from rootle import limits
from rootle.testruns.marks import Mark, between
from rootle.testruns.summary import FailedTest, RunSummary, added_up, outcome_of
from rootle.testruns.texts.found import Failures, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.testruns.summary import Outcome

__all__ = ["find"]

_HEADER = re.compile(r"=+ test session starts =+$")
_SECTION = re.compile(r"=+ (FAILURES|ERRORS|short test summary info|warnings summary|PASSES|XFAILURES|XPASSES) =+$")
_SHORT = "short test summary info"
_PROGRESS = re.compile(r"(?:\S+ )?(?:[.FEsxXuU,\-]+|[A-Z]{4,8}(?: \([^()]*\))?) *\[ *\d+%\]$")
_WORDS = "passed|failed|skipped|xfailed|xpassed|errors?|warnings?|deselected|rerun|subtests passed|subtests skipped"
_SUMMARY = re.compile(
    rf"(?P<left>=+ )?(?P<counts>no tests ran|\d+ (?:{_WORDS})(?:, \d+ (?:{_WORDS}))*)"
    r" in (?P<seconds>\d+(?:\.\d+)?)s(?: \([^()]*\))?(?P<right> =+)?$"
)
_INTERRUPTED = re.compile(r"!+ (?:Interrupted: \d+ errors? during collection|xdist\.dsession\.Interrupted.*) !+$")
_ENTRY = re.compile(r"(FAILED|ERROR|SUBFAILED|SUBFAIL)(\[[^\]]*\])?(?: ?(\([^)]*\)))? (?=\S)")
_HEADING = re.compile(r"_{3,} (ERROR (?:at (?:setup|teardown) of|collecting) )?(.+?) _{3,}$")
_PLACE = re.compile(r"^([^\s:>|][^:\n]*):(\d+): ", re.MULTILINE)
_WHY = re.compile(r"^E   (.*)$", re.MULTILINE)
_NAMES = {"error": "errors"}


@dataclass(slots=True)
class _Session:
    start: int
    width: int | None
    marks: list[Mark] = field(default_factory=list)
    end: int | None = None


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find pytest's sessions that are no part of another one, and add them up."""
    closed = _sessions(marks)
    if closed:
        parts = [_summary(text, session) for session in closed]
        return Found(added_up(parts), closed[0].start, max(session.end or 0 for session in closed))
    session = _headless(marks)
    if session is None:
        return None
    summary = _summary(text, session)
    started = max((offset for offset, line in marks if _HEADER.match(line)), default=-1)
    if started > (session.end or 0):
        summary = replace(summary, complete=False)  # another session began after it and never ended
    return Found(summary, session.start, marks[-1][0] if session.end is None else session.end)


def _sessions(marks: list[Mark]) -> list[_Session]:
    """Pair each header with the line that ends its session; those inside another one are left out."""
    open_: list[_Session] = []
    closed: list[_Session] = []
    more_of_last = False
    for mark in marks:
        line = mark[1]
        for session in open_[:1] or closed[-1:]:
            session.marks.append(mark)
        if _HEADER.match(line):
            session = _Session(mark[0], len(line), [] if open_ else [mark])
            open_.append(session)
        elif _SECTION.match(line) or _PROGRESS.match(line):
            more_of_last = not open_
        elif match := _SUMMARY.match(line):
            if open_ and _ends(match, open_[-1].width):
                session = open_.pop()
                session.end = mark[0]
                if not open_:
                    closed.append(session)
                    more_of_last = False
            elif not open_ and closed and more_of_last and _ends(match, closed[-1].width):
                # The line before was a test's: the session went on after it.
                closed[-1].end, more_of_last = mark[0], False
    if open_:
        # A session that never ended; what it ran inside of itself cannot be told from it. The last line counts.
        return []
    return closed


def _ends(match: re.Match[str], width: int | None) -> bool:
    left, right = match["left"], match["right"]
    return left is not None and right is not None and (len(match[0]) == width or left == "= ")


def _headless(marks: list[Mark]) -> _Session | None:
    """Find the session that has no header: it ends at the first summary after its last section or line of progress.

    After a section of failures only a summary that has some can be its own; with `-qq` there is none, and what the
    short summary lists has to do.
    """
    end: int | None = None
    failed = listed = False
    for at, (_, line) in enumerate(marks):
        if section := _SECTION.match(line):
            failed |= section[1] in ("FAILURES", "ERRORS")
            if section[1] == _SHORT:
                end, listed = None, True
        elif not listed and _PROGRESS.match(line):
            end = None
        elif (match := _SUMMARY.match(line)) and (not failed or re.search(r" (?:failed|errors?)\b", match["counts"])):
            end = at if end is None or not listed else end
    if end is None:
        return _Session(_first_sign(marks), None, marks) if listed else None
    return _Session(_first_sign(marks), None, marks[: end + 1], marks[end][0])


def _first_sign(marks: list[Mark]) -> int:
    signs = (_SECTION, _HEADER, _SUMMARY, _PROGRESS)
    return next(offset for offset, line in marks if any(sign.match(line) for sign in signs))


def _summary(text: str, session: _Session) -> RunSummary:
    failures = _failures(text, session)
    counts, seconds = _counts(session)
    if session.end is None:
        kinds = [test.kind for test in failures.tests]
        counts = {"failed": kinds.count("failed"), "errors": kinds.count("error")}
    known = {name: counts.get(name) or None for name in ("passed", "failed", "skipped", "errors", "xfailed", "xpassed")}
    broken: Outcome = "failed"
    if any(_INTERRUPTED.match(line) for _, line in session.marks):
        broken = "collection_error"
    ran = (known["skipped"], known["xfailed"], known["xpassed"])
    return RunSummary(
        runner="pytest",
        duration_s=seconds,
        outcome=outcome_of(known["passed"], known["failed"], known["errors"], ran, broken=broken),
        failures=failures.tests,
        failures_total=max(failures.total, (known["failed"] or 0) + (known["errors"] or 0)),
    ).with_counts(known)


def _counts(session: _Session) -> tuple[dict[str, int], float | None]:
    """Read the line that ends a session."""
    last = next((line for offset, line in reversed(session.marks) if offset == session.end), None)
    match = None if last is None else _SUMMARY.match(last)
    if match is None:
        return {}, None
    counts: dict[str, int] = {}
    for item in match["counts"].split(", "):
        number, _, word = item.partition(" ")
        if number.isdecimal():
            name = _NAMES.get(word, word)
            counts[name] = counts.get(name, 0) + int(number)
    return counts, float(match["seconds"])


def _failures(text: str, session: _Session) -> Failures:
    """Give the entries of the short summary, with the place and reason from the sections before."""
    failures = Failures()
    short = 0
    for at, (_, line) in enumerate(session.marks):
        section = _SECTION.match(line)
        if section and section[1] == _SHORT:
            short = at
    blocks = _blocks(session.marks[:short])
    for offset, line in session.marks[short:]:
        entry = _ENTRY.match(line)
        if entry is None or (session.end is not None and offset > session.end):
            continue
        name, message = _name_and_message(line[entry.end() :])
        file, _, test = name.partition("::")
        kind = "ERROR" if entry[1] == "ERROR" else "FAILED"
        block = blocks.get((kind, test.replace("::", ".") + _sub_name(entry))) or blocks.get((kind, file))
        place, reason = _details(text, block, file)
        failures.add(
            FailedTest(
                name=name + _sub_name(entry),
                message=reason or message,
                file=place[0] if place else file,
                line=place[1] if place else None,
                kind="error" if entry[1] == "ERROR" else "failed",
            )
        )
    return failures


def _sub_name(entry: re.Match[str]) -> str:
    """Give what tells a subtest from the others of its test, as the heading of its section has it."""
    return "".join(f" {part}" for part in (entry[2], entry[3]) if part)


def _name_and_message(rest: str) -> tuple[str, str]:
    cut = rest.find(" - ")
    if "[" in rest[: cut if cut >= 0 else None]:
        bracket = rest.find("] - ")
        cut = bracket + 1 if bracket >= 0 else (-1 if rest.endswith("]") else cut)
    return (rest, "") if cut < 0 else (rest[:cut], rest[cut + 3 :])


def _blocks(marks: list[Mark]) -> dict[tuple[str, str], tuple[int, int]]:
    """Give the section of each failure by its kind and heading; the last one of a name counts."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for at, (offset, line) in enumerate(marks):
        if heading := _HEADING.match(line):
            end = next(
                (at_end for at_end, other in marks[at + 1 : at + 50] if other.startswith(("___", "==="))),
                offset + limits.TESTS_BLOCK_CHARS,
            )
            found["ERROR" if heading[1] else "FAILED", heading[2]] = (offset, end)
    return found


def _details(text: str, block: tuple[int, int] | None, file: str) -> tuple[tuple[str, int] | None, str]:
    """Give the place, the one in the test's own file first, and the lines that tell the reason."""
    if block is None:
        return None, ""
    body = between(text, *block)
    places = [(match[1], int(match[2])) for match in _PLACE.finditer(body)]
    own = [place for place in places if place[0] == file]
    reason = dedent("\n".join(match[1] for match in _WHY.finditer(body))).strip()
    chosen = own or places
    return chosen[-1] if chosen else None, reason
