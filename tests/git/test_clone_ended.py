"""A clone that is ended in the middle leaves nothing, whichever way it is ended (case 112 of the faults)."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox
from rootle.errors import AlreadyExists, CloneFailed, DeadlineExceeded, UserAbortError
from rootle.git.policy import GitPolicy, set_policy
from rootle.sandbox import Environment, LocalSandbox
from rootle.web.addresses import AddressGuard

if TYPE_CHECKING:
    from tests.git.conftest import GitServer

MIDDLES = ["stall", "half"]
MARK = "ROOTLE_GIT_TEST"


@pytest.fixture
def box(root: Path, server: GitServer) -> Toolbox:
    """A toolbox whose commands carry a mark."""
    environment = Environment(set={MARK: str(root)})
    made = Toolbox(root, allow_web=True, sandbox=LocalSandbox(root, environment=environment))
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"])
    set_policy(made.workspace, GitPolicy(protocols=["http"], addresses=guard))
    return made


def everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def running(root: Path) -> list[int]:
    """Give the processes of the clone that live."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            environ = (directory / "environ").read_bytes()
            state = (directory / "stat").read_text().rpartition(") ")[2][0]
        except (OSError, IndexError):
            continue
        if f"{MARK}={root}\0".encode() in environ and state not in "ZX":
            found.append(int(directory.name))
    return found


def until(condition: Callable[[], object], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def arguments(server: GitServer, middle: str, **more: object) -> dict[str, object]:
    return {"url": server.url(f"{middle}/tool.git"), "dest": "a/b/tool", **more}


@pytest.mark.parametrize("middle", MIDDLES)
def test_time_limit(box: Toolbox, server: GitServer, root: Path, middle: str) -> None:
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded) as over:
        box.call("git_clone", arguments(server, middle, timeout_s=1.5))
    assert over.value.code == "deadline_exceeded"
    assert time.monotonic() - start < 5
    assert server.stalled.is_set()
    assert everything(root) == []
    assert running(root) == []


@pytest.mark.parametrize("middle", MIDDLES)
async def test_cancelled_task(box: Toolbox, server: GitServer, root: Path, middle: str) -> None:
    """What is there already stays: here the directory above the one that is made."""
    (root / "a").mkdir()
    task = asyncio.create_task(box.acall("git_clone", arguments(server, middle)))
    await asyncio.to_thread(server.stalled.wait, 20)
    assert [path.parts[-1][:14] for path in (root / "a/b").iterdir()] == [".rootle-clone-"]
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < 3
    assert everything(root) == ["a"]
    assert running(root) == []


def test_abort_signal(box: Toolbox, server: GitServer, root: Path) -> None:
    stop = threading.Event()

    def abort() -> None:
        server.stalled.wait(20)
        stop.set()

    threading.Thread(target=abort, daemon=True).start()
    with pytest.raises(UserAbortError):
        box.call("git_clone", arguments(server, "half"), abort=stop)
    # The caller goes on after a second at the latest; on a busy machine the clone may still be cleaning up then.
    until(lambda: not running(root))
    until(lambda: not everything(root))


@pytest.mark.parametrize("middle", MIDDLES)
def test_everything_is_killed(box: Toolbox, server: GitServer, root: Path, middle: str) -> None:
    """The script cannot clean up after itself then."""

    def kill() -> None:
        server.stalled.wait(20)
        for pid in running(root):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    with pytest.raises(CloneFailed):
        box.call("git_clone", arguments(server, middle))
    assert everything(root) == []


HOST = f"""
import sys
from rootle import Toolbox
from rootle.git.policy import GitPolicy, set_policy
from rootle.sandbox import Environment, LocalSandbox
from rootle.web.addresses import AddressGuard
root, port = sys.argv[1:]
box = Toolbox(root, allow_web=True, sandbox=LocalSandbox(root, environment=Environment(set={{"{MARK}": root}})))
guard = AddressGuard(allow=["127.0.0.1:" + port])
set_policy(box.workspace, GitPolicy(protocols=["http"], addresses=guard))
box.call("git_clone", {{"url": "http://127.0.0.1:" + port + "/half/tool.git"}})
"""


def test_killed_host(box: Toolbox, server: GitServer, root: Path) -> None:
    """Its commands end with it, and what they could not remove the next clone does."""
    host = subprocess.Popen([sys.executable, "-c", HOST, str(root), str(server.port)])
    assert server.stalled.wait(20)
    host.kill()
    host.wait()
    until(lambda: not running(root))
    box.call("git_clone", {"url": server.url("tool.git")})
    assert [path.name for path in root.iterdir()] == ["tool"]


def test_only_what_nobody_works_on_is_swept(box: Toolbox, server: GitServer, root: Path) -> None:
    """Another clone beside this one holds a lock on its directory."""
    for name in ("dead", "live"):
        (root / f".rootle-clone-{name}/tree").mkdir(parents=True)
    (root / ".rootle-clone-link").symlink_to(root.parent)
    lock = os.open(root / ".rootle-clone-live", os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        box.call("git_clone", {"url": server.url("tool.git")})
    finally:
        os.close(lock)
    assert sorted(path.name for path in root.iterdir()) == [".rootle-clone-link", ".rootle-clone-live", "tool"]
    assert (root / ".rootle-clone-live/tree").is_dir()


def test_two_clones_to_one_place(box: Toolbox, server: GitServer, root: Path) -> None:
    """One of them wins, and the other leaves nothing."""

    def call(_: int) -> str:
        try:
            box.call("git_clone", {"url": server.url("tool.git")})
        except AlreadyExists:
            return "exists"
        return "made"

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as threads:
        ends = sorted(threads.map(call, range(4)))
    assert ends == ["exists", "exists", "exists", "made"]
    assert [path.name for path in root.iterdir()] == ["tool"]
    assert (root / "tool/file.txt").read_text() == "2\n"


def test_failure_leaves_nothing(box: Toolbox, server: GitServer, root: Path) -> None:
    """Of a branch that is not there, of a server that is gone."""
    with pytest.raises(CloneFailed, match="Leave branch out"):
        box.call("git_clone", {"url": server.url("tool.git"), "dest": "a/b/c", "branch": "nowhere"})
    assert everything(root) == []
    server.shutdown()
    server.server_close()
    with pytest.raises(CloneFailed):
        box.call("git_clone", arguments(server, "tool.git/.."))
    assert everything(root) == []
