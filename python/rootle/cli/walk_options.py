"""The options that every command which walks a tree has in common, and the keywords they stand for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, cast

from rootle.cli.numbers import count, seconds

if TYPE_CHECKING:
    from rootle.options import DescentKeywords, FilterKeywords, LimitKeywords, RuleKeywords

__all__ = [
    "descent_arguments",
    "descent_keywords",
    "filter_arguments",
    "filter_keywords",
    "limit_keywords",
    "rule_arguments",
    "rule_keywords",
]


def rule_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which entries are looked at."""
    group = parser.add_argument_group("which entries")
    group.add_argument("-.", "--hidden", action="store_true", help="names that start with a dot too")
    group.add_argument("--no-ignore", action="store_true", help="do not heed ignore files")
    group.add_argument("-u", dest="unrestricted", action="count", default=0, help="-u: --no-ignore; -uu: --hidden too")
    group.add_argument(
        "--skip-dir",
        action="append",
        metavar="NAME",
        help="never enter directories of this name; replaces the built-in list",
    )
    group.add_argument(
        "--no-skip-dirs", action="store_true", help="switch the built-in list of unwanted directories off"
    )
    group.add_argument(
        "--timeout-s", type=seconds, metavar="SECONDS", help="stop after this time and give what was found"
    )


def descent_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a tree is walked."""
    rule_arguments(parser)
    group = parser.add_argument_group("how to walk")
    group.add_argument("-L", "--follow", action="store_true", help="follow symbolic links that stay inside the root")
    group.add_argument("-d", "--max-depth", type=count, metavar="N", help="go down at most N levels")
    group.add_argument("-j", "--threads", type=count, default=0, metavar="N", help="use N threads; 0 decides itself")


def filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose among files."""
    group = parser.add_argument_group("which files")
    group.add_argument(
        "-g",
        "--glob",
        action="append",
        default=[],
        metavar="GLOB",
        help="only files that match; with a leading ! none that match",
    )
    group.add_argument(
        "-t", "--type", action="append", default=[], metavar="TYPE", help="only files of this type, as py or rust"
    )


def rule_keywords(args: argparse.Namespace) -> RuleKeywords:
    """Give the keywords for `rule_arguments`."""
    keywords: RuleKeywords = {
        "hidden": args.hidden or args.unrestricted > 1,
        "no_ignore": args.no_ignore or args.unrestricted > 0,
    }
    if args.no_skip_dirs or args.skip_dir is not None:
        keywords["skip_dirs"] = tuple(args.skip_dir or ())
    return keywords


def limit_keywords(args: argparse.Namespace) -> LimitKeywords:
    """Give the keyword for the time limit."""
    return {"timeout_s": args.timeout_s}


def descent_keywords(args: argparse.Namespace) -> DescentKeywords:
    """Give the keywords for `descent_arguments`."""
    more: DescentKeywords = {"follow_links": args.follow, "max_depth": args.max_depth, "threads": args.threads}
    return cast("DescentKeywords", {**rule_keywords(args), **more})


def filter_keywords(args: argparse.Namespace) -> FilterKeywords:
    """Give the keywords for `filter_arguments`."""
    return {
        "glob": tuple(glob for glob in args.glob if not glob.startswith("!")),
        "exclude": tuple(glob[1:] for glob in args.glob if glob.startswith("!")),
        "type": tuple(args.type),
    }
