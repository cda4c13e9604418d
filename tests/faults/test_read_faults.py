"""Files that are too large, change while they are read, or cannot be read at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import rootle
from rootle import Toolbox, limits
from rootle.errors import IsADirectory, NotADirectory, PathNotFound

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child, Within

_MIB = 1024 * 1024


def first_ten_lines(root: str, name: str) -> list[Any]:
    """Read ten lines, three times, and give the last answer's facts with the shortest time."""
    import time

    from rootle import Toolbox

    box = Toolbox(root)
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        answer = box.call("read_file", {"path": name, "max_lines": 10})
        taken.append(time.perf_counter() - begin)
    file = answer.data.files[0]
    return [min(taken), [line.text for line in file.lines], file.size, file.total_lines, file.next_line, file.binary]


@pytest.mark.parametrize("head", [b"", b"line\n" * 50_000])
def test_sparse_file_of_four_gigabytes(tree: Tree, child: Child, head: bytes) -> None:
    """A few lines of a huge file cost neither time nor memory; its lines are not counted to the end."""
    root = tree({"s": head})
    os.truncate(root / "s", 4 * 1024 * _MIB)
    (taken, lines, size, total, following, binary), growth = child(first_ten_lines, root, "s")
    assert taken < 0.1
    assert growth < 64 * _MIB
    assert size == 4 * 1024 * _MIB
    if head:
        assert (lines, total, following, binary) == (["line"] * 10, None, 11, False)
    else:
        assert (lines, binary) == ([], True)


def one_long_line(root: str) -> list[Any]:
    """Read the start of a long line, then its end by column."""
    import rootle
    from rootle import Toolbox

    box = Toolbox(root)
    start = box.call("read_file", {"path": "long"})
    end = box.call("read_file", {"path": "long", "start_column": 100 * 1024 * 1024 - 4})
    facts = []
    for answer in (start, end):
        file = answer.data.files[0]
        line = file.lines[0]
        facts.append([len(line.text), line.text[-5:], line.cut, line.column, file.next_line, file.next_column])
    return [*facts, len(start.text), start.data.files[0].size, rootle.read(f"{root}/long").lines[0].total_chars]


def test_single_line_of_a_hundred_megabytes(tree: Tree, child: Child, within: Within) -> None:
    """A long line is given in part, with where it goes on and how long it is, in bounded memory."""
    root = tree({})
    with (root / "long").open("wb") as file:
        for _ in range(100):
            file.write(b"x" * _MIB)
        file.write(b"END")
    with within(10):
        (start, end, shown, size, _), growth = child(one_long_line, root)
    assert size == 100 * _MIB + 3
    assert start[1:] == ["xxxxx", True, 1, 1, start[0] + 1]
    assert limits.READ_LINE_CHARS <= start[0] <= limits.READ_CHARS
    assert shown < limits.READ_CHARS + 1000
    assert end == [8, "xxEND", False, 100 * _MIB - 4, None, None]
    assert growth < 64 * _MIB


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"])
def test_only_line_feeds_end_lines(tree: Tree, separator: str) -> None:
    """What other readers split at does not shift line numbers: every tool counts LF alone."""
    box = Toolbox(tree({"f": f"a\n{separator}\nb{separator}b\nNEEDLE{separator}\n"}))
    hit = box.call("grep", {"pattern": "NEEDLE"}).data.matches[0]
    read = box.call("read_file", {"path": "f"})
    lines = read.data.files[0].lines
    assert (hit.line, read.data.files[0].total_lines, [line.number for line in lines]) == (4, 4, [1, 2, 3, 4])
    assert lines[3].text.startswith("NEEDLE")
    assert read.text.splitlines().index("</file>") == 5, "the model would count other lines"


_READ_WHILE = {
    "truncated": "open('f', 'wb').close(); open('f', 'wb').write(b'b' * 200_000)",
    "replaced": "open('n', 'wb').write(b'ab'[n % 2:n % 2 + 1] * 200_000); os.rename('n', 'f')",
    "cut and grown": "os.truncate('f', 10); os.truncate('f', 300_000)",
}


@pytest.mark.parametrize("change", list(_READ_WHILE))
def test_file_that_changes_while_it_is_read(tree: Tree, change: str) -> None:
    """A file cut or replaced under the reader kills nothing, and a mixture never passes for the file (ripgrep#581)."""
    root = tree({"f": b"a" * 200_000})
    script = f"import os\nn = 0\nprint(1, flush=True)\nwhile os.getppid() != 1:\n    n += 1\n    {_READ_WHILE[change]}"
    process = subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE)
    workspace = rootle.Workspace(root)
    box = Toolbox(workspace)
    reads = 0
    try:
        assert process.stdout is not None
        process.stdout.readline()
        end = time.monotonic() + 0.7
        while time.monotonic() < end:
            reads += 1
            result = workspace.read("f", max_line_chars=400_000, max_chars=400_000)
            text = "".join(line.text for line in result.lines)
            if change == "replaced":
                assert text in ("a" * 200_000, "b" * 200_000)
            elif not result.changed_while_reading and text:
                assert set(text) <= {"a"} or set(text) <= {"b", "\0"} or set(text) <= {"a", "\0"}
            box.call("grep", {"pattern": "needle"})
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert reads > 20


def test_file_that_grows_while_it_is_read(tree: Tree, within: Within) -> None:
    """A reader of a file that is written all the time ends at the size that it saw."""
    root = tree({"f": b"line\n" * 1000})
    script = """
import time
with open("f", "ab", buffering=0) as f:
    print(1, flush=True)
    for _ in range(60):
        f.write(b"line\\n" * 200_000)
        time.sleep(0.01)
"""
    process = subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE)
    box = Toolbox(root)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        seen = []
        for _ in range(5):
            with within(2):
                file = box.call("read_file", {"path": "f", "start_line": -1}).data.files[0]
                found = box.call("grep", {"pattern": "needle"}).data
            assert found.complete
            assert file.size <= (root / "f").stat().st_size
            assert [line.text for line in file.lines] in (["line"], ["line"[:1]], ["li"], ["lin"])
            seen.append(file.size)
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert seen[0] < seen[-1], "the file did not grow while it was read"


def closed_paths(root: str) -> dict[str, Any]:
    """Give each path to every tool and collect the kinds of the errors."""
    from rootle import Toolbox
    from rootle.errors import RootleError

    box = Toolbox(root)
    seen: dict[str, Any] = {}
    for path in ("closed", "closed_dir", "closed_dir/f"):
        for name, more in (("read_file", {}), ("grep", {"pattern": "x"}), ("list_dir", {}), ("glob", {"pattern": "*"})):
            try:
                seen[f"{name} {path}"] = box.call(name, {**more, "path": path}).text
            except RootleError as error:
                kinds = [kind.__name__ for kind in type(error).__mro__[:3]]
                seen[f"{name} {path}"] = [error.code, *kinds, "closed text" in str(error)]
    return seen


def test_closed_files_and_directories(open_tmp: Path, child: Child) -> None:
    """What the system does not let us read is a failure of its own kind, not a missing path."""
    (open_tmp / "closed").write_text("closed text x\n", encoding="ascii")
    (open_tmp / "closed_dir").mkdir()
    (open_tmp / "closed_dir" / "f").write_text("closed text x\n", encoding="ascii")
    (open_tmp / "closed").chmod(0)
    (open_tmp / "closed_dir").chmod(0)
    try:
        seen, _ = child(closed_paths, open_tmp, ordinary=True)
    finally:
        (open_tmp / "closed_dir").chmod(0o700)
    denied = ["permission_denied", "PermissionDenied", "FileOperationError", "RootleError", False]
    for call in ("read_file closed", "read_file closed_dir/f", "grep closed_dir/f", "list_dir closed_dir"):
        assert seen[call] == denied, (call, seen[call])


def test_files_that_are_something_else(tree: Tree, within: Within) -> None:
    """A directory, a path below a file and a missing path are three errors."""
    box = Toolbox(tree({"d/f": "x", "readme.txt": "x"}))
    cases: list[tuple[str, type[Exception], str]] = [
        ("d", IsADirectory, "is_a_directory"),
        ("d/f/x", NotADirectory, "not_a_directory"),
        ("readme.txt/", NotADirectory, "not_a_directory"),
        ("redme.txt", PathNotFound, "path_not_found"),
    ]
    for path, kind, code in cases:
        with within(1), pytest.raises(kind) as caught:
            box.call("read_file", {"path": path})
        assert getattr(caught.value, "code", None) == code
    assert getattr(caught.value, "suggestions", ()) == ("readme.txt",)
