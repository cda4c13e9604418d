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
from rootle.rendering import escape_text

__all__ = ["bench"]


def bench(args: argparse.Namespace) -> int:
    """Run `rootle bench` with its parsed arguments."""
    queries = [
        Query(f"query {number}", pattern, fixed=args.fixed_strings) for number, pattern in enumerate(args.pattern, 1)
    ]
    report = measure_tree(args.path, queries, rounds=max(1, args.rounds), tell=_tell)
    if args.json:
        print(json.dumps(as_json(report), indent=2, default=str))
    else:
        print("\n".join(escape_text(line) for line in as_table(report).split("\n")), end="")
    if args.plot:
        with open(args.plot, "w", encoding="utf-8") as file:
            file.write(as_svg(report))
        print(f"plot written to {args.plot}", file=sys.stderr)
    return os.EX_OK


def _tell(words: str) -> None:
    if sys.stderr.isatty():
        print(f"measuring {escape_text(words)}", file=sys.stderr)
