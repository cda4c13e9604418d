"""Writing to a file system that stops answering: nothing is written later, or the call says that it does not know."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child

DEADLINE_S = 0.4
LATE_S = 0.6
SETTLE_S = 1.0
SERVER = Path(__file__).with_name("stalling_fuse.py")
OLD = "needle\n" + "x" * 993
NEW = OLD.replace("needle", "pins")

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="this kernel has no FUSE")


def write_to_a_stall(root: str, server: str, stalled: str, deadline_s: float) -> dict[str, Any]:
    """Write through each tool while the server stalls, then have it go on and look at what is there."""
    import signal
    import subprocess
    import sys
    import threading
    import time
    from pathlib import Path

    from rootle import Toolbox
    from rootle.errors import RootleError

    box = Toolbox(root, overwrite="any")
    process = subprocess.Popen([sys.executable, server, f"{root}/m", stalled], stdout=subprocess.PIPE)
    assert process.stdout is not None
    if process.stdout.readline() != b"mounted\n":
        return {"refused": True}
    rescue = threading.Timer(25, process.kill)
    rescue.start()
    seen: dict[str, Any] = {}
    diff = "--- a/m/stalled.txt\n+++ b/m/stalled.txt\n@@ -1,2 +1,2 @@\n-needle\n+pins\n " + "x" * 993 + "\n"
    for name, path, arguments in [
        ("update_file", "m/stalled.txt", {"path": "m/stalled.txt", "old": "needle", "new": "pins"}),
        ("write_file", "m/new.txt", {"path": "m/new.txt", "content": "new\n"}),
        ("apply_diff", "m/stalled.txt", {"diff": diff}),
    ]:
        begin = time.monotonic()
        try:
            outcome: Any = box.call(name, {**arguments, "timeout_s": deadline_s}).text
            details: Any = None
        except RootleError as error:
            outcome, details = error.code, error.details.get("written")
        taken = time.monotonic() - begin
        begin = time.monotonic()
        box.call("write_file", {"path": f"beside-{name}", "content": "x"})
        beside = time.monotonic() - begin
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.4)
        file = Path(root, path)
        content = file.read_text(encoding="ascii") if file.exists() else None
        seen[name] = [taken, outcome, details, content, beside, sorted(p.name for p in Path(root, "m").iterdir())]
        if name == "update_file":
            file.write_text("needle\n" + "x" * 993, encoding="ascii")
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.05)
    rescue.cancel()
    process.kill()
    process.wait()
    subprocess.run(["umount", "-l", f"{root}/m"], check=False)
    return seen


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "stalled", ["lookup", "getattr", "open", "read", "create", "write", "fsync", "rename", "fsyncdir"]
)
def test_what_is_not_begun_in_time_is_never_done(tree: Tree, child: Child, stalled: str) -> None:
    """Each call ends by its time; a change that was not under way by then is not made when the stall ends."""
    root = tree({"m": None})
    seen, _ = child(write_to_a_stall, root, SERVER, stalled, DEADLINE_S, mounts=True)
    if "refused" in seen:
        pytest.skip("mounting a file system in user space is not allowed here")
    for call, (taken, outcome, written, content, beside, names) in seen.items():
        old, new = (None, "new\n") if call == "write_file" else (OLD, NEW)
        unharmed = call == "write_file" and stalled in ("open", "read")
        label = (call, taken, outcome, written, content, names)
        assert beside < LATE_S, label
        assert not [name for name in names if name.startswith(".rootle-")], label
        if unharmed:
            assert (outcome.split()[0], content) == ("Created", new), label
        elif stalled in ("rename", "fsyncdir"):
            # Under way: the call waits a while for the outcome, and then says that there is none.
            assert (outcome, written) == ("write_unsettled", stalled == "fsyncdir"), label
            assert DEADLINE_S + SETTLE_S <= taken < DEADLINE_S + SETTLE_S + LATE_S, label
            assert content == new, label
        else:
            assert outcome == "deadline_exceeded", label
            assert DEADLINE_S <= taken < DEADLINE_S + LATE_S, label
            assert content == old, label
