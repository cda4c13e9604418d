"""Contents that never end: huge files, huge lines, very many matches, files cut while they are searched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox, Workspace, limits

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child, Within

_MIB = 1024 * 1024


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make one file of 300 MB in one line and, as hard links, ten gigabytes of it."""
    root = tmp_path_factory.mktemp("big")
    # Without ASCII alone, a Unicode word boundary keeps the engine busy for seconds inside the line.
    block = "function größe(a){return a&&b(c[d],e)||0};".encode() * 24_000
    with (root / "line.min.js").open("wb") as file:
        for _ in range(300):
            file.write(block + b"NEEDLE;\t")
    (root / "more").mkdir()
    for index in range(35):
        os.link(root / "line.min.js", root / "more" / f"{index}.js")
    yield root
    for path in root.rglob("*.js"):
        path.unlink()


def search_line(root: str, more: dict[str, Any]) -> list[Any]:
    """Search the one line and give what the answer holds."""
    from rootle import Toolbox

    answer = Toolbox(root).call("grep", {"path": "line.min.js", "pattern": "NEEDLE", **more})
    data = answer.data
    return [data.complete, data.total, [len(hit.text) for hit in data.matches], data.matches[0].text, len(answer.text)]


@pytest.mark.parametrize("more", [{}, {"only_matching": True}, {"before": 2, "after": 2}, {"ignore_case": True}])
def test_one_line_of_300_megabytes(big: Path, child: Child, more: dict[str, Any]) -> None:
    """The match is shown with a little of its line; neither the line nor all its matches are held in memory."""
    (complete, total, lengths, text, shown), growth = child(search_line, big, more)
    assert complete or "only_matching" in more
    assert total >= 1
    assert max(lengths) <= limits.LINE_CHARS + 2
    assert "NEEDLE" in text
    assert shown < 100 * limits.LINE_CHARS
    assert growth < 128 * _MIB


def test_deadline_over_ten_gigabytes(big: Path) -> None:
    """The deadline is kept to a fifth of a second, what was not seen is said, and other threads run meanwhile."""
    box = Toolbox(big)
    box.call("grep", {"pattern": "x", "path": "more", "glob": "none"})
    gaps: list[float] = []
    ended = threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not ended.wait(0.005):
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    answer = box.call("grep", {"pattern": r"[a-z]+\d{3}[(]\w+", "path": "more", "timeout_s": 1})
    taken = time.monotonic() - begin
    ended.set()
    thread.join()
    assert taken < 1.2
    assert (answer.data.complete, answer.data.stop) == (False, "deadline")
    assert "INCOMPLETE" in answer
    assert "No matches." not in answer
    assert len(gaps) > 30
    assert max(gaps) < 0.3


def test_deadline_inside_one_line(big: Path) -> None:
    """A deadline is kept inside a single line, by every engine."""
    box = Toolbox(big)
    for pattern in (r"\b[a-z]+\d{3}\b", r"(?<=zz)[a-z]+\d{3}", "(?i)nowhere to be found", r"[a-z]+\d{3}[(]\w+"):
        begin = time.monotonic()
        data = box.call("grep", {"pattern": pattern, "path": "line.min.js", "timeout_s": 0.1}).data
        assert time.monotonic() - begin < 0.3, pattern
        assert data.complete == (data.stop is None)
        assert data.total == 0
        if r"\b" in pattern:
            assert data.stop == "deadline"


def test_deadline_of_a_call_as_a_whole(big: Path) -> None:
    """The caller's own limit ends a tool before its `timeout_s` does, with what was found."""
    begin = time.monotonic()
    answer = Toolbox(big).call("grep", {"pattern": r"[a-z]+\d{3}[(]\w+", "timeout_s": 60}, timeout_s=0.5)
    assert time.monotonic() - begin < 0.8
    assert answer.data.stop == "deadline"


def many_matches(root: str) -> list[Any]:
    """Search for what is on every line."""
    from rootle import Toolbox

    answer = Toolbox(root).call("grep", {"pattern": "x", "max_matches": 2000})
    data = answer.data
    counted = Toolbox(root).call("grep", {"pattern": "x", "mode": "count", "max_matches": 2000}).data
    return [len(data.matches), data.stop, data.totals_exact, data.total, bool(data.cursor), answer.text, counted.total]


def test_a_million_matches(tree: Tree, child: Child, within: Within) -> None:
    """The search stops at its cap, says so, and gives a way to go on (ripgrep#2505)."""
    root = tree({f"f{index}": b"x\n" * 100_000 for index in range(10)})
    with within(10):
        (matches, stop, exact, total, cursor, text, _), growth = child(many_matches, root)
    assert (matches, stop, cursor) == (2000, "max_matches", True)
    assert exact or total < 1_000_000
    assert "Stopped at the limit of matches" in text
    assert growth < 64 * _MIB


def test_file_cut_while_it_is_searched(tree: Tree, within: Within) -> None:
    """A file that is cut and refilled under the search kills nothing: no file is mapped (ripgrep#581)."""
    root = tree({"f": b"x" * 3_000_000 + b"\nneedle\n", "g": "needle\n"})
    script = """
import os
print(1, flush=True)
while os.getppid() != 1:
    os.truncate("f", 0)
    os.truncate("f", 3_000_000)
    with open("f", "r+b") as f:
        f.write(b"x" * 3_000_000 + b"\\nneedle\\n")
"""
    process = subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE)
    box, workspace = Toolbox(root), Workspace(root)
    searches = 0
    try:
        assert process.stdout is not None
        process.stdout.readline()
        end = time.monotonic() + 1
        while time.monotonic() < end:
            searches += 1
            hits = box.call("grep", {"pattern": "needle"}).data.matches
            assert {hit.path for hit in hits} - {"f"} == {"g"}
            assert workspace.grep("needle", path="f", timeout_s=1).total <= 1
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert searches > 20
