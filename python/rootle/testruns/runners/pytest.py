"""pytest: JUnit XML in the family that has files and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from rootle.testruns.marks import plain_text
from rootle.testruns.reports import Case, Problem, read_junit
from rootle.testruns.runners.base import Runner, Selection, basename
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.found import Failures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.testruns.summary import Outcome

__all__ = ["PYTEST"]

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_PLACE = re.compile(r"^([^\s:>][^:\n]*):(\d+): ", re.MULTILINE)
_FILE_LINE = re.compile(r'^  File "([^"\n]+)", line (\d+)', re.MULTILINE)
_REASON = re.compile(r"^E {1,3}(.*)$", re.MULTILINE)
_WITH_ARGUMENT = frozenset({"-W", "-X", "--check-hash-based-pycs"})


def _calls(words: Sequence[str]) -> int | None:
    if basename(words[0]) in ("pytest", "py.test"):
        return 0
    if not _PYTHON.match(basename(words[0])):
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at].endswith("m"):
            return at + 1 if words[at + 1 : at + 2] in (["pytest"], ["py.test"]) else None
        at += 2 if words[at] in _WITH_ARGUMENT else 1
    return None


def _read(data: bytes, _ended: bool) -> RunSummary:
    cases, seconds = read_junit(data)
    tests: dict[tuple[str, str, str | None], list[Case]] = {}
    for case in cases:
        tests.setdefault((case.classname, case.name, case.file), []).append(case)
    counts = {"passed": 0, "failed": 0, "skipped": 0, "errors": 0, "xfailed": 0}
    failures = Failures()
    unloaded = False
    for same in tests.values():
        problems = [(case, problem) for case in same for problem in case.problems]
        counts[_verdict([problem for _, problem in problems])] += 1
        unloaded |= any(problem.message == "collection failure" for _, problem in problems)
        for case, problem in _told(problems):
            failures.add(_failure(case, problem))
    broken: Outcome = "collection_error" if unloaded else "failed"
    ran = (counts["skipped"], counts["xfailed"])
    return RunSummary(
        runner="pytest",
        duration_s=seconds,
        outcome=outcome_of(counts["passed"], counts["failed"], counts["errors"], ran, broken=broken),
        failures=failures.tests,
        failures_total=failures.total,
    ).with_counts(counts)


def _verdict(problems: list[Problem]) -> str:
    """Give the count that a test goes into: it counts once, with the worst that happened to it."""
    tags = {problem.tag for problem in problems}
    if "failure" in tags:
        return "failed"
    if "error" in tags:
        return "errors"
    if "skipped" in tags:
        return "xfailed" if any(problem.type == "pytest.xfail" for problem in problems) else "skipped"
    return "passed"


def _told(problems: list[tuple[Case, Problem]]) -> Iterator[tuple[Case, Problem]]:
    """Give what is worth telling of one test: of failed subtests each, and not that there are some."""
    bad = [(case, problem) for case, problem in problems if problem.tag != "skipped"]
    for case, problem in bad:
        if len(bad) == 1 or not re.fullmatch(r"contains \d+ failed subtests?", problem.message):
            yield case, problem


def _failure(case: Case, problem: Problem) -> FailedTest:
    file = case.file
    places = [(match[1], int(match[2])) for match in _PLACE.finditer(problem.text)]
    places += [(match[1], int(match[2])) for match in _FILE_LINE.finditer(problem.text)][-1:]
    own = [place for place in places if file is not None and _same_file(place[0], file)]
    found = own or places
    where, line = found[-1] if found else (file, case.line)
    name, classname = _node(case)
    return FailedTest(
        name=name,
        classname=classname,
        message=plain_text(_message(problem)),
        file=where,
        line=line,
        kind="error" if problem.tag == "error" else "failed",
    )


def _same_file(one: str, other: str) -> bool:
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def _node(case: Case) -> tuple[str, str | None]:
    """Give the name by which pytest knows a test, which the report gives in parts."""
    file = case.file
    if not case.classname and file is None:
        # A module that could not be loaded has its dotted name alone.
        return case.name.replace(".", "/") + ".py" if re.fullmatch(r"[\w.]+", case.name) else case.name, None
    if file is None:
        return f"{case.classname}::{case.name}" if case.classname else case.name, case.classname or None
    module = file.removesuffix(".py").replace("/", ".")
    inner = case.classname.removeprefix(module).lstrip(".") if case.classname.startswith(module) else ""
    classes = inner.split(".") if inner else []
    if not case.classname:
        return file, None  # a module that could not be loaded
    return "::".join([file, *classes, case.name]), ".".join(classes) or None


def _message(problem: Problem) -> str:
    """Give the reason; what a set-up or a file that failed to load says stands in its text alone."""
    if problem.message == "collection failure" or problem.message.startswith("failed on "):
        reasons = _REASON.findall(problem.text)
        if reasons:
            return dedent("\n".join(reasons)).strip()
        return problem.text.strip() if problem.message == "collection failure" else problem.message
    return problem.message


def _select(selection: Selection) -> list[str]:
    return [*(["-k", selection.filter] if selection.filter else []), *selection.paths]


PYTEST = Runner(
    name="pytest",
    calls=_calls,
    options=lambda path, _: (f"--junitxml={path}", "-o", "junit_family=xunit1", "-o", "junit_logging=no"),
    taken=("--junitxml", "--junit-xml", "--collect-only", "--co", "-h", "--help", "--version", "--fixtures"),
    read=_read,
    fills=("xpassed",),
    select=_select,
    missing=re.compile(r"No module named '?pytest'?|(?:py\.?test|python[\d.]*): (?:command )?not found"),
    unloaded=re.compile(r"ImportError while loading conftest|Interrupted: \d+ errors? during collection"),
    exits={3: "error", 4: "error", 5: "no_tests"},
)
