"""Print lines of a file, decoded to UTF-8, whatever its encoding.

Exit code: 0 printed, 1 no such line, 2 error or a binary file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rootle.cli.dispatch import ERROR, FOUND, NOTHING, complain
from rootle.cli.numbers import count, line_number, positive, seconds
from rootle.cli.terminal import Output, colour_argument

if TYPE_CHECKING:
    from rootle.options import ReadKeywords
    from rootle.results import ReadResult

__all__ = ["arguments", "run"]

_NO_CUT = 2**31 - 1


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", metavar="FILE")
    parser.add_argument(
        "-s",
        "--start-line",
        type=line_number,
        default=1,
        metavar="N",
        help="the first line, from 1; -1 is the last line",
    )
    parser.add_argument("-n", "--max-lines", type=positive, metavar="N", help="give at most N lines")
    parser.add_argument(
        "--start-column", type=positive, default=1, metavar="N", help="the first character of the first line, from 1"
    )
    parser.add_argument("-M", "--max-columns", type=count, metavar="N", help="cut longer lines")
    parser.add_argument("-E", "--encoding", metavar="NAME", help="decode from this encoding")
    parser.add_argument(
        "-N",
        "--no-line-number",
        dest="numbers",
        action="store_false",
        default=None,
        help="leave line numbers out (the default in a pipe)",
    )
    parser.add_argument(
        "--line-number",
        dest="numbers",
        action="store_true",
        default=None,
        help="give line numbers (the default on a terminal)",
    )
    parser.add_argument("--timeout-s", type=seconds, metavar="SECONDS", help="give up after this time")
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON object: the lines that one read gives and what is known about the file",
    )
    colour_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Read and print."""
    output = Output(args.color)
    reads = _reads(args)
    result = next(reads)
    if args.json:
        _write_json(output, result)
        return FOUND if result.lines else ERROR if result.binary else NOTHING
    if not result.lines:
        return _tell_nothing(result)
    numbers = output.terminal if args.numbers is None else args.numbers
    _write(output, result, numbers=numbers)
    for result in reads:
        if result.lines:
            _write(output, result, numbers=numbers)
    sys.stdout.flush()
    for said, words in ((result.binary, "the file is binary"), (result.lossy, f"some bytes are not {result.encoding}")):
        if said:
            complain(words)
    return FOUND


def _tell_nothing(result: ReadResult) -> int:
    if result.binary:
        complain(f"{result.path}: binary file, {result.size:,} bytes")
        return ERROR
    if result.size == 0:
        complain("the file is empty")
    elif result.total_lines is None:
        complain("no such line")
    else:
        complain(f"no such line: the file has {result.total_lines:,} lines")
    return NOTHING


def _reads(args: argparse.Namespace) -> Iterator[ReadResult]:
    """Read on, piece by piece, until the lines that were asked for are all given: memory stays that of one piece."""
    import rootle

    keywords: ReadKeywords = {
        "start_line": args.start_line,
        "max_lines": args.max_lines,
        "start_column": args.start_column,
        "max_line_chars": args.max_columns or _NO_CUT,
        "encoding": args.encoding,
        "timeout_s": args.timeout_s,
    }
    last = None if args.max_lines is None else 0
    while True:
        result = rootle.read(args.path, **keywords)
        yield result
        if not result.lines or result.next_line is None:
            return
        if last == 0 and args.max_lines is not None:
            last = result.lines[0].number + args.max_lines - 1
        line, column = result.next_line, result.next_column or 1
        if args.max_columns is not None and column > 1:
            line, column = line + 1, 1
        if last is not None:
            if line > last:
                return
            keywords["max_lines"] = last - line + 1
        keywords["start_line"], keywords["start_column"] = line, column


def _write(output: Output, result: ReadResult, *, numbers: bool) -> None:
    last = result.lines[-1]
    goes_on = result.next_line == last.number and (result.next_column or 1) > 1
    for line in result.lines:
        if numbers and line.column == 1:
            output.write(output.paint(f"{line.number:>6}", "line") + "  ")
        output.write(output.text(line.text))
        if line is not last or not goes_on:
            at_end = result.next_line is None and line is last
            output.write("" if at_end and result.final_newline is False and not output.terminal else "\n")


def _write_json(output: Output, result: ReadResult) -> None:
    fields = (
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
    )
    lines = [
        {
            "number": line.number,
            "text": line.text,
            "column": line.column,
            "total_chars": line.total_chars,
            "cut": line.cut,
        }
        for line in result.lines
    ]
    from rootle.cli.grep_json import text_or_bytes

    data: dict[str, Any] = {
        "path": text_or_bytes(result.path),
        **{field: getattr(result, field) for field in fields},
        "lines": lines,
    }
    data["hash"] = None if result.hash is None else result.hash.hex()
    output.line(json.dumps(data, ensure_ascii=False))
