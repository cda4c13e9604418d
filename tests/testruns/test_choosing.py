"""Which runner is chosen by what a directory holds, and what a run comes to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rootle.contracts import ExecResult
from rootle.errors import InvalidArgument, NoTestRunner
from rootle.testruns import RunSummary
from rootle.testruns.choose import choose
from rootle.testruns.probe import Facts
from rootle.testruns.runners import RUNNERS, Selection
from rootle.testruns.verdict import judge

JEST = {"test": "jest"}


@pytest.mark.parametrize(
    ("facts", "argv"),
    [
        ({"names": ["pytest.ini"], "imports": ["python3"]}, "python3 -m pytest"),
        ({"names": ["conftest.py"], "imports": ["python"]}, "python -m pytest"),
        (
            {"facts": {"pytest-config"}, "with_pytest": ["./.venv"], "imports": ["python3"]},
            ".venv/bin/python -m pytest",
        ),
        ({"facts": {"python-tests"}, "with_pytest": ["../venv"]}, "../venv/bin/python -m pytest"),
        ({"facts": {"python-tests"}, "above": ["uv.lock"], "tools": {"uv"}}, "uv run python -m pytest"),
        ({"facts": {"python-tests"}, "above": ["uv.lock"], "imports": ["python3"]}, "python3 -m pytest"),
        ({"facts": {"python-tests"}, "above": ["poetry.lock"], "tools": {"poetry"}}, "poetry run python -m pytest"),
        ({"facts": {"python-tests"}, "tools": {"pytest", "python3"}}, "pytest"),
        ({"facts": {"python-tests"}, "tools": {"python3"}}, "/own/python -m pytest"),
        ({"names": ["package.json"], "scripts": JEST}, "npm test"),
        ({"names": ["package.json"], "scripts": JEST, "above": ["yarn.lock"], "tools": {"yarn"}}, "yarn test"),
        ({"names": ["package.json"], "scripts": JEST, "above": ["yarn.lock"]}, "npm test"),
        ({"names": ["package.json"], "scripts": JEST, "above": ["bun.lock"], "tools": {"bun"}}, "bun run test"),
        ({"names": ["package.json"], "scripts": {"test": "mocha"}}, "npm test"),
        ({"names": ["package.json"], "dependencies": {"vitest"}}, "npx --no-install vitest run"),
        ({"names": ["package.json"], "programs": {"jest"}}, "npx --no-install jest"),
        (
            {"names": ["package.json"], "scripts": {"test": "echo 'no test specified'"}, "programs": {"jest"}},
            "npx --no-install jest",
        ),
        ({"names": ["Cargo.toml"]}, "cargo test --no-fail-fast"),
        ({"names": ["Cargo.toml", ".config/nextest.toml"]}, "cargo test --no-fail-fast"),
        (
            {"names": ["Cargo.toml", ".config/nextest.toml"], "tools": {"cargo-nextest"}},
            "cargo nextest run --no-fail-fast",
        ),
        ({"names": ["go.mod"]}, "go test ./..."),
        # What configures a runner counts more than what looks like its tests.
        ({"names": ["go.mod"], "facts": {"python-tests"}}, "go test ./..."),
        ({"names": ["Cargo.toml"], "facts": {"pytest-dependency"}}, "cargo test --no-fail-fast"),
        ({"names": ["Cargo.toml", "conftest.py"], "imports": ["python3"]}, "python3 -m pytest"),
        ({"names": ["package.json", "go.mod"], "scripts": {"build": "tsc"}}, "go test ./..."),
    ],
)
def test_command_is_chosen(facts: dict[str, Any], argv: str) -> None:
    """Without a word from the caller."""
    assert " ".join(choose(Facts(**facts), Selection(), own_python="/own/python").argv) == argv


EVERYTHING = Facts(
    names=["conftest.py", "package.json", "Cargo.toml", "go.mod"], scripts=JEST, imports=["python3"], tools={"npm"}
)


@pytest.mark.parametrize(
    ("selection", "argv"),
    [
        (
            Selection(("a/test_b.py::test_c[x y]",), "d and e"),
            ["python3", "-m", "pytest", "-k", "d and e", "a/test_b.py::test_c[x y]"],
        ),
        (Selection(("a/b.test.ts", "c (d)"), "e"), ["npm", "test", "--", "-t", "e", "a/b\\.test\\.ts", "c\\ \\(d\\)"]),
        (Selection(("tests/it.rs",), "e"), ["cargo", "test", "--no-fail-fast", "--test", "it", "e"]),
        (Selection(("a/b_test.go", "a/c_test.go", "d/x.go"), "E"), ["go", "test", "-run", "E", "./a", "./d"]),
    ],
)
def test_language_of_the_files_decides(selection: Selection, argv: list[str]) -> None:
    """And the selection is said in the runner's own words."""
    assert choose(EVERYTHING, selection).argv == argv


def test_choice_names_the_others() -> None:
    """Each with what it leaves."""
    choice = choose(EVERYTHING, Selection())
    assert (choice.runner, choice.why) == ("pytest", "conftest.py")
    assert choice.others == ("jest (the test script of package.json)", "cargo (Cargo.toml)", "go (go.mod)")
    assert choose(EVERYTHING, Selection(), runner="go").others == ()


@pytest.mark.parametrize(
    ("facts", "selection", "error"),
    [
        (Facts(), Selection(), NoTestRunner),
        (Facts(names=["package.json"]), Selection(), NoTestRunner),
        (Facts(names=["pyproject.toml"]), Selection(), NoTestRunner),
        (Facts(names=["go.mod"]), Selection(("a.py",)), NoTestRunner),
        (Facts(names=["Cargo.toml"]), Selection(("src/lib.rs",)), InvalidArgument),
        (Facts(names=["package.json"], scripts={"test": "mocha"}), Selection((), "x"), InvalidArgument),
    ],
)
def test_what_cannot_be_chosen_is_refused(facts: Facts, selection: Selection, error: type[Exception]) -> None:
    """With a hint."""
    with pytest.raises(error) as caught:
        choose(facts, selection)
    assert getattr(caught.value, "hint", None)


GOOD = RunSummary(runner="pytest", passed=3, failed=0, errors=0, outcome="passed")
BAD = replace(GOOD, failed=1, outcome="failed")
NONE = RunSummary()
PYTEST, JEST_RUNNER, CARGO = RUNNERS["pytest"], RUNNERS["jest"], RUNNERS["cargo"]


def ended(code: int | None = 0, **more: Any) -> ExecResult:
    return ExecResult(exit_code=code, **more)


@pytest.mark.parametrize(
    ("done", "runners", "report", "text", "tail", "status", "note"),
    [
        (ended(0), [PYTEST], GOOD, GOOD, "", "passed", None),
        (ended(1), [PYTEST], BAD, BAD, "", "failed", None),
        (ended(0), [PYTEST], BAD, BAD, "", "failed", "exit code 0 all the same"),
        (ended(1), [PYTEST], GOOD, GOOD, "", "failed", "No test failed, but the command ended with exit code 1"),
        (ended(1), [PYTEST], GOOD, BAD, "", "failed", "not trusted"),
        (ended(0), [PYTEST], GOOD, BAD, "", "failed", "not trusted"),
        (ended(None, signal=11), [PYTEST], GOOD, GOOD, "", "error", "signal 11"),
        (ended(139), [], None, NONE, "", "error", "signal 11"),
        (ended(None, timed_out=True), [PYTEST], None, NONE, "", "timeout", "ended at its time limit"),
        (ended(None, timed_out=True), [], None, BAD, "", "timeout", None),
        (ended(0), [PYTEST], None, NONE, "", "error", "left no summary"),
        (ended(0), [], None, NONE, "", "unknown", "no test runner's summary"),
        (ended(3), [], None, NONE, "", "error", "exit code 3"),
        (ended(5), [PYTEST], None, NONE, "", "no_tests", None),
        (ended(4), [PYTEST], None, NONE, "ImportError while loading conftest", "collection_error", None),
        (ended(4), [PYTEST], None, NONE, "", "error", "exit code 4"),
        (ended(1), [PYTEST], None, NONE, "/usr/bin/python: No module named pytest", "runner_missing", "pytest"),
        (ended(127), [JEST_RUNNER], None, NONE, "sh: 1: jest: not found", "runner_missing", "jest"),
        (ended(127), [], None, NONE, "bash: line 1: foo: command not found", "runner_missing", "foo"),
        (ended(127), [], None, NONE, "sh: 1: exec: foo: not found", "runner_missing", "foo"),
        (ended(101), [CARGO], None, NONE, "error[E0308]: mismatched", "build_failed", None),
        (ended(1), [JEST_RUNNER], None, NONE, "No tests found, exiting with code 1", "no_tests", None),
        (ended(0), [], None, GOOD, "", "passed", None),
        (ended(2), [], None, BAD, "", "failed", None),
        (ended(0), [PYTEST], replace(GOOD, passed=0, skipped=2), NONE, "", "passed", "all were skipped"),
    ],
)
def test_verdict(
    done: ExecResult,
    runners: list[Any],
    report: RunSummary | None,
    text: RunSummary,
    tail: str,
    status: str,
    note: str | None,
) -> None:
    """The worse of what report, text and exit code say, and why."""
    verdict = judge(done, runners, report, text, tail)
    assert verdict.status == status
    assert (note is None and not verdict.notes) or (note is not None and note in " ".join(verdict.notes))
