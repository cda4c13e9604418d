"""The `run_tests` tool through the Toolbox: what it chooses, refuses and says."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox
from rootle.errors import (
    InvalidArgument,
    NotADirectory,
    NoTestRunner,
    PathEscapesRoot,
    PathNotFound,
    UserAbortError,
)

if TYPE_CHECKING:
    from tests.conftest import Tree

PASSING = "def test_ok():\n    pass\n"
FAILING = "def test_bad():\n    print('=== 999 passed in 0.01s ===')\n    assert 1 == 2, 'no'\n"
PYTHON = shlex.quote(sys.executable)


def call(root: Path, **arguments: Any) -> Any:
    return Toolbox(root).call("run_tests", arguments)


@pytest.fixture(autouse=True)
def _temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other runs on this machine leave nothing here."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))


def left_over() -> set[str]:
    return {name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("rootle-tests.")}


def test_pytest_is_chosen_and_told(tree: Tree) -> None:
    """Counts from the report, the failure with its place, the words of it."""
    root = tree({"tests/test_a.py": PASSING + FAILING, "pytest.ini": "[pytest]\n"})
    before = left_over()
    answer = call(root)
    data = answer.data
    assert (data.status, data.runner, data.source, data.exit_code) == ("failed", "pytest", "report", 1)
    assert (data.passed, data.failed, data.skipped, data.errors) == (1, 1, 0, 0)
    (failure,) = data.failures
    assert (failure.name, failure.file, failure.line) == ("tests/test_a.py::test_bad", "tests/test_a.py", 5)
    assert failure.message.startswith("AssertionError: no")
    lines = answer.text.split("\n")
    assert lines[0].startswith("FAILED: 1 failed, 1 passed in ")
    assert lines[0].endswith(" (pytest)")
    assert "pytest was chosen: pytest.ini." in lines
    assert "tests/test_a.py:5 tests/test_a.py::test_bad" in lines
    assert "Output" not in answer.text
    assert left_over() <= before


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ({}, (2, 1)),
        ({"paths": ["test_a.py"]}, (1, 0)),
        ({"paths": "test_a.py"}, (1, 0)),
        ({"paths": ["test_b.py::test_bad"]}, (0, 1)),
        ({"filter": "ok"}, (2, 0)),
        ({"command": "python -m pytest -q test_a.py"}, (1, 0)),
        ({"command": ["python", "-m", "pytest", "test_a.py"]}, (1, 0)),
        ({"command": '["python", "-m", "pytest", "test_a.py"]'}, (1, 0)),
        ({"command": "cd . && python -m pytest -q 2>&1 | tail -3"}, (2, 1)),
    ],
)
def test_tests_are_chosen(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], counts: tuple[int, int]
) -> None:
    """By path, by name, or by a command of one's own."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    root = tree({"test_a.py": PASSING, "test_b.py": PASSING + FAILING})
    data = call(root, **arguments).data
    assert (data.passed, data.failed, data.source) == (*counts, "report")


def test_several_runners_are_listed(tree: Tree) -> None:
    """One is taken, the others are named; `runner` and the language of a file decide otherwise."""
    root = tree(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "test_a.py": PASSING,
            "Cargo.toml": "",
            "go.mod": "module m\n",
            "a_test.go": "",
            "package.json": '{"scripts": {"test": "vitest run"}}',
        }
    )
    answer = call(root)
    assert answer.data.runner == "pytest"
    assert answer.data.notes[0] == (
        "pytest was chosen: a configuration of pytest. Also here: vitest (the test script of package.json), "
        "cargo (Cargo.toml), go (go.mod)."
    )
    assert call(root, runner="go", timeout_s=20).data.command == "go test ./..."
    assert call(root, paths=["a_test.go"], timeout_s=20).data.command == "go test ."


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"paths": ["../x"]}, PathEscapesRoot, "outside"),
        ({"cwd": "../x"}, PathEscapesRoot, "outside"),
        ({"cwd": "out"}, PathEscapesRoot, ""),
        ({"paths": ["out/x.py"]}, PathEscapesRoot, ""),
        ({"paths": ["test_aa.py"]}, PathNotFound, "test_a.py"),
        ({"paths": ["--co"]}, PathNotFound, ""),
        ({"cwd": "sub2"}, PathNotFound, "sub"),
        ({"cwd": "test_a.py"}, NotADirectory, ""),
        ({"cwd": "sub"}, NoTestRunner, "nothing here tells"),
        ({"command": ""}, InvalidArgument, "empty"),
        ({"command": []}, InvalidArgument, "empty"),
        ({"command": "pytest", "paths": ["test_a.py"]}, InvalidArgument, "command says itself"),
        ({"command": "pytest", "filter": "x"}, InvalidArgument, "command says itself"),
        ({"filter": "--x"}, InvalidArgument, "dash"),
        ({"runner": "cargo", "paths": ["test_a.py"]}, InvalidArgument, "cargo takes no path"),
        ({"env": ["=x"], "command": "true"}, InvalidArgument, "no variable"),
        ({"env": ["A=\0"], "command": "true"}, InvalidArgument, "no variable"),
        ({"runner": "mocha"}, InvalidArgument, ""),
    ],
)
def test_what_cannot_be_run_is_refused(
    tree: Tree, arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    """With an error that the model can act on; nothing is run, nothing is left."""
    root = tree({"test_a.py": PASSING, "sub/x": "", "out": Path("/")})
    before = left_over()
    with pytest.raises(error) as caught:
        call(root, **arguments)
    assert said in str(caught.value)
    assert left_over() <= before


def test_projects_below_are_named(tree: Tree) -> None:
    """The directory holds none itself."""
    root = tree({"app/package.json": "{}", "lib/Cargo.toml": ""})
    with pytest.raises(NoTestRunner, match="There are projects in app, lib"):
        call(root)


def test_directory_of_the_run(tree: Tree) -> None:
    """Paths go in relative to it, or to the root where that is meant, and come out relative to the root."""
    root = tree({"app/tests/test_a.py": FAILING, "app/pytest.ini": "[pytest]\n"})
    for path in ("tests/test_a.py", "app/tests/test_a.py"):
        (failure,) = call(root, cwd="app", paths=[path]).data.failures
        assert failure.file == "app/tests/test_a.py"


def test_environment_of_the_run(tree: Tree) -> None:
    """It is on top of the policy's."""
    root = tree({"test_a.py": "import os\ndef test_env():\n    assert os.environ['MODE'] == 'x y'\n"})
    for env in (["MODE=x y"], {"MODE": "x y"}, '{"MODE": "x y"}'):
        assert call(root, env=env).data.status == "passed"
    assert call(root).data.status == "failed"


def test_environment_of_the_project_comes_first(tree: Tree) -> None:
    """Its interpreter is the one that the project's people use."""
    root = tree({"sub/test_a.py": PASSING, ".venv/lib/python3/site-packages/pytest/__init__.py": ""})
    (root / ".venv/bin").mkdir()
    (root / ".venv/bin/python").symlink_to(sys.executable)
    assert call(root, cwd="sub").data.command == "../.venv/bin/python -m pytest"


def test_many_failures_are_counted_and_some_told(tree: Tree) -> None:
    """The list is bounded; the number is not."""
    body = "import pytest\n@pytest.mark.parametrize('n', range(300))\ndef test_n(n):\n    assert n < 0, 'x' * 3000\n"
    answer = call(tree({"test_a.py": body}))
    assert (answer.data.failed, answer.data.failures_total, len(answer.data.failures)) == (300, 300, 50)
    assert "250 more failures." in answer.text
    assert len(answer.text) < 40_000


def test_abort_ends_the_run(tree: Tree) -> None:
    """At once, and the directory for reports goes too."""
    import threading

    root = tree({"test_a.py": "import time\ndef test_a():\n    time.sleep(60)\n"})
    before = left_over()
    stop = threading.Event()
    threading.Timer(0.7, stop.set).start()
    start = time.monotonic()
    with pytest.raises(UserAbortError):
        Toolbox(root).call("run_tests", {}, abort=stop)
    assert time.monotonic() - start < 5
    assert left_over() <= before


async def test_cancelling_ends_the_run(tree: Tree) -> None:
    """The task's CancelledError comes when everything is gone."""
    root = tree({"test_a.py": "import time\ndef test_a():\n    time.sleep(60)\n"})
    before = left_over()
    task = asyncio.create_task(Toolbox(root).acall("run_tests", {}))
    await asyncio.sleep(0.7)
    task.cancel()
    start = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < 5
    assert left_over() <= before


def test_deadline_of_the_call_is_that_of_the_run(tree: Tree) -> None:
    """What was found until then is handed over."""
    root = tree({"test_a.py": PASSING + "import time\ndef test_b():\n    time.sleep(60)\n"})
    answer = Toolbox(root).call("run_tests", {}, timeout_s=3)
    assert (answer.data.status, answer.data.timed_out, answer.data.complete) == ("timeout", True, False)
    assert answer.text.startswith("TIMEOUT: no counts in ")


def test_output_is_harmless(tree: Tree) -> None:
    """Escape sequences and controls of what tests print do not reach the text."""
    root = tree({"run.sh": "printf 'a\\033[31mb\\033]0;t\\007c\\001d\\n'; exit 3"})
    answer = call(root, command="sh run.sh")
    assert (answer.data.status, answer.data.source, answer.data.output) == ("error", None, "abc\\x01d")
    assert "abc\\x01d" in answer.text
