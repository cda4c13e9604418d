"""Paths that lead out of the root: refused by every tool, with nothing told about what is there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import rootle
from rootle import Toolbox
from rootle.errors import InvalidArgument, InvalidPath, PathEscapesRoot, PathNotFound, RootGone, SymlinkLoop

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import OpenBox, Outside, Refusals, Within


def test_sibling_whose_name_starts_like_the_root(
    tree: Tree, open_box: OpenBox, refusals: Refusals, outside: Outside, within: Within
) -> None:
    """A root is not a prefix of text: `app-evil` is not inside `app` (CVE-2025-53110)."""
    top = tree({"app/f": "inside", "app-evil": outside.directory})
    box = open_box(top / "app")
    for path in ("../app-evil/only-outside.txt", f"{top}/app-evil/only-outside.txt", f"{top}/app-evil", f"{top}"):
        with within(1):
            errors = refusals(box, path)
        for error in errors.values():
            assert (type(error), error.code) == (PathEscapesRoot, "path_escapes_root")
            assert error.suggestions == ()
            assert set(error.details) == {"path"}
    assert "inside" in box.call("read_file", {"path": f"{top}/app/f"})


def test_link_to_a_file_outside(
    tree: Tree, open_box: OpenBox, refusals: Refusals, outside: Outside, within: Within
) -> None:
    """A link out of the root gives no bytes, size or time of its target (CVE-2025-53109)."""
    root = tree({"f": "inside", "l": outside.secret, "again": Path("l"), "gone": outside.directory / "missing"})
    box = open_box(root)
    texts: set[str] = set()
    for name in ("l", "again", "gone"):
        with within(1):
            errors = refusals(box, name)
        assert {type(error) for error in errors.values()} == {PathEscapesRoot}
        outside.absent_from(*errors.values())
        texts |= {str(error).replace(f'"{name}"', "*") for error in errors.values()}
    assert len(texts) == 1, "whether the target exists can be told"
    with pytest.raises(PathEscapesRoot):
        rootle.read(root / "l")


def test_listing_does_not_look_behind_links_that_leave(tree: Tree, open_box: OpenBox, outside: Outside) -> None:
    """A link that leaves is listed as a link; whether its target exists and what it is cannot be told."""
    root = tree({"there": outside.secret, "absent": outside.directory / "missing", "dir": outside.directory})
    answer = open_box(root).call("list_dir", {"depth": 3})
    entries = {entry.path: entry for entry in answer.data.entries}
    assert set(entries) == {"there", "absent", "dir"}
    for name, entry in entries.items():
        own = (root / name).lstat()
        assert (entry.kind, entry.broken, entry.size, entry.mtime_ns) == ("symlink", True, own.st_size, own.st_mtime_ns)
    for mark in ("TOPSECRET", "48271", "1234567890"):
        assert mark not in str(answer.to_dict())


@pytest.mark.parametrize("target", ["..", "/", "../.."])
def test_link_to_a_directory_outside(
    tmp_path: Path, open_box: OpenBox, refusals: Refusals, outside: Outside, target: str
) -> None:
    """No tool enters a directory through a link that leaves, also when links are followed."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "s").write_bytes(outside.secret.read_bytes())
    (root / "d").symlink_to(target)
    (root / "f").write_text("TOP of the inside\n", encoding="ascii")
    box = open_box(root)
    for path in ("d", "d/s", "d/root/f", "d/root/../s"):
        errors = refusals(box, path)
        assert {type(error) for error in errors.values()} == {PathEscapesRoot}, path
        outside.absent_from(*errors.values())
    for pattern in ("d/**", "d/*", "**/s"):
        assert box.call("glob", {"pattern": pattern, "kind": "any", "no_ignore": True}).data.paths == []
    assert [hit.path for hit in box.call("grep", {"pattern": "TOP"}).data.matches] == ["f"]
    workspace = box.workspace.sync
    assert [hit.path for hit in workspace.grep("TOP", follow_links=True).matches] == ["f"]
    assert workspace.glob("**/s", follow_links=True).paths == []
    assert workspace.walk(follow_links=True).paths == ["f"]


@pytest.mark.parametrize("path", ["..", "../", "../.", "a/../..", "a/../../", "./../", "a/b/../../.."])
def test_dots_above_the_root(tree: Tree, open_box: OpenBox, refusals: Refusals, path: str) -> None:
    """Climbing above the root is refused however it is spelled (CVE-2025-22873)."""
    box = open_box(tree({"a/b/c": "x"}))
    errors = refusals(box, path)
    assert {type(error) for error in errors.values()} == {PathEscapesRoot}
    with pytest.raises(PathEscapesRoot):
        box.call("glob", {"pattern": f"{path.rstrip('/')}/*"})


def test_dots_after_a_link_mean_what_the_kernel_means(tree: Tree, open_box: OpenBox) -> None:
    """`a/../x` is beside what `a` points to, not beside `a` (golang/go#67002)."""
    box = open_box(tree({"a": Path("b/c"), "b/c/f": "", "b/x": "kernel\n", "x": "lexical\n", "abs": Path("/")}))
    assert [line.text for line in box.call("read_file", {"path": "a/../x"}).data.files[0].lines] == ["kernel"]
    assert [hit.text for hit in box.call("grep", {"pattern": ".", "path": "a/../x"}).data.matches] == ["kernel"]
    assert [os.path.basename(e.path) for e in box.call("list_dir", {"path": "a/..", "depth": 1}).data.entries] == [
        "c",
        "x",
    ]


def test_link_loops_end_at_once(tree: Tree, open_box: OpenBox, refusals: Refusals, within: Within) -> None:
    """A link to itself, a pair, and a chain longer than the kernel follows are one kind of error."""
    links = {f"c{index}": Path(f"c{index + 1}") for index in range(41)}
    box = open_box(tree({"a": Path("a"), "p": Path("q"), "q": Path("p/x"), "c41": "end", **links}))
    for path in ("a", "p", "a/x", "c0"):
        with within(0.1):
            errors = refusals(box, path)
        for error in errors.values():
            assert (type(error), error.code) == (SymlinkLoop, "symlink_loop"), path
    assert "end" in box.call("read_file", {"path": "c2"})


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("", {InvalidPath}),
        ("\0", {InvalidPath}),
        ("f\0g", {InvalidPath}),
        ("a/" * 2500, {InvalidPath}),
        ("n" * 300, {InvalidPath}),
        ("d/" + "n" * 300, {InvalidPath}),
        ("no\udcffsuch", {PathNotFound}),
        ("\ud800", {PathNotFound, InvalidPath}),
        (5, {PathNotFound, InvalidArgument}),
        (2.5, {PathNotFound, InvalidArgument}),
        ({"a": 1}, {InvalidArgument}),
        ([None], {InvalidArgument}),
    ],
)
def test_values_that_are_no_paths(
    tree: Tree, refusals: Refusals, within: Within, path: object, kinds: set[type]
) -> None:
    """Whatever is given for a path, every tool answers with an error of a known class."""
    box = Toolbox(tree({"f": "x", "d/f": "x"}))
    with within(1):
        errors = refusals(box, path)
    assert {type(error) for error in errors.values()} <= kinds
    for error in errors.values():
        assert len(str(error)) < 1000
        str(error).encode("utf-8", "surrogateescape")


def test_nested_root_ends_at_itself(tree: Tree, open_box: OpenBox, refusals: Refusals) -> None:
    """A second toolbox on a subdirectory does not reach into the outer one."""
    root = tree({"x": "outer", "sub/f": "inner", "sub/up": Path("../x"), ".gitignore": "f\n"})
    box = open_box(root / "sub")
    for path in ("../x", "up", f"{root}/x"):
        errors = refusals(box, path)
        assert {type(error) for error in errors.values()} == {PathEscapesRoot}
    assert [hit.path for hit in box.call("grep", {"pattern": "."}).data.matches] == ["f"], "rules above were read"


@pytest.mark.parametrize("replaced", [False, True])
def test_root_that_was_deleted(
    tmp_path: Path,
    open_box: OpenBox,
    refusals: Refusals,
    within: Within,
    monkeypatch: pytest.MonkeyPatch,
    replaced: bool,
) -> None:
    """A toolbox whose root is gone says so; neither the working directory nor a namesake takes its place."""
    root = tmp_path / "root"
    elsewhere = tmp_path / "elsewhere"
    for directory in (root, elsewhere):
        directory.mkdir()
        (directory / "f").write_text("x", encoding="ascii")
    box = open_box(root)
    monkeypatch.chdir(elsewhere)
    (root / "f").unlink()
    root.rmdir()
    if replaced:
        root.mkdir()
        (root / "f").write_text("x", encoding="ascii")
    for path in ("f", ".", str(root / "f")):
        with within(1):
            errors = refusals(box, path)
        for tool, error in errors.items():
            assert (type(error), error.code) == (RootGone, "root_gone"), (tool, path, error)
