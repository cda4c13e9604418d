"""Every tool that reads over every client: the same answers as on a local directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox

Client = Callable[[Path], Any]
Ask = Callable[[Toolbox, str, dict[str, Any]], tuple[str, Any]]

ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "list_dir": [
        {},
        {"depth": 1},
        {"depth": 5},
        {"hidden": True, "no_ignore": True, "depth": 4},
        {"max_entries": 5},
        {"path": "deep/er"},
        {"path": "linkdir"},
        {"path": "sub", "no_ignore": True},
        {"path": "node_modules"},
        {"path": "a.py"},
        {"path": "dep"},
        {"path": "../up"},
        {"path": "out"},
        {"path": "/etc"},
        {"path": "docs/.."},
        {"path": "linkdir/.."},
    ],
    "glob": [
        {"pattern": "*"},
        {"pattern": "*.py", "sort": "path"},
        {"pattern": "**/*.py"},
        {"pattern": ["*.rs", "docs/*"]},
        {"pattern": "*", "sort": "size"},
        {"pattern": "*", "sort": "depth", "kind": "any"},
        {"pattern": "*", "kind": "directory", "hidden": True},
        {"pattern": "*.PY", "ignore_case": True},
        {"pattern": "*", "no_ignore": True, "hidden": True, "sort": "path"},
        {"pattern": "*", "max_results": 3, "sort": "path"},
        {"pattern": "node_modules/m.js"},
        {"pattern": "node_modules/*"},
        {"pattern": "build/out.py"},
        {"pattern": "*.log"},
        {"pattern": ".hid*"},
        {"pattern": "*.md", "path": "docs"},
        {"pattern": "*", "path": "linkdir"},
        {"pattern": "odd*", "sort": "path"},
        {"pattern": "["},
        {"pattern": "../*"},
        {"pattern": "*", "path": "nowhere"},
        {"pattern": "*", "path": "a.py"},
    ],
    "grep": [
        {"pattern": "needle"},
        {"pattern": "main"},
        {"pattern": "needle", "mode": "files"},
        {"pattern": "needle", "mode": "count"},
        {"pattern": "needle", "sort": "modified"},
        {"pattern": "needle", "hidden": True},
        {"pattern": "needle", "no_ignore": True},
        {"pattern": "needle", "no_ignore": True, "hidden": True, "max_matches": 3},
        {"pattern": "main", "before": 1, "after": 1},
        {"pattern": "main", "word": True},
        {"pattern": "MAIN|needle", "ignore_case": True, "glob": ["*.py", "*.rs"]},
        {"pattern": "main", "type": ["py"]},
        {"pattern": "main", "type": ["pyhton"]},
        {"pattern": "main", "exclude": ["*.py"]},
        {"pattern": "main", "path": "docs"},
        {"pattern": "main", "path": "linkdir"},
        {"pattern": "main", "path": ["b.py", "a.py"]},
        {"pattern": "main()", "fixed": True},
        {"pattern": "[", "fixed": True},
        {"pattern": "main", "max_per_file": 1},
        {"pattern": "needle", "max_matches": 2},
        {"pattern": r"(?<=def )main\b"},
        {"pattern": r"(?=needle)"},
        {"pattern": r"(a)(i)n\b.*\)"},
        {"pattern": r"(e)\1dle"},
        {"pattern": "def main.*\n *main", "multiline": True},
        {"pattern": "main.*pass", "multiline": True, "dotall": True},
        {"pattern": "def|main", "invert": True, "glob": ["*.py"]},
        {"pattern": "ne+", "only_matching": True},
        {"pattern": r"\d+"},
        {"pattern": r"\bx\b"},
        {"pattern": r"^\s+\w+\(\)$"},
        {"pattern": r"needle$"},
        {"pattern": r"caf.", "guess_encoding": True},
        {"pattern": "café", "guess_encoding": True},
        {"pattern": "STRASSE|ärger|straße", "ignore_case": True},
        {"pattern": "ключ"},
        {"pattern": r"\p{Cyrillic}+"},
        {"pattern": "[^ -~]"},
        {"pattern": ""},
        {"pattern": "x*"},
        {"pattern": "--help"},
        {"pattern": "-e"},
        {"pattern": "nothing like it"},
        {"pattern": "a(b"},
        {"pattern": "a\nb"},
        {"pattern": "needle", "path": "noise.log"},
        {"pattern": "needle", "path": "odd\\x0aline.txt"},
        {"pattern": "needle", "path": "nedle.txt"},
        {"pattern": "needle", "path": "out"},
        {"pattern": "needle", "path": "pipe"},
        {"pattern": "needle", "cursor": "g1.nonsense"},
        {"pattern": "needle", "glob": ["*.zig"]},
    ],
    "read_file": [
        {"path": "a.py"},
        {"path": "empty"},
        {"path": "bin.dat"},
        {"path": "crlf.txt"},
        {"path": "latin.txt"},
        {"path": "utf16.txt"},
        {"path": "utf8bom.txt", "max_lines": 1},
        {"path": "docs/long.txt"},
        {"path": "docs/long.txt", "start_column": 4000},
        {"path": "b.py", "start_line": 2, "max_lines": 1},
        {"path": "b.py", "start_line": -1},
        {"path": "b.py", "start_line": 99},
        {"path": "latin.txt", "encoding": "latin1"},
        {"path": "latin.txt", "encoding": "no-such"},
        {"path": "link.py"},
        {"path": "linkdir/c.md"},
        {"path": "linkdir/../a.py"},
        {"path": "bad\\udcff.txt"},
        {"path": "odd\\x0aline.txt"},
        {"path": "odd\\x09tab*?[x].txt"},
        {"path": ["a.py", "b.py", "nowhere.py"]},
        {"path": "docs"},
        {"path": "a.py/"},
        {"path": "a.py/b"},
        {"path": "pipe"},
        {"path": "lost"},
        {"path": "out/passwd"},
        {"path": "../x"},
        {"path": "/etc/passwd"},
        {"path": "docs/d.md"},
        {"path": "\0"},
    ],
}
READS = [(tool, arguments) for tool, several in ARGUMENTS.items() for arguments in several]


@pytest.fixture(scope="module")
def boxes(
    make_client: Client, make_tree: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Toolbox, Toolbox]:
    """Give a toolbox over the client and one on the directory, both on one tree that is not changed."""
    root = make_tree(tmp_path_factory.mktemp("read") / "tree")
    return Toolbox(make_client(root)), Toolbox(root)


def titled(case: tuple[str, dict[str, Any]]) -> str:
    return f"{case[0]}-{case[1]}"


@pytest.mark.parametrize("case", READS, ids=titled)
def test_what_reads_is_equal(boxes: tuple[Toolbox, Toolbox], ask: Ask, case: tuple[str, dict[str, Any]]) -> None:
    """Text, data and errors are those of a local directory."""
    remote, local = boxes
    local.workspace.sync.read_state.clear()
    remote.workspace.sync.read_state.clear()
    assert ask(remote, *case) == ask(local, *case)
