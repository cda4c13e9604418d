"""Find files by glob, newest first unless --sort says otherwise: * and ? within a name, ** over levels, {a,b}, [a-z].

A glob without a slash is compared with the name alone, at any depth; a segment that starts with a dot finds hidden
entries.

Exit code: 0 found, 1 nothing found, 2 error.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rootle.cli import walk_options
from rootle.cli.dispatch import ERROR, FOUND, NOTHING
from rootle.cli.notices import tell_stop, tell_warnings
from rootle.cli.numbers import positive
from rootle.cli.paths import ShownPaths
from rootle.cli.terminal import Output, Progress, colour_argument

if TYPE_CHECKING:
    from rootle.options import GlobKeywords

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("pattern", metavar="PATTERN")
    parser.add_argument("path", metavar="PATH", nargs="?", help="the directory to look in")
    parser.add_argument("-i", "--ignore-case", action="store_true", help="match without regard to case")
    parser.add_argument("--kind", choices=("file", "directory", "any"), default="file", help="what to find")
    parser.add_argument(
        "--sort",
        choices=("modified", "path", "size", "depth"),
        default="modified",
        help="order; modified: newest first",
    )
    parser.add_argument("-m", "--max-results", type=positive, metavar="N", help="give at most N paths")
    parser.add_argument("--cursor", help="go on where an earlier call stopped")
    parser.add_argument("-0", "--null", action="store_true", help="end each path with a NUL byte instead of a line end")
    parser.add_argument("--json", action="store_true", help="JSON lines: an `entry` for each path, then a `summary`")
    colour_argument(parser)
    walk_options.descent_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Find and print."""
    import rootle

    keywords: GlobKeywords = {
        **walk_options.descent_keywords(args),
        **walk_options.limit_keywords(args),
        "sort": args.sort,
        "kind": args.kind,
        "ignore_case": args.ignore_case,
        "max_results": args.max_results,
        "cursor": args.cursor,
    }
    output = Output(args.color)
    with Progress("looking"):
        result = rootle.glob(args.pattern, args.path or ".", **keywords)
    shown = ShownPaths([args.path] if args.path else [], result.root)
    if args.json:
        from rootle.cli.grep_json import text_or_bytes, write_message

        for entry in result.entries:
            data = {
                "path": text_or_bytes(shown(entry.path)),
                "kind": entry.kind,
                "size": entry.size,
                "mtime_ns": entry.mtime_ns,
            }
            write_message(output, "entry", data)
        summary = {
            "total": result.total,
            "ignored": result.ignored,
            "complete": result.complete,
            "stop": result.stop,
            "cursor": result.cursor,
        }
        write_message(output, "summary", summary)
    else:
        end = "\0" if args.null else "\n"
        for path in result.paths:
            output.write(output.name(shown(path)) + end)
    sys.stdout.flush()
    failed = tell_warnings(result.warnings, shown)
    failed = tell_stop(result.stop, result.cursor, output.terminal) or failed
    if failed:
        return ERROR
    return FOUND if result.paths else NOTHING
