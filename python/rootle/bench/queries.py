"""What is searched for: a query that all searchers understand alike, and the choice of four of them from a tree."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Query", "choose"]

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{5,30}")
_SAMPLE_FILES = 1500
_SAMPLE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Query:
    """One search. `name` says what kind it is: rare, common, none, regex, or what the user gave."""

    name: str
    pattern: str
    fixed: bool = False
    ignore_case: bool = False
    word: bool = False
    multiline: bool = False


def choose(tree: str, paths: Sequence[str]) -> list[Query]:
    """Choose a rare word, a common word, a word that is not there and a regular expression from the files of `tree`."""
    lines, files = _count_words(os.path.join(tree, path) for path in paths[:: max(1, len(paths) // _SAMPLE_FILES)])
    if not files:
        return [Query("none", _absent(files), fixed=True)]
    common = max(sorted(files), key=lambda word: lines[word])
    rare = min(sorted(files), key=lambda word: (files[word], lines[word], abs(len(word) - 14)))
    return [
        Query("rare", rare, fixed=True),
        Query("common", common, fixed=True),
        Query("none", _absent(files), fixed=True),
        Query("regex", f"{rare[:3]}[A-Za-z0-9_]+{rare[-3:]}"),
    ]


def _count_words(paths: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Count how often each word stands in the files, and in how many of them."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in paths:
        try:
            with open(path, "rb") as file:
                head = file.read(_SAMPLE_BYTES)
        except OSError:
            continue
        if b"\0" in head:
            continue
        words = Counter(word.decode("ascii") for word in _WORD.findall(head))
        lines.update(words)
        files.update(words.keys())
    return lines, files


def _absent(words: Counter[str]) -> str:
    """Give a word of ordinary letters that the sample does not hold."""
    word = "quozzle_vextrim"
    while word in words:
        word += "_x"
    return word
