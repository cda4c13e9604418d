"""Finds the command among the arguments, runs it, and turns what it raises into words on stderr and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from rootle.cli.arguments import parse
from rootle.errors import RootleError, UserAbortError

__all__ = ["COMMANDS", "ERROR", "FOUND", "INTERRUPTED", "NOTHING", "dispatch", "output_failed"]

FOUND = 0
NOTHING = 1
ERROR = 2
INTERRUPTED = 130

COMMANDS = {
    "grep": "search file contents",
    "glob": "find files by glob",
    "ls": "list a directory as a tree",
    "read": "print lines of a file",
    "tools": "list the tools that agents get",
    "call": "call one of these tools",
    "bench": "time rootle against the searchers found here",
}

_MODULES = {
    "grep": "grep",
    "glob": "glob",
    "ls": "list_dir",
    "read": "read",
    "tools": "tools",
    "call": "call",
    "bench": "bench",
}


def dispatch(argv: Sequence[str]) -> int:
    """Run the command that `argv` names."""
    try:
        code = _run(argv)
    except SystemExit as ended:  # argparse has printed its help or its complaint.
        code = ended.code if isinstance(ended.code, int) else FOUND
    except UserAbortError:
        return INTERRUPTED
    except RootleError as error:
        complain(str(error).rstrip())
        code = ERROR
    sys.stdout.flush()
    return code


def output_failed(error: OSError) -> int:
    """Say that the output could not be written, and give the exit code: a reader that left has seen enough."""
    # What is still buffered must not fail again in the interpreter's own flush at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return FOUND
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    complain(f"{where}{error.strerror or error}")
    return ERROR


def complain(text: str) -> None:
    """Print one message to stderr, control characters made visible."""
    from rootle.rendering import escape_text

    lines = [escape_text(line) for line in text.split("\n")]
    sys.stderr.write("rootle: " + "\n".join(lines) + "\n")


def _run(argv: Sequence[str]) -> int:
    name = argv[0] if argv else None
    if name in ("-h", "--help", "help"):
        sys.stdout.write(_overview())
        return FOUND
    if name is None or name not in COMMANDS:
        if name is not None:
            complain(f"unknown command {name!r}")
        sys.stderr.write(_overview())
        return ERROR
    module = import_module(f"rootle.cli.{_MODULES[name]}")
    parser = argparse.ArgumentParser(
        prog=f"rootle {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.arguments(parser)
    code: int = module.run(parse(parser, argv[1:]))
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = ["usage: rootle COMMAND ...", "", "commands:"]
    lines += [f"  {name:<{width}}  {words}" for name, words in COMMANDS.items()]
    lines += ["", "`rootle COMMAND --help` lists the options; `rootle --version` prints the version.", ""]
    return "\n".join(lines)
