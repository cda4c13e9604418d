"""Replicas that a process left behind when it was killed outright."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rootle.workspace.remote import scratch

MAKER = """
import sys, tempfile
from rootle.workspace.remote.scratch import Scratch
tempfile.tempdir = sys.argv[1]
import os
os.access = lambda *_: False
kept = Scratch()
print(kept.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def maker(tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", MAKER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_only_what_nobody_uses_is_removed(maker: subprocess.Popen[str], tmp_path: Path) -> None:
    """Not a replica in use however old it is, not a new one, nothing of another name, nothing through a link."""
    with maker:
        assert maker.stdout is not None
        used = Path(maker.stdout.readline().strip())
        (used / "tree").mkdir()
        left, new, other = (tmp_path / name for name in ("rootle-replica-a", "rootle-replica-b", "else"))
        for path in (left, new, other):
            (path / "tree").mkdir(parents=True)
        (tmp_path / "rootle-replica-link").symlink_to(other)
        for path in (used, left, other):
            os.utime(path, (0, 0))
        assert scratch.sweep(str(tmp_path)) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [used.name, "rootle-replica-b", "else", "rootle-replica-link"]
        )
        assert (other / "tree").is_dir()

        maker.kill()
    os.utime(used, (0, 0))
    assert scratch.sweep(str(tmp_path)) == 1
    assert not used.exists()
