"""Machine reports that are broken, forged or hostile."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from rootle.testruns.reports import InvalidReport, printed_by_go, read_go_events, read_jest_json, read_junit
from rootle.testruns.runners import RUNNERS

BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>\n<testsuites>&j;</testsuites>"
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not xml",
        "<testsuites>",
        "<testsuites><testsuite></testsuites>",
        "<html></html>",
        BOMB,
        BOMB.replace("<!DOCTYPE", "<testsuites/><!DOCTYPE"),
        "<testsuites><!DOCTYPE x></testsuites>",
        '<testsuites><testcase name="\x01"/></testsuites>',
        "\ufeff" * 3 + "<testsuites/>",
        '<?xml version="1.0" encoding="no-such"?><testsuites/>',
    ],
)
def test_what_is_no_junit_is_refused(text: str) -> None:
    """At once, and with a reason."""
    start = time.monotonic()
    with pytest.raises(InvalidReport, match=r"\w"):
        read_junit(text.encode())
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("attributes", ['time="x"', 'time="-1"', 'time="1e99"', 'time="nan"', ""])
def test_odd_numbers_are_passed_over(attributes: str) -> None:
    """A report is data: what is no time is none."""
    cases, seconds = read_junit(f'<testsuite {attributes}><testcase name="a" line="9999999999"/></testsuite>'.encode())
    assert (len(cases), cases[0].line, seconds) == (1, None, None)


def jest(**changes: Any) -> bytes:
    test = {"status": "passed", "title": "a", "ancestorTitles": [], "failureMessages": []}
    file = {"name": "/p/a.js", "status": "passed", "message": "", "assertionResults": [test]}
    report = {"numPassedTests": 1, "numFailedTests": 0, "success": True, "testResults": [file]}
    return json.dumps({**report, **changes}).encode()


def test_jest_report_is_read() -> None:
    """The smallest one."""
    assert read_jest_json(jest(), "jest").counts == {"passed": 1, "failed": 0, "skipped": 0, "todo": 0, "errors": 0}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"testResults": 3}',
        jest(testResults=[3]),
        jest(testResults=[{"name": "a"}]),
        jest(testResults=[{"name": "a", "assertionResults": [{"status": "great"}]}]),
        jest(testResults=[{"name": "a", "assertionResults": [{"status": ["passed"]}]}]),
        jest(numPassedTests=999),
        jest(numFailedTests=None),
        jest()[:-5],
    ],
)
def test_what_is_no_jest_report_is_refused(data: bytes) -> None:
    """Numbers that do not fit the list of tests too."""
    with pytest.raises(InvalidReport, match=r"\w"):
        read_jest_json(data, "jest")


def events(*lines: dict[str, Any] | str) -> bytes:
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()


def event(action: str, test: str | None = None, **more: Any) -> dict[str, Any]:
    return {"Action": action, "Package": "m", **({"Test": test} if test else {}), **more}


@pytest.mark.parametrize(
    ("data", "counts", "outcome", "complete"),
    [
        pytest.param(
            events(event("run", "A"), event("pass", "A"), event("pass")), (1, 0, 0, 0), "passed", True, id="one"
        ),
        pytest.param(events(event("pass", "Forged"), event("pass")), (0, 0, 0, 0), "no_tests", True, id="not-begun"),
        pytest.param(events(event("run", "A"), event("fail")), (0, 1, 0, 0), "failed", True, id="died"),
        pytest.param(events(event("fail")), (0, 0, 0, 1), "failed", True, id="before-tests"),
        pytest.param(events(event("run", "A"), event("pass", "A")), (1, 0, 0, 0), "passed", False, id="cut"),
        pytest.param(
            events(
                "go: downloading x", "{", '{"Action": 3}', "[1]", event("run", "A"), event("skip", "A"), event("pass")
            ),
            (0, 0, 1, 0),
            "passed",
            True,
            id="noise",
        ),
        pytest.param(
            events(event("run", "A"), event("run", "A/b"), event("fail", "A/b"), event("fail", "A"), event("fail")),
            (0, 1, 0, 0),
            "failed",
            True,
            id="subtest",
        ),
    ],
)
def test_go_events(data: bytes, counts: tuple[int, ...], outcome: str, complete: bool) -> None:
    """Also of runs that did not end well."""
    found = read_go_events(data)
    assert (found.passed, found.failed, found.skipped, found.errors) == counts
    assert (found.outcome, found.complete) == (outcome, complete)
    assert read_go_events(data + b'{"Action":"out').counts == found.counts


@pytest.mark.parametrize("data", [b"", b"ok\n", b"{}\n", b'{"Action":"start"}\n', b"[" * 100_000])
def test_what_has_no_events_is_refused(data: bytes) -> None:
    """Nothing is made up of it."""
    with pytest.raises(InvalidReport):
        read_go_events(data)


def test_output_of_go_is_put_together() -> None:
    """Its end, with lines that are no events."""
    data = events("# m", event("output", Output="a\n"), event("output", "A", Output="b\n"), event("pass"))
    assert printed_by_go(data, 100) == "# m\na\nb\n"
    assert printed_by_go(data, 3) == "\nb\n"


def test_unclosed_pytest_case_counts_once() -> None:
    """The same test twice (its call, its tear-down) is one test, by the worst of it."""
    data = (
        '<testsuites><testsuite time="1.5">'
        '<testcase classname="t" name="a" file="t.py"><failure message="x"/></testcase>'
        '<testcase classname="t" name="a" file="t.py"><error message="failed on teardown"/></testcase>'
        '<testcase classname="t" name="b" file="t.py"><skipped type="pytest.xfail"/></testcase>'
        '<testcase classname="t" name="c" file="t.py"/>'
        "</testsuite></testsuites>"
    )
    read = RUNNERS["pytest"].read
    assert read is not None
    found = read(data.encode(), True)
    assert found.counts == {"passed": 1, "failed": 1, "skipped": 0, "errors": 0, "xfailed": 1}
    assert (found.failures_total, found.duration_s) == (2, 1.5)
