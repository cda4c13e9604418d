"""What differs on a terminal: headings, colour, visible escapes, progress; and how output and interrupts end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Terminal
    from tests.conftest import Tree


def test_terminal_gets_headings_and_colour(terminal: Terminal, tree: Tree) -> None:
    """Names stand above their lines, matches are red."""
    tree({"a.txt": "one main two\n"})

    code, shown = terminal("grep", "main")

    assert code == 0
    assert shown == "\x1b[35ma.txt\x1b[0m\n\x1b[32m1\x1b[0m\x1b[36m:\x1b[0mone \x1b[1;31mmain\x1b[0m two\n"


def test_no_color_is_respected(terminal: Terminal, tree: Tree) -> None:
    """`NO_COLOR` and `--color never` switch colour off; `--color always` beats the variable."""
    tree({"a.txt": "main\n"})

    assert terminal("grep", "main", NO_COLOR="1")[1] == "a.txt\n1:main\n"
    assert terminal("grep", "--color", "never", "main")[1] == "a.txt\n1:main\n"
    assert "\x1b[1;31mmain" in terminal("grep", "--color", "always", "main", NO_COLOR="1")[1]


def test_pipe_gets_no_colour(rootle: Run, tree: Tree) -> None:
    """Nothing but the text goes into a pipe."""
    tree({"a.txt": "main\n"})

    assert rootle("grep", "main").stdout == b"a.txt:1:main\n"
    assert rootle("ls").stdout == b"a.txt\n"


def test_control_characters_are_visible_on_a_terminal(terminal: Terminal, rootle: Run, tree: Tree) -> None:
    """Content and names cannot move the cursor or colour anything; a pipe gets the bytes."""
    tree({"e\x1b[31m.txt": "main \x1b]0;title\x07 \u202eback\n"})

    _, shown = terminal("grep", "--color", "never", "main")

    assert shown == "e\\x1b[31m.txt\n1:main \\x1b]0;title\\x07 \\u202eback\n"
    assert rootle("grep", "main").stdout == "e\x1b[31m.txt:1:main \x1b]0;title\x07 \u202eback\n".encode()


def test_name_that_is_not_utf8_on_a_terminal(terminal: Terminal, tree: Tree) -> None:
    """A byte that is no UTF-8 is shown as an escape."""
    root = tree({})
    (Path(os.fsdecode(os.path.join(os.fsencode(root), b"caf\xe9.txt")))).write_text("main\n")

    assert terminal("grep", "-l", "--color", "never", "main")[1] == "caf\\udce9.txt\n"


def test_closed_pipe_is_quiet(tree: Tree) -> None:
    """A reader that leaves early ends the program without a word."""
    root = tree({"a.txt": "main\n" * 100_000})
    command = [sys.executable, "-m", "rootle", "grep", "main"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None

    assert process.stdout.readline() == b"a.txt:1:main\n"
    process.stdout.close()

    assert process.stderr.read() == b""
    assert process.wait(timeout=30) == 0
    process.stderr.close()


def test_interrupt_ends_with_130(tree: Tree) -> None:
    """Ctrl-C while a command waits ends it at once, without a traceback."""
    root = tree({"a.txt": "main\n"})
    command = [sys.executable, "-m", "rootle", "call", "grep", "-"]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _wait_until_reading(process.pid)

    process.send_signal(signal.SIGINT)
    shown, complaint = process.communicate(timeout=30)

    assert (process.returncode, shown, complaint) == (130, b"", b"")


def _wait_until_reading(pid: int) -> None:
    """Wait until the process sleeps in a read of its stdin."""
    for _ in range(500):
        if "pipe" in Path(f"/proc/{pid}/wchan").read_text() or Path(f"/proc/{pid}/syscall").read_text().startswith(
            "0 0x0 "
        ):
            return
        time.sleep(0.02)
    raise AssertionError("the command never waited for its input")
