r"""go test's output, with or without -v.

    --- FAIL: TestTable (0.00s)
        --- FAIL: TestTable/z (0.00s)
            a_test.go:6: no
    FAIL	example.com/m/a	0.007s
    ok  	example.com/m/b	0.012s

Each test that has no subtests counts once; one that has them counts through them, or by itself when it failed and none
of them did. Without -v passing tests are not named: how many they are is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rootle import limits
from rootle.testruns.marks import Mark
from rootle.testruns.summary import FailedTest, RunSummary
from rootle.testruns.texts.found import Failures, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.testruns.summary import Outcome

__all__ = ["compiler_error", "find", "leaves", "place_and_message"]

_RESULT = re.compile(r" *--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$")
_RUN = re.compile(r"=== RUN +(\S+)$")
_OK = re.compile(r"ok  \t(\S+)\t(?:(\d+(?:\.\d+)?)s|\(cached\))(?:\t.*)?(\s\[no tests to run\])?$")
_FAIL = re.compile(r"FAIL\t(\S+)(?:\t(\d+(?:\.\d+)?)s| \[(build failed|setup failed)\])$")
_NONE = re.compile(r"\?   \t(\S+)\t\[no test files\]$")
_PACKAGE_ERRORS = re.compile(r"# (\S+)")
_PLACE = re.compile(r"^ +(\S+?\.go):(\d+): (.*(?:\n {8,}.*)*)", re.MULTILINE)
_PANIC = re.compile(r"^(panic: .*|fatal error: .*)$", re.MULTILINE)
_FRAME = re.compile(r"^\t(\S+_test\.go):(\d+)", re.MULTILINE)
_COMPILER = re.compile(r"^(\S+\.go):(\d+):(?:\d+:)? (.+)$", re.MULTILINE)


@dataclass(slots=True)
class _Package:
    results: dict[str, tuple[str, int]] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)

    def take(self, offset: int, line: str) -> bool:
        """Take a line about a test; false for any other."""
        if match := _RESULT.match(line):
            self.results.setdefault(match[2], (match[1].lower(), offset))
        elif match := _RUN.match(line):
            self.runs.add(match[1])
        return match is not None


def find(text: str, marks: list[Mark]) -> Found | None:
    """Find the packages and their tests."""
    offsets: list[int] = []
    failures = Failures()
    counts = {"pass": 0, "fail": 0, "skip": 0}
    built = {"ok": 0, "failed": 0, "broken": 0, "none": 0}
    seconds: list[float] = []
    verbose = False
    package = _Package()
    errors = _compiler_errors(text, marks)
    for offset, line in marks:
        if package.take(offset, line):
            offsets.append(offset)
            verbose |= bool(package.runs)
            continue
        match = _OK.match(line) or _FAIL.match(line) or _NONE.match(line)
        # A package is not "ok" before all of its tests ended: a test that runs printed that.
        if match is None or (match.re is _OK and package.runs - package.results.keys()):
            continue
        kind = _kind(match)
        built[kind] += 1
        if match.re is not _NONE:
            seconds.append(float(match[2] or 0))
        if kind == "broken":
            failures.add(_broken(match[1], match[3], errors))
        offsets.append(offset)
        _close(text, package, match[1], counts, failures)
        package = _Package()
    if not any(built.values()):
        return None
    return Found(_summary(counts, built, failures, verbose, seconds), offsets[0], offsets[-1])


def _kind(match: re.Match[str]) -> str:
    """Give what a line says of its package."""
    if match.re is _NONE:
        return "none"
    if match.re is _OK:
        return "none" if match[3] else "ok"
    return "broken" if match[3] else "failed"


def _close(text: str, package: _Package, name: str, counts: dict[str, int], failures: Failures) -> None:
    # With -v every test is named when it begins: a result without a beginning was printed by a test.
    known = package.results.keys() & package.runs if package.runs else package.results.keys()
    verdicts = {test: verdict for test, (verdict, _) in package.results.items() if test in known}
    verdicts |= {test: "fail" for test in package.runs - verdicts.keys()}  # it was running when its program ended
    for test in leaves(verdicts):
        verdict = verdicts[test]
        counts[verdict] += 1
        if verdict == "fail":
            start = package.results.get(test, (None, None))[1]
            file, line, message = (None, None, "") if start is None else place_and_message(_block(text, start))
            failures.add(FailedTest(name=test, classname=name, file=file, line=line, message=message))


def leaves(verdicts: dict[str, str]) -> list[str]:
    """Give the tests that count: those without subtests, and those that failed though none of their subtests did."""
    parents: set[str] = set()
    blamed: set[str] = set()
    for test, verdict in verdicts.items():
        parent = test
        while (cut := parent.rfind("/")) > 0:
            parent = parent[:cut]
            if parent in verdicts:
                parents.add(parent)
                if verdict == "fail":
                    blamed.add(parent)
    return [
        test for test, verdict in verdicts.items() if test not in parents or (verdict == "fail" and test not in blamed)
    ]


def _block(text: str, start: int) -> str:
    """Give the lines below a result; with -v, where they stand above it, those since the test was last named."""
    line_end = text.find("\n", start)
    below = text[line_end + 1 : line_end + 2000]
    if re.match(r" +\S+\.go:\d+: |panic: |fatal error: ", below):
        stop = re.search(r"^ *--- |^(?:FAIL|ok  |=== )", below, re.MULTILINE)
        return below[: stop.start() if stop else None]
    above = text[max(0, start - 2000) : start]
    return above[max(above.rfind("\n=== "), above.rfind("\n--- "), 0) :]


def place_and_message(block: str) -> tuple[str | None, int | None, str]:
    """Give where a test failed and what it said: a panic and its first frame in a test file, else t.Error's lines."""
    said = [(match[1], int(match[2]), match[3]) for match in _PLACE.finditer(block)]
    if panic := _PANIC.search(block):
        frame = _FRAME.search(block, panic.end())
        return (frame[1], int(frame[2]), panic[1]) if frame else (None, None, panic[1])
    if not said:
        return None, None, block.strip()
    message = "\n".join(re.sub(r"\n {8}", "\n", words) for _, _, words in said)
    return said[0][0], said[0][1], message


def _compiler_errors(text: str, marks: list[Mark]) -> dict[str, re.Match[str]]:
    """Give the first words of the compiler or of vet for each package that they complain of."""
    told: dict[str, re.Match[str]] = {}
    for offset, line in marks:
        match = _PACKAGE_ERRORS.match(line)
        if match is None or match[1] in told or len(told) >= limits.TESTS_FAILURES_KEPT:
            continue
        if said := _COMPILER.search(text, offset, offset + limits.TESTS_LINE_CHARS):
            told[match[1]] = said
    return told


def compiler_error(told: str) -> tuple[str, int, str] | None:
    """Give the place and the words of the first complaint of the compiler or of vet."""
    match = _COMPILER.search(told)
    return None if match is None else (match[1], int(match[2]), match[3])


def _broken(package: str, why: str, errors: dict[str, re.Match[str]]) -> FailedTest:
    """Make an entry of a package that did not build."""
    if told := errors.get(package):
        return FailedTest(name=package, message=told[3], file=told[1], line=int(told[2]), kind="error")
    return FailedTest(name=package, message=why, kind="error")


def _summary(
    counts: dict[str, int], built: dict[str, int], failures: Failures, verbose: bool, seconds: list[float]
) -> RunSummary:
    outcome: Outcome = "passed"
    if built["broken"]:
        outcome = "build_failed"
    elif built["failed"] or counts["fail"]:
        outcome = "failed"
    elif not built["ok"] or (verbose and not any(counts.values())):
        outcome = "no_tests"
    return RunSummary(
        runner="go",
        passed=counts["pass"] if verbose else None,
        failed=counts["fail"] or None,
        skipped=counts["skip"] or None,
        errors=built["broken"] or None,
        duration_s=round(sum(seconds), 3) if seconds else None,
        outcome=outcome,
        failures=failures.tests,
        failures_total=failures.total,
    )
