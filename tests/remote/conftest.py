"""The clients through which every tool is tried, and trees for it.

A further client is one more entry of `CLIENTS`: a name and a function that gives a client on a directory (it gets
another one for itself), or skips with the reason for which it cannot be had.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import RootleError
from rootle.sandbox import BubblewrapSandbox, Environment, LocalSandbox

from ..sandbox import sshd


class Plain:
    """A client that has the three methods and nothing else; counts what is asked of it."""

    def __init__(self, inner: SandboxClient) -> None:
        self._inner = inner
        self.calls: list[str] = []

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
        """Run a program."""
        self.calls.append("exec")
        return await self._inner.exec(
            argv, cwd=cwd, env=env, stdin=stdin, timeout_s=timeout_s, max_output_bytes=max_output_bytes
        )

    async def read_file(self, path: str) -> bytes:
        """Read a file."""
        self.calls.append("read_file")
        return await self._inner.read_file(path)

    async def write_file(self, path: str, data: bytes) -> None:
        """Write a file."""
        self.calls.append("write_file")
        await self._inner.write_file(path, data)


def _with_path(root: Path, path: str) -> Plain:
    return Plain(LocalSandbox(root, environment=Environment(set={"PATH": path})))


def _local(root: Path, _: Path) -> Plain:
    return Plain(LocalSandbox(root))


def _no_rg(root: Path, scratch: Path) -> Plain:
    """Everything but ripgrep."""
    tools = scratch.parent / "tools"
    if tools.exists():
        return _with_path(root, str(tools))
    tools.mkdir(parents=True)
    for directory in ("/bin", "/usr/bin"):
        for program in os.scandir(directory):
            if program.name != "rg" and not (tools / program.name).is_symlink():
                (tools / program.name).symlink_to(program.path)
    return _with_path(root, str(tools))


def _busybox(root: Path, scratch: Path) -> Plain:
    """Nothing but busybox."""
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("busybox is not installed")
    tools = scratch.parent / "applets"
    if tools.exists():
        return _with_path(root, str(tools))
    tools.mkdir(parents=True)
    for name in BUSYBOX_APPLETS:
        (tools / name).symlink_to(busybox)
    return _with_path(root, str(tools))


def _bubblewrap(root: Path, _: Path) -> Plain:
    """A file system of its own, in which the directory is what can be written."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return Plain(BubblewrapSandbox(root))


BUSYBOX_APPLETS = [
    "ash",
    "sh",
    "cat",
    "chmod",
    "chown",
    "cut",
    "dd",
    "dirname",
    "basename",
    "env",
    "expr",
    "false",
    "find",
    "grep",
    "head",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "od",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "sha256sum",
    "sort",
    "stat",
    "tail",
    "tar",
    "test",
    "touch",
    "tr",
    "true",
    "uniq",
    "wc",
    "xargs",
]

CLIENTS: dict[str, Callable[[Path, Path], Plain]] = {
    "local": _local,
    "no_rg": _no_rg,
    "bubblewrap": _bubblewrap,
    "busybox": _busybox,
}


_SSH_SHARE = 6


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try every sixth call over SSH, where each takes a second; all of them when ROOTLE_REMOTE is "all"."""
    if os.environ.get("ROOTLE_REMOTE") == "all":
        return
    ssh = [item for item in items if "tests/remote/" in item.nodeid and "[ssh" in item.nodeid]
    dropped = {item for at, item in enumerate(ssh) if at % _SSH_SHARE}
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=list(dropped))


@pytest.fixture(params=[*sorted(CLIENTS), "ssh"], scope="module")
def make_client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Plain]:
    """Give what makes a client on a directory, once for each kind of client."""
    if request.param == "ssh":
        server: sshd.Server = request.getfixturevalue("server")
        return lambda root: Plain(server.client(root))
    return lambda root: CLIENTS[request.param](root, tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sshd.Server]:
    """Give an SSH server for all tests."""
    with sshd.served(tmp_path_factory.mktemp("sshd")) as running:
        yield running


FILES: dict[str, str | bytes | Path | None] = {
    ".gitignore": "*.log\nbuild/\n!keep.log\n",
    ".git/info/exclude": "secret.txt\n",
    ".git/config": "[core]\n",
    ".rootleignore": "/rootled\n",
    ".hidden": "needle hidden\n",
    "a.py": "import os\ndef main():\n    pass\n",
    "b.py": "def main_loop():\n    main()\n    return 'x'\n",
    "bin.dat": b"needle\0after needle\n",
    "build/out.py": "def main(): ...\n",
    "crlf.txt": b"one needle\r\ntwo\r\nneedle\r\n",
    "deep/er/.ignore": "*.tmp\n",
    "deep/er/est/f.rs": "fn main() { needle(); }\n",
    "deep/er/x.tmp": "needle\n",
    "docs/c.md": "the main thing\nÄrger und Straße\n",
    "docs/long.txt": "start " + "x" * 5000 + " needle " + "y" * 5000 + "\n",
    "empty": "",
    "keep.log": "needle kept\n",
    "latin.txt": "caf\xe9 needle\n".encode("latin-1"),
    "link.py": Path("a.py"),
    "linkdir": Path("docs"),
    "lost": Path("nowhere"),
    "node_modules/m.js": "needle\n",
    "noise.log": "needle in a log\n",
    "odd name.txt": "needle\n",
    "odd\nline.txt": "needle\n",
    "odd\ttab*?[x].txt": "needle\n",
    "out": Path("/etc"),
    "rootled": "needle\n",
    "secret.txt": "needle\n",
    "sub/.gitignore": "*\n!*.py\n",
    "sub/no.txt": "needle\n",
    "sub/yes.py": "needle = 1\n",
    "utf16.txt": "\ufeffneedle in sixteen\n".encode("utf-16-le"),
    "utf8bom.txt": "\ufeffneedle marked\n".encode(),
    "ключ.txt": "needle ключ\n",
}


def make_files(root: Path) -> Path:
    """Make the tree, with times that tell files apart."""
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content or "", encoding="utf-8", newline="")
    (root / os.fsdecode(b"bad\xff.txt")).write_text("needle\n")
    os.mkfifo(root / "pipe")
    (root / "a.py").chmod(0o755)
    (root / "b.py").chmod(0o640)
    for at, path in enumerate(sorted(root.rglob("*"))):
        if not path.is_symlink():
            os.utime(path, ns=(10**18, 10**18 + (at * 7919) % 1000 * 1_000_000_007))
    return root


# What need not be equal, and why: see docs/remote.md.
DIFFERENT: dict[str, set[str]] = {
    "grep": {"engine", "cursor", "coverage"},
    "glob": set(),
    "list_dir": set(),
    "read_file": set(),
}


_LOOSE = ("Not searched in full:", "At least ", "Stopped at the limit")


def asked(box: Toolbox, name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    """Give the text and the data of a call, or the error's text and kind."""
    try:
        answer = box.call(name, arguments)
    except RootleError as error:
        return str(error), (type(error), error.suggestions)
    data = answer.data.model_dump()
    for field in DIFFERENT.get(name, ()):
        data.pop(field, None)
    if not data.get("totals_exact", data.get("total_exact", True)):
        # What was counted beyond a limit depends on threads.
        inexact = ("total", "total_files", "ignored", "notices")
        return "", {key: value for key, value in data.items() if key not in inexact}
    if name == "grep":
        # Binary files without a match are not seen, so that fewer are counted; the hint looks at a few files only.
        data["notices"] = [line for line in data["notices"] if not line.startswith(_LOOSE)]
        return "\n".join(line for line in str(answer).splitlines() if not line.startswith(_LOOSE)), data
    return str(answer), data


@pytest.fixture(scope="session")
def make_tree() -> Callable[[Path], Path]:
    """Give what makes the tree on which tools are tried."""
    return make_files


@pytest.fixture(scope="session")
def ask() -> Callable[[Toolbox, str, dict[str, Any]], tuple[str, Any]]:
    """Give what calls a tool and gives what can be compared."""
    return asked


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a tree that may be changed."""
    return make_files(tmp_path / "tree")
