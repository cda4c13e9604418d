"""jest: `--json --outputFile`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rootle.testruns.reports import read_jest_json
from rootle.testruns.runners.base import Runner, Selection, basename

__all__ = ["JEST", "node_calls"]


def node_calls(words: Sequence[str], name: str) -> int | None:
    """Find a program of a node package: by its name, or as a script that node runs."""
    if basename(words[0]) == name:
        return 0
    if basename(words[0]) not in ("node", "nodejs", "bun"):
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 1
    script = words[at] if at < len(words) else ""
    return at if re.search(rf"(?:^|/){name}(?:/bin/{name})?(?:\.[cm]?js)?$", script) else None


def _select(selection: Selection) -> list[str]:
    named = ["-t", selection.filter] if selection.filter else []
    return [*named, *(re.escape(path) for path in selection.paths)]


JEST = Runner(
    name="jest",
    calls=lambda words: node_calls(words, "jest"),
    options=lambda path, _: ("--json", f"--outputFile={path}", "--testLocationInResults"),
    at_end=True,
    taken=("--json", "--outputFile", "--listTests", "--showConfig", "--help", "--version", "--watch", "--watchAll"),
    read=lambda data, _: read_jest_json(data, "jest"),
    select=_select,
    missing=re.compile(
        r"\bjest: (?:command )?not found|Cannot find module '[^'\n]*node_modules/[^'\n]*jest"
        r"|npx canceled due to missing packages|could not determine executable to run"
    ),
    empty=re.compile(r"^No tests found, exiting with code", re.MULTILINE),
)
