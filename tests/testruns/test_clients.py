"""Runs over a client that has the three methods of the contract and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from rootle import AsyncWorkspace, Toolbox
from rootle.contracts import ExecResult
from rootle.errors import PathEscapesRoot, PathNotFound
from rootle.sandbox import LocalSandbox

from tests.testruns.conftest import counts, told

if TYPE_CHECKING:
    from tests.conftest import Tree


class Remote:
    """Stands for a sandbox of another vendor: it has a machine's files, and rootle knows nothing of it."""

    def __init__(self, root: Any) -> None:
        self.inner = LocalSandbox(root)
        self.calls: list[Sequence[str]] = []
        self.no_temp = False

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        self.calls.append(argv)
        more = {"TMPDIR": "/no-such-directory"} if self.no_temp else {}
        return await self.inner.exec(
            argv,
            cwd=cwd,
            env={**(env or {}), **more},
            stdin=stdin,
            timeout_s=timeout_s,
            max_output_bytes=max_output_bytes,
        )

    async def read_file(self, path: str) -> bytes:
        raise AssertionError("reports lie outside of the tree")

    async def write_file(self, path: str, data: bytes) -> None:
        raise AssertionError("nothing is written into the tree")


FILES = {
    "pytest.ini": "[pytest]\n",
    "test_a.py": "def test_ok(): pass\ndef test_bad():\n    print('3 passed in 0.1s')\n    assert 0\n",
}


@pytest.mark.parametrize("no_temp", [False, True])
def test_any_client_runs_tests(
    tree: Tree, no_temp: bool, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With the report where a directory for it can be made, else by the text; nothing is left behind."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tree(FILES)
    client = Remote(root)
    client.no_temp = no_temp
    reports = tmp_path_factory.mktemp("reports")
    monkeypatch.setenv("TMPDIR", str(reports))
    python = os.path.dirname(sys.executable)
    box = Toolbox(root, sandbox=client)
    data = box.call(
        "run_tests", {"env": [f"PATH={python}:{os.environ['PATH']}"], "command": "python -m pytest -q"}
    ).data
    assert (data.status, data.source) == ("failed", "text" if no_temp else "report")
    assert counts(data) == {"passed": 1, "failed": 1}
    assert told(data) == {"test_a.py::test_bad": ("test_a.py", 4)}
    assert not list(reports.glob("rootle-tests.*"))
    assert len(client.calls) == (2 if no_temp else 4)


def test_interpreter_of_this_process_is_not_for_another_machine(tree: Tree) -> None:
    """Only commands on this machine may fall back on it."""
    client = Remote(tree({"test_a.py": "def test_ok(): pass\n"}))
    box = Toolbox(client.inner.root, sandbox=client)
    data = box.call("run_tests", {"env": ["PATH=/usr/bin:/bin"]}).data
    assert not data.command.startswith(sys.executable)


def test_tree_in_a_sandbox(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and commands both through the client: paths are checked there, and come out relative to its root."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PATH", f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    root = tree({f"app/{name}": text for name, text in FILES.items()})
    box = Toolbox(Remote(root))
    for path in ("test_a.py", "app/test_a.py"):
        data = box.call("run_tests", {"cwd": "app", "paths": [path]}).data
        assert (data.status, data.source, counts(data)) == ("failed", "report", {"passed": 1, "failed": 1})
        assert told(data) == {"test_a.py::test_bad": ("app/test_a.py", 4)}
    below = Toolbox(AsyncWorkspace.over(Remote(root), "app"))
    assert told(below.call("run_tests", {}).data) == {"test_a.py::test_bad": ("test_a.py", 4)}
    with pytest.raises(PathEscapesRoot):
        box.call("run_tests", {"cwd": "app", "paths": ["../../x.py"]})
    with pytest.raises(PathNotFound):
        box.call("run_tests", {"paths": ["nothing.py"]})


async def test_workspace_may_be_given(tree: Tree) -> None:
    """The tool is a function, too."""
    from rootle.tools import run_tests

    answer = await run_tests(command="exit 3", workspace=AsyncWorkspace(tree({})))
    assert (answer.data.status, answer.data.exit_code) == ("error", 3)
