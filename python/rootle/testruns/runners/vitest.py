"""vitest: the JSON reporter beside the one for people."""

from __future__ import annotations

import re

from rootle.testruns.reports import read_jest_json
from rootle.testruns.runners.base import Runner, Selection
from rootle.testruns.runners.jest import node_calls

__all__ = ["VITEST"]

_SUBCOMMANDS = ("bench", "list", "init", "--watch", "-w", "--outputFile", "--help", "--version")


def _select(selection: Selection) -> list[str]:
    return [*(["-t", selection.filter] if selection.filter else []), *selection.paths]


VITEST = Runner(
    name="vitest",
    calls=lambda words: node_calls(words, "vitest"),
    options=lambda path, _: ("--reporter=default", "--reporter=json", f"--outputFile.json={path}"),
    at_end=True,
    taken=_SUBCOMMANDS,
    read=lambda data, _: read_jest_json(data, "vitest"),
    fills=("xfailed",),
    select=_select,
    missing=re.compile(
        r"\bvitest: (?:command )?not found|Cannot find (?:module|package) '[^'\n]*vitest"
        r"|npx canceled due to missing packages|could not determine executable to run"
    ),
    empty=re.compile(r"^No test files found, exiting with code", re.MULTILINE),
)
