"""Writing never leaves the root, never goes through what is no regular file, and leaves git's own files alone."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle.errors import (
    IsADirectory,
    NotADirectory,
    NotARegularFile,
    PathEscapesRoot,
    ProtectedPath,
    RootleError,
)

if TYPE_CHECKING:
    from rootle import Toolbox

    from tests.conftest import Tree
    from tests.faults.conftest import OpenBox, Outside, Within

PROMPT_S = 1.0


def contents(directory: Path) -> dict[str, bytes | None]:
    """Give every path below a directory and the bytes of the regular files, links not followed."""
    found: dict[str, bytes | None] = {}
    for path in sorted(directory.rglob("*")):
        plain = path.is_file() and not path.is_symlink()
        found[str(path.relative_to(directory))] = path.read_bytes() if plain else None
    return found


def writing_calls(path: str) -> dict[str, dict[str, Any]]:
    """Give a call of each writing tool on `path`; the texts fit a file that holds `x` in a line."""
    return {
        "write_file": {"path": path, "content": "planted\n"},
        "update_file": {"path": path, "old": "x", "new": "planted"},
        "apply_diff": {"diff": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+planted\n", "path": path},
    }


def refused(box: Toolbox, path: str, within: Within) -> dict[str, RootleError]:
    """Call every writing tool and collect what it raises."""
    errors: dict[str, RootleError] = {}
    for tool, arguments in writing_calls(path).items():
        with within(PROMPT_S), pytest.raises(RootleError) as caught:
            box.call(tool, arguments)
        errors[tool] = caught.value
    return errors


@pytest.mark.parametrize(
    "path", ["../planted", "a/../../planted", "/tmp/rootle-planted", "link/planted", "dangling", "absolute"]
)
def test_nothing_is_planted_outside(tree: Tree, open_box: OpenBox, outside: Outside, within: Within, path: str) -> None:
    """By name, by a link on the way, or by a dangling link in the last place."""
    root = tree({"root/a/f": "x\n"}) / "root"
    (root / "link").symlink_to(outside.directory)
    (root / "dangling").symlink_to("../planted")
    (root / "absolute").symlink_to(outside.directory / "planted")
    before = contents(root), contents(outside.directory)
    errors = refused(open_box(root), path, within)
    assert {type(error) for error in errors.values()} == {PathEscapesRoot}, errors
    outside.absent_from(*errors.values())
    assert (contents(root), contents(outside.directory)) == before
    assert not (root.parent / "planted").exists()
    assert not Path("/tmp/rootle-planted").exists()


def test_no_directory_is_made_outside(tree: Tree, open_box: OpenBox, outside: Outside, within: Within) -> None:
    """Missing parents are made beneath the root alone."""
    root = tree({"root/a/f": "x\n"}) / "root"
    (root / "a/b").symlink_to(outside.directory)
    before = contents(outside.directory)
    with within(PROMPT_S), pytest.raises(PathEscapesRoot):
        open_box(root).call("write_file", {"path": "a/b/new/c.txt", "content": "planted"})
    assert contents(outside.directory) == before


def test_a_hard_link_is_broken_not_followed(tree: Tree, open_box: OpenBox, outside: Outside) -> None:
    """The other name keeps its bytes, and the answer says that there was one."""
    secret = outside.secret.read_bytes()
    root = tree({"root/f": "x\n"}) / "root"
    for tool in writing_calls("h"):
        name = root / f"h-{tool}"
        os.link(outside.secret, name)
        arguments = writing_calls(name.name)[tool]
        box = open_box(root)
        box.call("read_file", {"path": name.name})
        if tool == "update_file":
            arguments |= {"old": "TOPSECRET\n", "new": "planted\n"}
        if tool == "apply_diff":
            arguments["diff"] = arguments["diff"].replace("-x\n", "-TOPSECRET\n")
        answer = box.call(tool, arguments)
        assert "other names" in answer.text, (tool, answer.text)
        assert b"planted" in name.read_bytes(), tool
        assert outside.secret.read_bytes() == secret


def test_what_is_no_regular_file_is_refused_at_once(tree: Tree, open_box: OpenBox, within: Within) -> None:
    """FIFO, socket, device and directory."""
    root = tree({"f": "x\n", "dir": None})
    os.mkfifo(root / "fifo")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(root / "socket"))
    names = ["fifo", "socket"]
    if os.geteuid() == 0:
        os.mknod(root / "device", 0o600 | 0o020000, os.makedev(1, 5))
        names.append("device")
    for name in names:
        errors = refused(open_box(root), name, within)
        assert {type(error) for error in errors.values()} == {NotARegularFile}, (name, errors)
        assert not (root / name).is_file()
    listener.close()
    errors = refused(open_box(root), "dir", within)
    assert {error.code for error in errors.values()} == {"is_a_directory"}
    errors = refused(open_box(root), "f/below", within)
    assert {type(error) for error in errors.values()} == {NotADirectory}, errors
    assert (root / "f").read_text() == "x\n"


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 5000, "n" * 300])
def test_what_cannot_be_a_path_is_refused(tree: Tree, open_box: OpenBox, within: Within, path: str) -> None:
    """At once and by type."""
    root = tree({"f": "x\n"})
    before = contents(root)
    for tool, arguments in writing_calls("f").items():
        with within(PROMPT_S), pytest.raises(RootleError) as caught:
            open_box(root).call(tool, {**arguments, "path": path})
        assert caught.value.code in ("invalid_path", "invalid_patch"), (tool, caught.value)
    assert contents(root) == before


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/post-checkout",
        ".git/config",
        ".git/modules/m/hooks/x",
        ".GIT/hooks/pre-commit",
        ".Git/config",
        ".gI\u200ct/config",
        ".git./config",
        ".git /config",
        "sub/.git/config",
        ".git",
        "link/config",
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_git_internals_are_left_alone(tree: Tree, open_box: OpenBox, within: Within, path: str, there: bool) -> None:
    """In any spelling that some file system takes for the same, whether they exist or not."""
    root = tree({"f": "x\n", ".git/config": "x\n"} if there else {"f": "x\n"})
    (root / "link").symlink_to(".git")
    before = contents(root)
    calls = writing_calls(path)
    for tool in ("write_file", "apply_diff"):
        arguments = calls[tool]
        if tool == "apply_diff":
            arguments = {"diff": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+planted\n"}
        with within(PROMPT_S), pytest.raises(RootleError) as caught:
            open_box(root).call(tool, arguments)
        # A directory of that name is no file that could be written at all.
        directory = there and path == ".git" and isinstance(caught.value, IsADirectory)
        assert isinstance(caught.value, ProtectedPath) or directory, caught.value
    assert contents(root) == before


@pytest.mark.parametrize("path", [".gitignore", ".GITIGNORE", ".gitattributes", ".github/workflows/ci.yml", "a.git/x"])
def test_files_that_only_begin_like_git_are_written(tree: Tree, open_box: OpenBox, path: str) -> None:
    """They belong to the project."""
    root = tree({"f": "x\n"})
    open_box(root).call("write_file", {"path": path, "content": "ok\n"})
    assert (root / path).read_text() == "ok\n"


def test_a_link_inside_stays_a_link(tree: Tree, open_box: OpenBox) -> None:
    """What it leads to is changed."""
    root = tree({"real.cfg": "x\n", "cfg": Path("real.cfg")})
    for tool, arguments in writing_calls("cfg").items():
        (root / "real.cfg").write_text("x\n")
        box = open_box(root)
        box.call("read_file", {"path": "cfg"})
        box.call(tool, arguments)
        assert (root / "cfg").is_symlink(), tool
        assert (root / "real.cfg").read_text() == "planted\n", tool
