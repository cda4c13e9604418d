"""What the plain functions make of arguments at and beyond the edges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rootle
from rootle import Toolbox, Workspace
from rootle.errors import InvalidArgument, InvalidCursor

Tree = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("grep", {"before": -1}),
        ("grep", {"max_matches": 1 << 70}),
        ("grep", {"max_per_file": 0}),
        ("walk", {"max_depth": -1}),
        ("walk", {"threads": -2}),
        ("glob", {"max_results": -1}),
        ("list_dir", {"depth": -1}),
    ],
)
def test_numbers_out_of_range(tree: Tree, name: str, options: dict[str, Any]) -> None:
    """The argument is named, whatever the core's own type for it."""
    function = getattr(Workspace(tree({"a.txt": ""})), name)
    arguments = {"grep": ("x",), "glob": ("*",)}.get(name, ())
    with pytest.raises(InvalidArgument, match=next(iter(options))):
        function(*arguments, **options)


def test_start_line_out_of_range(tree: Tree) -> None:
    """Negative lines count from the end; what no number can be is refused, by the tool too."""
    root = tree({"a.txt": "one\ntwo\n"})
    assert [line.text for line in Workspace(root).read("a.txt", start_line=-1).lines] == ["two"]
    with pytest.raises(InvalidArgument, match="start_line"):
        Toolbox(root).call("read_file", {"path": "a.txt", "start_line": 10**30})


@pytest.mark.parametrize("search", [lambda: rootle.grep("x", []), lambda: rootle.walk([])])
def test_no_path_at_all(search: Callable[[], object]) -> None:
    """An empty list is not the current directory."""
    with pytest.raises(InvalidArgument, match="path"):
        search()


def test_dots_after_a_link_mean_what_the_kernel_means(tree: Tree) -> None:
    """`link/../x` is beside the link's target."""
    root = tree({"deep/target/f": "", "deep/x": "right", "x": "wrong"})
    (root / "link").symlink_to("deep/target")
    assert [line.text for line in rootle.read(root / "link/../x").lines] == ["right"]
    assert [line.text for line in Workspace(root).read("link/../x").lines] == ["right"]


@pytest.mark.parametrize(
    ("content", "pattern", "spans"),
    [
        (b"caf\xe9 TODO fix\n", "(?<!x)TODO", 1),
        (b"x \xe9 TODO\n", "TODO(?!x)", 1),
        (b"1\xff1\xff1\n", r"\d(?!z)", 3),
        (b"\xff\n", ".*(?<!z)", 1),
        (b"a\xe9\nTODO\n", "TODO(?!x)", 1),
    ],
)
@pytest.mark.parametrize("multiline", [False, True])
def test_look_around_beside_bytes_that_are_no_text(
    tree: Tree, content: bytes, pattern: str, spans: int, multiline: bool
) -> None:
    """A byte that is not UTF-8 hides nothing that follows it, and breaks nothing."""
    found = rootle.grep(pattern, tree({"f.txt": content}), multiline=multiline)
    assert sum(len(match.spans) for match in found.matches) >= spans
    assert found.engine == "fancy-regex"


@pytest.mark.parametrize("sort", ["modified", "size", "depth"])
def test_glob_cut_by_its_deadline_gives_no_cursor_that_loses_files(tree: Tree, sort: str) -> None:
    """Entries that were not come to may belong before those given: going on would pass them over."""
    root = tree({f"d{outer}/{inner}.txt": "x" * (inner % 7) for outer in range(60) for inner in range(20)})
    for limit in (0.0005, 0.001, 0.002):
        found = Workspace(root).glob("*.txt", sort=sort, max_results=10, timeout_s=limit)  # type: ignore[arg-type]
        if found.stop == "deadline":
            assert found.cursor is None
            assert not found.complete


def test_cursor_is_good_for_its_own_search_alone(tree: Tree) -> None:
    """Other paths or filters make another search."""
    workspace = Workspace(tree({"a.txt": "x\nx\nx\n", "b.md": "x\n"}))
    cursor = workspace.grep("x", max_matches=1).cursor
    assert workspace.grep("x", max_matches=9, cursor=cursor).total == 3
    for path, options in (("a.txt", {}), (".", {"glob": "*.md"}), (".", {"hidden": True})):
        with pytest.raises(InvalidCursor):
            workspace.grep("x", path, cursor=cursor, **options)


def test_a_walk_is_a_sequence(tree: Tree) -> None:
    """Its entries are had by place, from either end, and by going through them."""
    found = rootle.walk(tree({"a": "", "b": "1", "c": ""}), stat=True)
    assert [entry.path for entry in found] == found.paths == ["a", "b", "c"]
    assert (len(found), found[1].size, found[-1].path, found[-3].path) == (3, 1, "c", "a")
    for place in (3, -4):
        with pytest.raises(IndexError):
            found[place]
