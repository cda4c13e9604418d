"""The `bash_kill` tool."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from rootle import Toolbox
from rootle.errors import UnknownJob

pytestmark = pytest.mark.usefixtures("outputs")

STUBBORN = "trap '' TERM; echo $$; setsid sleep 600 & sleep 600 & kill -STOP $!; while :; do sleep 600; done"


def test_everything_is_ended(tmp_path: Path) -> None:
    """Deaf, stopped and escaped processes, within a second; what was printed comes with it."""
    box = Toolbox(tmp_path)
    job = box.call("bash", {"command": STUBBORN, "run_in_background": True}).data.id
    pid = int(box.call("bash_output", {"id": job, "wait_s": 5}).data.output)
    group = [int(task.parent.name) for task in Path("/proc").glob("[0-9]*/environ") if _marker(pid) in _read(task)]
    assert len(group) >= 3
    begun = time.monotonic()
    answer = box.call("bash_kill", {"id": job})
    assert time.monotonic() - begun < 1.0
    assert "was ended after" in answer
    assert (answer.data.ended, answer.data.survivors_left, answer.is_error) == ("cancelled", 0, False)
    assert not [one for one in group if os.path.exists(f"/proc/{one}/cwd") and _marker(one)]
    assert box.jobs.running == []


def test_what_has_ended_is_told(tmp_path: Path) -> None:
    """It is no error, and the answer has what was not seen."""
    box = Toolbox(tmp_path)
    job = box.call("bash", {"command": "echo last; exit 3", "run_in_background": True}).data.id
    assert box.jobs.get(job).wait(5)
    answer = box.call("bash_kill", {"task_id": job})
    assert answer.startswith(f'"{job}" had ended already. Exit code 3 after')
    assert "\nlast\n" in answer
    assert "Background command" not in answer


def test_unknown_id(tmp_path: Path) -> None:
    """With those that are known."""
    box = Toolbox(tmp_path)
    with pytest.raises(UnknownJob, match="No command runs"):
        box.call("bash_kill", {"id": "c1"})
    box.call("bash", {"command": "sleep 60", "run_in_background": True})
    with pytest.raises(UnknownJob, match=r"c1 \(running\)"):
        box.call("bash_kill", {"id": "c7"})
    box.close()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _marker(pid: int) -> bytes:
    """Give the variable by which a command's processes are known."""
    entries = _read(Path(f"/proc/{pid}/environ")).split(b"\0")
    return next((entry for entry in entries if entry.startswith(b"ROOTLE_EXEC_ID=")), b"")
