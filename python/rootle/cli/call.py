"""Call one of the tools that agents get; prints what a model would read.

The arguments are one JSON object; - reads it from stdin.

    rootle call grep '{"pattern": "def main", "glob": "*.py"}'
    rootle call --write update_file '{"path": "a.py", "old": "x = 1", "new": "x = 2"}'

Tools that change files are refused without --write.

Exit code: 0 called, 2 error.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rootle.cli.dispatch import ERROR, FOUND, complain
from rootle.cli.terminal import Output

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("tool", metavar="TOOL")
    parser.add_argument("arguments", metavar="JSON", nargs="?", default="{}")
    parser.add_argument("--root", default=".", help="the directory that the tool sees")
    parser.add_argument("--write", action="store_true", help="let the tool change files; without it, it may only read")
    parser.add_argument("--json", action="store_true", help="print the data instead of the text")


def run(args: argparse.Namespace) -> int:
    """Call and print."""
    from rootle.toolbox import Toolbox

    text = sys.stdin.read() if args.arguments == "-" else args.arguments
    try:
        values: Any = json.loads(text)
    except ValueError as error:
        complain(f"the arguments are not JSON: {error}")
        return ERROR
    if not isinstance(values, dict):
        complain("the arguments must be a JSON object")
        return ERROR
    box = Toolbox(args.root, read_only=not args.write)
    if not args.write and args.tool not in box and args.tool in Toolbox(args.root):
        complain(f"{args.tool} changes files, and rootle call only reads; give --write to let it")
        return ERROR
    observation = box.call(args.tool, values)
    output = Output("never")
    if args.json:
        data = observation.data
        output.line(
            "null" if data is None else data.model_dump_json() if hasattr(data, "model_dump_json") else json.dumps(data)
        )
        return FOUND
    lines = str(observation).split("\n")
    output.line("\n".join(output.text(line) for line in lines))
    return FOUND
