"""The `list_dir` tool through the Toolbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import NotADirectory, PathEscapesRoot

Tree = Callable[[dict[str, Any]], Path]


def test_tree_with_sizes_links_and_counts(tree: Tree) -> None:
    """The model sees the tree, what each entry is, and what is left out."""
    root = tree(
        {".gitignore": "*.o\n", ".env": "", "a.txt": "hello", "src/x.o": "", "src/y.c": "int", "src/deep/z.c": ""}
    )
    (root / "link").symlink_to("a.txt")
    (root / "gone").symlink_to("nothing")
    answer = Toolbox(root).call("list_dir", {"depth": 2})
    assert str(answer).splitlines() == [
        "./ (2 hidden)",
        "  a.txt (5 B)",
        "  gone@ -> nothing (broken)",
        "  link@ -> a.txt",
        "  src/ (1 ignored)",
        "    deep/ ...",
        "    y.c (3 B)",
    ]


def test_a_cut_keeps_the_upper_levels(tree: Tree) -> None:
    """With room for four entries the top level comes before anything below it."""
    root = tree({"a/1": "", "a/2": "", "b/1": "", "c/1": ""})
    answer = Toolbox(root).call("list_dir", {"depth": 3, "max_entries": 4})
    assert [entry.path for entry in answer.data.entries] == ["a", "a/1", "b", "c"]
    assert answer.data.stop == "max_entries"


@pytest.mark.parametrize(
    ("path", "error"),
    [("f", NotADirectory), ("..", PathEscapesRoot), ("a/../../", PathEscapesRoot), ("up", PathEscapesRoot)],
)
def test_refusals(tree: Tree, path: str, error: type[Exception]) -> None:
    """Nothing but a directory inside the root is listed."""
    root = tree({"f": "", "a/x": ""})
    (root / "up").symlink_to("..")
    with pytest.raises(error):
        Toolbox(root).call("list_dir", {"path": path})
