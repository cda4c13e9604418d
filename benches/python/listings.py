"""Listing, globbing, peers' searches and memory: the scenarios beside the searches themselves."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial

import rootle
from rootle.bench.clock import Sample, measure

from benches.python.memory import memory_above_interpreter
from benches.python.patterns import timed, words_of
from benches.python.peers import PACKAGES, Package, Worker, environment
from benches.python.rows import Goal, Row, memory_row, rows_of
from benches.python.setting import Setting

__all__ = ["globs", "listing", "memory", "peers"]

OURS = "rootle"
RG = "rg"
_LARGE_FILES = 50_000
_MEMORY_MB = 64.0
# Packages that take seconds on a large tree are timed fewer times; their ratios are not close calls.
_SLOW_ROUNDS = 3


def listing(setting: Setting) -> Iterator[Row]:
    """List every file, as `rg --files` does."""
    paths = rootle.walk(setting.tree.path, skip_dirs=()).paths
    theirs = {line.removeprefix(b"./") for line in _listed(setting)}
    setting.require({os.fsencode(setting.tree.relative(path)) for path in paths} == theirs, "the listing differs")
    works: dict[str, Callable[[], object]] = {
        RG: setting.rg_files(),
        OURS: lambda: rootle.walk(setting.tree.path, skip_dirs=()).paths,
        "rootle, table only": lambda: len(rootle.walk(setting.tree.path, skip_dirs=())),
    }
    goal = Goal(0.45 if setting.small else 0.65)
    asked = [(package, package.listing) for package in PACKAGES if package.listing]
    yield from _timed(setting, "listing", works, asked, goals={OURS: goal}, arguments={})


def globs(setting: Setting) -> Iterator[Row]:
    """Find all files of the tree's language."""
    pattern = words_of(setting.name).glob
    name = pattern.removeprefix("**/")
    found = rootle.glob(pattern, setting.tree.path, sort="path", skip_dirs=()).paths
    wanted = sorted(path for path in setting.tree.paths if path.endswith(name[1:]))
    setting.require(sorted(setting.tree.relative(path) for path in found) == wanted, "the glob differs")
    works: dict[str, Callable[[], object]] = {
        RG: setting.rg_files("-g", name),
        OURS: lambda: rootle.glob(pattern, setting.tree.path, sort="path", skip_dirs=()).paths,
        "rootle, newest first": lambda: rootle.glob(pattern, setting.tree.path, skip_dirs=()).paths,
    }
    # pathlib is the standard library's: it runs in our own interpreter, in a process of its own like the others.
    asked = [(None, "pathlib glob"), *((package, package.glob) for package in PACKAGES if package.glob)]
    notes = {OURS: f"{len(wanted):,} files"}
    yield from _timed(setting, f"glob {pattern}", works, asked, goals={}, arguments={"pattern": pattern}, notes=notes)


def peers(setting: Setting) -> Iterator[Row]:
    """Search a rare word with the other Python packages, each as it is called by its users."""
    query = timed(setting.name)[0]
    lines = setting.require_equal(query)
    works = {RG: setting.rg(query), OURS: setting.ours(query)}
    asked = [(package, package.search) for package in PACKAGES if package.search]
    notes = {OURS: f"{lines:,} lines"}
    arguments = {"pattern": query.pattern}
    yield from _timed(setting, "peers, rare", works, asked, goals={}, arguments=arguments, notes=notes)


def memory(setting: Setting) -> Iterator[Row]:
    """Measure the most memory that a search, a listing and a glob take above the interpreter."""
    most = _MEMORY_MB if len(setting.tree.paths) >= _LARGE_FILES else None
    for query in timed(setting.name)[:3]:
        above, count = memory_above_interpreter(
            "grep", query.pattern, setting.tree.path, rows="matches", skip_dirs=[], ignore_case=query.ignore_case
        )
        yield memory_row(setting.name, f"memory, {query.name}", above, most, f"{count:,} lines")
    above, count = memory_above_interpreter("walk", setting.tree.path, rows="paths", skip_dirs=[])
    yield memory_row(setting.name, "memory, listing", above, most, f"{count:,} paths")


def _listed(setting: Setting) -> list[bytes]:
    listed = setting.rg_files()()
    assert isinstance(listed, list)
    return listed


def _timed(
    setting: Setting,
    scenario: str,
    works: dict[str, Callable[[], object]],
    asked: Sequence[tuple[Package | None, str]],
    *,
    goals: dict[str, Goal],
    arguments: dict[str, str],
    notes: dict[str, str] | None = None,
) -> Iterator[Row]:
    """Run our works and the packages' in turn; each package says by itself how long it took."""
    said = dict(notes or {})
    samples: dict[str, list[Sample]] = {}
    with ExitStack() as stack:
        runs: dict[str, tuple[Callable[[], Sample], int]] = {}
        for name, work in works.items():
            runs[name] = (partial(_sample, work), setting.rounds)
        for package, work_name in asked:
            python = sys.executable if package is None else environment(package)
            worker = stack.enter_context(Worker(python, setting.tree.path))
            rounds = min(setting.rounds, _SLOW_ROUNDS) if package is not None and package.slow else setting.rounds
            runs[work_name] = (partial(_ask, worker, work_name, arguments, said), rounds)
        for run, _ in runs.values():
            run()
        for number in range(setting.rounds):
            for name, (run, rounds) in runs.items():
                if number < rounds:
                    samples.setdefault(name, []).append(run())
    yield from rows_of(setting.name, scenario, samples, baseline=RG, goals=goals, notes=said)


def _sample(work: Callable[[], object]) -> Sample:
    return measure(work)[1]


def _ask(worker: Worker, work: str, arguments: dict[str, str], said: dict[str, str]) -> Sample:
    sample, count = worker.run(work, **arguments)
    said[work] = "gave up, no answer" if count < 0 else f"{count:,} lines of output"
    return sample
