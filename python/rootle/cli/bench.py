"""Time rootle against every searcher found here (rg, git grep, ugrep, grep, Python's re) on a tree of yours.

All get the same queries; answers are compared first, then medians of alternating rounds are given.

rootle is called in this process; the programs' times include their start.

Exit code: 0 measured, 2 error.
"""

from __future__ import annotations

import argparse

from rootle.cli.numbers import positive

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=".", help="the tree")
    parser.add_argument(
        "-p",
        "--pattern",
        action="append",
        default=[],
        metavar="REGEX",
        help="a query; else four are chosen from the tree",
    )
    parser.add_argument("-F", "--fixed-strings", action="store_true", help="take the patterns literally")
    parser.add_argument("--rounds", type=positive, default=7, metavar="N", help="how often each is timed")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--plot", metavar="FILE.svg", help="write a plot of the ratios")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from rootle.bench.command import bench

    return bench(args)
