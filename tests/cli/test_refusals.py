"""What cannot be done is said in one line with code 2, never as a traceback; what was cut is marked."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Terminal
    from tests.conftest import Tree


def test_read_binary(rootle: Run, tree: Tree) -> None:
    """A binary file has no lines; its size is said."""
    tree({"a.bin": b"a\0b\n"})

    done = rootle("read", "a.bin")

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"rootle: a.bin: binary file, 4 bytes\n")
    assert rootle("read", "--json", "a.bin").returncode == 2


@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
@pytest.mark.parametrize(
    "arguments", [["grep", "foo"], ["ls"], ["--version"], ["--help"], ["grep", "--help"], ["tools"]]
)
def test_full_disk(tree: Tree, arguments: list[str], unbuffered: list[str]) -> None:
    """Output that cannot be written is an error, whether a write says so or the last flush."""
    root = tree({"a.txt": "foo\n"})
    if arguments[-1] == "--help" and len(arguments) > 1:
        unbuffered = []  # argparse itself passes over a write that fails at once.
    command = [sys.executable, *unbuffered, "-m", "rootle", *arguments]

    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=root, stdout=full, stderr=subprocess.PIPE, check=False, env={})

    assert (done.returncode, done.stderr) == (2, b"rootle: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("read a.txt -n -3", "-3 is too small: it must be at least 1"),
        ("read a.txt -n 0", "at least 1"),
        ("read a.txt -s 0", "-1 is the last line"),
        ("read a.txt -M -3", "at least 0"),
        ("ls -d -1", "at least 1"),
        ("ls -m -1", "at least 1"),
        ("ls -m 0", "at least 1"),
        ("glob -m 0 *", "at least 1"),
        ("glob -m -2 *", "-2 is too small"),
        ("glob -j -1 *", "at least 0"),
        ("grep -m 0 foo", "at least 1"),
        ("grep -A -1 foo", "at least 0"),
        ("grep -d -1 foo", "at least 0"),
        ("grep --max-filesize -1 foo", "at least 0"),
        ("grep --timeout-s -1 foo", "seconds from 0 on"),
        ("grep --timeout-s nan foo", "seconds from 0 on"),
        ("bench --rounds 0", "at least 1"),
        ("bench a.txt", "a.txt is not a directory"),
        ("bench --plot missing/plot.svg", "there is no directory missing"),
    ],
)
def test_refused(rootle: Run, tree: Tree, arguments: str, words: str) -> None:
    """Numbers and names that make no sense are refused before anything is done."""
    tree({"a.txt": "foo\n"})

    done = rootle(*arguments.split())

    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_huge_limits_are_no_limits(rootle: Run, tree: Tree) -> None:
    """More than there could ever be is as good as all."""
    tree({"a.txt": "foo\n"})
    most = str(10**30)

    for arguments in (["grep", "-m", most, "-A", most, "--max-filesize", most, "-M", most, "foo"], ["ls", "-m", most]):
        done = rootle(*arguments)
        assert (done.returncode, done.stderr) == (0, b""), arguments


def test_bench_skips_who_cannot_parse(rootle: Run, tree: Tree) -> None:
    """A searcher that does not know the syntax is named, the others are measured."""
    tree({"a.txt": "αβγ\n"})

    done = rootle("bench", "--rounds", "1", "-p", r"\p{Greek}+")

    table = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "query 1: python re skipped: bad escape" in table
    assert "the programs' times include their start" in table


@pytest.mark.parametrize(
    ("line", "start", "end"),
    [
        ("main" + "y" * 900, "main", "y…"),
        ("x" * 900 + "main", "…x", "main"),
        ("x" * 900 + "main" + "y" * 900, "…x", "y…"),
        ("é" * 900 + "main" + "y" * 20, "…é", "y"),
        ("x" * 200 + "main", "x", "main"),
        ("x" * 900 + "main\udcff" + "y" * 900, "x", "y[…]"),
    ],
)
def test_clipped_lines_are_marked_on_a_terminal(
    terminal: Terminal, tree: Tree, line: str, start: str, end: str
) -> None:
    """A line that was cut does not look whole; a whole one has no mark."""
    tree({"a.txt": line.encode("utf-8", "surrogateescape") + b"\n"})

    shown = terminal("grep", "-N", "--color", "never", "main", "a.txt")[1].removesuffix("\n")

    assert (shown[: len(start)], shown[-len(end) :]) == (start, end)
    assert shown.count("…") == (start + end).count("…")
