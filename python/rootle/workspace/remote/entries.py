"""What the sandbox says of files, as records."""

from __future__ import annotations

import calendar
import os
import stat
import time
from dataclasses import dataclass, replace

from rootle._core import Metadata

__all__ = ["Entry", "Fields", "Malformed", "from_find", "from_stat"]

_KINDS = {"f": "file", "d": "directory", "l": "symlink", "p": "fifo", "s": "socket", "b": "device", "c": "device"}


_MOST_NS = 4_000_000_000 * 1_000_000_000


class Malformed(Exception):
    """The text is not what a script prints: it was cut, or files changed meanwhile. Never reaches a caller."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a directory.

    Attributes:
        path: Relative to the root.
        kind: As in `rootle.results`.
        target: The text of a link.
        leads_to: What kind a link leads to: "f", "d", or another letter for nothing that can be read.
    """

    path: str
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int
    mode: int
    inode: int
    device: int
    links: int
    target: str | None = None
    leads_to: str = ""

    def metadata(self) -> Metadata:
        """Give it as the core's record."""
        return Metadata(
            kind=self.kind,
            size=self.size,
            mtime_ns=self.mtime_ns,
            ctime_ns=self.ctime_ns,
            mode=self.mode,
            inode=self.inode,
            device=self.device,
            links=self.links,
        )

    def at(self, path: str) -> Entry:
        """Give the same under another path."""
        return replace(self, path=path)


def from_find(text: bytes, path: str, target: bytes = b"") -> Entry:
    """Read what `find -printf` says of one file."""
    try:
        kinds, size, mtime, ctime, mode, inode, device, links = text.decode("ascii").split(" ")
        kind = _KINDS.get(kinds[0], "unknown")
        return Entry(
            path,
            kind,
            _size(size),
            _nanoseconds(mtime),
            _nanoseconds(ctime),
            int(mode, 8),
            int(inode),
            int(device),
            int(links),
            os.fsdecode(target) if kind == "symlink" else None,
            kinds[1:2],
        )
    except (ValueError, IndexError) as error:
        raise Malformed(f"{text[:80]!r}: {error}") from None


def from_stat(text: bytes, path: str, target: bytes | None = None, leads_to: str = "") -> Entry:
    """Read what `stat -c` says of one file."""
    try:
        head, changed, rest = text.decode("ascii").split("|")
        mode, size, modified = head.split(" ", 2)
        permissions, inode, device, links = rest.split(" ")
        bits = int(mode, 16)
        letter = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}
        kind = _KINDS.get(letter.get(stat.S_IFMT(bits), "b"), "unknown")
        return Entry(
            path,
            kind,
            _size(size),
            _date(modified),
            _date(changed),
            int(permissions, 8),
            int(inode),
            int(device),
            int(links),
            None if target is None else os.fsdecode(target),
            leads_to,
        )
    except (ValueError, IndexError) as error:
        raise Malformed(f"{text[:80]!r}: {error}") from None


def _nanoseconds(text: str) -> int:
    seconds, _, fraction = text.partition(".")
    return _bounded(int(seconds) * 1_000_000_000 + int((fraction + "000000000")[:9]))


def _size(text: str) -> int:
    size = int(text)
    if not 0 <= size < 1 << 62:
        raise ValueError(f"{size} is no size")
    return size


def _bounded(nanoseconds: int) -> int:
    """Keep a time within what this machine's files can have."""
    return max(-_MOST_NS, min(_MOST_NS, nanoseconds))


def _date(text: str) -> int:
    """Read `2026-01-31 12:00:00.123456789 +0000`."""
    moment, _, zone = text.rpartition(" ")
    moment, _, fraction = moment.partition(".")
    seconds = calendar.timegm(time.strptime(moment, "%Y-%m-%d %H:%M:%S"))
    offset = int(zone[1:3]) * 3600 + int(zone[3:5]) * 60
    seconds -= -offset if zone[0] == "-" else offset
    return _bounded(seconds * 1_000_000_000 + int((fraction + "000000000")[:9]))


class Fields:
    """NUL-ended fields, one after the other; between them stretches whose length is known."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def over(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.data)

    def next(self) -> bytes:
        """Give the next field; raises Malformed when it has no end."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise Malformed("a field has no end")
        field = self.data[self.at : end]
        self.at = end + 1
        return field

    def text(self) -> str:
        """Give the next field as text."""
        return os.fsdecode(self.next())

    def number(self) -> int:
        """Give the next field as a number."""
        try:
            return int(self.next())
        except ValueError as error:
            raise Malformed(str(error)) from None

    def take(self, count: int) -> bytes:
        """Give so many bytes."""
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise Malformed("bytes are missing")
        self.at += count
        return taken
