"""`rootle glob`, `ls` and `read`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.conftest import Tree


def dated(root: Path, *names: str) -> None:
    """Make the files older in this order."""
    for age, name in enumerate(names):
        os.utime(root / name, ns=(10**18 - age * 10**9,) * 2)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["**/*.py"], ["src/new.py", "old.py"]),
        (["**/*.py", "--sort", "path"], ["old.py", "src/new.py"]),
        (["*.py", "src"], ["src/new.py"]),
        (["*.py", "./"], ["./src/new.py", "./old.py"]),
        (["**/*.PY", "-i", "-m", "1"], ["src/new.py"]),
        (["src", "--kind", "directory"], ["src"]),
        (["**/*.{py,txt}", "--sort", "path", "-."], [".dot.py", "old.py", "src/new.py"]),
    ],
)
def test_glob_prints(rootle: Run, tree: Tree, arguments: list[str], expected: list[str]) -> None:
    """Newest first unless told otherwise."""
    root = tree({"src/new.py": "", "old.py": "", ".dot.py": "", "x.md": ""})
    dated(root, "src/new.py", "old.py", ".dot.py")

    done = rootle("glob", *arguments)

    assert (done.stdout.decode().splitlines(), done.returncode) == (expected, 0)


def test_glob_nothing_null_json_and_error(rootle: Run, tree: Tree) -> None:
    """1 when nothing matches, 2 for a bad glob; NUL and JSON forms."""
    tree({"a.py": ""})

    assert rootle("glob", "*.rs").returncode == 1
    assert rootle("glob", "[z-a]").returncode == 2
    assert rootle("glob", "-0", "*.py").stdout == b"a.py\0"
    entry, summary = (json.loads(line) for line in rootle("glob", "--json", "*.py").stdout.splitlines())
    assert (entry["type"], entry["data"]["path"], entry["data"]["kind"]) == ("entry", {"text": "a.py"}, "file")
    assert (summary["type"], summary["data"]["total"], summary["data"]["complete"]) == ("summary", 1, True)


def test_ls_tree(rootle: Run, tree: Tree) -> None:
    """Levels are indented, directories and links marked; hidden entries on demand."""
    tree({"src/deep/x.py": "", "src/a.py": "", "b.txt": "1234", ".dot": "", "link": Path("b.txt")})

    assert rootle("ls").stdout.decode().splitlines() == ["b.txt", "link@ -> b.txt", "src/"]
    assert rootle("ls", "-d", "2", "src").stdout.decode().splitlines() == ["a.py", "deep/", "  x.py"]
    assert ".dot" in rootle("ls", "-.").stdout.decode().splitlines()
    assert rootle("ls", "nowhere").returncode == 2


def test_ls_long_and_json(rootle: Run, tree: Tree) -> None:
    """`-l` shows mode, size and time; JSON gives them as numbers."""
    root = tree({"b.txt": "1234"})
    os.chmod(root / "b.txt", 0o640)

    mode, size, *_, name = rootle("ls", "-l").stdout.decode().split()
    assert (mode, size, name) == ("-rw-r-----", "4", "b.txt")
    entry, summary = (json.loads(line) for line in rootle("ls", "--json").stdout.splitlines())
    assert (entry["data"]["path"], entry["data"]["size"], summary["data"]["complete"]) == ({"text": "./b.txt"}, 4, True)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "one\ntwo\nthree"),
        (["-n", "1"], "one\n"),
        (["-s", "2"], "two\nthree"),
        (["-s", "-1"], "three"),
        (["-s", "2", "-n", "1", "--line-number"], "     2  two\n"),
        (["--start-column", "2", "-n", "1"], "ne\n"),
        (["-M", "2"], "on\ntw\nth"),
        (["-M", "2", "-n", "2"], "on\ntw\n"),
    ],
)
def test_read_prints(rootle: Run, tree: Tree, arguments: list[str], expected: str) -> None:
    """Lines come as they are, with no line end where the file has none."""
    tree({"a.txt": "one\ntwo\nthree"})

    done = rootle("read", "a.txt", *arguments)

    assert (done.stdout.decode(), done.stderr, done.returncode) == (expected, b"", 0)


def test_read_goes_on_through_a_large_file(rootle: Run, tree: Tree) -> None:
    """A file larger than one read gives, with a line longer than that too, comes out whole."""
    content = "".join(f"line {number}\n" for number in range(30_000)) + "é" * 250_000 + "\nend\n"
    tree({"a.txt": content})

    assert rootle("read", "a.txt").stdout.decode() == content
    assert rootle("read", "a.txt", "-s", "20000", "-n", "3").stdout == b"line 19999\nline 20000\nline 20001\n"


def test_read_past_the_end_empty_and_missing(rootle: Run, tree: Tree) -> None:
    """1 when there is no such line, 2 when there is no such file; each says why."""
    tree({"a.txt": "one\n", "empty": ""})

    past, empty, missing = rootle("read", "a.txt", "-s", "9"), rootle("read", "empty"), rootle("read", "b.txt")

    assert (past.returncode, empty.returncode, missing.returncode) == (1, 1, 2)
    assert b"1 lines" in past.stderr
    assert b"empty" in empty.stderr
    assert b"b.txt" in missing.stderr


def test_read_json(rootle: Run, tree: Tree) -> None:
    """One object: the lines and what is known about the file."""
    tree({"a.txt": "one\r\ntwo\r\n"})

    data = json.loads(rootle("read", "--json", "a.txt").stdout)

    assert [line["text"] for line in data["lines"]] == ["one", "two"]
    assert (data["encoding"], data["total_lines"], data["final_newline"]) == ("utf-8", 2, True)
