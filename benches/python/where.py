"""Where the time of a search goes: its parts, user and system time, and system calls per file beside ripgrep's.

    python -m benches.python.where linux

The parts are measured as whole calls: a listing walks and opens no file, a search for a word that is not there walks,
opens and reads, a search for a common word makes results too. System calls are counted where `strace` is installed.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from statistics import median

import rootle
from rootle.bench.clock import measure
from rootle.bench.measure import Tree
from rootle.bench.searchers import rg_command

from benches.python.corpora import CORPORA, corpus_path
from benches.python.patterns import timed
from benches.python.peers import find_rg
from benches.python.setting import Setting

__all__ = ["parts", "system_calls"]

_ROW = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)\s*$", re.MULTILINE)
_SHOWN_CALLS = 12


def parts(setting: Setting) -> list[tuple[str, float, float, float]]:
    """Time the parts; gives name, wall, user and system seconds (medians)."""
    queries = {query.name: query for query in timed(setting.name)}
    works: dict[str, Callable[[], object]] = {
        "rootle: listing, no names made": lambda: len(rootle.walk(setting.tree.path, skip_dirs=())),
        "rootle: listing": lambda: rootle.walk(setting.tree.path, skip_dirs=()).paths,
        "rootle: search, none": setting.ours(queries["none"]),
        "rootle: search, rare": setting.ours(queries["rare"]),
        "rootle: search, common": setting.ours(queries["common"]),
        "rootle: search, common, one thread": setting.ours(queries["common"], threads=1),
        "rootle: search, common, files only": setting.ours(queries["common"], mode="files"),
        "rg --files": setting.rg_files(),
        "rg: search, none": setting.rg(queries["none"]),
        "rg: search, common": setting.rg(queries["common"]),
    }
    rows = []
    for name, work in works.items():
        work()
        taken = [_usage(work) for _ in range(setting.rounds)]
        rows.append((name, *(median(column) for column in zip(*taken, strict=True))))
    return [(name, wall, user, system) for name, wall, user, system in rows]


def system_calls(setting: Setting) -> dict[str, dict[str, float]] | None:
    """Count system calls per listed file of one search by rootle (start-up taken away) and by ripgrep."""
    if shutil.which("strace") is None:
        return None
    query = timed(setting.name)[0]
    request = json.dumps([query.pattern, setting.tree.path])
    start = "import json, sys, rootle; pattern, tree = json.loads(sys.argv[1]); search = rootle.grep"
    base = _strace([sys.executable, "-c", start, request], setting.tree.path)
    whole = _strace([sys.executable, "-c", f"{start}; search(pattern, tree, skip_dirs=())", request], setting.tree.path)
    ours = {name: count - base.get(name, 0) for name, count in whole.items()}
    theirs = _strace(rg_command(find_rg(), query), setting.tree.path)
    files = len(setting.tree.paths)
    return {
        who: {name: count / files for name, count in sorted(calls.items(), key=lambda item: -item[1])[:_SHOWN_CALLS]}
        for who, calls in (("rootle", ours), ("rg", theirs))
    }


def _usage(work: Callable[[], object]) -> tuple[float, float, float]:
    before = _user_and_system()
    _, sample = measure(work)
    after = _user_and_system()
    return sample.wall_s, after[0] - before[0], after[1] - before[1]


def _user_and_system() -> tuple[float, float]:
    ours, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return ours.ru_utime + children.ru_utime, ours.ru_stime + children.ru_stime


def _strace(command: Sequence[str], tree: str) -> dict[str, int]:
    with tempfile.NamedTemporaryFile() as table:
        subprocess.run(
            [
                "strace",
                "-f",
                "-c",
                "-o",
                table.name,
                *command,
            ],
            cwd=tree,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        text = table.read().decode()
    return {name: int(count) for count, name in _ROW.findall(text) if name != "total"}


def main() -> None:
    """Print both tables for the trees that are named, or all."""
    for name in sys.argv[1:] or CORPORA:
        setting = Setting(name, Tree(str(corpus_path(name))), 7)
        print(f"{name}: {len(setting.tree.paths):,} files")
        for part, wall, user, system in parts(setting):
            print(f"  {part:<38} {wall * 1e3:9.2f} ms wall {user * 1e3:9.2f} user {system * 1e3:9.2f} system")
        for who, calls in (system_calls(setting) or {}).items():
            print(f"  {who}: calls per file: " + ", ".join(f"{call} {count:.2f}" for call, count in calls.items()))


if __name__ == "__main__":
    main()
