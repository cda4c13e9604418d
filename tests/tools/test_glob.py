"""The `glob` tool through the Toolbox."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import InvalidGlob, PathEscapesRoot

Tree = Callable[[dict[str, Any]], Path]
FILES = {
    ".gitignore": "build/\n",
    ".github/ci.yml": "12",
    "app/[id].tsx": "1",
    "app/i.tsx": "1234",
    "build/out.py": "123",
    "src/a.py": "1",
    "src/deep/er/b.py": "12345",
    "top.py": "123",
}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "**/*.py"}, ["src/a.py", "src/deep/er/b.py", "top.py"]),
        ({"pattern": "*.py"}, ["src/a.py", "src/deep/er/b.py", "top.py"]),
        ({"pattern": "src/**"}, ["src/a.py", "src/deep/er/b.py"]),
        ({"pattern": "{src,app}/*.{py,tsx}"}, ["app/[id].tsx", "app/i.tsx", "src/a.py"]),
        ({"pattern": "app/[id].tsx"}, ["app/[id].tsx"]),
        ({"pattern": "app/[hi].tsx"}, ["app/i.tsx"]),
        ({"pattern": ".github/*"}, [".github/ci.yml"]),
        ({"pattern": "**/*.yml"}, []),
        ({"pattern": "**/*.yml", "hidden": True}, [".github/ci.yml"]),
        ({"pattern": "build/out.py"}, ["build/out.py"]),
        ({"pattern": "**/out.py", "no_ignore": True}, ["build/out.py"]),
        ({"pattern": "**/*.py", "path": "src"}, ["src/a.py", "src/deep/er/b.py"]),
        ({"pattern": "**/D*", "kind": "directory", "ignore_case": True}, ["src/deep"]),
        ({"pattern": ["top.*", "src/*.py"]}, ["src/a.py", "top.py"]),
    ],
)
def test_paths(tree: Tree, arguments: dict[str, Any], expected: list[str]) -> None:
    """Each pattern finds its paths."""
    answer = Toolbox(tree(FILES)).call("glob", {"sort": "path", **arguments})
    assert answer.data.paths == expected
    assert answer.data.complete


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("path", ["src/a.py", "src/deep/er/b.py", "top.py"]),
        ("size", ["src/deep/er/b.py", "top.py", "src/a.py"]),
        ("depth", ["top.py", "src/a.py", "src/deep/er/b.py"]),
        ("modified", ["src/a.py", "top.py", "src/deep/er/b.py"]),
    ],
)
def test_order_is_chosen_before_the_cut(tree: Tree, sort: str, expected: list[str]) -> None:
    """Any page size gives the same sequence, page by page."""
    root = tree(FILES)
    for seconds, name in enumerate(["src/deep/er/b.py", "top.py", "src/a.py"]):
        os.utime(root / name, (1_000 + seconds, 1_000 + seconds))
    box = Toolbox(root)
    for size in (1, 2, 5):
        found: list[str] = []
        arguments: dict[str, Any] = {"pattern": "**/*.py", "sort": sort, "max_results": size}
        while True:
            answer = box.call("glob", arguments)
            found += answer.data.paths
            if answer.data.cursor is None:
                break
            arguments["cursor"] = answer.data.cursor
        assert found == expected


def test_equal_times_are_ordered_by_path(tree: Tree) -> None:
    """Newest first has one order even where the times are the same."""
    root = tree({f"{name}.py": "" for name in "dbca"})
    for name in "dbca":
        os.utime(root / f"{name}.py", (5, 5))
    answer = Toolbox(root).call("glob", {"pattern": "*.py"})
    assert answer.data.paths == ["a.py", "b.py", "c.py", "d.py"]


@pytest.mark.parametrize(("pattern", "error"), [("[", InvalidGlob), ("../*", PathEscapesRoot)])
def test_refusals(tree: Tree, pattern: str, error: type[Exception]) -> None:
    """A pattern that does not parse, or leads out, is refused."""
    with pytest.raises(error):
        Toolbox(tree(FILES)).call("glob", {"pattern": pattern})
