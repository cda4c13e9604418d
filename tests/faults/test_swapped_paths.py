"""Paths that another process changes while they are used."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rootle.errors import RootleError

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import OpenBox, Outside

_SWAP = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pairs = [name.encode() for name in sys.argv[1:]]
print("ready", flush=True)
while os.getppid() != 1:
    for _ in range(100):
        for left, right in zip(pairs[::2], pairs[1::2]):
            libc.renameat2(-100, left, -100, right, 2)
"""


@contextmanager
def swapping(root: Path, *names: str) -> Iterator[None]:
    """Exchange each pair of names again and again, from another process, each time in one step."""
    command = [sys.executable, "-c", _SWAP, *names]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"path": "x"}),
    ("read_file", {"path": "d/only-outside.txt"}),
    ("list_dir", {"path": "d"}),
    ("list_dir", {"path": ".", "depth": 3}),
    ("glob", {"pattern": "d/*", "kind": "any"}),
    ("glob", {"pattern": "*", "path": "d", "sort": "size"}),
    ("grep", {"pattern": "TOP|inside"}),
    ("grep", {"pattern": "TOP|inside", "path": ["x", "d"]}),
]


def test_file_and_directory_swapped_with_links_that_leave(tree: Tree, open_box: OpenBox, outside: Outside) -> None:
    """No call in a race sees the outside; each gives the inside or an error of its own (CVE-2024-8244)."""
    files: dict[str, Any] = {"x": "inside\n", "x2": outside.secret, "d/f": "inside\n", "d2": outside.directory}
    root = tree(files)
    box = open_box(root)
    seen: Counter[str] = Counter()
    with swapping(root, "x", "x2", "d", "d2"):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            for name, arguments in _CALLS:
                try:
                    answer = box.call(name, arguments)
                except RootleError as error:
                    kind, text = error.code, f"{error}{error.details}{error.suggestions}"
                else:
                    kind, text = "answers", answer.text + answer.data.model_dump_json()
                    assert '"path":"d/only-outside.txt"' not in text
                seen[kind] += 1
                assert "TOPSECRET" not in text
                assert "48271" not in text
    assert seen["answers"] > 20, seen
    assert seen["path_escapes_root"] > 20, seen
    assert outside.secret.stat().st_size == 48271


def _writes(n: int) -> list[tuple[str, dict[str, Any]]]:
    """Give calls that write into what is swapped: a file, and a directory on the way to one."""
    return [
        ("write_file", {"path": "x", "content": f"inside {n}\n"}),
        ("write_file", {"path": "d/new/made.txt", "content": f"inside {n}\n"}),
        ("write_file", {"path": "d/f", "content": f"inside {n}\n"}),
        ("update_file", {"path": "x", "old": "inside", "new": f"inside {n} and"}),
        ("update_file", {"path": "d/only-outside.txt", "old": "TOPSECRET", "new": "planted"}),
        ("apply_diff", {"diff": f"--- /dev/null\n+++ b/d/added-{n}.txt\n@@ -0,0 +1 @@\n+inside\n"}),
        ("apply_diff", {"diff": "--- a/d/only-outside.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-TOPSECRET\n"}),
    ]


def test_nothing_is_written_through_a_swapped_link(tree: Tree, open_box: OpenBox, outside: Outside) -> None:
    """Neither changed, nor made, nor removed outside; inside each file is whole."""
    secret = outside.secret.read_bytes()
    files: dict[str, Any] = {"x": "inside\n", "x2": outside.secret, "d/f": "inside\n", "d2": outside.directory}
    root = tree(files)
    box = open_box(root)
    box.overwrite = "any"
    seen: Counter[str] = Counter()
    with swapping(root, "x", "x2", "d", "d2"):
        end = time.monotonic() + 2
        n = 0
        while time.monotonic() < end:
            n += 1
            for name, arguments in _writes(n):
                try:
                    answer = box.call(name, arguments)
                except RootleError as error:
                    kind, text = error.code, f"{error}{error.details}{error.suggestions}"
                else:
                    kind, text = "errors" if answer.is_error else "answers", answer.text
                seen[kind] += 1
                assert "TOPSECRET" not in text.replace(str(arguments), "") or "diff" in arguments
                assert "48271" not in text
    assert seen["answers"] > 10, seen
    assert seen["path_escapes_root"] > 10, seen
    assert {path.name: path.read_bytes() for path in outside.directory.iterdir()} == {outside.secret.name: secret}
    whole = [path for path in (root / "x", root / "x2", root / "d/f", root / "d2/f") if path.is_file()]
    assert all(path.is_symlink() or path.read_bytes().startswith(b"inside") for path in whole)


def test_tree_that_changes_while_it_is_walked(tree: Tree, open_box: OpenBox) -> None:
    """Files and directories that come and go do not end a walk; what stays is always found."""
    root = tree({f"{top}/{name}.txt": "stays\n" for top in "abc" for name in range(20)})
    box = open_box(root)
    workspace = box.workspace.sync
    stays = sorted(str(path.relative_to(root)) for path in root.rglob("*.txt"))
    script = """
import os, shutil
print("ready", flush=True)
n = 0
while os.getppid() != 1:
    n += 1
    os.makedirs(f"b/t{n % 7}/u/v", exist_ok=True)
    for m in range(5):
        with open(f"b/t{n % 7}/u/new{m}.log", "w") as f:
            f.write("x")
    os.symlink("nowhere", f"c/l{n}")
    shutil.rmtree(f"b/t{(n + 3) % 7}", ignore_errors=True)
    os.unlink(f"c/l{n}")
"""
    process = subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        before = (root / "b").stat().st_mtime_ns
        end = time.monotonic() + 1
        rounds = 0
        while time.monotonic() < end:
            rounds += 1
            hits = box.call("grep", {"pattern": "stays", "max_matches": 1000}).data
            assert [hit.path for hit in hits.matches] == stays
            assert hits.complete
            found = box.call("glob", {"pattern": "**/*.txt", "sort": "path"}).data
            assert found.paths == stays
            listed = box.call("list_dir", {"depth": 4, "max_entries": 5000}).data
            assert {e.path for e in listed.entries if e.path.endswith(".txt")} == set(stays)
            walked = workspace.walk(stat=True, threads=4)
            assert [path for path in walked.paths if path.endswith(".txt")] == stays
        assert rounds > 3
        assert (root / "b").stat().st_mtime_ns > before, "nothing changed while the tree was walked"
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
