"""JUnit XML, as pytest and cargo-nextest write it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

from rootle.testruns.reports.invalid import InvalidReport

__all__ = ["Case", "Problem", "read_junit"]

_START = re.compile(rb"\s*(?:<\?xml[^>]{0,200}\?>)?\s*<testsuites?[\s>]")


@dataclass(frozen=True, slots=True)
class Problem:
    """A child of a test case: "failure", "error" or "skipped"."""

    tag: str
    type: str
    message: str
    text: str


@dataclass(slots=True)
class Case:
    """A test case; the same test may have several."""

    suite: str
    classname: str
    name: str
    file: str | None
    line: int | None
    problems: list[Problem] = field(default_factory=list)


def read_junit(data: bytes) -> tuple[list[Case], float | None]:
    """Give the test cases of a report and the seconds that it names.

    Raises:
        InvalidReport: When it is no whole report. One that does not start with its root has a document type, which no
            runner writes: entities can make a small file large.
    """
    if not _START.match(data):
        raise InvalidReport("it does not start as JUnit XML does")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise InvalidReport(f"it is no XML: {error}") from None
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
    cases = [_case(suite.get("name", ""), case) for suite in suites for case in suite.iter("testcase")]
    times = [_number(suite.get("time")) for suite in suites]
    seconds = _number(root.get("time"))
    if seconds is None and any(time is not None for time in times):
        seconds = sum(time or 0.0 for time in times)
    return cases, seconds


def _case(suite: str, element: ElementTree.Element) -> Case:
    line = element.get("line")
    case = Case(
        suite=suite,
        classname=element.get("classname", ""),
        name=element.get("name", ""),
        file=element.get("file"),
        line=int(line) + 1 if line is not None and line.isdecimal() and len(line) < 10 else None,
    )
    for child in element:
        if child.tag in ("failure", "error", "skipped"):
            case.problems.append(Problem(child.tag, child.get("type", ""), child.get("message", ""), child.text or ""))
    return case


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
