"""`rootle grep`: what is printed and which code is given, as users of ripgrep expect."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.conftest import Tree


A = "src/a.py:2:def main():"
A_3 = "src/a.py:3:    return Main"
B = ["src/b.py:1:# main", "src/b.py:5:main()"]
NOTES = "notes.txt:2:the main-point a+b"

FILES: dict[str, str | bytes | Path | None] = {
    "src/a.py": "import os\ndef main():\n    return Main\n",
    "src/b.py": "# main\n\n\n\nmain()\n",
    "notes.txt": "nothing\nthe main-point a+b\n",
    ".hidden.py": "main\n",
    "ignored.log": "main\n",
    ".gitignore": "*.log\n",
    "node_modules/x/i.js": "main\n",
}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["main"],
            [NOTES, A, *B],
        ),
        (["main", "src"], [A, *B]),
        (
            ["main", "src", "-i", "-t", "py"],
            [A, A_3, *B],
        ),
        (["-i", "MAIN$", "./src"], ["./src/a.py:3:    return Main", "./src/b.py:1:# main"]),
        (["-S", "Main", "src"], [A_3]),
        (["-w", "-g", "*.txt", "main"], [NOTES]),
        (["-F", "a+b"], [NOTES]),
        (["-g", "!src", "-g", "!*.py", "main"], [NOTES]),
        (["-l", "main", "src"], ["src/a.py", "src/b.py"]),
        (["-c", "main", "src"], ["src/a.py:1", "src/b.py:2"]),
        (["-c", "main", "src/b.py"], ["2"]),
        (["-o", "ma.n", "src/b.py"], ["1:main", "5:main"]),
        (["-oH", "--column", "a", "src/a.py"], ["src/a.py:2:6:a", "src/a.py:3:13:a"]),
        (["-v", "main", "src/b.py", "-N"], ["", "", ""]),
        (["-m", "1", "main", "src"], [A, B[0]]),
        (["--max-matches", "2", "main", "src"], [A, B[0]]),
        (["-e", "def", "-e", "import", "src"], ["src/a.py:1:import os", A]),
        (["-e", "-p", "notes.txt"], ["2:the main-point a+b"]),
        (["--", "-p", "notes.txt"], ["2:the main-point a+b"]),
        (["-U", r"os\ndef", "src"], ["src/a.py:1:import os", A]),
        (["--hidden", "-l", "main"], [".hidden.py", "notes.txt", "src/a.py", "src/b.py"]),
        (["--no-ignore", "-l", "main"], ["ignored.log", "node_modules/x/i.js", "notes.txt", "src/a.py", "src/b.py"]),
        (
            ["-uu", "-l", "main"],
            [".hidden.py", "ignored.log", "node_modules/x/i.js", "notes.txt", "src/a.py", "src/b.py"],
        ),
        (["--no-skip-dirs", "-l", "main"], ["node_modules/x/i.js", "notes.txt", "src/a.py", "src/b.py"]),
        (["--skip-dir", "src", "-l", "main"], ["node_modules/x/i.js", "notes.txt"]),
        (["-d", "1", "-l", "main"], ["notes.txt"]),
        (["-I", "main", "src"], ["2:def main():", "1:# main", "5:main()"]),
        (["--heading", "main", "src"], ["src/a.py", "2:def main():", "", "src/b.py", "1:# main", "5:main()"]),
        (["-A1", "-B", "1", "# main", "src"], [B[0], "src/b.py-2-"]),
        (["-C1", "main", "src/b.py"], ["1:# main", "2-", "--", "4-", "5:main()"]),
        (
            ["-C1", "return|# main", "src"],
            ["src/a.py-2-def main():", A_3, "--", B[0], "src/b.py-2-"],
        ),
    ],
)
def test_grep_prints(rootle: Run, tree: Tree, arguments: list[str], expected: list[str]) -> None:
    """Each option does what its namesake of ripgrep does."""
    tree(FILES)

    done = rootle("grep", *arguments)

    assert (done.stdout.decode().splitlines(), done.stderr, done.returncode) == (expected, b"", 0)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["zebra"], 1, ""),
        (["-q", "zebra"], 1, ""),
        (["-q", "main"], 0, ""),
        (["-t", "py", "point"], 1, ""),
        (["foo("], 2, "invalid pattern"),
        (["main", "srx"], 2, "src"),
        (["-t", "pyy", "main"], 2, "py"),
        (["main", "-g", "a{b"], 2, "glob"),
        ([], 2, "a pattern is needed"),
        (["main", "--nope"], 2, "--nope"),
        (["main", "-C", "x"], 2, "not a whole number"),
    ],
)
def test_grep_exit_code(rootle: Run, tree: Tree, arguments: list[str], code: int, words: str) -> None:
    """0 found, 1 nothing found, 2 error; an error says on stderr what is wrong."""
    tree(FILES)

    done = rootle("grep", *arguments)

    assert (done.returncode, done.stdout) == (code, b"")
    assert words in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_grep_null_after_names(rootle: Run, tree: Tree) -> None:
    """`-0` ends names with a NUL byte in every form."""
    tree(FILES)

    assert rootle("grep", "-0l", "main", "src").stdout == b"src/a.py\0src/b.py\0"
    assert rootle("grep", "-0", "def", "src").stdout == b"src/a.py\x002:def main():\n"
    assert rootle("grep", "-0c", "def", "src").stdout == b"src/a.py\x001\n"


def test_grep_json_is_shaped_as_ripgreps(rootle: Run, tree: Tree) -> None:
    """Messages, fields and byte offsets are those of `rg --json`; the summary says what was covered."""
    tree({"a.txt": "één\nx é main é main\ny\n"})

    done = rootle("grep", "--json", "-A1", "main")

    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert [message["type"] for message in messages] == ["begin", "match", "context", "end", "summary"]
    assert messages[1]["data"] == {
        "path": {"text": "a.txt"},
        "lines": {"text": "x é main é main\n"},
        "line_number": 2,
        "absolute_offset": 6,
        "submatches": [
            {"match": {"text": "main"}, "start": 5, "end": 9},
            {"match": {"text": "main"}, "start": 13, "end": 17},
        ],
    }
    assert messages[2]["data"] == {
        "path": {"text": "a.txt"},
        "lines": {"text": "y\n"},
        "line_number": 3,
        "submatches": [],
    }
    summary = messages[4]["data"]
    assert (summary["complete"], summary["stats"]["matched_lines"], summary["coverage"]["files"]) == (True, 1, 1)


def test_grep_json_without_a_match(rootle: Run, tree: Tree) -> None:
    """Even an empty answer has its summary, and the code says that it is empty."""
    tree(FILES)

    done = rootle("grep", "--json", "zebra")

    (message,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (message["type"], message["data"]["stats"]["matched_lines"], done.returncode) == ("summary", 0, 1)


def test_grep_name_that_is_not_utf8(rootle: Run, tree: Tree) -> None:
    """Such a name leaves as the bytes it is; JSON gives it in base64."""
    root = tree({})
    with open(os.path.join(os.fsencode(root), b"caf\xe9.txt"), "wb") as file:
        file.write(b"main\n")

    assert rootle("grep", "main").stdout == b"caf\xe9.txt:1:main\n"
    assert rootle("grep", "-N", "main", b"caf\xe9.txt").stdout == b"main\n"
    begin = json.loads(rootle("grep", "--json", "main").stdout.splitlines()[0])
    assert begin == {"type": "begin", "data": {"path": {"bytes": "Y2Fm6S50eHQ="}}}


def test_grep_long_line_is_whole_in_a_pipe(rootle: Run, tree: Tree) -> None:
    """A pipe gets the line as it is; `-M` clips it around the match."""
    tree({"a.txt": "x" * 50_000 + "main" + "y" * 50_000 + "\n"})

    assert len(rootle("grep", "-N", "main", "a.txt").stdout) == 100_005
    clipped = rootle("grep", "-N", "-M", "100", "main", "a.txt").stdout
    assert len(clipped) < 200
    assert b"main" in clipped


def test_grep_unreadable_file_is_an_error_beside_the_matches(rootle: Run, tree: Tree) -> None:
    """What cannot be searched is named on stderr and makes the code 2."""
    root = tree({"a.txt": "main\n", "locked/b.txt": "main\n"})
    os.chmod(root / "locked", 0)
    try:
        done = rootle("grep", "main")
    finally:
        os.chmod(root / "locked", 0o755)

    # The superuser may read everything: then there is nothing to complain about.
    locked = os.geteuid() != 0
    assert (done.returncode == 2) == locked
    assert ("locked" in done.stderr.decode()) == locked
    assert b"a.txt:1:main" in done.stdout


def test_grep_work_tree_rules_count_below_it(rootle: Run, tree: Tree) -> None:
    """The rules of the enclosing work tree count in a subdirectory; paths are shown from the current directory."""
    root = tree({".git": None, ".gitignore": "*.log\n", "src/a.txt": "main\n", "src/b.log": "main\n"})

    assert rootle("grep", "main", cwd=root / "src").stdout == b"a.txt:1:main\n"
    assert rootle("grep", "main", "..", cwd=root / "src").stdout == b"../src/a.txt:1:main\n"
    assert rootle("grep", "main", str(root)).stdout.decode() == f"{root}/src/a.txt:1:main\n"
