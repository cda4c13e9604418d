"""Disks without room, limits on the size of files, mounts that do not let a file be replaced."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.crash.conftest import Victim

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser mounts")


@pytest.fixture
def place(scratch: Path) -> dict[str, Any]:
    """Give a job in a tree with two files, without its content."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    top.chmod(0o755)
    for name in ("root", "journal", "root/d"):
        (top / name).mkdir()
    (top / "root/f").write_bytes(b"old")
    (top / "root/d/g").write_bytes(b"old")
    return {"kind": "write", "root": str(top / "root"), "journal": str(top / "journal"), "content": str(top / "new")}


def fill(job: dict[str, Any], size: int) -> None:
    Path(job["content"]).write_bytes(b"n" * size)


@pytest.mark.parametrize("used", [0, 30_000, 60_000, 65_536])
@pytest.mark.parametrize("size", [20_000, 50_000, 3_000_000])
def test_full_disk(victim: Victim, place: dict[str, Any], used: int, size: int) -> None:
    """A write that is cut short and then fails never becomes the file (atomically#18)."""
    fill(place, size)
    files = {"f": min(used, 4096), "ballast": max(0, used - 4096)}
    mount = {"kind": "tmpfs", "at": place["root"], "size": 65_536, "files": files}
    outcome = victim.run({**place, "path": "f", "mounts": [mount]})
    assert outcome.taken < 1
    pages = sum(-(-length // 4096) for length in (*files.values(), size))
    left = outcome.report["left"]
    assert set(left) == {"f", "ballast"}
    if outcome.error is None:
        assert pages <= 16
        assert left["f"] == "n" * size
    else:
        assert pages > 16
        assert (outcome.error["class"], outcome.error["os_error"]) == ("IoFailed", errno.ENOSPC)
        assert left["f"] == "o" * files["f"]


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(("size", "fits"), [(1000, True), (100_000, True), (100_001, False), (3_000_000, False)])
def test_limit_on_the_size_of_files(
    victim: Victim, place: dict[str, Any], in_place: bool, size: int, fits: bool
) -> None:
    """The system takes a part and refuses the rest."""
    fill(place, size)
    root = Path(place["root"])
    (root / "d/g").unlink()
    (root / "d").rmdir()
    if in_place:
        for path in (root, root / "f", Path(place["journal"])):
            os.chown(path, 1000, 1000)
        root.chmod(0o555)
    # The journal of a file that is overwritten holds both contents.
    limit = 2 * 100_000 if in_place else 100_000
    outcome = victim.run({**place, "path": "f", "file_size": limit, "user": 1000 if in_place else None})
    assert outcome.taken < 1
    if fits:
        assert outcome.value["in_place"] == in_place
        assert outcome.report["left"] == {"f": size}
    elif outcome.error is not None:
        assert (outcome.error["class"], outcome.error["os_error"]) == ("IoFailed", errno.EFBIG)
        assert outcome.report["left"] == {"f": 3}
        assert (root / "f").read_bytes() == b"old"
    else:
        assert in_place
        assert size < limit
    assert os.listdir(place["journal"]) == []


@pytest.mark.parametrize("size", [2, 100_000])
def test_file_that_is_a_mount(victim: Victim, place: dict[str, Any], size: int) -> None:
    """No other file can take its name: it is overwritten, with a journal (toolhive#3979, bun#39689)."""
    fill(place, size)
    root = Path(place["root"])
    mounts = [{"kind": "bind", "at": str(root / "f")}]
    outcome = victim.run({**place, "path": "f", "mounts": mounts})
    assert outcome.value["in_place"]
    assert outcome.value["notices"] == ["written_in_place"]
    assert outcome.report["left"] == {"f": "n" * size, "d/g": "old"}
    assert os.listdir(place["journal"]) == []


def test_directory_that_is_mounted_read_only(victim: Victim, place: dict[str, Any]) -> None:
    """A file in it is refused, unless it is itself a mount that may be written."""
    fill(place, 10)
    root = Path(place["root"])
    closed = {"kind": "read_only", "at": str(root / "d")}
    refused = victim.run({**place, "path": "d/g", "mounts": [closed]})
    assert refused.error is not None
    assert refused.error["class"] == "PermissionDenied"
    new = victim.run({**place, "path": "d/new", "mounts": [closed]})
    assert new.error is not None
    assert new.error["class"] == "PermissionDenied"
    assert refused.report["left"] == {"f": "old", "d/g": "old"}

    own = victim.run({**place, "path": "d/g", "mounts": [closed, {"kind": "bind", "at": str(root / "d/g")}]})
    if own.error is None:
        assert own.value["in_place"]
        assert own.report["left"]["d/g"] == "n" * 10
    else:
        assert own.error["class"] == "PermissionDenied"
        assert own.report["left"]["d/g"] == "old"


def test_in_place_without_room(victim: Victim, place: dict[str, Any]) -> None:
    """Not even a file that can only be overwritten loses a byte to a full disk."""
    fill(place, 60_000)
    root = Path(place["root"])
    mounts = [
        {"kind": "tmpfs", "at": str(root), "size": 65_536, "files": {"f": 20_000, "ballast": 30_000}},
        {"kind": "bind", "at": str(root / "f")},
    ]
    # Staging fails for want of room, so the way in place is not even tried.
    outcome = victim.run({**place, "path": "f", "mounts": mounts})
    assert outcome.error is not None
    assert outcome.error["os_error"] == errno.ENOSPC
    assert outcome.report["left"] == {"f": "o" * 20_000, "ballast": "o" * 30_000}
