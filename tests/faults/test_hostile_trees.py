"""Trees made to harm a search: ignore files, links, closed and huge directories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import limits

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child, OpenBox, Within

_MIB = 1024 * 1024


@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".rootleignore", ".git/info/exclude", "sub/.gitignore"])
@pytest.mark.parametrize("kind", ["fifo", "outside"])
def test_ignore_files_that_are_no_files(
    tree: Tree, open_box: OpenBox, within: Within, tmp_path_factory: pytest.TempPathFactory, name: str, kind: str
) -> None:
    """A FIFO or a link that leaves in the place of an ignore file is left out with a warning (cargo-about#11)."""
    rules = tmp_path_factory.mktemp("rules") / "rules"
    rules.write_text("*.txt\n", encoding="ascii")
    root = tree({"a.txt": "x\n", "sub/b.txt": "x\n", ".git/info": None})
    if kind == "fifo":
        os.mkfifo(root / name)
    else:
        (root / name).symlink_to(rules)
    box = open_box(root)
    with within(1):
        hits = box.call("grep", {"pattern": "x"})
        found = box.call("glob", {"pattern": "*.txt", "sort": "path"})
        listed = box.call("list_dir", {})
        walked = box.workspace.sync.walk()
    assert [hit.path for hit in hits.data.matches] == ["a.txt", "sub/b.txt"]
    assert found.data.paths == ["a.txt", "sub/b.txt"]
    assert {"a.txt", "sub/b.txt"} <= {entry.path for entry in listed.data.entries}
    for answer in (hits, found, listed):
        assert f"Warning: {name}" in answer
    assert [(warning.path, warning.code) for warning in walked.warnings] == [(name, "ignore_file_skipped")]


def search_everywhere(root: str) -> list[Any]:
    """Call each searching tool once."""
    from rootle import Toolbox

    box = Toolbox(root)
    hits = box.call("grep", {"pattern": "x", "max_matches": 1000})
    found = box.call("glob", {"pattern": "*.txt"})
    listed = box.call("list_dir", {})
    return [hits.data.total, found.data.total, len(listed.data.entries), hits.text, found.text, listed.text]


@pytest.mark.parametrize("size", [900_000, 5_000_000])
def test_ignore_files_full_of_pathological_globs(tree: Tree, child: Child, within: Within, size: int) -> None:
    """Megabytes of hostile rules cost bounded time and memory, and it is said that they do not all count."""
    rule = "*a*" * 8 + "b?[x-z]{p,q}**/"
    rules = "".join(f"{rule}{index}\n" for index in range(size // (len(rule) + 6)))
    files: dict[str, Any] = {"a" * 100 + f"{index}.txt": "x\n" for index in range(100)}
    root = tree({".gitignore": rules, **files})
    with within(10):
        (hits, found, listed, *texts), growth = child(search_everywhere, root)
    assert (hits, found, listed) == (100, 100, 100)
    assert growth < 128 * _MIB
    if size > limits.IGNORE_FILE_BYTES:
        for text in texts:
            assert "Warning: .gitignore" in text


@pytest.mark.parametrize("follow", [False, True])
def test_links_that_make_a_loop(tree: Tree, open_box: OpenBox, within: Within, follow: bool) -> None:
    """Links up and across do not make a walk endless; each real file is given once (BurntSushi/ripgrep#1611)."""
    root = tree({"d/up": Path(".."), "d/f": "needle\n", "e/d": Path("../d"), "self": Path("."), "g": Path("d/f")})
    workspace = open_box(root).workspace.sync
    with within(1):
        hits = workspace.grep("needle", follow_links=follow)
        walked = workspace.walk(follow_links=follow, stat=True)
        found = workspace.glob("**/f", follow_links=follow)
    assert hits.complete
    assert walked.complete
    directories = {path for path in walked.paths if path.endswith("f")}
    assert directories == {"d/f"}
    assert found.paths == ["d/f"]
    assert [hit.path for hit in hits.matches if hit.path != "g"] == ["d/f"]


def closed_subtree(root: str) -> dict[str, Any]:
    """Search a tree of which a part is closed."""
    import rootle
    from rootle import Toolbox

    box = Toolbox(root)
    hits = box.call("grep", {"pattern": "needle"})
    return {
        "hits": [hit.path for hit in hits.data.matches],
        "unreadable": hits.data.coverage["unreadable"],
        "found": box.call("glob", {"pattern": "*.txt", "sort": "path"}).data.paths,
        "listed": [entry.path for entry in box.call("list_dir", {"depth": 3}).data.entries],
        "texts": [hits.text, box.call("glob", {"pattern": "*.txt"}).text, box.call("list_dir", {"depth": 3}).text],
        "warnings": [(item.path, item.code) for item in rootle.walk(root).warnings],
    }


def test_closed_parts_of_a_tree(open_tmp: Path, child: Child) -> None:
    """A directory or file that we may not read costs a warning, not the rest of the answer."""
    for name in ("a/f.txt", "closed/f.txt", "z/f.txt", "z/closed.txt"):
        (open_tmp / name).parent.mkdir(exist_ok=True)
        (open_tmp / name).write_text("needle\n", encoding="ascii")
        (open_tmp / name).parent.chmod(0o755)
    (open_tmp / "z" / "closed.txt").chmod(0)
    (open_tmp / "closed").chmod(0)
    try:
        seen, _ = child(closed_subtree, open_tmp, ordinary=True)
    finally:
        (open_tmp / "closed").chmod(0o700)
    assert seen["hits"] == ["a/f.txt", "z/f.txt"]
    assert seen["unreadable"] == 1
    assert seen["found"] == ["a/f.txt", "z/closed.txt", "z/f.txt"]
    assert set(seen["listed"]) == {"a", "a/f.txt", "closed", "z", "z/f.txt", "z/closed.txt"}
    assert ["closed", "permission_denied"] in seen["warnings"]
    for text in seen["texts"]:
        assert "Warning: closed" in text


def first_of_many(root: str) -> list[Any]:
    """Ask for a hundred of very many entries."""
    import time

    from rootle import Toolbox

    box = Toolbox(root)
    begin = time.perf_counter()
    found = box.call("glob", {"pattern": "*", "sort": "path", "max_results": 100})
    listed = box.call("list_dir", {"max_entries": 100})
    hits = box.call("grep", {"pattern": "x", "max_matches": 100})
    taken = time.perf_counter() - begin
    paths, entries = len(found.data.paths), len(listed.data.entries)
    return [paths, found.data.cursor, entries, listed.data.not_shown, hits.data.total, taken]


def test_very_many_entries_in_one_directory(tmp_path: Path, child: Child, within: Within) -> None:
    """A hundred of 100,000 entries are given in bounded memory and time, with a way to go on (ripgrep#1823)."""
    source = tmp_path / "source"
    source.write_text("x\n", encoding="ascii")
    root = tmp_path / "root"
    root.mkdir()
    directory = os.open(root, os.O_RDONLY)
    try:
        # Hard links: making files would take most of the test's time. A file has at most 65,000 names.
        for index in range(100_000):
            if index % 50_000 == 0:
                os.close(os.open(f"{index:06}", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=directory))
                first = f"{index:06}"
            else:
                os.link(first, f"{index:06}", src_dir_fd=directory, dst_dir_fd=directory)
    finally:
        os.close(directory)
    with within(15):
        (paths, cursor, entries, not_shown, _, taken), growth = child(first_of_many, root)
    assert (paths, entries, not_shown) == (100, 100, 99_900)
    assert cursor
    assert taken < 5
    assert growth < 64 * _MIB


def test_links_to_nothing_and_entries_that_vanish(tree: Tree, open_box: OpenBox) -> None:
    """A dangling link is listed as broken; nothing fails over it."""
    root = tree({"dangling": Path("nowhere"), "loop": Path("loop"), "good": Path("f"), "f": "x\n"})
    box = open_box(root)
    answer = box.call("list_dir", {})
    entries = {entry.path: entry for entry in answer.data.entries}
    assert {name: entry.broken for name, entry in entries.items()} == {
        "dangling": True,
        "f": False,
        "good": False,
        "loop": True,
    }
    assert entries["dangling"].link_target == "nowhere"
    assert "dangling@ -> nowhere (broken)" in answer
    assert [hit.path for hit in box.call("grep", {"pattern": "x"}).data.matches] == ["f"]
    assert box.workspace.sync.walk(follow_links=True).complete


def test_very_deep_tree(tmp_path: Path, open_box: OpenBox, within: Within) -> None:
    """A tree deeper than a path can be long is searched as deep as can be, without failing."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("dir", dir_fd=here)
        below = os.open("dir", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("needle.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=here))
    os.close(here)
    (tmp_path / "top.txt").write_text("needle\n", encoding="ascii")
    box = open_box(tmp_path)
    try:
        with within(5):
            hits = box.call("grep", {"pattern": "needle"}).data
            found = box.call("glob", {"pattern": "*.txt", "sort": "path"}).data
            box.call("list_dir", {"depth": 20})
    finally:
        # Python's own removal of a tree cannot go that deep.
        subprocess.run(["rm", "-rf", str(tmp_path / "dir")], check=True)
    assert [hit.path for hit in hits.matches] == ["top.txt"]
    assert found.paths[-1] == "top.txt"
