"""What the tests of runs share: a call of the tool, and the runners that are not Python packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox

REPOSITORY = Path(__file__).resolve().parents[2]
NODE_RUNNERS = REPOSITORY / "target" / "node-runners"
"""Where jest and vitest are installed, once; `make clean` removes it."""

VERSIONS = {"jest": "30.5.2", "vitest": "4.1.12"}

Call = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the tool on a directory, with this environment's Python first on the PATH; gives the data."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longer to load than the tests to run

    def call(root: Path, **arguments: Any) -> Any:
        return Toolbox(root).call("run_tests", arguments).data

    return call


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a node_modules with jest and vitest."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there: jest and vitest cannot be run")
    wanted = " ".join(f"{name}@{version}" for name, version in VERSIONS.items())
    stamp = NODE_RUNNERS / "installed"
    if not stamp.is_file() or stamp.read_text() != wanted:
        fresh = NODE_RUNNERS.with_name(f"node-runners-{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        (fresh / "package.json").write_text('{"name": "runners", "private": true}')
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *wanted.split()],
            cwd=fresh,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        if done.returncode != 0:
            shutil.rmtree(fresh)
            pytest.skip(f"npm could not install jest and vitest: {done.stderr[-300:]}")
        (fresh / "installed").write_text(wanted)
        shutil.rmtree(NODE_RUNNERS, ignore_errors=True)
        fresh.rename(NODE_RUNNERS)
    return NODE_RUNNERS / "node_modules"


@pytest.fixture(scope="session")
def go() -> str:
    """Skip without Go's toolchain."""
    if shutil.which("go") is None:
        pytest.skip("go is not there")
    return "go"


@pytest.fixture(scope="session")
def cargo_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory for what cargo builds; skip without cargo."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not there")
    return tmp_path_factory.mktemp("cargo-target")


def told(data: Any, kind: str | None = None) -> dict[str, tuple[str | None, int | None]]:
    """Give the failures of a result by name, with their places."""
    return {failure.name: (failure.file, failure.line) for failure in data.failures if kind in (None, failure.kind)}


def counts(data: Any) -> dict[str, int]:
    """Give the counts that a result knows and that are not zero."""
    names = ("passed", "failed", "skipped", "errors", "xfailed", "xpassed", "todo")
    return {name: value for name in names if (value := getattr(data, name))}
