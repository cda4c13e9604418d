"""cargo test: its report of machine-readable events is not stable, so that its lines per target are read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rootle.errors import InvalidArgument
from rootle.testruns.runners.base import Runner, Selection, basename

__all__ = ["CARGO", "cargo_select", "subcommand"]

_TARGET = re.compile(r"(?:\./)?tests/([^/]+?)(?:\.rs|/main\.rs|/)?$")
_WITH_ARGUMENT = frozenset({"--color", "--config", "-Z", "-C", "--manifest-path"})


def subcommand(words: Sequence[str]) -> int | None:
    """Give the place of cargo's subcommand."""
    if basename(words[0]) != "cargo":
        return None
    at = 1
    while at < len(words) and words[at].startswith(("-", "+")):
        at += 2 if words[at] in _WITH_ARGUMENT else 1
    return at if at < len(words) else None


def _calls(words: Sequence[str]) -> int | None:
    at = subcommand(words)
    return at if at is not None and words[at] in ("test", "t") else None


def cargo_select(selection: Selection) -> list[str]:
    """Give the options for integration tests by their files, and a filter of names."""
    options = []
    for path in selection.paths:
        match = _TARGET.match(path)
        if match is None:
            raise InvalidArgument.of(
                f'cargo takes no path like "{path}"',
                name="paths",
                hint="Name files of the directory tests, or give the name of a test or module as filter.",
            )
        options += ["--test", match[1]]
    return options


def _select(selection: Selection) -> list[str]:
    return cargo_select(selection) + ([selection.filter] if selection.filter else [])


CARGO = Runner(
    name="cargo",
    calls=_calls,
    select=_select,
    missing=re.compile(r"\bcargo: (?:command )?not found|could not find `Cargo\.toml`"),
    unloaded=re.compile(r"^error: could not compile `|^error(?:\[E\d+\])?: ", re.MULTILINE),
)
