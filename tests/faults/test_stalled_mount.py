"""A file system that stops answering, as a network mount does when its server is gone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child

DEADLINE_S = 0.4
LATE_S = 0.5
SERVER = Path(__file__).with_name("stalling_fuse.py")

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="this kernel has no FUSE")


def call_beside_a_stall(root: str, server: str, stalled: str, deadline_s: float) -> dict[str, Any]:
    """Mount the server in the root and call each tool with a time limit, and once more when the mount is gone."""
    import subprocess
    import sys
    import threading
    import time

    from rootle import Toolbox
    from rootle.errors import RootleError

    box = Toolbox(root)
    process = subprocess.Popen([sys.executable, server, f"{root}/m", stalled], stdout=subprocess.PIPE)
    assert process.stdout is not None
    if process.stdout.readline() != b"mounted\n":
        return {"refused": True}
    # Long after every deadline: only a call that does not keep its time meets the end of the server.
    rescue = threading.Timer(20, process.kill)
    rescue.start()
    seen: dict[str, Any] = {}

    def call(label: str, name: str, arguments: dict[str, Any]) -> None:
        begin = time.monotonic()
        try:
            answer = box.call(name, {**arguments, "timeout_s": deadline_s})
            outcome: Any = [answer.data.model_dump(mode="json"), answer.text]
        except RootleError as error:
            outcome = error.code
        seen[label] = [time.monotonic() - begin, outcome]

    call("grep", "grep", {"pattern": "needle"})
    call("grep in it", "grep", {"pattern": "needle", "path": "m"})
    call("first", "grep", {"pattern": "needle", "max_matches": 1})
    call("glob", "glob", {"pattern": "*.txt", "sort": "path"})
    call("glob by time", "glob", {"pattern": "*.txt"})
    call("list_dir", "list_dir", {})
    call("read_file", "read_file", {"path": "m/stalled.txt"})
    call("beside", "read_file", {"path": "a.txt"})
    rescue.cancel()
    process.kill()
    process.wait()
    subprocess.run(["umount", "-l", f"{root}/m"], check=False)
    call("afterwards", "grep", {"pattern": "needle"})
    return seen


def stalled_calls(child: Child, tree: Tree, stalled: str) -> dict[str, Any]:
    root = tree({"a.txt": "needle\n", "z/b.txt": "needle\n", "m": None})
    seen, _ = child(call_beside_a_stall, root, SERVER, stalled, DEADLINE_S, mounts=True)
    if "refused" in seen:
        pytest.skip("mounting a file system in user space is not allowed here")
    return dict(seen)


@pytest.mark.parametrize(
    ("stalled", "ended"),
    [
        ("read", {"grep", "grep in it", "first", "read_file"}),
        ("open", {"grep", "grep in it", "first", "read_file"}),
        ("opendir", {"grep", "grep in it", "first", "glob", "glob by time", "list_dir"}),
        # The kernel lets nobody else into a directory that it waits to list, or in which it waits for a name.
        ("readdir", {"grep", "grep in it", "first", "glob", "glob by time", "list_dir", "read_file"}),
        ("getattr", {"grep", "grep in it", "first", "glob", "glob by time", "list_dir", "read_file"}),
        ("lookup", {"grep", "grep in it", "first", "glob", "glob by time", "list_dir", "read_file"}),
    ],
)
def test_deadlines_are_kept_and_the_rest_is_given(tree: Tree, child: Child, stalled: str, ended: set[str]) -> None:
    """Each call ends by its time with what the rest of the tree has; a read, of which there is no part, fails."""
    seen = stalled_calls(child, tree, stalled)
    for call, (taken, outcome) in seen.items():
        assert taken < DEADLINE_S + LATE_S, (call, taken, outcome)
    for call in seen.keys() - {"read_file", "beside"}:
        data, text = seen[call][1]
        assert data["complete"] is (call not in ended), (call, data)
        assert ("INCOMPLETE" in text) is (call in ended), text
        if call in ended:
            assert seen[call][0] >= DEADLINE_S
            assert data["stop"] == "deadline"
            unanswered = [line for line in text.splitlines() if "did not answer in time" in line]
            places = ["m"], ["m/stalled.txt"], ["m/stalled.txt", "m/well.txt"]
            assert [line.split(": ")[1] for line in unanswered] in places, text
    rest = {"a.txt", "z/b.txt"} | ({"m/well.txt"} if stalled in ("read", "open") else set())
    assert {hit["path"] for hit in seen["grep"][1][0]["matches"]} == rest
    assert [hit["path"] for hit in seen["first"][1][0]["matches"]] == ["a.txt"]
    for call in ("glob", "glob by time"):
        assert {"a.txt", "z/b.txt"} <= set(seen[call][1][0]["paths"])
    listed = {entry["path"] for entry in seen["list_dir"][1][0]["entries"]}
    assert {"a.txt", "m", "z", "z/b.txt"} <= listed
    assert (seen["read_file"][1] == "deadline_exceeded") is ("read_file" in ended)
    assert "needle" in seen["beside"][1][1]
    assert {hit["path"] for hit in seen["afterwards"][1][0]["matches"]} == {"a.txt", "z/b.txt"}
