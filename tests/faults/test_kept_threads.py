"""The native threads that are kept between calls: a fork has none of them, and a stuck one holds nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child

SERVER = Path(__file__).with_name("stalling_fuse.py")
needs_fuse = pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="this kernel has no FUSE")


def search_in_forks(root: str) -> list[Any]:
    """Search on kept threads, then in forked processes, also while another thread is searching."""
    import multiprocessing
    import os
    import threading
    import warnings

    import rootle

    warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads is what is tried here

    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    def search() -> tuple[int, int]:
        return rootle.grep("needle", root, threads=3).total, len(rootle.walk(root, threads=3).paths)

    def answer(queue: Any) -> None:
        before = threads()
        found = [search() for _ in range(5)]
        queue.put([before, found, threads()])

    expected = search()
    end = threading.Event()

    def keep_searching() -> None:
        while not end.is_set():
            search()

    busy = threading.Thread(target=keep_searching)
    busy.start()
    context = multiprocessing.get_context("fork")
    outcomes: list[Any] = []
    for _ in range(20):
        queue = context.SimpleQueue()
        process = context.Process(target=answer, args=(queue,))
        process.start()
        process.join(20)
        outcomes.append(queue.get() if process.exitcode == 0 else process.exitcode)
        if process.exitcode is None:
            process.kill()
    end.set()
    busy.join()
    return [expected, outcomes, search()]


def test_forked_processes_start_threads_of_their_own(tree: Tree, child: Child) -> None:
    """A child of fork has none of its parent's threads, and must not wait for them."""
    root = tree({f"d{at}/f{number}.txt": "needle\n" for at in range(30) for number in range(10)})
    (expected, outcomes, again), _ = child(search_in_forks, root, timeout_s=90)
    assert expected == [300, 300]
    assert again == expected
    for outcome in outcomes:
        assert isinstance(outcome, list), f"a child ended with {outcome}"
        before, found, after = outcome
        assert found == [expected] * 5
        assert before == 1
        assert after > 1, "the searches had no help"


def stop_beside_a_stall(root: str, server: str) -> dict[str, Any]:
    """End searches of a mount that does not answer by token and by Ctrl-C."""
    import os
    import signal
    import subprocess
    import sys
    import threading
    import time

    from rootle import Workspace, _core
    from rootle.errors import RootleError

    workspace = Workspace(root)
    process = subprocess.Popen([sys.executable, server, f"{root}/m", "read"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    if process.stdout.readline() != b"mounted\n":
        return {"refused": True}
    rescue = threading.Timer(20, process.kill)
    rescue.start()
    seen: dict[str, Any] = {}
    calls: dict[str, Any] = {
        "grep": lambda **options: workspace.grep("needle", **options),
        "read": lambda **options: workspace.read("m/stalled.txt", **options),
    }
    for name, call in calls.items():
        token = _core.CancelToken()
        threading.Timer(0.3, token.cancel).start()
        begin = time.monotonic()
        try:
            outcome: Any = call(cancel=token).stop
        except RootleError as error:
            outcome = error.code
        seen[f"cancel {name}"] = [time.monotonic() - begin, outcome]
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            outcome = call().stop
        except KeyboardInterrupt:
            outcome = "KeyboardInterrupt"
        seen[f"ctrl-c {name}"] = [time.monotonic() - begin, outcome]
    rescue.cancel()
    process.kill()
    process.wait()
    return seen


@needs_fuse
def test_cancel_and_ctrl_c_end_a_call_on_a_stalled_mount(tree: Tree, child: Child) -> None:
    """Both end the call within 200 ms, and some for a loaded machine."""
    root = tree({"a.txt": "needle\n", "m": None})
    seen, _ = child(stop_beside_a_stall, root, SERVER, mounts=True)
    if "refused" in seen:
        pytest.skip("mounting a file system in user space is not allowed here")
    outcomes = {call: outcome for call, (_, outcome) in seen.items()}
    assert outcomes == {
        "cancel grep": "cancelled",
        "ctrl-c grep": "KeyboardInterrupt",
        "cancel read": "user_abort_error",
        "ctrl-c read": "KeyboardInterrupt",
    }
    for call, (taken, _) in seen.items():
        assert 0.3 <= taken < 0.3 + 0.2 + 0.3, (call, taken)


@needs_fuse
def test_a_process_with_a_stuck_thread_ends_with_the_mount(tree: Tree) -> None:
    """The interpreter does not wait for the thread; the kernel keeps it only until the mount is given up."""
    root = tree({"a.txt": "needle\n", "m": None})
    script = textwrap.dedent(
        """
        import os, subprocess, sys, time
        import rootle
        root, server = sys.argv[1:]
        process = subprocess.Popen([sys.executable, server, f"{root}/m", "read"], stdout=subprocess.PIPE)
        if process.stdout.readline() != b"mounted\\n":
            print("refused", flush=True)
            sys.exit()
        result = rootle.grep("needle", root, timeout_s=0.3)
        print(result.stop, process.pid, flush=True)
        import atexit
        atexit.register(lambda: (print("ended", flush=True), process.kill()))
        """
    )
    try:
        command = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            sys.executable,
            "-c",
            script,
            str(root),
            str(SERVER),
        ]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        pytest.skip("mounting in a namespace of its own is not possible here")
    if "refused" in done.stdout or "unshare" in done.stderr:
        pytest.skip("mounting a file system in user space is not allowed here")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "deadline"
    assert done.stdout.split()[-1] == "ended"
    assert time.monotonic() - begin < 5
