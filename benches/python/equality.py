"""Whether rootle's answers are ripgrep's, line by line and file by file, on one of the trees.

    python -m benches.python.equality flask django linux

Binary files have a rule of their own: rootle gives the matches before the first NUL byte and flags the file, ripgrep
gives none of its first buffer. They are checked against ripgrep on copies that end before that byte.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import rootle
from rootle.bench.answers import Answer, compare, parse_lines
from rootle.bench.measure import Tree, our_answer
from rootle.bench.queries import Query
from rootle.bench.searchers import RG_RULES, rg_command, run

from benches.python.corpora import CORPORA, corpus_path
from benches.python.patterns import compared
from benches.python.peers import find_rg

__all__ = ["Checked", "check_listing", "check_patterns", "check_tree"]

# rootle's `$` matches before CRLF too, as ripgrep's does when it is told to.
_CRLF = ("--crlf",)
# A file that begins with one of these is UTF-16 or UTF-32 text, which is decoded: its NUL bytes mean nothing.
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one check; `words` says what differs, empty when nothing does."""

    tree: str
    name: str
    pattern: str
    count: int
    words: str

    def row(self) -> str:
        """Give one line of the report."""
        return f"{self.tree:<14} {self.name:<26} {self.count:>9,}  {self.words or 'equal'}"


def check_tree(name: str) -> list[Checked]:
    """Run every check on one tree."""
    tree = Tree(str(corpus_path(name)))
    return [*check_listing(name, tree), *check_patterns(name, tree, compared(name))]


def check_listing(name: str, tree: Tree) -> list[Checked]:
    """Compare the files listed, with the ignore rules and without, and with hidden files."""
    checks = []
    options: tuple[tuple[str, tuple[str, ...], dict[str, bool]], ...] = (
        ("files", (), {}),
        ("files, hidden", ("--hidden",), {"hidden": True}),
        ("files, no ignore", ("--no-ignore",), {"no_ignore": True}),
        ("files, all", ("--hidden", "--no-ignore"), {"hidden": True, "no_ignore": True}),
    )
    for words, flags, keywords in options:
        output = run([find_rg(), *RG_RULES, "--files", "-0", *flags, "./"], tree.path)
        theirs = {path.removeprefix(b"./") for path in output.split(b"\0") if path}
        walked = rootle.walk(
            tree.path, skip_dirs=(), hidden=keywords.get("hidden", False), no_ignore=keywords.get("no_ignore", False)
        )
        ours = {os.fsencode(tree.relative(path)) for path in walked.paths}
        checks.append(Checked(name, words, "", len(ours), _difference(ours, theirs)))
    return checks


def check_patterns(name: str, tree: Tree, queries: Iterable[Query]) -> list[Checked]:
    """Compare the answers to `queries`."""
    binary, wide = _binary_files(tree)
    checks = []
    with tempfile.TemporaryDirectory() as scratch:
        cut = _cut_copies(tree, binary, Path(scratch))
        for query in queries:
            ours, flagged = our_answer(tree, query)
            theirs = _rg_answer(query, tree.path)
            # Wide text that decodes to a NUL character is binary to both searchers, each by its own rule.
            comparison = compare(ours, theirs, listed=tree.listed, binary=binary | (flagged & wide))
            words = "" if comparison.equal and not comparison.outside else comparison.words()
            words = words or _check_binary(query, ours, flagged, binary, cut, scratch)
            checks.append(Checked(name, query.name, query.pattern, len(ours), words))
    return checks


def _rg_answer(query: Query, directory: str) -> Answer:
    return parse_lines(run(rg_command(find_rg(), query, null=True, extra=_CRLF), directory))


def _check_binary(
    query: Query,
    ours: Answer,
    flagged: Collection[bytes],
    binary: frozenset[bytes],
    cut: dict[bytes, int],
    scratch: str,
) -> str:
    """Compare what rootle found in binary files with what ripgrep finds before their first NUL byte.

    The line that holds the byte itself is left out: where the text ends in it, an anchor may match or not.
    """
    theirs = {hit for hit in _rg_answer(query, scratch) if hit[1] < cut[hit[0]]}
    inside = {hit for hit in ours if hit[0] in binary and hit[1] < cut[hit[0]]}
    if inside != theirs:
        return f"binary files differ: {len(theirs - inside)} missing, {len(inside - theirs)} more"
    unflagged = {path for path, _ in inside} - set(flagged)
    return f"binary files not flagged: {len(unflagged)}" if unflagged else ""


def _binary_files(tree: Tree) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Find the files with NUL bytes: those that are binary for it, and those that begin as UTF-16 or UTF-32 text."""
    binary: set[bytes] = set()
    wide: set[bytes] = set()
    for path in tree.listed:
        with open(os.path.join(os.fsencode(tree.path), path), "rb") as file:
            data = file.read()
        if b"\0" in data:
            (wide if data.startswith(_WIDE_MARKS) else binary).add(path)
    return frozenset(binary), frozenset(wide)


def _cut_copies(tree: Tree, binary: Iterable[bytes], scratch: Path) -> dict[bytes, int]:
    """Write each binary file up to its first NUL byte below `scratch`; gives the line on which that byte stands."""
    lines = {}
    for path in binary:
        text = (Path(tree.path) / os.fsdecode(path)).read_bytes().split(b"\0", 1)[0]
        target = scratch / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        lines[path] = text.count(b"\n") + 1
    return lines


def _difference(ours: set[bytes], theirs: set[bytes]) -> str:
    if ours == theirs:
        return ""
    example = os.fsdecode(min(ours ^ theirs))
    return f"{len(theirs - ours)} missing, {len(ours - theirs)} more; first {example}"


def main() -> int:
    """Check the trees that are named, or all; exit code 1 when anything differs."""
    version = subprocess.run([find_rg(), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split(
        "\n"
    )[0]
    print(f"rootle {rootle.__version__} against {version}")
    failed = False
    for name in sys.argv[1:] or CORPORA:
        for check in check_tree(name):
            failed = failed or bool(check.words)
            print(check.row(), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
