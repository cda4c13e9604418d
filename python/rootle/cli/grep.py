"""Search file contents by regular expression.

The syntax is ripgrep's, with look-around and back-references. The repository's own ignore rules count, and a list of
directories that nobody wants (node_modules, __pycache__, ...) is skipped.

Exit code: 0 found, 1 nothing found, 2 error.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rootle import limits
from rootle.cli import walk_options
from rootle.cli.dispatch import ERROR, FOUND, NOTHING, complain
from rootle.cli.notices import tell_stop, tell_warnings
from rootle.cli.numbers import count, positive, size
from rootle.cli.paths import ShownPaths
from rootle.cli.terminal import Output, Progress, colour_argument

if TYPE_CHECKING:
    from rootle.options import GrepKeywords

__all__ = ["arguments", "run"]

# A pipe gets whole lines, as from ripgrep.
_NO_CLIP = 2**31 - 1


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "words", nargs="*", metavar="PATTERN [PATH ...]", help="the pattern, unless -e is given, and where to search"
    )
    _pattern_arguments(parser)
    walk_options.filter_arguments(parser)
    walk_options.descent_arguments(parser)
    _output_arguments(parser)


def _pattern_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("pattern")
    group.add_argument(
        "-e", "--regexp", action="append", default=[], metavar="PATTERN", help="a pattern; may be given several times"
    )
    group.add_argument("-F", "--fixed-strings", action="store_true", help="take the pattern literally")
    group.add_argument("-w", "--word-regexp", action="store_true", help="match whole words only")
    group.add_argument("-i", "--ignore-case", action="store_true", help="match without regard to case")
    group.add_argument("-S", "--smart-case", action="store_true", help="ignore case unless the pattern has a capital")
    group.add_argument("-U", "--multiline", action="store_true", help="let matches span lines")
    group.add_argument("--multiline-dotall", action="store_true", help="with -U, let . match line ends")
    group.add_argument("-v", "--invert-match", action="store_true", help="give the lines that do not match")
    group.add_argument(
        "-E",
        "--encoding",
        metavar="NAME",
        help="decode every file from this encoding; auto guesses where it is not UTF-8",
    )


def _output_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    mode = group.add_mutually_exclusive_group()
    mode.add_argument(
        "-l", "--files-with-matches", dest="mode", action="store_const", const="files", help="only names of files"
    )
    mode.add_argument(
        "-c", "--count", dest="mode", action="store_const", const="count", help="only the count of each file"
    )
    mode.add_argument("-q", "--quiet", action="store_true", help="print nothing, stop at the first match")
    group.add_argument("-o", "--only-matching", action="store_true", help="give each match by itself")
    group.add_argument("-A", "--after-context", type=count, metavar="N", help="lines of context after each match")
    group.add_argument("-B", "--before-context", type=count, metavar="N", help="lines of context before each match")
    group.add_argument("-C", "--context", type=count, default=0, metavar="N", help="lines of context around each match")
    group.add_argument("-m", "--max-count", type=positive, metavar="N", help="at most N matches of a file")
    group.add_argument("--max-matches", type=positive, metavar="N", help="stop after N matches in all")
    group.add_argument("--max-filesize", type=size, metavar="BYTES", help="leave out larger files")
    group.add_argument(
        "-M",
        "--max-columns",
        type=count,
        metavar="N",
        help="clip longer lines around the match; on a terminal there is a limit",
    )
    group.add_argument("--sort", choices=("path", "modified"), default="path", help="modified: newest first")
    group.add_argument(
        "--sortr", dest="sort", choices=("modified",), help="the same as --sort modified, as ripgrep calls it"
    )
    group.add_argument("--cursor", help="go on where an earlier search stopped")
    group.add_argument("-N", "--no-line-number", action="store_true", help="leave line numbers out")
    group.add_argument(
        "-n", "--line-number", dest="no_line_number", action="store_false", help="give line numbers (the default)"
    )
    group.add_argument("--column", action="store_true", help="give the column of the first match too, in bytes from 1")
    group.add_argument(
        "-H", "--with-filename", action="store_true", default=None, help="give the name even of a single file"
    )
    group.add_argument("-I", "--no-filename", dest="with_filename", action="store_false", help="leave names out")
    group.add_argument(
        "--heading", action="store_true", default=None, help="names on a line of their own (the default on a terminal)"
    )
    group.add_argument("--no-heading", dest="heading", action="store_false", help="a name in front of each line")
    group.add_argument("-0", "--null", action="store_true", help="a NUL byte after each name")
    group.add_argument("--no-messages", action="store_true", help="do not name files that cannot be read")
    group.add_argument(
        "--json",
        action="store_true",
        help="JSON lines of the shape of `rg --json`, with a summary that says what was covered",
    )
    colour_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    import rootle

    patterns, given = (args.regexp, args.words) if args.regexp else (args.words[:1], args.words[1:])
    if not patterns:
        complain("a pattern is needed: rootle grep PATTERN [PATH ...]")
        return ERROR
    output = Output(args.color)
    with Progress("searching"):
        result = rootle.grep(patterns, given or ".", **_keywords(args, output.terminal))
    shown = ShownPaths(given, result.root)
    if args.json:
        from rootle.cli.grep_json import write_json

        write_json(output, result, shown)
    elif not args.quiet:
        from rootle.cli.grep_text import write_text

        write_text(output, result, shown, args, single=_is_single_file(given))
    sys.stdout.flush()
    failed = False if args.no_messages else tell_warnings(result.warnings, shown)
    failed = tell_stop(result.stop, result.cursor, output.terminal and not args.quiet) or failed
    if result.hidden_matches:
        matches, files = f"{result.hidden_matches:,} matches", f"{result.hidden_files:,} ignored or hidden files"
        complain(f"at least {matches} in {files}: -uu shows them")
    if failed and not (args.quiet and result.total):
        return ERROR
    return FOUND if result.total else NOTHING


def _keywords(args: argparse.Namespace, terminal: bool) -> GrepKeywords:
    keywords: GrepKeywords = {
        **walk_options.descent_keywords(args),
        **walk_options.filter_keywords(args),
        **walk_options.limit_keywords(args),
        "mode": "files" if args.quiet else args.mode or "content",
        "fixed": args.fixed_strings,
        "word": args.word_regexp,
        "ignore_case": args.ignore_case,
        "smart_case": args.smart_case,
        "multiline": args.multiline,
        "dotall": args.multiline_dotall,
        "invert": args.invert_match,
        "only_matching": args.only_matching,
        "before": args.context if args.before_context is None else args.before_context,
        "after": args.context if args.after_context is None else args.after_context,
        "max_matches": 1 if args.quiet else args.max_matches,
        "max_per_file": args.max_count,
        "max_filesize": args.max_filesize,
        "max_text_bytes": None,
        "max_line_chars": args.max_columns or (limits.LINE_CHARS if terminal else _NO_CLIP),
        "sort": args.sort,
        "encoding": None if args.encoding == "auto" else args.encoding,
        "guess_encoding": args.encoding == "auto",
        "cursor": args.cursor,
        "explain_empty": terminal and not args.quiet,
    }
    return keywords


def _is_single_file(given: list[str]) -> bool:
    from os.path import isdir

    return len(given) == 1 and not isdir(given[0])
