"""Matches in a file that is too large to be fetched: of such a file only the lines that may match are, and some around.

The core searches these lines as if they were a file; afterwards its matches get the numbers and offsets that the lines
have in the whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rootle import limits
from rootle._core import ContextLine, GrepMatch
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.station import Deadline, Station, encoded

__all__ = ["Excerpt", "excerpt", "in_whole"]

_LINE = re.compile(rb"(\d+)[:-](\d+)[:-]")


@dataclass(slots=True)
class Excerpt:
    """Lines of a file.

    Attributes:
        content: The lines, one after the other.
        numbers: The number that each has in the file.
        offsets: Where each begins in the file.
        starts: Where each begins in `content`.
        whole: Whether all lines that may match are there.
    """

    content: bytes = b""
    numbers: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    whole: bool = True


def excerpt(
    station: Station, path: str, tool: str, patterns: list[str], context: tuple[int, int], deadline: Deadline
) -> Excerpt:
    """Fetch the lines of a file that may match, with those before and after them.

    Args:
        station: The sandbox.
        path: The file, relative to the root.
        tool: "rg" or "grep".
        patterns: The options and patterns that it is given.
        context: How many lines before and after.
        deadline: When to give up.
    """
    cap = limits.REMOTE_FETCH_BYTES
    arguments = [tool, encoded("./" + path), str(cap), "-B", str(context[0]), "-A", str(context[1]), *patterns]
    output = station.run(scripts.LINES, arguments, deadline=deadline, max_bytes=cap + 10_000)
    if output.stopped:
        raise Stopped(output.stopped)
    if output.cut:
        raise station.incomplete(output)
    return _read(output.data, whole=len(output.data) < cap)


def _read(data: bytes, *, whole: bool) -> Excerpt:
    found = Excerpt(whole=whole)
    lines = data.split(b"\n")
    # What comes after the last line feed is nothing, or was cut.
    lines.pop()
    kept: list[bytes] = []
    at = 0
    for line in lines:
        head = _LINE.match(line)
        if head is None:
            continue  # It stands between lines that do not follow one another.
        text = line[head.end() :] + b"\n"
        found.numbers.append(int(head[1]))
        found.offsets.append(int(head[2]))
        found.starts.append(at)
        kept.append(text)
        at += len(text)
    found.content = b"".join(kept)
    return found


def in_whole(matches: Iterable[GrepMatch], excerpts: dict[str, Excerpt]) -> list[GrepMatch]:
    """Give matches with the numbers and offsets that they have in the whole files."""
    return [_moved(match, found) if (found := excerpts.get(match.path)) else match for match in matches]


def _moved(match: GrepMatch, found: Excerpt) -> GrepMatch:
    at = bisect_right(found.starts, match.byte_offset) - 1

    def number(line: int) -> int:
        return found.numbers[line - 1] if 0 < line <= len(found.numbers) else line

    def moved(lines: Iterable[ContextLine]) -> tuple[ContextLine, ...]:
        return tuple(ContextLine(line=number(one.line), text=one.text) for one in lines)

    values: dict[str, Any] = {
        name: getattr(match, name) for name in ("path", "column", "text", "spans", "clipped", "lossy")
    }
    return GrepMatch(
        **values,
        line=number(match.line),
        end_line=number(match.end_line),
        byte_offset=found.offsets[at] + match.byte_offset - found.starts[at] if at >= 0 else match.byte_offset,
        before=moved(match.before),
        after=moved(match.after),
    )
