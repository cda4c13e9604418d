"""Laws of reading a text: what stands around a run does not change it, nothing breaks the reading, time is linear."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from rootle import limits, parse_test_runner_output
from rootle.testruns.marks import find_marks, plain_text

RECORDED = Path(__file__).parent / "recorded"
TEXTS = {path.stem: path.read_bytes().decode() for path in sorted(RECORDED.glob("*.txt"))}
WITH_SUMMARY = [name for name in TEXTS if name.split(".")[0] not in ("pytest-missing", "cargo-abort", "cargo-broken")]

# Pieces of what runners write, so that chance hits on what matters.
PIECES = st.sampled_from(
    [line + "\n" for text in TEXTS.values() for line in text.split("\n")]
    + [
        "\x1b[",
        "\x1b]0;",
        "\x9b1m",
        "\r",
        "\x00",
        "999 passed in 0.1s\n",
        "running 1 test\n",
        "FAILED [" * 50,
        "/" * 99,
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(WITH_SUMMARY), st.text(max_size=300), st.text(max_size=300))
@example("pytest-quiet", "\x1b[", "\x1b]")
@example("go", "--- ", "\x9b")
def test_text_around_a_run_does_not_change_it(name: str, before: str, after: str) -> None:
    """Unless it says something that a runner says, it is passed over."""
    around = [plain_text(before + "\n"), plain_text(after + "\n")]
    assume(not any(find_marks(text)[0] for text in around))
    alone = parse_test_runner_output(TEXTS[name])
    # An unfinished escape sequence swallows what follows it, on a terminal as here: it ends with its line.
    found = parse_test_runner_output(f"{plain_text(before)}\n{TEXTS[name]}\n{plain_text(after)}")
    assert (found.counts, found.outcome, found.runner) == (alone.counts, alone.outcome, alone.runner)
    assert [test.name for test in found.failures] == [test.name for test in alone.failures]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(PIECES, st.text(max_size=40)), max_size=60).map("".join))
def test_no_text_breaks_the_reading(text: str) -> None:
    """Counts are never negative, none is made up, the same text gives the same answer."""
    found = parse_test_runner_output(text)
    assert found == parse_test_runner_output(text)
    assert all(value >= 0 for value in found.counts.values())
    assert (found.runner is None) == (found.outcome is None)
    assert len(found.failures) <= found.failures_total
    if found.runner is None:
        assert found.counts == {}
    if found.outcome == "passed":
        assert not found.failed


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=400))
def test_no_bytes_break_the_reading(data: bytes) -> None:
    """Nor what is no text."""
    assert parse_test_runner_output(data).counts == parse_test_runner_output(data.decode("utf-8", "replace")).counts


HOSTILE = {
    "lines": "x\n",
    "equals": "=",
    "counts": "1 passed, ",
    "escapes": "\x1b[",
    "titles": "\x1b]0;a",
    "brackets": "FAILED " + "[" * 3000 + "\n",
    "begun": "=== RUN   a\n",
    "failed": "    --- FAIL: A/b/c (0.00s)\n",
    "deep": "--- FAIL: " + "a/" * 400 + " (0.00s)\nFAIL\tm\t1s\n",
    "running": "running 1 test\n",
    "results": "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    "headers": "=== test session starts ===\n",
    "sections": "=== FAILURES ===\n=== 1 passed in 1s ===\n",
    "headings": "___ a ___\n",
    "short": "=== short test summary info ===\nFAILED a - b\n",
    "jest": "Test Suites: 1 failed, 1 total\nTests: 1 failed, 1 total\nSnapshots: 0 total\n",
    "suites": "FAIL a.js\n  ● x\n",
    "vitest": " FAIL  a.js > b\n",
    "nextest": "    Starting 3 tests across \n     Summary [ 1.0s] 3 tests run: 3 passed\n        FAIL [ 1.0s] a b\n",
    "blocks": "---- a stdout ----\n",
    "builds": "error: could not compile `x` (lib) due to 1\n",
    "packages": "# a\nFAIL\tm [build failed]\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """Ten times the text takes about ten times as long: not a hundred times."""

    def seconds(size: int) -> float:
        text = HOSTILE[name] * (size // len(HOSTILE[name]))
        start = time.process_time()
        parse_test_runner_output(text)
        return time.process_time() - start

    small, large = min(seconds(50_000), seconds(50_000)), seconds(500_000)
    assert large < 40 * small + 0.1


def test_ten_megabytes_are_read_in_seconds() -> None:
    """Every line one that is looked at closely."""
    start = time.process_time()
    parse_test_runner_output(HOSTILE["headings"] * (10_000_000 // len(HOSTILE["headings"])))
    assert time.process_time() - start < 20


def test_lines_that_are_looked_at_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first quarter and the last three quarters are kept, and the answer says that it is not all."""
    monkeypatch.setattr(limits, "TESTS_MARKS", 100)
    text = "test a ... ok\n" * (limits.TESTS_MARKS + 10)
    marks, complete = find_marks(text)
    assert (len(marks), complete) == (limits.TESTS_MARKS, False)
    found = parse_test_runner_output(text + "1 failed, 2 passed in 0.1s\n")
    assert (found.counts, found.complete) == ({"passed": 2, "failed": 1}, False)
