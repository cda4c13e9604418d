"""The `write_file` tool through the Toolbox, and taking edits back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rootle import Replacement, Toolbox, Workspace
from rootle.errors import AlreadyExists, InvalidArgument, IsADirectory, NothingToUndo, StaleFile

if TYPE_CHECKING:
    from tests.conftest import Tree


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (None, "a\nb\n", b"a\nb\n"),
        (None, "", b""),
        (None, "a\r\nb\r\n", b"a\r\nb\r\n"),
        (b"old\n", "new\n", b"new\n"),
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"\xff\xfea\x00\n\x00", "x\n", b"\xff\xfex\x00\n\x00"),
        ("déjà vu, très agréable\n".encode("cp1252"), "été\n", "été\n".encode("cp1252")),
    ],
)
def test_content_is_written_in_the_form_of_the_file(
    tree: Tree, before: bytes | None, content: str, after: bytes
) -> None:
    """A new file is UTF-8 as given; a replaced one keeps encoding, mark and line ends."""
    root = tree({} if before is None else {"f": before})
    box = Toolbox(root)
    if before is not None:
        box.call("read_file", {"path": "f"})
    answer = box.call("write_file", {"path": "f", "content": content})
    assert (root / "f").read_bytes() == after
    assert (answer.data.created, answer.data.bytes_written) == (before is None, len(after))
    assert box.call("read_file", {"path": "f"}).data.files[0].hash == answer.data.hash


def test_directories_are_made(tree: Tree) -> None:
    """As many as are missing."""
    root = tree({})
    answer = Toolbox(root).call("write_file", {"path": "a/b/c.txt", "content": "x\n"})
    assert (root / "a/b/c.txt").read_text() == "x\n"
    assert answer.text.startswith("Created a/b/c.txt: 1 line, 2 bytes.")


def test_create_only(tree: Tree) -> None:
    """An existing file is left alone."""
    root = tree({"f": "x\n"})
    with pytest.raises(AlreadyExists) as caught:
        Toolbox(root, overwrite="any").call("write_file", {"path": "f", "content": "y\n", "create_only": True})
    assert caught.value.code == "already_exists"
    assert (root / "f").read_text() == "x\n"


@pytest.mark.parametrize("value", ["", "abc", "zz" * 32, "00" * 31])
def test_what_is_no_hash_is_refused(tree: Tree, value: str) -> None:
    """By name."""
    with pytest.raises(InvalidArgument) as caught:
        Toolbox(tree({"f": "x\n"})).call("write_file", {"path": "f", "content": "y\n", "expected_hash": value})
    assert caught.value.details["name"] == "expected_hash"


def test_the_same_content_is_no_change(tree: Tree) -> None:
    """Nothing is written and nothing counts as changed."""
    root = tree({"f": "x\n"})
    before = (root / "f").stat()
    box = Toolbox(root, overwrite="any")
    answer = box.call("write_file", {"path": "f", "content": "x\n"})
    assert not answer.data.changed
    assert (root / "f").stat() == before
    assert box.changed == []


def test_edits_are_taken_back_one_by_one(tree: Tree) -> None:
    """Byte for byte, the last one first; made files go and removed ones come back."""
    files: dict[str, Any] = {"f": b"a\r\nb\xe9\r\n", "gone": "bye\n"}
    root = tree(files)
    (root / "gone").chmod(0o751)
    workspace = Workspace(root)
    workspace.edit("f", Replacement("a", "x"))
    workspace.write("new/file", "made\n")
    plan = workspace.plan_patch(
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"
        "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-x\n+y\n"
    )
    workspace.apply_plan(plan)
    assert not (root / "gone").exists()
    assert (root / "f").read_bytes() == b"y\r\nb\xe9\r\n"
    assert workspace.changed == ["f", "new/file", "gone"]

    assert sorted(one.path for one in workspace.undo()) == ["f", "gone"]
    assert (root / "f").read_bytes() == b"x\r\nb\xe9\r\n"
    assert (root / "gone").read_text() == "bye\n"
    assert (root / "gone").stat().st_mode & 0o777 == 0o751
    assert [one.path for one in workspace.undo()] == ["new/file"]
    assert not (root / "new/file").exists()
    workspace.undo()
    assert (root / "f").read_bytes() == files["f"]
    with pytest.raises(NothingToUndo):
        workspace.undo()


def test_an_edit_that_somebody_built_on_is_not_taken_back(tree: Tree) -> None:
    """The later change stays, and so does the way back should it go again."""
    root = tree({"f": "a\n"})
    workspace = Workspace(root)
    workspace.edit("f", Replacement("a", "x"))
    (root / "f").write_text("x\ntheirs\n")
    with pytest.raises(StaleFile):
        workspace.undo()
    assert (root / "f").read_text() == "x\ntheirs\n"
    (root / "f").write_text("x\n")
    workspace.undo()
    assert (root / "f").read_text() == "a\n"


def test_modes_are_taken_back_only_where_the_edit_changed_them(tree: Tree) -> None:
    """A mode that a diff set goes; one that somebody set since stays."""
    root = tree({"a": "a\n", "b": "b\n"})
    (root / "a").chmod(0o644)
    (root / "b").chmod(0o644)
    workspace = Workspace(root)
    workspace.apply_plan(workspace.plan_patch("diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"))
    assert (root / "a").stat().st_mode & 0o777 == 0o755
    workspace.undo()
    assert (root / "a").stat().st_mode & 0o777 == 0o644
    workspace.edit("b", Replacement("b", "x"))
    (root / "b").chmod(0o600)
    workspace.undo()
    assert (root / "b").read_text() == "b\n"
    assert (root / "b").stat().st_mode & 0o777 == 0o600


def test_a_path_that_ends_in_a_slash_is_a_directory(tree: Tree) -> None:
    """Whether it is there or not."""
    root = tree({"d": None, "f": "x\n"})
    for name in ("d/", "f/", "made/"):
        with pytest.raises(IsADirectory, match='every path that ends in "/"'):
            Toolbox(root).call("write_file", {"path": name, "content": "y\n"})
    assert sorted(path.name for path in root.iterdir()) == ["d", "f"]
    assert (root / "f").read_text() == "x\n"
