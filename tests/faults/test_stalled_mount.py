"""A file system that stops answering, as a network mount does when its server is gone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child


STALL_S = 1.3


def search_beside_a_stall(root: str, server: str, stalled: str) -> dict[str, Any]:
    """Mount the server in the root and call the tools with a time limit."""
    import subprocess
    import sys
    import threading
    import time

    from rootle import Toolbox
    from rootle.errors import RootleError

    box = Toolbox(root)
    seen: dict[str, Any] = {}
    calls: dict[str, dict[str, Any]] = {"grep": {"pattern": "needle"}, "read_file": {"path": "m/stalled.txt"}}
    if stalled == "readdir":
        calls = {"grep": {"pattern": "needle"}, "glob": {"pattern": "*.txt"}, "list_dir": {}}
    for name, arguments in calls.items():
        process = subprocess.Popen([sys.executable, server, f"{root}/m", stalled], stdout=subprocess.PIPE)
        assert process.stdout is not None
        if process.stdout.readline() != b"mounted\n":
            return {"refused": True}
        # When the call does not keep its time, the end of the server ends it.
        rescue = threading.Timer(1.3, process.kill)  # STALL_S; this function runs in a process of its own
        rescue.start()
        begin = time.monotonic()
        try:
            answer = box.call(name, {**arguments, "timeout_s": 0.4})
            outcome: Any = [answer.data.model_dump(mode="json"), answer.text]
        except RootleError as error:
            outcome = error.code
        seen[name] = [time.monotonic() - begin, outcome]
        rescue.cancel()
        process.kill()
        process.wait()
        subprocess.run(["umount", "-l", f"{root}/m"], check=False)
    return seen


@pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="this kernel has no FUSE")
@pytest.mark.parametrize("stalled", ["read", "open", "readdir"])
def test_stalled_mount_holds_a_call_no_longer_than_the_stall(tree: Tree, child: Child, stalled: str) -> None:
    """No deadline ends a system call that the kernel itself does not end, as docs/confinement.md says.

    Once it ends, the call does at once: incomplete by its deadline, with what was found.
    """
    root = tree({"a.txt": "needle\n", "z/b.txt": "needle\n", "m": None})
    server = Path(__file__).with_name("stalling_fuse.py")
    seen, _ = child(search_beside_a_stall, root, server, stalled, mounts=True)
    if "refused" in seen:
        pytest.skip("mounting a file system in user space is not allowed here")
    for call, (taken, outcome) in seen.items():
        assert taken < STALL_S + 1, (call, taken, outcome)
    data, text = seen["grep"][1]
    assert "a.txt" in {hit["path"] for hit in data["matches"]}
    assert (data["complete"], data["stop"]) == (False, "deadline")
    assert "INCOMPLETE" in text
