"""The answer of a search as a set of (path, line), and how two of them differ.

Binary files are left out of a comparison: searchers differ on purpose in how much of one they search.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Answer", "Comparison", "compare", "parse_lines"]

Answer: TypeAlias = set[tuple[bytes, int]]

_ROW = re.compile(rb"^(?:\./)?([^\0\n]+)\0(\d+)[:\0]", re.MULTILINE)


def parse_lines(output: bytes) -> Answer:
    """Read rows of `path NUL line : text` or `path NUL line NUL text`; messages about binary files are no such rows."""
    return {(path, int(line)) for path, line in _ROW.findall(output)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """How another searcher's answer stands to rootle's, over the files that rootle's rules leave and that are text.

    `missing` lines only rootle has, `extra` only the other; `outside` counts lines of the other in files that rootle's
    rules leave out.
    """

    lines: int
    missing: tuple[tuple[str, int], ...]
    extra: tuple[tuple[str, int], ...]
    outside: int

    @property
    def equal(self) -> bool:
        """Whether both found the same lines in the files that both should search."""
        return not self.missing and not self.extra

    def words(self) -> str:
        """Say it in a few words."""
        if not self.equal:
            example = (self.missing or self.extra)[0]
            return f"differs: {len(self.missing):,} missing, {len(self.extra):,} more; first {example[0]}:{example[1]}"
        return f"equal ({self.outside:,} lines more in files that rootle leaves out)" if self.outside else "equal"


def compare(ours: Answer, theirs: Answer, *, listed: Collection[bytes], binary: Collection[bytes]) -> Comparison:
    """Compare two answers."""
    ours = {hit for hit in ours if hit[0] not in binary}
    theirs = {hit for hit in theirs if hit[0] not in binary}
    inside = {hit for hit in theirs if hit[0] in listed}
    return Comparison(
        lines=len(ours),
        missing=_examples(ours - inside),
        extra=_examples(inside - ours),
        outside=len(theirs) - len(inside),
    )


def _examples(hits: Answer) -> tuple[tuple[str, int], ...]:
    return tuple((os.fsdecode(path), line) for path, line in sorted(hits))
