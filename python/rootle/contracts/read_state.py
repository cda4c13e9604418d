"""`ReadState`: what was read of each file, so that a stale edit is noticed and an unchanged file is not read twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from rootle import limits

if TYPE_CHECKING:
    from rootle.results import Metadata, ReadResult

__all__ = ["Fingerprint", "ReadRecord", "ReadState"]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the system says of a file's content without reading it; equal fingerprints mean equal content."""

    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    device: int = 0

    @classmethod
    def of(cls, metadata: Metadata) -> Fingerprint:
        """Take it from a path's metadata."""
        return cls(metadata.size, metadata.mtime_ns, metadata.ctime_ns, metadata.inode, metadata.device)


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """The last known content of one file and which of its lines were given.

    Attributes:
        content_hash: Of the whole file; None when it was too large to hash.
        ranges: First and last line of each stretch that was given, in order, not overlapping.
        content: The whole file, to show later what changed; None when it was too large, or had to make room.
        read: Somebody was shown this file, before or after it was written here. An edit of a file that nobody was
            shown relies on nothing but the text that it replaces.
    """

    content_hash: bytes | None
    fingerprint: Fingerprint | None
    ranges: tuple[tuple[int, int], ...]
    content: bytes | None = None
    read: bool = False

    def covers(self, first: int, last: int) -> bool:
        """Tell whether all of the lines `first` to `last` were given."""
        return any(start <= first and last <= end for start, end in self.ranges)


class ReadState:
    """Records by path, for threads; bounded in files and in bytes, the longest unused is forgotten first.

    Content decides: a file whose time changed but whose hash did not is unchanged.

    >>> state = ReadState()
    >>> state.record("a.py", content_hash=b"1", lines=(1, 10))
    >>> state.is_unchanged("a.py", content_hash=b"1"), state.is_unchanged("a.py", content_hash=b"2")
    (True, False)
    """

    def __init__(self, max_files: int = limits.READ_STATE_MAX_FILES, max_bytes: int = limits.READ_STATE_BYTES) -> None:
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._bytes = 0
        self._records: OrderedDict[str, ReadRecord] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Give the number of files remembered."""
        return len(self._records)

    def get(self, path: str) -> ReadRecord | None:
        """Give what is known of `path`."""
        return self._records.get(path)

    def record(
        self,
        path: str,
        *,
        content_hash: bytes | None = None,
        fingerprint: Fingerprint | None = None,
        lines: tuple[int, int] | None = None,
        content: bytes | None = None,
        read: bool = False,
    ) -> None:
        """Note that `path` was read or written with this content; `lines` are the first and last line that were given.

        Ranges of an earlier read are kept only while the content is the same.
        """
        with self._lock:
            old = self._drop(path)
            kept = old.ranges if old is not None and _same(old, content_hash, fingerprint) else ()
            ranges = kept if lines is None else _merged(kept, lines)
            read = read or lines is not None or (old is not None and old.read)
            self._records[path] = ReadRecord(content_hash, fingerprint, ranges, content, read)
            self._bytes += len(content or b"")
            while len(self._records) > self._max_files:
                self._drop(next(iter(self._records)))
            self._make_room()

    def record_read(self, result: ReadResult) -> None:
        """Note what a read gave; a file that changed meanwhile is forgotten, for it has no one content."""
        if result.changed_while_reading:
            self.forget(result.path)
            return
        whole = [line.number for line in takewhile(lambda line: line.column == 1 and not line.cut, result.lines)]
        self.record(
            result.path,
            content_hash=result.hash,
            fingerprint=Fingerprint.of(result.metadata),
            lines=(whole[0], whole[-1]) if whole else None,
            content=result.content,
            read=True,
        )

    def is_unchanged(
        self, path: str, *, content_hash: bytes | None = None, fingerprint: Fingerprint | None = None
    ) -> bool:
        """Tell whether `path` is known to have the content that was recorded; False when nothing was."""
        record = self._records.get(path)
        return record is not None and _same(record, content_hash, fingerprint)

    def forget(self, path: str) -> None:
        """Drop what is known of `path`."""
        with self._lock:
            self._drop(path)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._records.clear()
            self._bytes = 0

    def _drop(self, path: str) -> ReadRecord | None:
        record = self._records.pop(path, None)
        if record is not None:
            self._bytes -= len(record.content or b"")
        return record

    def _make_room(self) -> None:
        """Let go of the oldest contents; what is known of the files otherwise stays."""
        if self._bytes <= self._max_bytes:
            return
        for path, record in self._records.items():
            if record.content is not None:
                self._bytes -= len(record.content)
                self._records[path] = replace(record, content=None)
                if self._bytes <= self._max_bytes:
                    return


def _same(record: ReadRecord, content_hash: bytes | None, fingerprint: Fingerprint | None) -> bool:
    if content_hash is not None and record.content_hash is not None:
        return content_hash == record.content_hash
    return fingerprint is not None and fingerprint == record.fingerprint


def _merged(ranges: tuple[tuple[int, int], ...], new: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted((*ranges, new)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)
