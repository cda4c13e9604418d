"""The searches that are timed. Each checks its answer before the clock starts.

The page cache is warm: every work runs once before it counts. Results of rootle are asked for a record for each row;
the texts in them are converted when they are read, which has a row of its own.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator

import rootle
from rootle import Toolbox, limits
from rootle.bench.clock import Sample, alternate
from rootle.bench.queries import Query
from rootle.bench.searchers import rg_command
from rootle.options import GrepKeywords

from benches.python.first_call import first_call
from benches.python.patterns import timed
from benches.python.peers import find_rg
from benches.python.rows import Goal, Row, rows_of
from benches.python.setting import Setting

__all__ = ["early_stop", "first_in_process", "first_search", "newest_first", "path_order", "toolbox"]

OURS = "rootle"
OURS_READ = "rootle, every match read"
RG = "rg"
_HEAD = 100


def first_search(setting: Setting) -> Iterator[Row]:
    """Search without any state, in path order as always, against ripgrep in whatever order its threads finish."""
    for query in timed(setting.name):
        lines = setting.require_equal(query)
        works = {RG: setting.rg(query), OURS: setting.ours(query), OURS_READ: setting.ours_read(query)}
        samples = alternate(works, setting.rounds)
        goals = {OURS: _search_goal(setting)}
        yield from rows_of(
            setting.name, f"search, {query.name}", samples, baseline=RG, goals=goals, notes={OURS: f"{lines:,} lines"}
        )


def first_in_process(setting: Setting) -> Iterator[Row]:
    """Time the very first search of fresh processes."""
    query = timed(setting.name)[0]
    setting.require_equal(query)
    samples: dict[str, list[Sample]] = {RG: [], OURS: []}
    for _ in range(setting.rounds):
        samples[RG].append(first_call(setting.tree.path, query, peer=True))
        samples[OURS].append(first_call(setting.tree.path, query, peer=False))
    yield from rows_of(
        setting.name, "first search of a process, rare", samples, baseline=RG, goals={OURS: _search_goal(setting)}
    )


def path_order(setting: Setting) -> Iterator[Row]:
    """Give a common pattern's matches in path order."""
    query = _named(setting, "common")
    ours, theirs = setting.our_hits(query), setting.ordered_hits(query, "--sort", "path")
    setting.require(ours == theirs, "path order differs from rg --sort path")
    works = {
        RG: setting.rg(query),
        "rg --sort path": setting.rg(query, "--sort", "path"),
        OURS: setting.ours(query, sort="path"),
    }
    samples = alternate(works, setting.rounds)
    yield from rows_of(setting.name, "path order, common", samples, baseline=RG, goals={OURS: Goal(0.85, 0.85)})


def newest_first(setting: Setting) -> Iterator[Row]:
    """Give a common pattern's matches, newest file first."""
    query = _named(setting, "common")
    hits = setting.our_hits(query, sort="modified")
    setting.require(set(hits) == set(setting.ordered_hits(query)), "newest first differs from rg")
    paths = list(dict.fromkeys(path for path, _ in hits))
    times = [-os.stat(os.path.join(os.fsencode(setting.tree.path), path)).st_mtime_ns for path in paths]
    setting.require(times == sorted(times), "newest first is not in order")
    works = {
        RG: setting.rg(query),
        "rg --sortr modified": setting.rg(query, "--sortr", "modified"),
        OURS: setting.ours(query, sort="modified"),
    }
    samples = alternate(works, setting.rounds)
    yield from rows_of(setting.name, "newest first, common", samples, baseline=RG, goals={OURS: Goal(0.85, 0.85)})


def early_stop(setting: Setting) -> Iterator[Row]:
    """Stop at the first hundred matches in path order, beside ripgrep into `head`."""
    for name in ("common", "rare"):
        query = _named(setting, name)
        first = setting.ordered_hits(query, "--sort", "path")[:_HEAD]
        setting.require(setting.our_hits(query, max_matches=_HEAD) == first, "the first hundred differ")
        result = rootle.grep(query.pattern, setting.tree.path, skip_dirs=(), max_matches=_HEAD)
        works = {
            "rg | head -100": _rg_head(setting, query),
            RG: setting.rg(query),
            OURS: setting.ours(query, max_matches=_HEAD),
        }
        samples = alternate(works, setting.rounds)
        note = f"{len(first)} matches; searched {result.coverage.files:,} of {len(setting.tree.paths):,} files"
        yield from rows_of(
            setting.name, f"first 100, {name}", samples, baseline="rg | head -100", goals={}, notes={OURS: note}
        )


def toolbox(setting: Setting) -> Iterator[Row]:
    """Run the same search through `Toolbox.call`, beside the plain function with the same limits.

    The tool's text holds every match, so the plain function's matches are read too.
    """
    box = Toolbox(setting.tree.path, read_only=True)
    for name in ("rare", "common", "none"):
        query = _named(setting, name)
        whole = rootle.grep(query.pattern, setting.tree.path)
        data = box.call("grep", {"pattern": query.pattern}).data
        found = [(match.path, match.line) for match in getattr(data, "matches", ())]
        wanted = [(match.path, match.line) for match in whole.matches[: limits.GREP_DEFAULT_MATCHES]]
        setting.require(found == wanted, f"the toolbox gives {len(found)} lines of {len(wanted)}")
        works = _toolbox_works(setting, box, query.pattern)
        samples = alternate(works, setting.rounds)
        goals = {"Toolbox.call": Goal(1.10, 1.10)}
        yield from rows_of(setting.name, f"toolbox, {name}", samples, baseline="primitive", goals=goals)


def _toolbox_works(setting: Setting, box: Toolbox, pattern: str) -> dict[str, Callable[[], object]]:
    tree = setting.tree.path
    limited: GrepKeywords = {
        "max_matches": limits.GREP_DEFAULT_MATCHES,
        "timeout_s": limits.SEARCH_TIMEOUT_S,
    }
    return {
        "primitive": lambda: [(hit.path, hit.line, hit.text) for hit in rootle.grep(pattern, tree, **limited).matches],
        "primitive, no limit": lambda: len(rootle.grep(pattern, tree).matches),
        "Toolbox.call": lambda: str(box.call("grep", {"pattern": pattern})),
    }


def _search_goal(setting: Setting) -> Goal:
    return Goal(wall=0.35) if setting.small else Goal(0.80, 0.80)


def _named(setting: Setting, name: str) -> Query:
    return next(query for query in timed(setting.name) if query.name == name)


def _rg_head(setting: Setting, query: Query) -> Callable[[], object]:
    command = rg_command(find_rg(), query)

    def work() -> object:
        with subprocess.Popen(
            command, cwd=setting.tree.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as rg:
            head = subprocess.run(["head", f"-{_HEAD}"], stdin=rg.stdout, stdout=subprocess.PIPE, check=True)
        return head.stdout.splitlines()

    return work
