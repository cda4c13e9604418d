"""Every client on a directory of its own, by one name each."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rootle.contracts import SandboxClient
from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, LocalSandbox

from . import engine, http_service, sshd

_numbers = itertools.count()


@dataclass
class Place:
    """A client, and where its tree is.

    Attributes:
        name: Which client.
        client: The client.
        root: The tree's path as commands see it.
        mark: The value of a variable by which processes are found on this machine, wherever they were started.
    """

    name: str
    client: SandboxClient
    root: str
    mark: str = field(default_factory=lambda: f"clients-{os.getpid()}-{next(_numbers)}")

    async def shell(self, script: str, **options: Any) -> Any:
        """Run a script that carries the mark."""
        env = {"ROOTLE_TEST_MARK": self.mark, **(options.pop("env", None) or {})}
        return await self.client.exec(["sh", "-c", script], env=env, **{"timeout_s": 20, **options})

    def living(self) -> list[int]:
        """Give the processes that carry the mark and live."""
        return list(_carrying(f"ROOTLE_TEST_MARK={self.mark}".encode()))

    async def gone(self, seconds: float) -> bool:
        """Wait until none lives."""
        until = time.monotonic() + seconds
        while self.living():
            if time.monotonic() > until:
                return False
            await asyncio.sleep(0.02)
        return True


def _carrying(entry: bytes) -> Iterator[int]:
    for directory in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if entry in (directory / "environ").read_bytes().split(b"\0"):
                yield int(directory.name)


@pytest.fixture(scope="session")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sshd.Server]:
    """A server for all tests that need one."""
    with sshd.served(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture(scope="session")
def container_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[engine.Engine]:
    """An engine with one small image."""
    with engine.served(tmp_path_factory.mktemp("engine")) as served:
        yield served


Make = Callable[[pytest.FixtureRequest, Path, AsyncExitStack], Awaitable[Place]]


async def _local(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    return Place("local", LocalSandbox(path), str(path))


async def _namespace(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    return Place("pid_namespace", LocalSandbox(path, tier="pid_namespace"), str(path))


async def _bubblewrap(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    return Place("bubblewrap", BubblewrapSandbox(path), str(path))


async def _ssh(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    client = request.getfixturevalue("ssh_server").client(path)
    stack.push_async_callback(client.aclose)
    return Place("ssh", client, str(path))


async def _http(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    client = await stack.enter_async_context(http_service.served(LocalSandbox(path)))
    return Place("http", client, str(path))


async def _docker(request: pytest.FixtureRequest, path: Path, stack: AsyncExitStack) -> Place:
    client, root = request.getfixturevalue("container_engine").client()
    stack.push_async_callback(client.aclose)
    return Place("docker", client, root)


CLIENTS: dict[str, Make] = {
    "local": _local,
    "pid_namespace": _namespace,
    "bubblewrap": _bubblewrap,
    "ssh": _ssh,
    "http": _http,
    "docker": _docker,
}


@pytest.fixture(params=CLIENTS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    """Each client that can be had here, on an empty directory."""
    async with AsyncExitStack() as stack:
        path = tmp_path / "root"
        path.mkdir()
        place = await CLIENTS[request.param](request, path, stack)
        try:
            await place.client.exec(["true"])
        except SandboxUnavailable as error:
            pytest.skip(f"{place.name} cannot be had here: {error}")
        yield place
