"""List a directory as a tree, level by level, so that a cut keeps the upper levels.

Exit code: 0 listed, 2 error.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
import time
from typing import TYPE_CHECKING

from rootle import limits
from rootle.cli import walk_options
from rootle.cli.dispatch import ERROR, FOUND
from rootle.cli.notices import tell_stop, tell_warnings
from rootle.cli.numbers import positive
from rootle.cli.paths import ShownPaths
from rootle.cli.terminal import Output, Progress, colour_argument

if TYPE_CHECKING:
    from rootle.options import ListKeywords
    from rootle.results import ListEntry, ListResult

__all__ = ["arguments", "run"]

_TYPE_BITS = {
    "file": stat.S_IFREG,
    "directory": stat.S_IFDIR,
    "symlink": stat.S_IFLNK,
    "fifo": stat.S_IFIFO,
    "socket": stat.S_IFSOCK,
}
_SUFFIXES = {"directory": "/", "symlink": "@", "fifo": "|", "socket": "="}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=".")
    parser.add_argument(
        "-d", "--depth", type=positive, default=1, metavar="N", help="how many levels; 1 is the directory's own entries"
    )
    parser.add_argument(
        "-m",
        "--max-entries",
        type=positive,
        default=limits.LIST_MAX_ENTRIES,
        metavar="N",
        help="give at most N entries",
    )
    parser.add_argument("-l", "--long", action="store_true", help="mode, size and modification time too")
    parser.add_argument("--json", action="store_true", help="JSON lines: an `entry` for each path, then a `summary`")
    colour_argument(parser)
    walk_options.rule_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List and print."""
    import rootle

    keywords: ListKeywords = {
        **walk_options.rule_keywords(args),
        **walk_options.limit_keywords(args),
        "depth": args.depth,
        "max_entries": args.max_entries,
    }
    output = Output(args.color)
    with Progress("listing"):
        result = rootle.list_dir(args.path, **keywords)
    shown = ShownPaths([args.path], result.root)
    if args.json:
        _write_json(output, result, shown)
    else:
        for entry in result.entries:
            output.line(_long(entry) * args.long + "  " * (entry.depth - 1) + _name(output, entry))
        left_out = _left_out(result.ignored, result.hidden, result.not_shown)
        if left_out and output.terminal:
            output.line(output.paint(left_out.strip(), "dim"))
    sys.stdout.flush()
    failed = tell_warnings(result.warnings, shown)
    failed = tell_stop(result.stop, None, output.terminal) or failed
    return ERROR if failed else FOUND


def _write_json(output: Output, result: ListResult, shown: ShownPaths) -> None:
    from rootle.cli.grep_json import text_or_bytes, write_message

    fields = ("depth", "kind", "size", "mtime_ns", "mode", "broken", "ignored", "hidden", "not_shown")
    for entry in result.entries:
        target = None if entry.link_target is None else text_or_bytes(entry.link_target)
        data = {"path": text_or_bytes(shown(entry.path)), "link_target": target}
        write_message(output, "entry", data | {field: getattr(entry, field) for field in fields})
    told = ("ignored", "hidden", "not_shown", "complete", "stop")
    write_message(output, "summary", {field: getattr(result, field) for field in told})


def _long(entry: ListEntry) -> str:
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.mtime_ns / 1e9))
    mode = stat.filemode(_TYPE_BITS.get(entry.kind, 0) | stat.S_IMODE(entry.mode))
    return f"{mode} {entry.size:>12,} {changed}  "


def _name(output: Output, entry: ListEntry) -> str:
    name = output.name(os.path.basename(entry.path), "directory" if entry.kind == "directory" else "")
    name += _SUFFIXES.get(entry.kind, "")
    if entry.link_target is not None:
        return f"{name} -> {output.name(entry.link_target, '')}{' (broken)' if entry.broken else ''}"
    return name + output.paint(_left_out(entry.ignored, entry.hidden, entry.not_shown), "dim")


def _left_out(ignored: int, hidden: int, not_shown: int) -> str:
    counts = ((ignored, "ignored"), (hidden, "hidden"), (not_shown, "not shown"))
    parts = [f"{count:,} {word}" for count, word in counts if count]
    return f" ({', '.join(parts)})" if parts else ""
