"""What it costs to start, and what the bare command says."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
import rootle as package

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.conftest import Tree


HEAVY = {"asyncio", "pydantic", "subprocess", "rootle.framework", "rootle.toolbox"}


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def test_version(rootle: Run) -> None:
    """The version is that of the package."""
    for argument in ("--version", "-V"):
        assert rootle(argument).stdout.decode() == f"rootle {package.__version__}\n"


def test_version_starts_fast() -> None:
    """`rootle --version` takes at most 2.5 times as long as an empty interpreter: the best of several, side by side."""
    empty = [sys.executable, "-c", "pass"]
    version = [sys.executable, "-c", "import sys; from rootle.cli import main; sys.exit(main(['--version']))"]
    times = [(seconds(version), seconds(empty)) for _ in range(9)]

    ratio = min(ours for ours, _ in times) / min(bare for _, bare in times)

    assert ratio <= 2.5


@pytest.mark.parametrize("arguments", [["grep", "x", "."], ["glob", "*.py"], ["ls"], ["read", "a.txt"]])
def test_search_commands_stay_light(tree: Tree, arguments: list[str]) -> None:
    """A search imports no framework, no pydantic, no asyncio."""
    root = tree({"a.txt": "x\n", "b.py": "x\n"})
    script = f"import sys; from rootle.cli import main; main({arguments}); print(*sys.modules, file=sys.stderr)"

    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)

    assert not HEAVY & set(done.stderr.split())


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["help"], 0), ([], 2), (["grpe"], 2)])
def test_overview(rootle: Run, arguments: list[str], code: int) -> None:
    """Help is an answer; a missing or unknown command is an error that shows the commands."""
    done = rootle(*arguments)

    assert done.returncode == code
    assert b"  grep " in (done.stdout if code == 0 else done.stderr)
    assert (done.stdout == b"") == (code != 0)


@pytest.mark.parametrize("command", ["grep", "glob", "ls", "read", "tools", "call", "bench"])
def test_each_command_has_help(rootle: Run, command: str) -> None:
    """`rootle COMMAND --help` says what it does and which exit codes it gives."""
    done = rootle(command, "--help")

    assert done.returncode == 0
    assert f"usage: rootle {command}" in done.stdout.decode()
    assert "Exit code:" in done.stdout.decode()
