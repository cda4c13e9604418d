"""A tree under measurement: rootle's and ripgrep's searches of it, and the check that their answers are equal."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import rootle
from rootle.bench.answers import compare, parse_lines
from rootle.bench.measure import Tree, our_answer
from rootle.bench.queries import Query
from rootle.bench.searchers import RG_RULES, rg_command, run
from rootle.options import GrepKeywords

from benches.python.peers import find_rg

__all__ = ["Setting", "WrongAnswer"]

_SMALL_FILES = 1000


class WrongAnswer(AssertionError):
    """Two answers that should be equal are not: there is nothing to time."""


@dataclass(frozen=True)
class Setting:
    """A tree, and how often each work is timed on it."""

    name: str
    tree: Tree
    rounds: int

    @property
    def small(self) -> bool:
        """Whether the goals for small trees hold."""
        return len(self.tree.paths) < _SMALL_FILES

    def ours(self, query: Query, **options: Unpack[GrepKeywords]) -> Callable[[], object]:
        """Make a search by rootle that gives a record for each of its rows."""
        keywords = _keywords(query, options)
        return lambda: len(rootle.grep(query.pattern, self.tree.path, **keywords).matches)

    def ours_read(self, query: Query, **options: Unpack[GrepKeywords]) -> Callable[[], object]:
        """Make a search by rootle and read the path, line and text of all its rows."""
        keywords = _keywords(query, options)

        def work() -> object:
            matches = rootle.grep(query.pattern, self.tree.path, **keywords).matches
            return [(match.path, match.line, match.text) for match in matches]

        return work

    def rg(self, query: Query, *flags: str) -> Callable[[], object]:
        """Make a search by ripgrep as agents call it: a subprocess whose output is read and split into lines."""
        return partial(self.lines, rg_command(find_rg(), query, extra=flags))

    def rg_files(self, *flags: str) -> Callable[[], object]:
        """Make a listing by ripgrep."""
        return partial(self.lines, [find_rg(), *RG_RULES, "--files", *flags, "./"])

    def lines(self, command: Sequence[str]) -> list[bytes]:
        """Run a program in the tree; gives the lines of its output."""
        return run(command, self.tree.path).splitlines()

    def require_equal(self, query: Query) -> int:
        """Compare the answers of a search; gives the number of lines."""
        ours, binary = our_answer(self.tree, query)
        theirs = parse_lines(run(rg_command(find_rg(), query, null=True), self.tree.path))
        comparison = compare(ours, theirs, listed=self.tree.listed, binary=binary)
        self.require(comparison.equal and not comparison.outside, f"{query.name}: {comparison.words()}")
        return comparison.lines

    def require(self, holds: bool, words: str) -> None:
        """Refuse to go on with a wrong answer."""
        if not holds:
            raise WrongAnswer(f"{self.name}: {words}")

    def ordered_hits(self, query: Query, *flags: str) -> list[tuple[bytes, int]]:
        """Give ripgrep's answer in the order in which it prints it."""
        output = run(rg_command(find_rg(), query, null=True, extra=flags), self.tree.path)
        hits = []
        for row in output.split(b"\n"):
            path, found, rest = row.partition(b"\0")
            if found:
                hits.append((path.removeprefix(b"./"), int(rest.split(b":", 1)[0])))
        return hits

    def our_hits(self, query: Query, **options: Unpack[GrepKeywords]) -> list[tuple[bytes, int]]:
        """Give rootle's answer in its order."""
        keywords: GrepKeywords = {"fixed": query.fixed, "ignore_case": query.ignore_case, "skip_dirs": (), **options}
        matches = rootle.grep(query.pattern, self.tree.path, **keywords).matches
        return [(os.fsencode(self.tree.relative(match.path)), match.line) for match in matches]


def _keywords(query: Query, options: GrepKeywords) -> GrepKeywords:
    return {
        "fixed": query.fixed,
        "ignore_case": query.ignore_case,
        "word": query.word,
        "skip_dirs": (),
        **options,
    }
