"""The clients through which every tool is tried, and trees for it.

A further client is one more entry of `CLIENTS`: a name and a function that gives a client on a directory (it gets
another one for itself), or skips with the reason for which it cannot be had.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from rootle.contracts import ExecResult, SandboxClient
from rootle.sandbox import Environment, LocalSandbox


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
    tools = scratch / "tools"
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
    tools = scratch / "applets"
    tools.mkdir(parents=True)
    for name in BUSYBOX_APPLETS:
        (tools / name).symlink_to(busybox)
    return _with_path(root, str(tools))


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
    "busybox": _busybox,
}


@pytest.fixture(params=sorted(CLIENTS), scope="module")
def make_client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Plain]:
    """Give what makes a client on a directory, once for each kind of client."""

    def make(root: Path) -> Plain:
        return CLIENTS[request.param](root, tmp_path_factory.mktemp("scratch"))

    return make
