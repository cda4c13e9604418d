"""Output that is kept in bounded memory: its beginning and its end, as the helper keeps that of local commands."""

from __future__ import annotations

from collections import deque

__all__ = ["HeadTail"]


class HeadTail:
    """Keeps the first quarter and the last three quarters of `most` bytes, and counts all of them.

    >>> kept = HeadTail(8)
    >>> for piece in (b"abc", b"defghijkl", b"mno"):
    ...     kept.push(piece)
    >>> kept.data, kept.total, kept.gap
    (b'abjklmno', 15, 2)
    """

    def __init__(self, most: int) -> None:
        self._head = bytearray()
        self._head_most = most // 4
        self._tail: deque[bytes] = deque()
        self._tail_most = most - self._head_most
        self._tail_length = 0
        self.total = 0

    def push(self, piece: bytes) -> None:
        """Add bytes at the end."""
        self.total += len(piece)
        room = self._head_most - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if piece and self._tail_most:
            self._tail.append(piece[-self._tail_most :])
            self._tail_length += len(self._tail[-1])
            while self._tail_length - len(self._tail[0]) >= self._tail_most:
                self._tail_length -= len(self._tail.popleft())

    @property
    def gap(self) -> int | None:
        """Where in `data` bytes are missing; None when all are there."""
        return len(self._ends()[0]) if self._lost else None

    @property
    def data(self) -> bytes:
        """What was kept. Where bytes are missing, no UTF-8 character is cut: its remains on either side go too."""
        head, tail = self._ends()
        return head + tail

    @property
    def _lost(self) -> bool:
        return self.total > self._head_most + self._tail_most

    def _ends(self) -> tuple[bytes, bytes]:
        joined = b"".join(self._tail)
        if not self._lost:
            return bytes(self._head), joined
        tail = joined[-self._tail_most :] if self._tail_most else b""
        return bytes(self._head[: _whole_end(self._head)]), tail[_whole_start(tail) :]


def _whole_end(text: bytes | bytearray) -> int:
    """Give the length of `text` without a last character that is not complete."""
    for back in range(1, min(len(text), 3) + 1):
        first = text[-back]
        if 0x80 <= first <= 0xBF:
            continue
        needed = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 1
        return len(text) - back if needed > back else len(text)
    return len(text)


def _whole_start(text: bytes) -> int:
    """Give how many bytes at the start of `text` are the rest of a character that began before it."""
    rest = 0
    while rest < min(len(text), 4) and 0x80 <= text[rest] <= 0xBF:
        rest += 1
    return 0 if rest > 3 else rest  # More than three belong to no character.
