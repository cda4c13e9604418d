r"""Counts of changed lines, as `git diff --numstat` writes them.

>>> parse_numstat("3\t1\tsrc/{old => new}/a.py\n-\t-\tlogo.png\n")
[Numstat(path='src/new/a.py', additions=3, deletions=1, old_path='src/old/a.py'), Numstat(path='logo.png', ...)]
>>> parse_numstat(b"3\t1\ta\tb\0" + b"0\t0\t\0old\0new\0")
[Numstat(path='a\tb', additions=3, deletions=1, old_path=None), Numstat(path='new', ..., old_path='old')]
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rootle.errors import InvalidArgument

__all__ = ["BINARY", "Numstat", "parse_numstat"]

BINARY = -1
"""Stands for both counts of a binary file, which has no lines."""

_COUNTS = re.compile(rb"(\d+|-)\t(\d+|-)\t", re.ASCII)
# Git puts braces around what differs between two slashes.
_BRACES = re.compile(rb"(?:^|(?<=/))\{(.*?) => (.*?)\}(?=/|$)", re.DOTALL)
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_QUOTED_PAIR = re.compile(rb'("(?:[^"\\]|\\.)*"|.*?) => ("(?:[^"\\]|\\.)*"|.*)', re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROL = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


class Numstat(NamedTuple):
    """One file.

    Attributes:
        path: Its name; bytes that are not UTF-8 stand as lone surrogates.
        additions: Lines added; -1 for a binary file, as `deletions`.
        old_path: Where it was renamed or copied from.
    """

    path: str
    additions: int
    deletions: int
    old_path: str | None = None

    @property
    def binary(self) -> bool:
        """Whether lines were not counted."""
        return self.additions == BINARY


def parse_numstat(data: bytes | str) -> list[Numstat]:
    """Read the output of `git diff --numstat`, with or without `-z`.

    With `-z` every name is read exactly. Without it names are quoted where git quotes them, and a rename is what has
    an arrow in it (`old => new`, `src/{old => new}/a`): a file whose own name has one cannot be told from a rename.

    Args:
        data: The output. Text is taken as UTF-8 with lone surrogates for other bytes.

    Raises:
        InvalidArgument: When a record is none; nothing is left out silently.
    """
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)
    return _records(content) if b"\0" in content else _lines(content)


def _records(content: bytes) -> list[Numstat]:
    if not content.endswith(b"\0"):
        raise _wrong(content.rpartition(b"\0")[2])
    fields = iter(content[:-1].split(b"\0"))
    found = []
    for field in fields:
        additions, deletions, path = _counts(field)
        if path:
            found.append(Numstat(_text(path), additions, deletions))
            continue
        old, new = next(fields, b""), next(fields, b"")
        if not old or not new:
            raise _wrong(field)
        found.append(Numstat(_text(new), additions, deletions, _text(old)))
    return found


def _lines(content: bytes) -> list[Numstat]:
    found = []
    for line in content.split(b"\n"):
        line = line.removesuffix(b"\r")
        if not line:
            continue
        additions, deletions, path = _counts(line)
        if not path:
            raise _wrong(line)
        old, new = _renamed(path)
        found.append(Numstat(_text(new), additions, deletions, None if old is None else _text(old)))
    return found


def _counts(record: bytes) -> tuple[int, int, bytes]:
    counts = _COUNTS.match(record)
    if counts is None or (counts[1] == b"-") != (counts[2] == b"-"):
        raise _wrong(record)
    if counts[1] == b"-":
        return BINARY, BINARY, record[counts.end() :]
    return int(counts[1]), int(counts[2]), record[counts.end() :]


def _renamed(path: bytes) -> tuple[bytes | None, bytes]:
    """Give the old and the new name that a line without `-z` shows."""
    if _QUOTED.fullmatch(path):
        return None, _unquoted(path)
    braces = _BRACES.search(path)
    if braces is not None:
        head, tail = path[: braces.start()], path[braces.end() :]
        return _joined(head, braces[1], tail), _joined(head, braces[2], tail)
    pair = _QUOTED_PAIR.fullmatch(path)
    if pair is not None:
        return _unquoted(pair[1]), _unquoted(pair[2])
    return None, path


def _joined(head: bytes, middle: bytes, tail: bytes) -> bytes:
    """Put a name together; of `a/{ => b}/c` the old one is `a/c`."""
    return head + (tail.removeprefix(b"/") if not middle else middle + tail)


def _unquoted(name: bytes) -> bytes:
    quoted = _QUOTED.fullmatch(name)
    if quoted is None:
        return name
    return _ESCAPE.sub(lambda found: _escaped(found[1]), quoted[1])


def _escaped(code: bytes) -> bytes:
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF])
    return _CONTROL.get(code, code)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _wrong(record: bytes) -> InvalidArgument:
    shown = record[:80].decode("utf-8", "replace")
    return InvalidArgument.of(f"not a record of git diff --numstat: {shown!r}", name="data")
