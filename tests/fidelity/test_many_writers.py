"""Many writers on one file: what is reported done is there, and what somebody else did in between is noticed.

`make fidelity` makes 10,000 edits by threads, tasks and four processes, and 1,000 interleavings; `make test` a few.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Replacement, Toolbox, Workspace
from rootle.errors import RootleError, StaleFile

if TYPE_CHECKING:
    from tests.conftest import Tree

LONG = os.environ.get("ROOTLE_FIDELITY") == "all"
EDITS = 3_400 if LONG else 120
INTERLEAVINGS = 1_000 if LONG else 60
FILES = 4
CHILD = """
import sys
from rootle import Replacement, Workspace
from rootle.errors import RootleError
root, first, edits, files = sys.argv[1], *map(int, sys.argv[2:])
workspace, done = Workspace(root), 0
for n in range(first, edits, 4):
    try:
        workspace.edit(f"f{n % files}", Replacement(f"<{n}>", f"<{n} done>"))
        done += 1
    except RootleError:
        pass
print(done)
"""


def anchors(tree: Tree) -> Path:
    """Make the files, one line an edit."""
    lines: list[list[str]] = [[] for _ in range(FILES)]
    for n in range(EDITS):
        lines[n % FILES].append(f"<{n}>\n")
    return tree({f"f{index}": "".join(rows) for index, rows in enumerate(lines)})


def present(root: Path) -> int:
    """Count the edits in the files; every line is whole, and none is missing or double."""
    seen = []
    for index in range(FILES):
        for line in (root / f"f{index}").read_text().splitlines():
            assert line.startswith("<")
            assert line.endswith(">")
            seen.append(line[1:-1])
    assert sorted(int(line.split()[0]) for line in seen) == list(range(EDITS))
    return sum(line.endswith("done") for line in seen)


def test_edits_by_threads(tree: Tree) -> None:
    """Eight threads, half of them on a workspace of their own."""
    root = anchors(tree)
    shared = Workspace(root)

    def work(number: int) -> int:
        workspace = shared if number % 2 else Workspace(root)
        done = 0
        for n in range(number, EDITS, 8):
            try:
                workspace.edit(f"f{n % FILES}", Replacement(f"<{n}>", f"<{n} done>"))
                done += 1
            except RootleError:
                pass
        return done

    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(work, range(8)))
    assert sum(counts) == present(root) == EDITS


def test_edits_by_tasks(tree: Tree) -> None:
    """All in one loop, through the tool."""
    root = anchors(tree)
    box = Toolbox(root)

    async def every() -> int:
        limit = asyncio.Semaphore(64)

        async def one(n: int) -> bool:
            async with limit:
                try:
                    await box.acall("update_file", {"path": f"f{n % FILES}", "old": f"<{n}>", "new": f"<{n} done>"})
                except RootleError:
                    return False
                return True

        return sum(await asyncio.gather(*(one(n) for n in range(EDITS))))

    assert asyncio.run(every()) == present(root) == EDITS


def test_edits_by_processes(tree: Tree) -> None:
    """Four, none of which knows of the others."""
    root = anchors(tree)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(root), str(first), str(EDITS), str(FILES)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in range(4)
    ]
    counts = [int(child.communicate(timeout=280)[0]) for child in children]
    assert sum(counts) == present(root) == EDITS


@pytest.mark.parametrize("seed", range(4))
def test_every_change_by_somebody_else_is_noticed(tree: Tree, seed: int) -> None:
    """Reads, own edits, touches, rewrites of equal bytes and changes by another, in random order.

    A write must fail exactly when another's change came after the last read, and the file then keeps that change.
    """
    chance = random.Random(seed)
    root = tree({"f": "start\n"})
    path, box = root / "f", Toolbox(root)
    box.call("read_file", {"path": "f"})
    known, noticed = path.read_bytes(), 0
    for step in range(INTERLEAVINGS // 4):
        for _ in range(chance.randrange(4)):
            match chance.randrange(5):
                case 0:
                    path.write_bytes(path.read_bytes() + f"other {step}\n".encode())
                case 1:
                    os.utime(path)
                case 2:
                    copy = path.with_name("copy")
                    copy.write_bytes(path.read_bytes())
                    copy.rename(path)
                case 3:
                    box.call("read_file", {"path": "f"})
                    known = path.read_bytes()
                case _:
                    path.write_bytes(known)
        now, call = path.read_bytes(), _write(chance, step)
        try:
            box.call(*call)
        except StaleFile:
            noticed += 1
            assert now != known, call
            assert path.read_bytes() == now
            box.call("read_file", {"path": "f"})
            known = now
        else:
            assert now == known, call
            known = path.read_bytes()
            assert f"mine {step}".encode() in known
    assert noticed


def _write(chance: random.Random, step: int) -> tuple[str, dict[str, Any]]:
    if chance.random() < 0.5:
        return "write_file", {"path": "f", "content": f"start\nmine {step}\n"}
    return "update_file", {"path": "f", "old": "start\n", "new": f"start\nmine {step}\n"}
