"""The part of an output that a tool's text shows: its beginning and its end."""

from __future__ import annotations

from dataclasses import dataclass

from rootle import limits
from rootle.commands.text import harmless, whole_end

__all__ = ["Excerpt", "Kept", "excerpt", "page"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of an output.

    Attributes:
        data: Its bytes; where some are missing, they are missing at `gap`.
        gap: None when nothing is missing.
        total: Bytes that were written in all.
        start: Where in the output `data` begins.
    """

    data: bytes
    gap: int | None
    total: int
    start: int = 0

    @property
    def end_part(self) -> int:
        """Where in `data` the part begins that reaches to the end."""
        return 0 if self.gap is None else self.gap


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Text, and which bytes of the output are not in it.

    Attributes:
        text: What is shown, with a line in the place of what is left out.
        first: The first byte that is left out, counted from 0; None when nothing is.
        last: The byte after the last one that is left out.
    """

    text: str
    first: int | None = None
    last: int | None = None


def excerpt(kept: Kept, max_bytes: int = limits.COMMAND_SHOWN_BYTES) -> Excerpt:
    """Give the first quarter and the last three quarters of `max_bytes`, cut between lines where lines are short."""
    if kept.gap is None and len(kept.data) <= max_bytes:
        text = harmless(kept.data)
        if len(text) <= limits.COMMAND_SHOWN_CHARS:
            return Excerpt(text)
    while True:
        made = _cut(kept, max_bytes)
        longer = len(made.text) / limits.COMMAND_SHOWN_CHARS
        # Control characters become longer when they are escaped.
        if longer <= 1 or max_bytes < 100:
            return made
        max_bytes = int(max_bytes / longer * 0.9)


def page(data: bytes, start: int, *, more: bool, max_bytes: int = limits.COMMAND_SHOWN_BYTES) -> tuple[str, int]:
    """Give the text of the bytes at `start` of an output, and where the next page begins.

    Args:
        data: The bytes from `start` on, as many as were read.
        start: Where they are in the output.
        more: Whether the output goes on after them.
        max_bytes: Bytes of the page at most; fewer when they are escaped.
    """
    while True:
        part = data[:max_bytes]
        if more or len(part) < len(data):
            newline = part.rfind(b"\n", len(part) * 3 // 4) + 1
            part = part[: newline or whole_end(part) or len(part)]
        text = harmless(part)
        longer = len(text) / limits.COMMAND_SHOWN_CHARS
        if longer <= 1 or max_bytes < 100:
            return text, start + len(part)
        max_bytes = int(len(part) / longer * 0.9)


def _cut(kept: Kept, max_bytes: int) -> Excerpt:
    head = kept.data if kept.gap is None else kept.data[: kept.gap]
    tail = kept.data[kept.end_part :]
    head_max, tail_max = max_bytes // 4, max_bytes - max_bytes // 4
    if len(head) > head_max:
        newline = head.rfind(b"\n", head_max * 3 // 4, head_max) + 1
        head = head[: newline or whole_end(head[:head_max])]
    if len(tail) > tail_max:
        tail = tail[-tail_max:]
        newline = tail.find(b"\n", 0, tail_max // 4) + 1
        tail = tail[newline or _rest(tail) :]
    first, last = kept.start + len(head), kept.total - len(tail)
    left_out = f"[... {last - first:,} bytes left out ...]"
    text = harmless(head)
    separator = "" if not text or text.endswith("\n") else "\n"
    return Excerpt(f"{text}{separator}{left_out}\n{harmless(tail)}", first, last)


def _rest(tail: bytes) -> int:
    """Count the bytes at the start that belong to a character that began before."""
    return next((at for at, byte in enumerate(tail[:4]) if byte & 0xC0 != 0x80), 0)
