"""`rootle bench`: measures, prints the table, writes the plot."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rootle.bench.measure import measure_tree
from rootle.bench.plot import as_svg
from rootle.bench.queries import Query
from rootle.bench.table import as_json, as_table
from rootle.cli.dispatch import ERROR, complain
from rootle.rendering import escape_text

__all__ = ["bench"]


def bench(args: argparse.Namespace) -> int:
    """Run `rootle bench` with its parsed arguments."""
    fault = _fault(args.path, args.plot)
    if fault is not None:
        complain(fault)
        return ERROR
    queries = [
        Query(f"query {number}", pattern, fixed=args.fixed_strings) for number, pattern in enumerate(args.pattern, 1)
    ]
    report = measure_tree(args.path, queries, rounds=args.rounds, tell=_tell)
    if args.json:
        print(json.dumps(as_json(report), indent=2, default=str))
    else:
        print("\n".join(escape_text(line) for line in as_table(report).split("\n")), end="")
    if args.plot:
        with open(args.plot, "w", encoding="utf-8") as file:
            file.write(as_svg(report))
        print(f"plot written to {args.plot}", file=sys.stderr)
    return os.EX_OK


def _fault(path: str, plot: str | None) -> str | None:
    """Say what is wrong with the names, before minutes of measuring."""
    if os.path.exists(path) and not os.path.isdir(path):
        return f"{path} is not a directory"
    if plot is None:
        return None
    folder = os.path.dirname(plot) or os.curdir
    if not os.path.isdir(folder):
        return f"--plot: there is no directory {folder}"
    if os.path.isdir(plot):
        return f"--plot: {plot} is a directory"
    if not os.access(plot if os.path.exists(plot) else folder, os.W_OK):
        return f"--plot: {plot} cannot be written"
    return None


def _tell(words: str) -> None:
    if sys.stderr.isatty():
        print(f"measuring {escape_text(words)}", file=sys.stderr)
