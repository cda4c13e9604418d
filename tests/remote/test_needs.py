"""What a sandbox must have, and what is the same in every one: roots, freshness, threads, large files."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Workspace, limits
from rootle.contracts import Replacement
from rootle.errors import PathEscapesRoot, PathNotFound, SandboxUnavailable
from rootle.sandbox import Environment, LocalSandbox
from rootle.workspace import SandboxBackend

FILES = {"src/a.py": "def main():\n    pass\n", "b.txt": "needle\n", ".gitignore": "*.log\n"}
CALLS: dict[str, Callable[[Workspace], Any]] = {
    "read": lambda w: w.read("b.txt"),
    "stat": lambda w: w.stat("b.txt"),
    "list_dir": lambda w: w.list_dir(),
    "glob": lambda w: w.glob("*"),
    "edit": lambda w: w.edit("b.txt", Replacement("needle", "pin")),
}


def workspace(client: Any) -> Workspace:
    return Workspace(backend=SandboxBackend(client))


@pytest.mark.parametrize(
    ("missing", "call", "named"),
    [
        (["find"], "list_dir", "find -printf|find -print0"),
        (["find", "stat"], "read", "stat -c"),
        (["readlink"], "stat", "readlink -f"),
        (["xargs"], "glob", "xargs -0"),
        (["sha256sum"], "edit", "sha256sum"),
    ],
)
def test_tools_that_are_missing_are_named(tree: Any, missing: list[str], call: str, named: str) -> None:
    """A sandbox without find, say, is told so; nothing reads as an empty tree."""
    root = tree({"tools/.keep": "", **FILES})
    for program in Path("/usr/bin").iterdir():
        if program.name not in missing:
            (root / "tools" / program.name).symlink_to(program)
    client = LocalSandbox(root, environment=Environment(set={"PATH": str(root / "tools")}))
    with pytest.raises(SandboxUnavailable, match=named):
        CALLS[call](workspace(client))


def test_without_grep_everything_is_fetched(tree: Any) -> None:
    """Neither rg nor grep: slower, and the same answer."""
    root = tree({"tools/.keep": "", **FILES})
    for program in Path("/usr/bin").iterdir():
        if program.name not in ("rg", "grep"):
            (root / "tools" / program.name).symlink_to(program)
    client = LocalSandbox(root, environment=Environment(set={"PATH": str(root / "tools")}))
    found = workspace(client).grep("needle", glob="*.txt")
    assert ([match.path for match in found.matches], found.engine) == (["b.txt"], "rootle")


def test_no_shell_and_no_root(tree: Any) -> None:
    """Both are said plainly."""
    root = tree(FILES)
    empty = LocalSandbox(root, environment=Environment(set={"PATH": "/nowhere"}))
    with pytest.raises(SandboxUnavailable, match="no shell"):
        workspace(empty).read("b.txt")
    with pytest.raises(PathNotFound, match="no directory in the sandbox"):
        Workspace(backend=SandboxBackend(LocalSandbox(root), "nowhere")).read("b.txt")


def test_a_root_below_the_clients_directory(tree: Any) -> None:
    """The root is what it was said to be: nothing above it is reached."""
    space = Workspace(backend=SandboxBackend(LocalSandbox(tree(FILES)), "src"))
    assert space.walk().paths == ["a.py"]
    for path in ("../b.txt", f"{space.root}/../b.txt", "/etc/passwd"):
        with pytest.raises(PathEscapesRoot):
            space.read(path)


def test_changes_are_seen(tree: Any) -> None:
    """Listings are taken anew each time."""
    root = tree(FILES)
    space = workspace(LocalSandbox(root))
    assert space.glob("*.txt").paths == ["b.txt"]
    (root / "c.txt").write_text("needle\n")
    (root / "b.txt").unlink()
    assert space.glob("*.txt").paths == ["c.txt"]
    assert [match.path for match in space.grep("needle").matches] == ["c.txt"]


def test_many_calls_at_once(tree: Any) -> None:
    """Threads share a workspace."""
    space = workspace(LocalSandbox(tree(FILES)))
    wrong: list[object] = []

    def work(at: int) -> None:
        try:
            space.write(f"t{at}.txt", f"needle {at}\n")
            if f"t{at}.txt" not in space.walk().paths or space.read(f"t{at}.txt").lines[0].text != f"needle {at}":
                wrong.append(at)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(space.changed) == 8


LARGE = """
import resource, sys
from rootle import Workspace, limits
from rootle.sandbox import LocalSandbox
from rootle.workspace import SandboxBackend

space = Workspace(backend=SandboxBackend(LocalSandbox(sys.argv[1])))
space.read("small.txt")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for start, count in ((1, 3), (1_500_000, 2), (-2, 5), (9_000_000, 1)):
    got = space.read("large.txt", start_line=start, max_lines=count)
    print([(line.number, line.text) for line in got.lines], got.next_line, got.size, got.hash, got.final_newline)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_large_file_is_read_by_ranges(tree: Any) -> None:
    """200 MB: the right lines, in memory that does not grow with the file."""
    root = tree({"small.txt": "x\n"})
    with (root / "large.txt").open("w") as file:
        for start in range(0, 2_000_000, 50_000):
            file.write("".join(f"line {at + 1:07} {'.' * 87}\n" for at in range(start, start + 50_000)))
    size = (root / "large.txt").stat().st_size
    assert size >= 200_000_000
    done = subprocess.run([sys.executable, "-c", LARGE, str(root)], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    dots = "." * 87

    def shown(first: int, last: int, more: int | None) -> str:
        lines = [(at, f"line {at:07} {dots}") for at in range(first, last + 1)]
        return f"{lines} {more} {size} None True"

    *rows, grown = done.stdout.splitlines()
    assert rows == [
        shown(1, 3, 4),
        shown(1_500_000, 1_500_001, 1_500_002),
        shown(1_999_999, 2_000_000, None),
        f"[] None {size} None True",
    ]
    assert int(grown) < 64_000  # KiB


@pytest.mark.parametrize("without", ["", "rg"])
@pytest.mark.parametrize(
    "options",
    [{}, {"before": 2, "after": 1}, {"only_matching": True}, {"mode": "count"}, {"mode": "files"}, {"max_matches": 2}],
    ids=str,
)
def test_matches_in_a_file_that_is_not_fetched(tree: Any, without: str, options: dict[str, Any]) -> None:
    """Only the lines that may match are fetched, and their numbers and offsets are those in the file."""
    root = tree({"small.txt": "needle 0\n", "tools/.keep": ""})
    with (root / "large.txt").open("w") as file:
        for at in range(1, 200_001):
            file.write(f"{'needle ' if at in (1, 7, 8, 99_999, 200_000) else ''}{at} {'.' * 90}\n")
    assert (root / "large.txt").stat().st_size > limits.REMOTE_WHOLE_BYTES
    for program in Path("/usr/bin").iterdir():
        if program.name != without:
            (root / "tools" / program.name).symlink_to(program)
    client = LocalSandbox(root, environment=Environment(set={"PATH": str(root / "tools")}))
    given = {"glob": "*.txt", **options}

    def told(found: Any) -> Any:
        matches = [
            (
                match.path,
                match.line,
                match.end_line,
                match.column,
                match.byte_offset,
                match.text,
                match.spans,
                [(line.line, line.text) for line in match.before],
                [(line.line, line.text) for line in match.after],
            )
            for match in found.matches
        ]
        return matches, [(file.path, file.count) for file in found.files], found.complete, found.coverage.too_large

    pattern = r"needle (?!7)\d+"
    assert told(workspace(client).grep(pattern, **given)) == told(Workspace(root).grep(pattern, **given))
