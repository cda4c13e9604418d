"""Real runs of pytest: every way in which one can end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.testruns.conftest import counts, told

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.testruns.conftest import Call

OUTCOMES = """\
import unittest

import pytest


def test_ok():
    pass


def test_fails():
    print("=" * 30, "999 passed in 0.01s", "=" * 29)
    print("\\x1b[32m=== 999 passed in 0.01s ===\\x1b[0m")
    assert 1 == 2, "boom <&> é"


@pytest.mark.skip(reason="later")
def test_skipped():
    pass


@pytest.mark.xfail
def test_xfails():
    assert 0


@pytest.mark.xfail
def test_xpasses():
    pass


@pytest.mark.xfail(strict=True)
def test_must_fail():
    pass


@pytest.fixture
def broken():
    raise RuntimeError("set-up broke")


def test_set_up(broken):
    pass


@pytest.fixture
def breaks_after():
    yield
    raise RuntimeError("tear-down broke")


def test_tear_down(breaks_after):
    pass


def test_fails_and_breaks(breaks_after):
    assert 0


@pytest.mark.parametrize("x", ["a b", "c::d", "a - b", "[x]", "é"])
def test_names(x):
    assert x != "a - b"


class TestGroup:
    def test_method(self):
        assert [1] == [2]


class Case(unittest.TestCase):
    def test_subtests(self):
        for n in range(4):
            with self.subTest(n=n):
                self.assertNotEqual(n % 2, 1)


def test_subtests(subtests):
    for n in range(3):
        with subtests.test("message", n=n):
            assert n != 1
"""


def place(text: str, number: int = 1) -> tuple[str, int]:
    """Give the place of the `number`th line that holds a text."""
    lines = [at for at, line in enumerate(OUTCOMES.splitlines(), 1) if text in line]
    return "test_a.py", lines[number - 1]


FAILED = {
    "test_a.py::test_fails": place("boom"),
    "test_a.py::test_must_fail": place("strict=True"),
    "test_a.py::test_set_up": place("set-up broke"),
    "test_a.py::test_tear_down": place("tear-down broke"),
    "test_a.py::test_fails_and_breaks": place("    assert 0", 2),
    "test_a.py::test_names[a - b]": place("assert x"),
    "test_a.py::TestGroup::test_method": place("assert [1]"),
    "test_a.py::Case::test_subtests": place("assertNotEqual"),
    "test_a.py::test_subtests": place("assert n"),
}
ALL = {"passed": 5, "failed": 7, "skipped": 1, "errors": 2, "xfailed": 1, "xpassed": 1}


@pytest.mark.parametrize(
    "command",
    [
        None,
        "python -m pytest -q",
        "pytest -v --color=yes test_a.py",
        "python -m pytest -s 2>&1 | tail -1",
        "PYTHONWARNINGS=ignore timeout 60 pytest --tb=native; true",
    ],
)
def test_every_outcome_is_counted(tree: Tree, run: Call, command: str | None) -> None:
    """Each test once, by the worst that happened to it, whatever is printed, piped or swallowed."""
    data = run(tree({"test_a.py": OUTCOMES}), command=command)
    assert (data.status, data.source, data.runner, data.complete) == ("failed", "report", "pytest", True)
    expected = dict(ALL)
    if command and "tail -1" in command:
        # The text that is left has the number of unexpected passes, as the last line has it.
        assert counts(data).get("xpassed") == 1
    assert counts(data) == expected
    assert sum(counts(data).values()) == 17
    if command is None or "--tb" not in command:
        assert told(data, "failed") | told(data, "error") | told(data, "failed") == FAILED


def test_exit_code_that_was_swallowed_is_told(tree: Tree, run: Call) -> None:
    """The command says 0, the report that tests failed: the worse counts."""
    data = run(tree({"test_a.py": "def test_a():\n    assert 0\n"}), command="pytest -q | cat")
    assert (data.status, data.exit_code, data.failed) == ("failed", 0, 1)
    assert "The command ended with exit code 0 all the same." in data.notes


@pytest.mark.parametrize(
    ("files", "arguments", "status", "known"),
    [
        pytest.param({"test_a.py": "import nothing_there\n"}, {}, "collection_error", {"errors": 1}, id="import"),
        pytest.param({"test_a.py": "def test_a(:\n"}, {}, "collection_error", {"errors": 1}, id="syntax"),
        pytest.param(
            {"test_a.py": "import nothing_there\n", "test_b.py": "def test_b(): pass\n"},
            {"command": "pytest --continue-on-collection-errors"},
            "collection_error",
            {"errors": 1, "passed": 1},
            id="import-and-others",
        ),
        pytest.param(
            {"conftest.py": "import nothing_there\n", "test_a.py": ""}, {}, "collection_error", {}, id="conftest"
        ),
        pytest.param({"test_a.py": ""}, {}, "no_tests", {}, id="empty"),
        pytest.param({"test_a.py": "def test_a(): pass\n"}, {"filter": "zzz"}, "no_tests", {}, id="deselected"),
        pytest.param(
            {"test_a.py": "def test_a(): pass\ndef test_b(): pass\n"},
            {"filter": "_b"},
            "passed",
            {"passed": 1},
            id="some",
        ),
        pytest.param({"test_a.py": ""}, {"command": "pytest --no-such-option"}, "error", {}, id="misused"),
        pytest.param({"test_a.py": ""}, {"command": "pytest no_such_file.py"}, "error", {}, id="no-such-file"),
        pytest.param(
            {"test_a.py": "import pytest\npytest.skip('all', allow_module_level=True)\n"},
            {},
            "no_tests",
            {"skipped": 1},
            id="skipped-module",
        ),
        pytest.param(
            {"test_a.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n"},
            {},
            "passed",
            {"skipped": 1},
            id="all-skipped",
        ),
    ],
)
def test_ways_to_have_no_result(
    tree: Tree, run: Call, files: dict[str, Any], arguments: dict[str, Any], status: str, known: dict[str, int]
) -> None:
    """Each has its own status."""
    data = run(tree({"pytest.ini": "[pytest]\n", **files}), **arguments)
    assert (data.status, counts(data)) == (status, known)
    if status == "error":
        assert (data.passed, data.failed, data.source) == (None, None, None)


def test_file_that_cannot_be_loaded_is_told(tree: Tree, run: Call) -> None:
    """Which, where and why."""
    root = tree({"pytest.ini": "[pytest]\n", "tests/test_a.py": "x = 1\nimport nothing_there\n"})
    (failure,) = run(root).failures
    assert (failure.name, failure.file, failure.line, failure.kind) == (
        "tests/test_a.py",
        "tests/test_a.py",
        2,
        "error",
    )
    assert "No module named 'nothing_there'" in failure.message


@pytest.mark.parametrize(
    "command",
    ["python -m pytest", ["python", "-m", "pytest", "-q"], "no-such-runner --all", "python -S -m pytest"],
)
def test_missing_runner(tree: Tree, run: Call, monkeypatch: pytest.MonkeyPatch, command: Any) -> None:
    """It is told apart from failing tests, and nothing is counted."""
    root = tree({"test_a.py": "def test_a(): pass\n", "bin/python": f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n'})
    (root / "bin/python").chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}/bin:/usr/bin:/bin")
    data = run.__wrapped__(root, command=command) if hasattr(run, "__wrapped__") else _call(root, command)
    assert (data.status, data.source, counts(data)) == ("runner_missing", None, {})
    assert data.notes[-1].split()[-1].strip(".") in ("pytest", "there")


def _call(root: Any, command: Any) -> Any:
    from rootle import Toolbox

    return Toolbox(root).call("run_tests", {"command": command}).data


@pytest.mark.parametrize(
    ("ending", "exit_code", "signal"),
    [
        ("os._exit(0)", 0, None),
        ("os._exit(3)", 3, None),
        ("os.kill(os.getpid(), 9)", None, 9),
        ("os.abort()", None, 6),
        ("print('=' * 31, '3 passed in 0.01s', '=' * 30, flush=True); os._exit(0)", 0, None),
    ],
)
def test_test_that_ends_the_process(
    tree: Tree, run: Call, ending: str, exit_code: int | None, signal: int | None
) -> None:
    """It never reads as passed, whatever the exit code says and whatever it prints before."""
    data = run(
        tree({"test_a.py": f"import os\ndef test_ok(): pass\ndef test_ends():\n    {ending}\n"}), command="pytest -s"
    )
    assert (data.status, data.exit_code, data.signal) == ("error", exit_code, signal)
    assert data.source != "report"
    assert data.passed in (None, 3)
    assert data.notes


def test_report_that_a_test_forges_is_not_believed(tree: Tree, run: Call) -> None:
    """A test can find the report and write it after pytest did; the exit code and the text speak against it."""
    forged = (
        '<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="9">'
        + '<testcase classname="t" name="t"/>' * 9
        + "</testsuite></testsuites>"
    )
    test = (
        "import atexit, sys\n"
        "def test_a(request):\n"
        f"    atexit.register(lambda: open(request.config.option.xmlpath, 'w').write({forged!r}))\n"
        "    assert 0\n"
    )
    data = run(tree({"test_a.py": test}), command="pytest")
    assert data.status == "failed"
    assert any("not trusted" in note for note in data.notes)


def test_report_that_a_test_spoils_is_not_taken(tree: Tree, run: Call) -> None:
    """A link in its place is not followed, half a file not read; the text speaks instead."""
    for spoil in (
        "os.remove(p); os.symlink('/etc/passwd', p)",
        "open(p, 'w').write('<testsuites>')",
        "os.remove(p); os.mkfifo(p)",
    ):
        test = (
            "import atexit, os\n"
            "def test_a(request):\n"
            "    def spoil(p=request.config.option.xmlpath):\n"
            f"        {spoil}\n"
            "    atexit.register(spoil)\n"
            "    assert 0\n"
        )
        start = time.monotonic()
        data = run(tree({"test_a.py": test}), command="pytest")
        assert (data.status, data.source, data.failed) == ("failed", "text", 1)
        assert time.monotonic() - start < 10
        assert "root:" not in data.output


def test_time_limit_keeps_what_was_printed(tree: Tree, run: Call) -> None:
    """The whole tree is ended in time."""
    test = "import time, subprocess\ndef test_a(): pass\ndef test_b():\n    subprocess.run(['sleep', '60'])\n"
    start = time.monotonic()
    data = run(tree({"test_a.py": test}), command="pytest -v", timeout_s=4)
    assert time.monotonic() - start < 9
    assert (data.status, data.timed_out, data.complete, counts(data)) == ("timeout", True, False, {})
    assert "test_a.py::test_a PASSED" in data.output


def test_flood_of_output(tree: Tree, run: Call) -> None:
    """50 MB of it cost no count."""
    test = "import sys\ndef test_a():\n    for _ in range(500_000): sys.stdout.write('x' * 99 + '\\n')\n    assert 0\n"
    data = run(tree({"test_a.py": test}), command="pytest -s")
    assert (data.status, data.source, counts(data), data.truncated) == ("failed", "report", {"failed": 1}, True)
    assert "1 failed in" in data.output


def test_runs_one_after_the_other_are_added_up(tree: Tree, run: Call) -> None:
    """Each writes a report of its own."""
    root = tree({"test_a.py": "def test_a(): pass\n", "sub/test_b.py": "def test_b():\n    assert 0\n"})
    data = run(root, command="pytest -q test_a.py; cd sub && pytest -q; true")
    assert (data.status, data.source, counts(data)) == ("failed", "report", {"passed": 1, "failed": 1})
    data = run(root, command="pytest -q sub && pytest -q test_a.py")
    assert (data.status, counts(data), data.complete) == ("failed", {"failed": 1}, False)


def test_make_is_read_by_its_text(tree: Tree, run: Call) -> None:
    """A command that is no runner's; captured output of a session inside the session does not count."""
    inner = (
        "import subprocess, sys\n"
        "def test_a():\n"
        "    argv = [sys.executable, '-m', 'pytest', 'inner.py']\n"
        "    print(subprocess.run(argv, capture_output=True).stdout.decode())\n"
        "    assert 0\n"
        "def test_b(): pass\n"
    )
    files = {
        "Makefile": "test:\n\t@python -m pytest\n",
        "test_a.py": inner,
        "inner.py": "def test_x(): pass\ndef test_y(): pass\ndef test_z(): assert 0\n",
    }
    data = run(tree(files), command="make test")
    assert (data.status, data.source, data.runner) == ("failed", "text", "pytest")
    assert (data.passed, data.failed, data.skipped) == (1, 1, None)
    assert told(data) == {"test_a.py::test_a": ("test_a.py", 5)}
