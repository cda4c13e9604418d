"""List the tools that agents get, with their parameters; --json gives the schemas as a model is given them.

Exit code: 0 listed, 2 error.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from rootle.cli.dispatch import FOUND
from rootle.cli.terminal import Output, colour_argument

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("names", metavar="TOOL", nargs="*", help="only these")
    parser.add_argument("--read-only", action="store_true", help="leave out tools that write or run")
    parser.add_argument("--json", action="store_true", help="the schemas")
    parser.add_argument("--dialect", default="mcp", help="the form of the schemas, as mcp, openai, anthropic or flat")
    colour_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tools."""
    from rootle.toolbox import Toolbox

    box = Toolbox(".", read_only=args.read_only)
    names = args.names or box.names
    for name in names:
        box.spec(name)  # An unknown name is an error with near names, not an empty list.
    chosen = [number for number, name in enumerate(box.names) if name in names]
    output = Output(args.color)
    if args.json:
        schemas = box.tools_for(args.dialect)
        output.line(json.dumps([schemas[number] for number in chosen], indent=2, ensure_ascii=False))
        return FOUND
    schemas = box.tools_for("mcp")
    for number in chosen:
        _describe(output, schemas[number])
    return FOUND


def _describe(output: Output, tool: dict[str, Any]) -> None:
    output.line(output.paint(tool["name"], "path"))
    for line in tool["description"].strip().split("\n"):
        output.line(f"  {line}")
    schema = tool["inputSchema"]
    for name, parameter in schema.get("properties", {}).items():
        needed = " (required)" if name in schema.get("required", ()) else ""
        output.line(f"    {output.paint(name, 'line')}{needed}: {parameter.get('description', '')}")
    output.line()
