"""Runs one peer in its own interpreter and times it there; it imports nothing of rootle or of this harness.

Started as `python worker.py` in the tree to be searched. One JSON object a line comes in, `{"work": name, ...}`, and
one goes out: `{"wall_s": ..., "cpu_s": ..., "count": ...}` or `{"error": ...}`. The peer's module is imported before
the clock starts.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

Works = dict[str, Callable[[dict[str, Any]], Callable[[], int]]]


def python_ripgrep_search(args: dict[str, Any]) -> Callable[[], int]:
    search = import_module("python_ripgrep").search
    options = {"paths": ["./"], "line_number": True, "heading": False}
    return lambda: sum(part.count("\n") for part in search([args["pattern"]], **options))


def python_ripgrep_files(args: dict[str, Any]) -> Callable[[], int]:
    files = import_module("python_ripgrep").files
    return lambda: len(files([""], paths=["./"]))


def rignore_walk(args: dict[str, Any]) -> Callable[[], int]:
    walk = import_module("rignore").walk
    options = {"read_parents_ignores": False, "read_global_git_ignore": False, "require_git": False}
    return lambda: sum(1 for _ in walk("./", **options))


def pathlib_glob(args: dict[str, Any]) -> Callable[[], int]:
    return lambda: sum(1 for _ in pathlib.Path().glob(args["pattern"]))


def tunacode_grep(args: dict[str, Any]) -> Callable[[], int]:
    grep = import_module("tunacode.tools.grep").grep
    return lambda: _count_or_error(lambda: asyncio.run(grep(args["pattern"], ".", case_sensitive=True)))


def tunacode_glob(args: dict[str, Any]) -> Callable[[], int]:
    glob = import_module("tunacode.tools.glob").glob
    return lambda: _count_or_error(lambda: asyncio.run(glob(args["pattern"], ".")))


def ygg_grep(args: dict[str, Any]) -> Callable[[], int]:
    box = import_module("yggdrasil.loki.tools").filesystem_toolbox(os.getcwd(), read_only=True)
    return lambda: _count_or_error(lambda: box.call("grep", {"pattern": args["pattern"]}))


def ygg_find(args: dict[str, Any]) -> Callable[[], int]:
    box = import_module("yggdrasil.loki.tools").filesystem_toolbox(os.getcwd(), read_only=True)
    return lambda: _count_or_error(lambda: box.call("find", {"pattern": args["pattern"].split("/")[-1]}))


def _count_or_error(call: Callable[[], str]) -> int:
    """Count lines; -1 for a tool that gives up (deadline, too broad a pattern), whose time counts all the same."""
    try:
        return len(call().splitlines())
    except Exception:
        return -1


WORKS: Works = {
    "pathlib glob": pathlib_glob,
    "python-ripgrep files": python_ripgrep_files,
    "python-ripgrep search": python_ripgrep_search,
    "rignore walk": rignore_walk,
    "tunacode glob": tunacode_glob,
    "tunacode grep": tunacode_grep,
    "ygg find": ygg_find,
    "ygg grep": ygg_grep,
}


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    """Serve until the input ends; the peers' own prints must not reach our answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            work = WORKS[request["work"]](request)
            cpu, wall = _cpu_s(), time.perf_counter()
            count = work()
            answer: dict[str, Any] = {"wall_s": time.perf_counter() - wall, "cpu_s": _cpu_s() - cpu, "count": count}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
