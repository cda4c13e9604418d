"""`UndoJournal`: what the last edits replaced, so that they can be taken back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from rootle import limits
from rootle.contracts import Undoable

__all__ = ["UndoEntry", "UndoJournal"]


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """One call's changes, which are taken back together."""

    changes: tuple[Undoable, ...]

    @property
    def size(self) -> int:
        """The bytes held."""
        return sum(len(change.before or b"") for change in self.changes)


class UndoJournal:
    """The last edits, for threads; bounded in number and bytes, the oldest is forgotten first."""

    def __init__(self, max_entries: int = limits.UNDO_ENTRIES, max_bytes: int = limits.UNDO_BYTES) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: deque[UndoEntry] = deque()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Give the number of edits that can be taken back."""
        return len(self._entries)

    def push(self, changes: Sequence[Undoable]) -> None:
        """Remember one call's changes; an edit larger than the journal empties it, for nothing older can be next."""
        entry = UndoEntry(tuple(changes))
        with self._lock:
            self._entries.append(entry)
            self._bytes += entry.size
            while self._entries and (len(self._entries) > self._max_entries or self._bytes > self._max_bytes):
                self._bytes -= self._entries.popleft().size

    def last(self) -> UndoEntry | None:
        """Give the last edit without forgetting it."""
        with self._lock:
            return self._entries[-1] if self._entries else None

    def pop(self, entry: UndoEntry) -> None:
        """Forget `entry`, which was taken back."""
        with self._lock:
            if entry in self._entries:
                self._entries.remove(entry)
                self._bytes -= entry.size
