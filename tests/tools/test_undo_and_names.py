"""Files that take one another's names in a diff, hard links, and what taking an edit back leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rootle import Toolbox, Workspace
from rootle.errors import AlreadyExists, InvalidArgument


def rename(old: str, new: str) -> str:
    return f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"


def files(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text(encoding="ascii") for path in sorted(found)}


def directories(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir())


NEW_A = "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+new\n"
EDITED = (
    "diff --git a/a b/b\nsimilarity index 50%\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-A\n+A2\n"
)
HANDS = [
    ("chain", [("a", "b"), ("b", "n")], "", {"b": "A\n", "c": "C\n", "n": "B\n"}),
    ("chain, last first", [("b", "d/n"), ("a", "b")], "", {"b": "A\n", "c": "C\n", "d/n": "B\n"}),
    ("swap", [("a", "b"), ("b", "a")], "", {"a": "B\n", "b": "A\n", "c": "C\n"}),
    ("cycle", [("a", "b"), ("b", "c"), ("c", "a")], "", {"a": "C\n", "b": "A\n", "c": "B\n"}),
    ("edited on the way", [("b", "n")], EDITED, {"b": "A2\n", "c": "C\n", "n": "B\n"}),
    ("a new one in its place", [("a", "n")], NEW_A, {"a": "new\n", "b": "B\n", "c": "C\n", "n": "A\n"}),
]


@pytest.mark.parametrize(("renames", "more", "after"), [case[1:] for case in HANDS], ids=[case[0] for case in HANDS])
def test_names_change_hands_and_back(
    tmp_path: Path, renames: list[tuple[str, str]], more: str, after: dict[str, str]
) -> None:
    """One diff, one undo; the content hashes that are known afterwards are those of the files."""
    before = {name: f"{name.upper()}\n" for name in "abc"}
    for name, content in before.items():
        (tmp_path / name).write_text(content, encoding="ascii")
    box = Toolbox(tmp_path)
    for name in before:
        box.call("read_file", {"path": name})
    answer = box.call("apply_diff", {"diff": "".join(rename(*names) for names in renames) + more})
    assert "NOT APPLIED" not in answer.text
    assert files(tmp_path) == after
    for name, content in after.items():
        box.call("update_file", {"path": name, "old": content, "new": content + "more\n"})
        box.workspace.sync.undo()
    box.workspace.sync.undo()
    assert files(tmp_path) == before
    assert directories(tmp_path) == []


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    """Otherwise each name would have one half of the diff."""
    (tmp_path / "a").write_text("1\n2\n", encoding="ascii")
    os.link(tmp_path / "a", tmp_path / "b")
    diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n"
    with pytest.raises(InvalidArgument, match="names of one file") as caught:
        Toolbox(tmp_path).call("apply_diff", {"diff": diff})
    assert '"a"' in str(caught.value)
    assert '"b"' in str(caught.value)
    assert files(tmp_path) == {"a": "1\n2\n", "b": "1\n2\n"}
    assert os.path.samefile(tmp_path / "a", tmp_path / "b")


def test_a_name_that_nobody_leaves_is_not_taken(tmp_path: Path) -> None:
    """A chain whose last name is taken changes nothing."""
    for name in "abc":
        (tmp_path / name).write_text(f"{name}\n", encoding="ascii")
    before = files(tmp_path)
    with pytest.raises(AlreadyExists):
        Toolbox(tmp_path).call("apply_diff", {"diff": rename("a", "b") + rename("b", "c")})
    assert files(tmp_path) == before


MADE = "--- /dev/null\n+++ b/p/q/r/one\n@@ -0,0 +1 @@\n+1\n--- /dev/null\n+++ b/p/s/two\n@@ -0,0 +1 @@\n+2\n"


@pytest.mark.parametrize("how", ["write_file", "apply_diff", "rename"])
def test_undo_takes_the_made_directories_too(tmp_path: Path, how: str) -> None:
    """Those that were there stay, even when they are empty."""
    (tmp_path / "old").mkdir()
    (tmp_path / "f").write_text("f\n", encoding="ascii")
    box = Toolbox(tmp_path)
    if how == "write_file":
        box.call("write_file", {"path": "old/p/q/one", "content": "1\n"})
        assert directories(tmp_path) == ["old", "old/p", "old/p/q"]
    elif how == "apply_diff":
        box.call("apply_diff", {"diff": MADE})
        assert directories(tmp_path) == ["old", "p", "p/q", "p/q/r", "p/s"]
    else:
        box.call("apply_diff", {"diff": rename("f", "p/q/f")})
        assert directories(tmp_path) == ["old", "p", "p/q"]
    box.workspace.sync.undo()
    assert directories(tmp_path) == ["old"]
    assert files(tmp_path) == {"f": "f\n"}


def test_undo_leaves_a_directory_that_somebody_uses(tmp_path: Path) -> None:
    """What is not empty stays, and so does what is outside of it."""
    workspace = Workspace(tmp_path)
    workspace.write("p/q/one", "1\n")
    (tmp_path / "p/theirs").write_text("x\n", encoding="ascii")
    workspace.undo()
    assert directories(tmp_path) == ["p"]
    assert files(tmp_path) == {"p/theirs": "x\n"}
    # A second writing in a directory that the first one made did not make it.
    workspace.write("r/one", "1\n")
    workspace.write("r/two", "2\n")
    workspace.undo()
    assert files(tmp_path) == {"p/theirs": "x\n", "r/one": "1\n"}
    workspace.undo()
    assert directories(tmp_path) == ["p"]
