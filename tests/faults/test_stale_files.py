"""What somebody else changed since it was read is not overwritten; what was changed here, or not really, is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox
from rootle.errors import AlreadyExists, RootleError, StaleFile, UnreadFile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Tree

CALLS: dict[str, dict[str, Any]] = {
    "write_file": {"path": "f", "content": "mine\n"},
    "update_file": {"path": "f", "old": "b", "new": "mine"},
    "apply_diff": {"diff": "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+mine\n c\n"},
}


@pytest.mark.parametrize("tool", CALLS)
def test_a_change_by_somebody_else_is_seen(tree: Tree, tool: str) -> None:
    """The error has the present hash and what changed; the disk is as the other left it."""
    root = tree({"f": "a\nb\nc\n"})
    box = Toolbox(root)
    box.call("read_file", {"path": "f"})
    (root / "f").write_text("a\nb\nc\ntheirs\n")
    with pytest.raises(StaleFile) as caught:
        box.call(tool, CALLS[tool])
    assert (root / "f").read_text() == "a\nb\nc\ntheirs\n"
    error = caught.value
    assert error.code == "stale_file"
    assert "+theirs" in str(error)
    assert error.details["current_hash"] != error.details.get("expected_hash")
    # Reading it again is the way on.
    again = box.call("read_file", {"path": "f"}).data.files[0]
    assert again.hash == error.details["current_hash"].hex()
    box.call(tool, CALLS[tool])
    assert "mine" in (root / "f").read_text()


@pytest.mark.parametrize("tool", CALLS)
def test_equal_content_is_not_stale(tree: Tree, tool: str) -> None:
    """Neither a touch nor the same bytes written again, under another inode."""
    root = tree({"f": "a\nb\nc\n"})
    box = Toolbox(root)
    box.call("read_file", {"path": "f"})
    os.utime(root / "f", ns=(1, 1))
    (root / "other").write_text("a\nb\nc\n")
    (root / "other").rename(root / "f")
    box.call(tool, CALLS[tool])
    assert "mine" in (root / "f").read_text()


def test_own_edits_are_not_stale(tree: Tree) -> None:
    """By any tool, under any name, one after the other."""
    root = tree({"f": "a\nb\nc\n"})
    (root / "link").symlink_to("f")
    box = Toolbox(root)
    box.call("read_file", {"path": "link"})
    box.call("update_file", {"path": "f", "old": "a", "new": "A"})
    box.call("update_file", {"path": "link", "old": "b", "new": "B"})
    box.call("apply_diff", {"diff": "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n A\n B\n-c\n+C\n"})
    box.call("write_file", {"path": "link", "content": "whole\n"})
    box.call("update_file", {"path": "f", "old": "whole", "new": "done"})
    assert (root / "f").read_text() == "done\n"
    assert box.changed == ["f", "link"] or box.changed == ["f"]


def test_an_unread_file_is_not_overwritten(tree: Tree) -> None:
    """Unless the toolbox says so, the hash is given, or it is a scratch file."""
    root = tree({"f": "old\n", "tmp/f": "old\n"})
    box = Toolbox(root)
    with pytest.raises(UnreadFile):
        box.call("write_file", {"path": "f", "content": "new\n"})
    assert (root / "f").read_text() == "old\n"
    box.call("write_file", {"path": "tmp/f", "content": "new\n"})
    Toolbox(root, overwrite="any").call("write_file", {"path": "f", "content": "new\n"})
    assert (root / "f").read_text() == (root / "tmp/f").read_text() == "new\n"
    known = box.call("read_file", {"path": "f"}).data.files[0].hash
    other = Toolbox(root)
    other.call("write_file", {"path": "f", "content": "newer\n", "expected_hash": known})
    with pytest.raises(StaleFile):
        Toolbox(root).call("write_file", {"path": "f", "content": "newest\n", "expected_hash": known})
    assert (root / "f").read_text() == "newer\n"


def test_one_of_two_creators_wins(tree: Tree) -> None:
    """The other is told, and the file is whole."""
    root = tree({"d": None})
    for round_ in range(20):
        name, start = f"d/f{round_}", threading.Barrier(4)
        outcomes: list[Any] = []

        def create(number: int, name: str = name, outcomes: list[Any] = outcomes, start: Any = start) -> None:
            start.wait()
            try:
                Toolbox(root).call("write_file", {"path": name, "content": f"{number}\n" * 100, "create_only": True})
            except AlreadyExists as error:
                outcomes.append(error.code)
            else:
                outcomes.append(number)

        threads = [threading.Thread(target=create, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [outcome for outcome in outcomes if isinstance(outcome, int)]
        assert len(winners) == 1, outcomes
        assert outcomes.count("already_exists") == 3
        assert (root / name).read_text() == f"{winners[0]}\n" * 100


EDITS = 20


def edit_in_turn(root: Path, numbers: range, box: Toolbox | None = None) -> int:
    """Make edits at anchors of their own and count those that are reported done."""
    box = box or Toolbox(root)
    done = 0
    for number in numbers:
        try:
            box.call("update_file", {"path": "f", "old": f"anchor {number};", "new": f"changed {number};"})
            done += 1
        except RootleError:
            pass
    return done


def present(root: Path) -> int:
    """Count the edits that are in the file, which must be whole."""
    text = (root / "f").read_text()
    assert len(text.splitlines()) == EDITS
    return text.count("changed")


def test_edits_by_threads_are_all_there(tree: Tree) -> None:
    """On one toolbox and on several."""
    for shared in (True, False):
        root = tree({"f": "".join(f"anchor {number};\n" for number in range(EDITS))})
        box = Toolbox(root) if shared else None
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(edit_in_turn, root, range(n, EDITS, 4), box) for n in range(4)]
        assert sum(job.result() for job in jobs) == present(root) == EDITS


def test_edits_by_tasks_are_all_there(tree: Tree) -> None:
    """All at once in one loop."""
    root = tree({"f": "".join(f"anchor {number};\n" for number in range(EDITS))})
    box = Toolbox(root)

    async def all_at_once() -> int:
        calls = [
            box.acall("update_file", {"path": "f", "old": f"anchor {number};", "new": f"changed {number};"})
            for number in range(EDITS)
        ]
        done = await asyncio.gather(*calls, return_exceptions=True)
        return sum(not isinstance(one, BaseException) for one in done)

    assert asyncio.run(all_at_once()) == present(root) == EDITS


def test_edits_by_processes_are_all_there(tree: Tree) -> None:
    """Four of them, none of which knows of the others."""
    root = tree({"f": "".join(f"anchor {number};\n" for number in range(EDITS))})
    script = (
        "import sys; from rootle import Toolbox; from rootle.errors import RootleError\n"
        "box = Toolbox(sys.argv[1]); done = 0\n"
        f"for number in range(int(sys.argv[2]), {EDITS}, 4):\n"
        "    try:\n"
        "        box.call('update_file', {'path': 'f', 'old': f'anchor {number};', 'new': f'changed {number};'})\n"
        "        done += 1\n"
        "    except RootleError: pass\n"
        "print(done)\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(root), str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    counts = [int(process.communicate(timeout=60)[0]) for process in processes]
    # Nobody was shown the file, so no edit relies on more than the text that it replaces.
    assert sum(counts) == present(root) == EDITS


@pytest.mark.parametrize("read", [False, True])
def test_a_hash_that_never_was_the_files_is_no_change(tree: Tree, read: bool) -> None:
    """The error says so, and gives the hash that the file has."""
    root = tree({"f": "a\nb\nc\n"})
    box = Toolbox(root)
    current = Toolbox(root).call("read_file", {"path": "f"}).data.files[0].hash
    if read:
        box.call("read_file", {"path": "f"})
    with pytest.raises(StaleFile) as caught:
        box.call("write_file", {"path": "f", "content": "new\n", "expected_hash": "00" * 32})
    assert "changed" not in str(caught.value)
    assert current in str(caught.value)
    assert (root / "f").read_text() == "a\nb\nc\n"


def test_an_undo_that_is_too_late_says_so(tree: Tree) -> None:
    """It does not ask for reading before writing: nobody writes."""
    root = tree({"f": "a\nb\nc\n"})
    box = Toolbox(root)
    box.call("update_file", {"path": "f", "old": "b", "new": "mine"})
    (root / "f").write_text("theirs\n")
    with pytest.raises(StaleFile) as caught:
        box.workspace.sync.undo()
    assert "Read the file" not in str(caught.value)
    assert "taken back" in str(caught.value)
    assert (root / "f").read_text() == "theirs\n"


def test_reading_a_part_counts_as_reading(tree: Tree) -> None:
    """The file may then be overwritten whole."""
    root = tree({"f": "a\nb\nc\n"})
    box = Toolbox(root)
    box.call("read_file", {"path": "f", "max_lines": 1})
    box.call("write_file", {"path": "f", "content": "new\n"})
    assert (root / "f").read_text() == "new\n"
