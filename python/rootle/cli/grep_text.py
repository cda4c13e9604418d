"""The text form of `rootle grep`: `path:line:text`, or under headings on a terminal."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rootle.cli.dispatch import complain
from rootle.cli.terminal import Output

if TYPE_CHECKING:
    from rootle.results import GrepMatch, GrepResult

__all__ = ["write_text"]

Spans = list[tuple[int, int]]


def write_text(
    output: Output, result: GrepResult, shown: Callable[[str], str], args: argparse.Namespace, *, single: bool
) -> None:
    """Print what was found; `single` is true when one file was searched, whose name then goes without saying."""
    names = (not single) if args.with_filename is None else args.with_filename
    if args.mode in ("files", "count"):
        for file in result.files:
            _write_file(output, shown(file.path), file.count, args, names=names)
        return
    heading = output.terminal if args.heading is None else args.heading
    if output.plain and not (
        args.max_columns or heading or args.null or args.column or args.only_matching or _has_context(args)
    ):
        _write_plain(output, result.matches, shown, args, names=names)
    else:
        printer = _Printer(output, args, names=names, heading=heading and names)
        for match in result.matches:
            printer.match(match, shown(match.path))
    for file in result.files:
        if file.binary and file.count:
            complain(f"{shown(file.path)}: binary file, searched up to its first NUL byte")


def _write_plain(
    output: Output, matches: list[GrepMatch], shown: Callable[[str], str], args: argparse.Namespace, *, names: bool
) -> None:
    """Write the ordinary form for a pipe without the general way's cost for each row: answers may have a million."""
    numbers = not args.no_line_number
    path, prefix = None, ""
    for match in matches:
        if match.path != path:
            path = match.path
            prefix = f"{shown(path)}:" if names else ""
        number = match.line
        for text in match.text.split("\n") if match.end_line != number else (match.text,):
            output.line(f"{prefix}{number}:{text}" if numbers else prefix + text)
            number += 1


def _write_file(output: Output, path: str, count: int, args: argparse.Namespace, *, names: bool) -> None:
    name = output.name(path)
    if args.mode == "files":
        output.write(name + ("\0" if args.null else "\n"))
    elif not names:
        output.line(str(count))
    else:
        output.line(f"{name}\0{count}" if args.null else f"{name}{output.paint(':', 'separator')}{count}")


class _Printer:
    """Writes matches in order and knows what stands above the next line: a heading, a gap, or its neighbour."""

    def __init__(self, output: Output, args: argparse.Namespace, *, names: bool, heading: bool) -> None:
        self._output = output
        self._args = args
        self._names = names
        self._heading = heading
        self._context = _has_context(args)
        self._path: str | None = None
        self._last_line = 0

    def match(self, match: GrepMatch, path: str) -> None:
        first = match.before[0].line if match.before else match.line
        if path != self._path:
            self._begin(path)
        elif self._context and first > self._last_line + 1:
            self._output.line(self._output.paint("--", "separator"))
        for near in match.before:
            self._row("-", near.line, None, self._output.text(near.text))
        ahead, behind = _cuts(match, args=self._args) if match.clipped else ("", "")
        ahead, behind = self._output.paint(ahead, "dim"), self._output.paint(behind, "dim")
        rows = list(_rows(match))
        for number, (line, text, spans) in enumerate(rows, 1):
            head, tail = ahead * (number == 1), behind * (number == len(rows))
            if self._args.only_matching:
                for start, end in spans:
                    self._row(
                        ":",
                        line,
                        _byte_column(match, text, start),
                        head + self._output.highlight(text[start:end], [(0, end - start)]) + tail,
                    )
            else:
                column = match.column if self._args.column and line == match.line else 1
                self._row(":", line, column, head + self._output.highlight(text, spans) + tail)
        for near in match.after:
            self._row("-", near.line, None, self._output.text(near.text))

    def _begin(self, path: str) -> None:
        if self._path is not None:
            if self._heading:
                self._output.line()
            elif self._context:
                self._output.line(self._output.paint("--", "separator"))
        self._path = path
        self._last_line = 0
        if self._heading:
            self._output.write(self._output.name(path) + ("\0" if self._args.null else "\n"))

    def _row(self, mark: str, line: int, column: int | None, text: str) -> None:
        self._last_line = line
        separator = self._output.paint(mark, "separator")
        parts = []
        if self._names and not self._heading:
            parts.append(self._output.name(self._path or "") + ("\0" if self._args.null else separator))
        if not self._args.no_line_number:
            parts.append(self._output.paint(str(line), "line") + separator)
        if self._args.column and column is not None:
            parts.append(str(column) + separator)
        self._output.line("".join(parts) + text)


def _has_context(args: argparse.Namespace) -> bool:
    return bool(args.before_context or args.after_context or args.context)


def _rows(match: GrepMatch) -> Iterator[tuple[int, str, Spans]]:
    """Cut a match over several lines into its lines, each with the spans in it."""
    start = 0
    found = match.spans
    for offset, text in enumerate(match.text.split("\n")):
        end = start + len(text)
        spans = [(max(a, start) - start, min(b, end) - start) for a, b in found if a <= end and b >= start]
        yield match.line + offset, text, spans
        start = end + 1


def _cuts(match: GrepMatch, *, args: argparse.Namespace) -> tuple[str, str]:
    """Give the marks for the start and the end of a clipped text; `[…]` at the end where it cannot be known which."""
    if args.only_matching or args.invert_match:
        return "", "…"
    spans = match.spans
    if match.lossy or not spans or match.line != match.end_line:
        return "", "[…]"
    first = spans[0][0]
    if match.column - 1 <= len(match.text[:first].encode("utf-8", "surrogateescape")):
        return "", "…"
    # The core leaves a quarter of the width before the match, and more only where the line ends within the rest.
    return "…", "" if first > len(match.text) // 4 else "…"


def _byte_column(match: GrepMatch, text: str, start: int) -> int:
    """Give the column of one match of `--only-matching`; the record's own is that of the first."""
    spans = match.spans
    first = spans[0][0] if spans else 0
    if "\n" in match.text or start <= first:
        return match.column
    return match.column + len(text[first:start].encode("utf-8", "surrogateescape"))
