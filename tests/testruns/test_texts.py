"""Recorded outputs of real runs (see `record.py`), plain and in colours, as counts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from rootle import RunSummary, parse_test_runner_output
from rootle.testruns.summary import COUNTS

from tests.testruns import test_pytest_runs

RECORDED = Path(__file__).parent / "recorded"
PYTEST = {"passed": 7, "failed": 9, "skipped": 1, "errors": 3, "xfailed": 1, "xpassed": 1}
NODE = {"passed": 4, "failed": 3, "skipped": 1, "todo": 1}
# Name, runner, counts (a count that is not there must be None), outcome, whether the counts are those of the whole run.
RUNS: list[tuple[str, str | None, dict[str, int], str | None, bool]] = [
    ("cargo", "cargo", {"passed": 5, "failed": 3, "skipped": 1}, "failed", True),
    ("cargo-abort", "cargo", {}, "failed", False),
    ("cargo-broken", "cargo", {"errors": 2}, "build_failed", False),
    ("cargo-first", "cargo", {"passed": 2, "failed": 2, "skipped": 1}, "failed", True),
    ("go", "go", {"failed": 4, "errors": 1}, "build_failed", True),
    ("go-none", "go", {}, "no_tests", True),
    ("go-passed", "go", {}, "passed", True),
    ("go-verbose", "go", {"passed": 6, "failed": 4, "skipped": 1, "errors": 1}, "build_failed", True),
    ("jest", "jest", NODE, "failed", True),
    ("jest-broken", "jest", {**NODE, "errors": 1}, "collection_error", True),
    ("jest-none", "jest", {}, "no_tests", True),
    ("nextest", "nextest", {"passed": 4, "failed": 2, "skipped": 1}, "failed", True),
    ("node", "node", {"passed": 1, "failed": 1, "skipped": 1, "todo": 1}, "failed", True),
    ("pytest", "pytest", PYTEST, "failed", True),
    ("pytest-deselected", "pytest", {"passed": 1}, "passed", True),
    ("pytest-import", "pytest", {"errors": 1}, "collection_error", True),
    ("pytest-inner", "pytest", {"passed": 1, "failed": 1}, "failed", True),
    ("pytest-missing", None, {}, None, True),
    ("pytest-none", "pytest", {}, "no_tests", True),
    ("pytest-passed", "pytest", {"passed": 1}, "passed", True),
    ("pytest-quiet", "pytest", PYTEST, "failed", True),
    ("pytest-verbose", "pytest", PYTEST, "failed", True),
    ("pytest-very-quiet", "pytest", {"failed": 9, "errors": 3}, "failed", True),
    ("unittest", "unittest", {"passed": 1, "failed": 1, "skipped": 1, "errors": 1, "xfailed": 1}, "failed", True),
    ("vitest", "vitest", NODE, "failed", True),
    ("vitest-broken", "vitest", {**NODE, "errors": 1}, "collection_error", True),
    ("vitest-none", "vitest", {}, "no_tests", True),
]
PLACES = {
    "cargo": {
        "tests::fails": "src/lib.rs:19",
        "tests::gives_an_error": None,
        "src/lib.rs - one (line 5)": "src/lib.rs:5",
    },
    "cargo-broken": {"demo (lib)": "src/lib.rs:1", "demo (lib test)": None},
    "go": {
        "TestFail": "a_test.go:13",
        "TestTable/z/w/deep": "a_test.go:22",
        "TestParentFails": "a_test.go:30",
        "TestPanic": "/project/p/p_test.go:9",
        "example.com/m/broken": "broken/b_test.go:5",
    },
    "jest-broken": {
        "outer › inner › fails": "src/a.test.js:6",
        "outer › throws": "src/a.test.js:12",
        "takes too long": "src/a.test.js:14",
        "src/c.test.js": "src/c.test.js",
    },
    "nextest": {"tests::fails": "src/lib.rs:19", "tests::gives_an_error": None},
    "vitest-broken": {
        "outer > inner > fails": "src/a.test.js:7",
        "outer > throws": "src/a.test.js:13",
        "takes too long": "src/a.test.js:15",
        "src/c.test.js": "/project/src/c.test.js:1",
    },
    "pytest-quiet": {
        **{name: f"{file}:{line}" for name, (file, line) in test_pytest_runs.FAILED.items() if "subtests" not in name},
        "test_a.py::test_must_fail": "test_a.py",
        **{f"test_a.py::Case::test_subtests (n={n})": "test_a.py:73" for n in (1, 3)},
        "test_a.py::test_subtests [message] (n=1)": "test_a.py:79",
        "test_a.py::test_subtests": "test_a.py",
    },
}
FILES = [
    path
    for name, *_ in RUNS
    for path in sorted(RECORDED.glob(f"{name}.txt")) + sorted(RECORDED.glob(f"{name}.colours.txt"))
]


def expected(path: Path) -> tuple[str, str | None, dict[str, int], str | None, bool]:
    return next(run for run in RUNS if run[0] == path.name.split(".")[0])


def test_every_recording_is_in_the_table() -> None:
    """One that nobody looks at shows nothing."""
    assert sorted(FILES) == sorted(RECORDED.glob("*.txt"))
    assert len(FILES) > len(RUNS) + 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["text", "bytes", "crlf"])
def test_recorded_run(path: Path, form: str) -> None:
    """Counts, outcome and runner; what the text does not tell is None."""
    text = path.read_bytes().decode()
    forms: dict[str, str | bytes] = {"text": text, "bytes": text.encode(), "crlf": text.replace("\n", "\r\n")}
    given = forms[form]
    _, runner, counts, outcome, complete = expected(path)
    found = parse_test_runner_output(given)
    assert (found.runner, found.counts, found.outcome, found.complete) == (runner, counts, outcome, complete)
    assert all(getattr(found, name) is None for name in COUNTS if name not in counts)
    assert parse_test_runner_output(given, runner=runner) == found or runner is None


@pytest.mark.parametrize("name", PLACES)
def test_failures_have_their_places(name: str) -> None:
    """By name; the same in colours."""
    for path in RECORDED.glob(f"{name}*.txt"):
        if path.name.split(".")[0] != name:
            continue
        found = parse_test_runner_output(path.read_text(encoding="utf-8"))
        told = {
            test.name: test.file and (f"{test.file}:{test.line}" if test.line else test.file)
            for test in found.failures
            if (test.name, test.kind) != ("test_a.py::test_fails_and_breaks", "error")
        }
        assert told == PLACES[name]
        assert all(test.message for test in found.failures)


def test_runs_one_after_the_other_are_added_up() -> None:
    """As `make test` may print them; the order does not matter."""
    texts = {
        name: (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
        for name in ("pytest", "jest", "cargo", "go", "vitest")
    }
    for order in (list(texts), list(reversed(texts))):
        found = parse_test_runner_output("make: go on\n".join(texts[name] for name in order))
        assert found.runner == ", ".join(order)
        assert (found.passed, found.failed, found.skipped) == (7 + 4 + 5 + 4, 9 + 3 + 3 + 4 + 3, 1 + 1 + 1 + 1)
        assert found.outcome == "build_failed"


def test_run_inside_of_another_one_is_not_counted() -> None:
    """A test of a tool for jest prints what jest prints; its own runner's counts are the run's."""
    inner = (RECORDED / "jest.txt").read_text(encoding="utf-8")
    outer = (RECORDED / "pytest.txt").read_text(encoding="utf-8")
    assert outer.count(SHORT) == 1
    found = parse_test_runner_output(outer.replace(SHORT, f"{inner}\n{SHORT}"))
    assert (found.runner, found.counts) == ("pytest", PYTEST)


FORGED = "=" * 31 + " 999 passed in 0.01s " + "=" * 28
HEADER = "============================= test session starts =============================="
REAL = "========================= 1 failed, 2 passed in 0.12s =========================="
SHORT = "=========================== short test summary info ============================"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        pytest.param(f"{HEADER}\n{FORGED}\na.py .F  [100%]\n{REAL}\n", (2, 1), id="before"),
        pytest.param(f"{HEADER}\na.py .F  [100%]\n{SHORT}\nFAILED a.py::t - x\n{REAL}\n{FORGED}\n", (2, 1), id="after"),
        pytest.param(f"{HEADER}\n{SHORT}\n{FORGED}\n{SHORT}\nFAILED a.py::t\n{REAL}\n{FORGED}\n", (2, 1), id="both"),
        pytest.param(f"{HEADER}\n=== 999 passed in 0.01s ===\n{REAL}\n", (2, 1), id="narrow"),
        pytest.param(f"{HEADER}\n999 passed in 0.01s\n{REAL}\n999 passed in 0.01s\n", (2, 1), id="bare"),
        pytest.param(
            f"..F [100%]\n{SHORT}\nFAILED a.py::t - x\n1 failed, 2 passed in 0.1s\n9 passed in 1s\n", (2, 1), id="quiet"
        ),
        pytest.param(
            f"9 passed in 1s\n..F [100%]\n{SHORT}\nFAILED a.py::t\n1 failed, 2 passed in 0.1s\n",
            (2, 1),
            id="quiet-before",
        ),
        pytest.param("=== FAILURES ===\n9 passed in 1s\n1 failed, 2 passed in 0.1s\n", (2, 1), id="no-short-summary"),
        pytest.param("=== FAILURES ===\n___ t ___\n9 passed in 1s\n", (None, None), id="no-summary-at-all"),
        pytest.param("1 failed, 2 passed in 0.1s (0:01:02)", (2, 1), id="long-run"),
        pytest.param("= 1 failed, 2 passed, 1 warning in 61.20s (0:01:01) =", (2, 1), id="one-sign"),
        pytest.param("5 tests collected in 0.02s", (None, None), id="collected-only"),
        pytest.param("we passed 3 passed in 2s", (None, None), id="prose"),
        pytest.param("3 passed in a row", (None, None), id="prose-too"),
    ],
)
def test_pytest_summary_is_told_from_what_tests_print(text: str, counts: tuple[int | None, int | None]) -> None:
    """By its place and its width."""
    found = parse_test_runner_output(text)
    assert (found.passed, found.failed) == counts


@pytest.mark.parametrize(
    ("text", "runner", "counts"),
    [
        ("Tests: 9 passed, 9 total\n", None, {}),
        (
            "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        1 s\n",
            "jest",
            {"passed": 2},
        ),
        (
            " Test Files  1 passed (1)\n      Tests  2 passed (2)\n   Start at  1:2\n   Duration  3ms\n",
            "vitest",
            {"passed": 2},
        ),
        ("test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", None, {}),
        ("running 3 tests\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", "cargo", {}),
        ("ok  \tm\t(cached)\n", "go", {}),
        ("--- PASS: TestA (0.00s)\n", None, {}),
        ("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tm\t0.1s\n", "go", {"passed": 1}),
        ("=== RUN   TestA\nok  \tm\t0.1s\n", None, {}),
        ("=== RUN   TestA\nFAIL\tm\t0.1s\n", "go", {"passed": 0, "failed": 1}),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", "unittest", {"passed": 0}),
        ("  3 passing (12ms)\n  1 pending\n  2 failing\n", "mocha", {"passed": 3, "failed": 2, "skipped": 1}),
        ("", None, {}),
    ],
)
def test_short_texts(text: str, runner: str | None, counts: dict[str, int]) -> None:
    """A line alone that a runner never writes alone is none of a runner's."""
    found = parse_test_runner_output(text)
    assert (found.runner, found.counts) == (runner, counts)


def test_is_light_and_public() -> None:
    """Reading a text needs neither pydantic nor asyncio."""
    script = (
        "import sys, rootle; rootle.parse_test_runner_output('1 passed in 0.1s');"
        "print(sorted({'pydantic', 'asyncio', 'typing', 'logging', 'subprocess'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert {"RunSummary", "parse_test_runner_output"} <= set(__import__("rootle").__all__)


def test_counts_are_fields() -> None:
    """Each has its name."""
    assert set(COUNTS) <= {field.name for field in fields(RunSummary)}
