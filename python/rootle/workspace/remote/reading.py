"""Lines of a file in a sandbox: small files are fetched whole, of large ones the stretch that is asked for."""

from __future__ import annotations

from typing import Any

from rootle import limits
from rootle._core import ReadLine, ReadResult
from rootle.errors import FileTooLarge
from rootle.workspace.local import LocalBackend
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.entries import Entry, Fields
from rootle.workspace.remote.look import Look
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.station import Deadline, Output, Station, encoded

__all__ = ["read_large", "read_small", "whole_content"]

_FIELDS = (
    "path",
    "lines",
    "metadata",
    "total_lines",
    "size",
    "encoding",
    "bom",
    "lossy",
    "binary",
    "line_ends",
    "final_newline",
    "next_line",
    "next_column",
    "hash",
    "content",
    "changed_while_reading",
    "hidden_unicode",
    "root",
)
_HEAD_BYTES = 65_536
"""As much as the core looks at to tell the encoding."""


def read_small(station: Station, look: Look, path: str, options: dict[str, Any]) -> ReadResult:
    """Read a file whose content is known; of anything else the core says why it cannot be read."""
    with Replica(station.features().root) as replica:
        replica.place(look)
        result = LocalBackend.on(replica.root).read(look.name, **options)
    return result if look.entry is None else _changed(result, path=path, metadata=look.entry.metadata())


def whole_content(station: Station, look: Look, deadline: Deadline) -> bytes:
    """Fetch a whole file by the client's own method."""
    root = station.features(deadline).root.rstrip("/")
    return bytes(station.awaited(lambda: station.client.read_file(f"{root}/{look.real}"), deadline))


def read_large(
    station: Station, look: Look, entry: Entry, path: str, options: dict[str, Any], deadline: Deadline
) -> ReadResult:
    """Read lines of a file that is too large to be fetched whole."""
    station.features(deadline).require("reading a large file", "head", "tail", "wc")
    large = Large(station, look, entry, path, options, deadline)
    head = large.slice(1, _HEAD_BYTES)
    large.form = form = large.core(head.data, {"start_line": 1, "max_lines": 0, "encoding": options["encoding"]})
    if form.binary:
        return _changed(form, **large.facts(head), lines=[], binary=True)
    if form.encoding.startswith(("utf-16", "utf-32")):
        raise FileTooLarge.of(
            f'"{path}" has {entry.size:,} bytes of {form.encoding}; in a sandbox at most '
            f"{limits.REMOTE_WHOLE_BYTES:,} bytes of such a file can be read",
            path=path,
            size=entry.size,
            limit=limits.REMOTE_WHOLE_BYTES,
        )
    start: int = options["start_line"]
    if start < 0:
        start = max(1, large.count() + 1 + start)
    return large.read(start)


class Large:
    """A file of which stretches are fetched."""

    form: ReadResult

    def __init__(
        self, station: Station, look: Look, entry: Entry, path: str, options: dict[str, Any], deadline: Deadline
    ) -> None:
        self.station = station
        self.look = look
        self.entry = entry
        self.path = path
        self.options = options
        self.deadline = deadline

    def read(self, start: int) -> ReadResult:
        """Read from a line on, with as large a stretch as the lines asked for need."""
        window = limits.REMOTE_RANGE_BYTES
        while True:
            piece = self.slice(start, window)
            # An empty line stands for each line before, so that lines have their numbers.
            before = b"\n" * (start - 1)
            asked = self.options | {"start_line": start, "encoding": self.form.encoding}
            result = self.core(before + piece.data, asked)
            ended = piece.skipped + len(piece.data) >= piece.size
            if ended or result.next_line is not None or window >= limits.REMOTE_WHOLE_BYTES:
                break
            window = min(window * 4, limits.REMOTE_WHOLE_BYTES)
        lines, next_line, next_column = result.lines, result.next_line, result.next_column
        if not ended and lines and lines[-1].number == result.total_lines:
            # The stretch ended in this line: how long it is was not seen.
            last = lines[-1]
            if next_line is None and len(lines) > 1:
                lines, next_line, next_column = lines[:-1], last.number, 1
            else:
                shown = ReadLine(number=last.number, text=last.text, column=last.column, total_chars=None, cut=True)
                lines = [*lines[:-1], shown]
                next_line, next_column = last.number, last.column + len(last.text)
        return _changed(
            result,
            **self.facts(piece),
            lines=lines,
            next_line=next_line,
            next_column=next_column,
            bom=self.form.bom,
            final_newline=piece.final_newline,
        )

    def facts(self, piece: Piece) -> dict[str, Any]:
        """Give what is known of the file as a whole."""
        return {
            "path": self.path,
            "size": piece.size,
            "metadata": self.entry.metadata(),
            "total_lines": None,
            "hash": None,
            "content": None,
            "changed_while_reading": piece.size != self.entry.size,
        }

    def core(self, content: bytes, options: dict[str, Any]) -> ReadResult:
        """Have the core read this content as that of the file."""
        with Replica(self.station.features(self.deadline).root) as replica:
            replica.put(self.look.real, content)
            return LocalBackend.on(replica.root).read(self.look.real, **options)

    def slice(self, line: int, window: int) -> Piece:
        """Fetch bytes from the beginning of a line on."""
        arguments = [encoded("./" + self.look.real), str(line), str(window)]
        output = self.station.run(scripts.SLICE, arguments, deadline=self.deadline, max_bytes=window + 10_000)
        if output.stopped:
            raise Stopped(output.stopped)
        if output.cut or not output.data.startswith(b"slice\0"):
            raise self.station.incomplete(output)
        return Piece(output)

    def count(self) -> int:
        """Count the lines of the file."""
        output = self.station.run(scripts.COUNT, [encoded("./" + self.look.real)], deadline=self.deadline)
        if output.stopped:
            raise Stopped(output.stopped)
        try:
            feeds = int(output.data)
        except ValueError:
            raise self.station.incomplete(output) from None
        return feeds + (not self.slice(1, 0).final_newline)


class Piece:
    """A stretch of a file: where it begins, and whether the file ends in a line feed."""

    def __init__(self, output: Output) -> None:
        fields = Fields(output.data)
        fields.next()
        self.size = fields.number()
        self.skipped = fields.number()
        self.final_newline = fields.next() == b"n"
        self.data = output.data[fields.at :]


def _changed(result: ReadResult, **values: Any) -> ReadResult:
    return ReadResult(**({name: getattr(result, name) for name in _FIELDS} | values))
