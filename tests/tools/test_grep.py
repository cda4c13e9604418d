"""The `grep` tool through the Toolbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox, limits
from rootle.errors import InvalidCursor, InvalidPattern, PathNotFound, UnknownFileType

Tree = Callable[[dict[str, Any]], Path]
FILES = {
    ".gitignore": "*.log\n",
    "a.py": "import os\ndef main():\n    pass\n",
    "b.py": "def main_loop():\n    main()\n",
    "docs/c.md": "the main thing\n",
    "noise.log": "needle in a log\n",
    ".hidden": "needle hidden\n",
}


def hits(answer: Any) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in answer.data.matches]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "main"}, [("a.py", 2), ("b.py", 1), ("b.py", 2), ("docs/c.md", 1)]),
        ({"pattern": "main", "word": True}, [("a.py", 2), ("b.py", 2), ("docs/c.md", 1)]),
        ({"pattern": "MAIN", "ignore_case": True, "glob": "*.md"}, [("docs/c.md", 1)]),
        ({"pattern": "main", "type": ["py"]}, [("a.py", 2), ("b.py", 1), ("b.py", 2)]),
        ({"pattern": "main", "exclude": ["*.py"]}, [("docs/c.md", 1)]),
        ({"pattern": "main", "path": "docs"}, [("docs/c.md", 1)]),
        ({"pattern": "main", "path": ["b.py", "a.py"]}, [("a.py", 2), ("b.py", 1), ("b.py", 2)]),
        ({"pattern": "main()", "fixed": True}, [("a.py", 2), ("b.py", 2)]),
        ({"pattern": "main", "max_per_file": 1}, [("a.py", 2), ("b.py", 1), ("docs/c.md", 1)]),
        ({"pattern": r"(?<=def )main\b"}, [("a.py", 2)]),
        ({"pattern": "def main.*\n *main", "multiline": True}, [("b.py", 1)]),
        ({"pattern": "def|main", "invert": True, "glob": ["*.py"]}, [("a.py", 1), ("a.py", 3)]),
        ({"pattern": "--help"}, []),
    ],
)
def test_matches(tree: Tree, arguments: dict[str, Any], expected: list[tuple[str, int]]) -> None:
    """Each option picks its lines, in path order."""
    answer = Toolbox(tree(FILES)).call("grep", arguments)
    assert hits(answer) == expected
    assert answer.data.complete
    assert answer.data.total == len(expected)


def test_text_groups_matches_by_file(tree: Tree) -> None:
    """The model reads a headline, then each file with its lines."""
    answer = Toolbox(tree(FILES)).call("grep", {"pattern": "main", "glob": "*.py", "before": 1})
    assert str(answer) == (
        "Found 3 matches in 2 files.\n\n"
        "a.py\n  1-import os\n  2:def main():\n\nb.py\n  1:def main_loop():\n  2:    main()\n"
    )


def test_modes(tree: Tree) -> None:
    """Files and counts are given without lines."""
    box = Toolbox(tree(FILES))
    files = box.call("grep", {"pattern": "main", "mode": "files"})
    counts = box.call("grep", {"pattern": "main", "mode": "count"})
    assert [file.path for file in files.data.files] == ["a.py", "b.py", "docs/c.md"]
    assert [(file.path, file.count) for file in counts.data.files] == [("a.py", 1), ("b.py", 2), ("docs/c.md", 1)]
    assert files.data.matches == counts.data.matches == []


def test_cursor_continues_to_the_end(tree: Tree) -> None:
    """Pages of any size joined give the whole answer."""
    box = Toolbox(tree({f"f{index:02}.txt": "x\n" * (index % 4) for index in range(30)}))
    whole = hits(box.call("grep", {"pattern": "x"}))
    for size in (1, 2, 7):
        pages: list[tuple[str, int]] = []
        arguments: dict[str, Any] = {"pattern": "x", "max_matches": size}
        while True:
            answer = box.call("grep", arguments)
            assert len(answer.data.matches) <= size
            pages += hits(answer)
            if answer.data.cursor is None:
                break
            arguments["cursor"] = answer.data.cursor
        assert pages == whole


def test_zero_matches_say_where_there_are_some(tree: Tree) -> None:
    """Nothing found is told apart from nothing looked at."""
    box = Toolbox(tree(FILES))
    missed = box.call("grep", {"pattern": "needle"})
    filtered = box.call("grep", {"pattern": "needle", "glob": "*.rs"})
    assert "2 matches in 2 ignored or hidden files" in missed
    assert "No file was searched" in filtered
    assert missed.data.complete


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"pattern": "("}, InvalidPattern),
        ({"pattern": "x", "type": "pythn"}, UnknownFileType),
        ({"pattern": "x", "cursor": "zzz"}, InvalidCursor),
        ({"pattern": "x", "path": "nowhere"}, PathNotFound),
    ],
)
def test_refusals(tree: Tree, arguments: dict[str, Any], error: type[Exception]) -> None:
    """Each bad argument has its own error."""
    with pytest.raises(error):
        Toolbox(tree(FILES)).call("grep", arguments)


def test_binary_files_give_matches_before_the_first_nul(tree: Tree) -> None:
    """What comes before the NUL is given and the file is flagged."""
    answer = Toolbox(tree({"f.bin": b"needle 1\n\x00\nneedle 2\n"})).call("grep", {"pattern": "needle"})
    assert hits(answer) == [("f.bin", 1)]
    assert answer.data.files[0].binary
    assert "binary" in answer


def test_text_stays_within_its_limit(tree: Tree) -> None:
    """Long matches fill the answer before their number does; the cursor goes on."""
    box = Toolbox(tree({"f.txt": ("needle " + "x" * 390 + "\n") * 2_000}))
    seen, arguments = 0, {"pattern": "needle", "max_matches": limits.GREP_MAX_MATCHES}
    while True:
        answer = box.call("grep", arguments)
        assert len(answer) < limits.OUTPUT_CHARS * 1.2
        seen += len(answer.data.matches)
        if answer.data.cursor is None:
            break
        assert answer.data.stop == "max_matches"
        arguments = {**arguments, "cursor": answer.data.cursor}
    assert seen == 2_000


def test_context_after_the_last_match_of_a_limit(tree: Tree) -> None:
    """Lines after it are given though they match too, as ripgrep does."""
    box = Toolbox(tree({"f.txt": "x1\nx2\nx3\nx4\n"}))
    answer = box.call("grep", {"pattern": "x", "max_per_file": 1, "after": 2})
    assert [(line.line, line.text) for line in answer.data.matches[0].after] == [(2, "x2"), (3, "x3")]


def test_a_clipped_line_says_so(tree: Tree) -> None:
    """A model must not take a part of a line for the line."""
    answer = Toolbox(tree({"f.txt": "x" * 5_000 + "needle\nneedle\n"})).call("grep", {"pattern": "needle"})
    lines = [line for line in str(answer).splitlines() if "needle" in line]
    assert [line.endswith(" [clipped]") for line in lines] == [True, False]


def test_an_empty_last_page_is_not_no_matches(tree: Tree) -> None:
    """After a cursor, nothing more is something else than nothing."""
    root = tree({"a.txt": "needle\n", "b.txt": "needle\n"})
    box = Toolbox(root)
    cursor = box.call("grep", {"pattern": "needle", "max_matches": 1}).data.cursor
    (root / "b.txt").unlink()
    assert str(box.call("grep", {"pattern": "needle", "cursor": cursor})) == "No more matches after the cursor."
