"""A process is killed in the middle of a commit: each file is old or new, and the next call completes it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.crash.conftest import Victim

pytestmark = [pytest.mark.usefixtures("strace"), pytest.mark.timeout(120)]

FILES = [f"d{number % 3}/f{number}" for number in range(5)]
RING = ["ring/1", "ring/2", "ring/3"]
OLD = {
    **{name: f"old {name}" for name in [*FILES, *RING]},
    "gone": "old gone",
    "moved": "old moved",
    "kept": "kept",
}
NEW = {
    **{name: f"new {name}" for name in FILES},
    "made/one": "new one",
    "made/two": "new two",
    "d0/moved": "old moved",
    "kept": "kept",
    "ring/1": "old ring/3",
    "ring/2": "old ring/1",
    "ring/3": "old ring/2",
}
CHANGES: list[list[str | None]] = [
    *(["write", name, None, f"new {name}"] for name in FILES[:3]),
    ["remove", "gone", None, None],
    ["write", "made/one", None, "new one"],
    ["rename", "moved", "d0/moved", None],
    ["write", "made/two", None, "new two"],
    *(["rename", old, new, None] for old, new in zip(RING, [*RING[1:], RING[0]], strict=True)),
    *(["write", name, None, f"new {name}"] for name in FILES[3:]),
]


def build(top: Path) -> None:
    """Make the tree and an empty directory for journals."""
    for name in ("root", "journal"):
        shutil.rmtree(top / name, ignore_errors=True)
        (top / name).mkdir()
    for name, content in OLD.items():
        path = top / "root" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)


def tree(top: Path) -> dict[str, str]:
    """Give the files that are not temporary."""
    root = top / "root"
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith(".rootle-"))
    return {str(path.relative_to(root)): path.read_text() for path in files}


def job(top: Path, changes: list[list[str | None]]) -> dict[str, Any]:
    return {"kind": "commit", "root": str(top / "root"), "journal": str(top / "journal"), "changes": changes}


def test_killed_in_a_commit(victim: Victim, scratch: Path, every: int) -> None:
    """After the next call it is all old or all new, whichever call that is (agenc-core#950)."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    build(top)
    calls = victim.calls(job(top, CHANGES))
    assert tree(top) == NEW
    # The names change between the writing of the journal and its removal; before that, nothing shows.
    middle = [at for at, (name, _) in enumerate(calls) if name == "renameat2"]
    begin = middle[0] - 20
    before = range(0, begin, every * 7)
    within = range(begin, len(calls)) if every == 1 else middle[1::3]
    halves = 0
    for turn, at in enumerate([*before, *within]):
        name, number = calls[at]
        build(top)
        outcome = victim.run(job(top, CHANGES), "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}")
        assert outcome.killed, (name, number)
        left = tree(top)
        for path, content in left.items():
            assert content in (OLD.get(path), NEW.get(path)), (name, number, path)
        half = left not in (OLD, NEW)
        halves += half

        if turn % 2:
            told = victim.run({**job(top, []), "kind": "recover"}).value
            assert all(action == "completed" for _, action in told)
            assert bool(told) or not half
        # Another file of the same tree.
        done = victim.run(job(top, [["write", "kept", None, "touched"], ["write", "d1/more", None, "x"]]))
        assert done.taken < 1
        assert turn % 2 or ("recovered" in done.value[0]["notices"]) >= half
        after = tree(top)
        assert after.pop("d1/more") == "x"
        assert after.pop("kept") == "touched"
        assert after in ({k: v for k, v in want.items() if k != "kept"} for want in (OLD, NEW)), (name, number)
        assert os.listdir(top / "journal") == []
    assert halves > 2


def test_a_failing_rename_puts_every_file_back(victim: Victim, scratch: Path) -> None:
    """Whichever of the names cannot be given: the call fails, and the tree is as it was."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    build(top)
    renames = [number for name, number in victim.calls(job(top, CHANGES)) if name == "renameat2"]
    assert len(renames) >= len(CHANGES)
    for number in renames:
        build(top)
        outcome = victim.run(
            job(top, CHANGES), "-e", "trace=renameat2", "-e", f"inject=renameat2:error=EIO:when={number}"
        )
        assert outcome.error is not None, number
        assert outcome.error["class"] == "IoFailed", (number, outcome.error)
        assert tree(top) == OLD, number
        left = [path.name for path in (top / "root").rglob("*") if path.name.startswith(".rootle-")]
        assert (left, os.listdir(top / "journal")) == ([], []), number


def test_a_commit_that_cannot_be_completed_is_told(victim: Victim, scratch: Path) -> None:
    """A file that somebody has changed since is left alone; what was to be removed stays."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    build(top)
    calls = victim.calls(job(top, CHANGES))
    renames = [number for name, number in calls if name == "renameat2"]
    build(top)
    # Every file is staged, the first two are exchanged.
    outcome = victim.run(
        job(top, CHANGES), "-e", "trace=renameat2", "-e", f"inject=renameat2:signal=KILL:when={renames[2]}"
    )
    assert outcome.killed
    last = FILES[-1]
    (top / "root" / last).write_text("theirs")
    told = dict(victim.run({**job(top, []), "kind": "recover"}).value)
    assert told.pop(last) == "changed"
    assert set(told.values()) <= {"completed", "restored"}
    after = tree(top)
    assert after[last] == "theirs"
    assert after["made/two"] == "new two"
    assert after["gone"] == "old gone"
    assert os.listdir(top / "journal") == []


def test_what_a_dead_commit_needs_is_not_swept(victim: Victim, scratch: Path) -> None:
    """A call on a smaller root in the same tree leaves the staged files to the call that completes the commit."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    build(top)
    calls = victim.calls(job(top, CHANGES))
    renames = [number for name, number in calls if name == "renameat2"]
    build(top)
    outcome = victim.run(
        job(top, CHANGES), "-e", "trace=renameat2", "-e", f"inject=renameat2:signal=KILL:when={renames[0]}"
    )
    assert outcome.killed
    assert tree(top) == OLD
    for name in ("d0", "d1", "d2"):
        inner = {**job(top, [["write", "extra", None, "x"]]), "root": str(top / "root" / name)}
        assert victim.run(inner).value[0]["notices"] == []
    told = dict(victim.run({**job(top, []), "kind": "recover"}).value)
    assert set(told.values()) == {"completed"}
    after = tree(top)
    assert [after.pop(f"{name}/extra") for name in ("d0", "d1", "d2")] == ["x"] * 3
    assert after == NEW
