"""The searchers that may be found on a machine, each asked for lines with path and number, binary files left out.

ripgrep gets `--no-require-git` and no global or parent ignore files, so that its rules are those of rootle; `./` is
always given, since without a path it would search its standard input.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rootle.bench.answers import Answer, parse_lines
from rootle.bench.queries import Query

__all__ = ["RG_RULES", "PatternRefused", "Searcher", "find_searchers", "python_re", "rg_command", "run"]

RG_RULES = ("--no-config", "--no-ignore-global", "--no-ignore-parent", "--no-require-git", "--color=never")


class PatternRefused(Exception):
    """A searcher cannot search for a query; the message is its own."""


@dataclass(frozen=True)
class Searcher:
    """A program; `command` makes its arguments, with NUL bytes after names for an answer that is compared."""

    name: str
    version: str
    command: Callable[[Query, bool], list[str]]

    def search(self, tree: str, query: Query) -> list[bytes]:
        """Search as a program's user would: the lines of its output."""
        return run(self.command(query, False), tree).splitlines()

    def answer(self, tree: str, query: Query) -> Answer:
        """Search for the comparison; a program that fails without an answer raises `PatternRefused`."""
        done = _run(self.command(query, True), tree)
        if done.returncode > 1 and not done.stdout:
            words = done.stderr.decode("utf-8", "replace").split("\n")
            raise PatternRefused(next((word for word in words if word.strip()), f"exit code {done.returncode}"))
        return parse_lines(done.stdout)


def run(command: Sequence[str], tree: str) -> bytes:
    """Run a program in `tree` and give its output; that it found nothing is no error."""
    return _run(command, tree).stdout


def _run(command: Sequence[str], tree: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def rg_command(program: str, query: Query, *, null: bool = False, extra: Sequence[str] = ()) -> list[str]:
    """Give the arguments with which ripgrep is called."""
    flags = {"-F": query.fixed, "-i": query.ignore_case, "-w": query.word, "-U": query.multiline, "-0": null}
    return [program, *RG_RULES, "--no-heading", "-n", *_on(flags), *extra, "-e", query.pattern, "./"]


def find_searchers(tree: str) -> list[Searcher]:
    """Find the programs that are installed; `git grep` only inside a work tree."""
    found = []
    for name, make in _KNOWN.items():
        program = shutil.which(name.split()[0])
        if program is None or (name == "git grep" and not _is_work_tree(program, tree)):
            continue
        found.append(Searcher(name, _version(program), make(program)))
    return found


def python_re(tree: str, paths: Sequence[str], query: Query) -> list[tuple[str, int, bytes]]:
    """Search the files of `paths` with the standard library, line by line where the whole file has a match."""
    pattern = query.pattern.encode()
    try:
        expression = re.compile(re.escape(pattern) if query.fixed else pattern)
    except (re.error, OverflowError) as error:
        raise PatternRefused(str(error)) from error
    found = []
    for path in paths:
        try:
            with open(os.path.join(tree, path), "rb") as file:
                data = file.read()
        except OSError:
            continue
        if expression.search(data) is None or b"\0" in data:
            continue
        for number, line in enumerate(data.split(b"\n"), 1):
            if expression.search(line):
                found.append((path, number, line))
    return found


def _rg(program: str) -> Callable[[Query, bool], list[str]]:
    return lambda query, null: rg_command(program, query, null=null)


def _git_grep(program: str) -> Callable[[Query, bool], list[str]]:
    def command(query: Query, null: bool) -> list[str]:
        flags = {"-F": query.fixed, "-E": not query.fixed, "-z": null}
        return [program, "grep", "--no-color", "-nI", *_on(flags), "-e", query.pattern]

    return command


def _ugrep(program: str) -> Callable[[Query, bool], list[str]]:
    def command(query: Query, null: bool) -> list[str]:
        flags = {"-F": query.fixed, "-E": not query.fixed, "--null": null}
        return [program, "-rnI", "--ignore-files", "--color=never", *_on(flags), "-e", query.pattern, "./"]

    return command


def _grep(program: str) -> Callable[[Query, bool], list[str]]:
    def command(query: Query, null: bool) -> list[str]:
        flags = {"-F": query.fixed, "-E": not query.fixed, "-Z": null}
        return [program, "-rnI", "--color=never", *_on(flags), "-e", query.pattern, "./"]

    return command


_KNOWN: dict[str, Callable[[str], Callable[[Query, bool], list[str]]]] = {
    "rg": _rg,
    "git grep": _git_grep,
    "ugrep": _ugrep,
    "grep": _grep,
}


def _on(flags: dict[str, bool]) -> list[str]:
    return [flag for flag, on in flags.items() if on]


def _version(program: str) -> str:
    lines = run([program, "--version"], os.curdir).decode("utf-8", "replace").splitlines()
    number = re.search(r"\d+(?:\.\d+)+", lines[0]) if lines else None
    return number.group() if number else "unknown"


def _is_work_tree(git: str, tree: str) -> bool:
    return run([git, "rev-parse", "--is-inside-work-tree"], tree).strip() == b"true"
