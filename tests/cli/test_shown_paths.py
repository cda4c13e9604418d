"""Paths are shown as the user gave them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle.cli.paths import ShownPaths

if TYPE_CHECKING:
    from tests.conftest import Tree


@pytest.mark.parametrize(
    ("given", "found", "shown"),
    [
        ([], "work/src/a.py", "src/a.py"),
        (["."], "work/src/a.py", "./src/a.py"),
        (["./"], "work/src/a.py", "./src/a.py"),
        (["src"], "work/src/a.py", "src/a.py"),
        (["src/"], "work/src/a.py", "src/a.py"),
        (["./src"], "work/src/a.py", "./src/a.py"),
        (["src/../src"], "work/src/a.py", "src/../src/a.py"),
        (["src/a.py"], "work/src/a.py", "src/a.py"),
        ([".."], "other/b.py", "../other/b.py"),
        (["../other"], "other/b.py", "../other/b.py"),
        ([".", "src"], "work/src/a.py", "src/a.py"),
        (["src", "."], "work/src/a.py", "src/a.py"),
        (["src", "."], "work/c.py", "./c.py"),
        (["srcs", "src"], "work/srcs/a.py", "srcs/a.py"),
    ],
)
def test_shown_paths(tree: Tree, monkeypatch: pytest.MonkeyPatch, given: list[str], found: str, shown: str) -> None:
    """The longest argument that leads to a result decides its form; `srcs` is not below `src`."""
    root = tree({"work/src": None, "work/srcs": None, "other": None})
    monkeypatch.chdir(root / "work")

    assert ShownPaths(given, str(root))(found) == shown


def test_shown_paths_absolute_and_through_a_link(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute argument gives absolute paths, and a link to the root is shown as the link."""
    root = tree({"real/src": None, "link": Path("real")})
    monkeypatch.chdir(root)
    real = os.path.realpath(root / "real")

    assert ShownPaths([real], real)("src/a.py") == f"{real}/src/a.py"
    assert ShownPaths(["link"], real)("src/a.py") == "link/src/a.py"
    assert ShownPaths(["link/src"], real)("src/a.py") == "link/src/a.py"
