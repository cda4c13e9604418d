"""The native module under a host's hands: panics, forks, signals, threads, subinterpreters, cancellation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox, _core
from rootle.errors import RootleInternalError

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make ten gigabytes to search: one line of 100 MB under a hundred names."""
    root = tmp_path_factory.mktemp("endless")
    with (root / "0").open("wb") as file:
        for _ in range(100):
            # Without ASCII alone, a Unicode word boundary keeps the engine busy for seconds inside the line.
            file.write("function größe(a){return a&&b(c[d],e)||0};".encode() * 24_000)
    for index in range(1, 100):
        os.link(root / "0", root / str(index))
    yield root
    for index in range(100):
        (root / str(index)).unlink()


def test_panic_is_an_exception(tree: Tree, capfd: pytest.CaptureFixture[str]) -> None:
    """A panic in Rust is an `Exception` of rootle's own, and everything works after it (pyo3#2880)."""
    box = Toolbox(tree({"f": "needle\n"}))
    for _ in range(3):
        with pytest.raises(RootleInternalError) as caught:
            _core._provoke_panic()
        assert isinstance(caught.value, Exception)
        assert caught.value.code == "rootle_internal_error"
        assert str(caught.value)
        assert box.call("grep", {"pattern": "needle"}).data.total == 1
    assert capfd.readouterr().out == ""


def search_after_fork(root: str, start: str) -> list[Any]:
    """Search, fork with `multiprocessing`, and search in the child by every face."""
    import multiprocessing
    import os
    import threading
    import time

    import rootle
    from rootle import Toolbox

    box = Toolbox(root)
    workspace = rootle.Workspace(root)
    arguments = {"pattern": "needle", "max_matches": 1000}
    box.call("grep", arguments)
    rootle.walk(root, threads=4)

    def in_child(results: Any) -> None:
        import asyncio

        begin = time.monotonic()
        found = [
            box.call("grep", arguments).data.total,
            rootle.grep("needle", root, threads=4).total,
            len(workspace.walk(threads=4)),
            asyncio.run(box.acall("grep", arguments)).data.total,
            box.call("glob", {"pattern": "*"}).data.total,
            len(box.call("read_file", {"path": "f0"}).data.files[0].lines),
        ]
        results.send([found, time.monotonic() - begin])

    ended = threading.Event()
    busy = threading.Thread(target=lambda: [workspace.grep("needle") for _ in iter(ended.is_set, True)])
    if start == "busy":
        busy.start()
    context = multiprocessing.get_context("fork")
    seen = []
    for _ in range(3):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=in_child, args=(sender,))
        process.start()
        seen.append(receiver.recv() if receiver.poll(5) else None)
        if seen[-1] is None:
            os.kill(process.pid or 0, 9)
        process.join()
    ended.set()
    if start == "busy":
        busy.join()
    return [seen, box.call("grep", arguments).data.total]


@pytest.mark.parametrize("start", ["idle", "busy"])
def test_search_after_fork(tree: Tree, child: Child, start: str) -> None:
    """A forked child searches as its parent did, also when another thread was searching at the fork (turbovec#147)."""
    root = tree({f"f{index}": "needle\n" for index in range(300)})
    (seen, after), _ = child(search_after_fork, root, start)
    assert after == 300
    for result in seen:
        assert result is not None, "the child hung"
        assert result[0] == [300, 300, 300, 300, 300, 1]
        assert result[1] < 1


def interrupted(root: str, call: str) -> list[Any]:
    """Send this process SIGINT in the middle of a call; say what came of it, after how long, and what went on."""
    import os
    import signal
    import threading
    import time

    import rootle
    from rootle import Toolbox

    pattern = r"\b[a-z]+\d{3}\b"
    box = Toolbox(root)
    calls: dict[str, Any] = {
        "primitive": lambda: rootle.grep(pattern, root),
        "one line": lambda: rootle.grep(pattern, f"{root}/0", threads=1),
        "backtracking": lambda: rootle.grep(r"(?<=zz)[a-z]+\d{3}", root),
        "tool": lambda: box.call("grep", {"pattern": pattern}),
        "own limit": lambda: box.call("grep", {"pattern": pattern}, timeout_s=30),
    }
    sent: list[float] = []

    def send() -> None:
        time.sleep(0.15)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    begin = time.monotonic()
    try:
        calls[call]()
        outcome = "returned"
    except KeyboardInterrupt:
        outcome = "KeyboardInterrupt"
    end = time.monotonic()
    sender.join()
    if not sent or end < sent[0]:
        return [f"{outcome} before the signal", end - begin, 0, 0]
    time.sleep(0.1)
    used = time.process_time()
    time.sleep(0.3)
    left = time.process_time() - used
    works = box.call("grep", {"pattern": "function", "path": "0", "max_matches": 1}).data.total
    return [outcome, end - sent[0], left, works]


@pytest.mark.parametrize("call", ["primitive", "one line", "backtracking", "tool", "own limit"])
def test_interrupt_during_a_search(endless: Path, child: Child, call: str) -> None:
    """Ctrl-C ends a search within 200 ms and leaves no thread at work (turbovec#216); threads that wait are kept."""
    (outcome, delay, left, works), _ = child(interrupted, endless, call)
    assert outcome == "KeyboardInterrupt"
    assert delay < 0.2
    assert left < 0.03, f"{left:.3f} s of processor time in the 0.3 s after it"
    assert works >= 1


def cancelled(root: str, path: str, how: str) -> list[Any]:
    """Cancel a search from another thread and say what came of it and after how long."""
    import asyncio
    import threading
    import time

    import rootle
    from rootle import Toolbox
    from rootle.errors import UserAbortError

    pattern = r"\b[a-z]+\d{3}\b"
    box = Toolbox(root)
    token = rootle.CancelToken()
    event = threading.Event()
    sent: list[float] = []

    def send() -> None:
        time.sleep(0.15)
        sent.append(time.monotonic())
        event.set()
        token.cancel()

    async def task() -> None:
        running = asyncio.create_task(box.acall("grep", {"pattern": pattern, "path": path}))
        while not sent:
            await asyncio.sleep(0.005)
        running.cancel()
        await running

    sender = threading.Thread(target=send)
    sender.start()
    outcome = "?"
    try:
        if how == "token":
            outcome = str(rootle.grep(pattern, f"{root}/{path}", cancel=token).stop)
        elif how == "task":
            asyncio.run(task())
        else:
            abort = event if how == "abort event" else token
            outcome = str(box.call("grep", {"pattern": pattern, "path": path}, abort=abort).data.stop)
    except (UserAbortError, asyncio.CancelledError) as error:
        outcome = type(error).__name__
    end = time.monotonic()
    sender.join()
    return [outcome, end - sent[0]]


@pytest.mark.parametrize("path", ["0", "."])
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("token", "cancelled"),
        ("abort event", "UserAbortError"),
        ("abort token", "UserAbortError"),
        ("task", "CancelledError"),
    ],
)
def test_cancelling_a_search(endless: Path, child: Child, path: str, how: str, expected: str) -> None:
    """A token, the host's abort signal, or a cancelled task ends a search within 200 ms, also inside one line."""
    (outcome, delay), _ = child(cancelled, endless, path, how)
    assert outcome == expected
    assert 0 <= delay < 0.2


def test_token_that_was_set_before(tree: Tree) -> None:
    """A call that is given a token that is already set looks at nothing."""
    import rootle

    root = tree({"f": "needle\n"})
    token = rootle.CancelToken()
    token.cancel()
    result = rootle.grep("needle", root, cancel=token)
    assert (result.complete, result.stop, result.matches) == (False, "cancelled", [])
