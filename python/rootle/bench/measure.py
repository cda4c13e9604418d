"""One tree, some queries, every searcher: answers first, then times."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import rootle
from rootle.bench.answers import Answer, Comparison, compare
from rootle.bench.clock import Sample, alternate, typical
from rootle.bench.queries import Query, choose
from rootle.bench.searchers import PatternRefused, Searcher, find_searchers, python_re

__all__ = ["Measured", "Report", "Tree", "measure_tree", "our_answer"]

OURS = "rootle"
PYTHON = "python re"


@dataclass(frozen=True, slots=True)
class Measured:
    """One searcher on one query. `comparison` is `None` for rootle itself."""

    searcher: str
    query: Query
    time: Sample
    comparison: Comparison | None


@dataclass(frozen=True, slots=True)
class Report:
    """All that was measured on one tree."""

    path: str
    files: int
    rounds: int
    versions: dict[str, str]
    lines: dict[str, int]
    rows: tuple[Measured, ...]
    skipped: tuple[str, ...] = ()

    def baseline(self) -> str:
        """Name the searcher that ratios are taken to: ripgrep where it is, else rootle."""
        return "rg" if "rg" in self.versions else OURS

    def ratio(self, row: Measured) -> Sample:
        """Give the times of `row` as multiples of the baseline's there; of rootle's where that was skipped."""
        times = {other.searcher: other.time for other in self.rows if other.query == row.query}
        base = times.get(self.baseline(), times[OURS])
        return Sample(row.time.wall_s / base.wall_s, row.time.cpu_s / base.cpu_s if base.cpu_s else float("nan"))


class Tree:
    """The files of a tree as rootle lists them, with paths relative to the directory that was named."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        walked = rootle.walk(self.path, skip_dirs=())
        below = os.path.relpath(os.path.realpath(self.path), walked.root)
        self._prefix = "" if below == "." else below + "/"
        self.paths = [self.relative(path) for path in walked.paths]
        self.listed = frozenset(map(os.fsencode, self.paths))

    def relative(self, path: str) -> str:
        """Turn a result's path, relative to the root of the search, into one below the tree."""
        return path.removeprefix(self._prefix)


def our_answer(tree: Tree, query: Query) -> tuple[Answer, frozenset[bytes]]:
    """Search with rootle; gives the answer and the files that it flags as binary."""
    result = rootle.grep(
        query.pattern,
        tree.path,
        fixed=query.fixed,
        ignore_case=query.ignore_case,
        word=query.word,
        multiline=query.multiline,
        skip_dirs=(),
    )
    answer = {
        (os.fsencode(tree.relative(match.path)), line)
        for match in result.matches
        for line in range(match.line, match.end_line + 1)
    }
    return answer, frozenset(os.fsencode(tree.relative(file.path)) for file in result.files if file.binary)


def measure_tree(
    path: str, queries: Sequence[Query] = (), *, rounds: int = 7, tell: Callable[[str], None] = lambda _: None
) -> Report:
    """Measure every searcher on every query; without queries, four are chosen from the tree."""
    tree = Tree(path)
    searchers = find_searchers(tree.path)
    rows: list[Measured] = []
    lines: dict[str, int] = {}
    skipped: list[str] = []
    for query in queries or choose(tree.path, tree.paths):
        tell(f"{query.name}: {query.pattern}")
        answer, binary = our_answer(tree, query)
        lines[query.name] = len(answer)
        comparisons, refused = _compare_all(tree, query, searchers, answer, binary)
        skipped += [f"{query.name}: {name} skipped: {reason}" for name, reason in refused.items()]
        if "rg" in refused:
            skipped.append(f"{query.name}: ratios are to {OURS}")
        works = {name: work for name, work in _works(tree, query, searchers).items() if name not in refused}
        times = alternate(works, rounds)
        rows += [Measured(name, query, typical(samples), comparisons.get(name)) for name, samples in times.items()]
    versions = {OURS: rootle.__version__, **{searcher.name: searcher.version for searcher in searchers}}
    return Report(tree.path, len(tree.paths), rounds, versions, lines, tuple(rows), tuple(skipped))


def _compare_all(
    tree: Tree, query: Query, searchers: Sequence[Searcher], answer: Answer, binary: frozenset[bytes]
) -> tuple[dict[str, Comparison], dict[str, str]]:
    """Compare every searcher's answer with ours; gives the reasons of those that cannot search for this query too."""

    def python() -> Answer:
        return {(os.fsencode(path), line) for path, line, _ in python_re(tree.path, tree.paths, query)}

    works: dict[str, Callable[[], Answer]] = {PYTHON: python}
    works.update({searcher.name: partial(searcher.answer, tree.path, query) for searcher in searchers})
    comparisons: dict[str, Comparison] = {}
    refused: dict[str, str] = {}
    for name, work in works.items():
        try:
            comparisons[name] = compare(answer, work(), listed=tree.listed, binary=binary)
        except PatternRefused as error:
            refused[name] = str(error)
    return comparisons, refused


def _works(tree: Tree, query: Query, searchers: Sequence[Searcher]) -> dict[str, Callable[[], object]]:
    def ours() -> object:
        # The lines are made, as the lines of a program's output are.
        return len(rootle.grep(query.pattern, tree.path, fixed=query.fixed, skip_dirs=()).matches)

    def python() -> object:
        return python_re(tree.path, rootle.walk(tree.path, skip_dirs=()).paths if tree.paths else [], query)

    works: dict[str, Callable[[], object]] = {OURS: ours}
    works.update({searcher.name: partial(searcher.search, tree.path, query) for searcher in searchers})
    works[PYTHON] = python
    return works
