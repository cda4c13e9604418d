"""go test: the stream of events of `-json`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rootle.testruns.reports import read_go_events
from rootle.testruns.runners.base import Runner, Selection, basename

__all__ = ["GO"]


def _calls(words: Sequence[str]) -> int | None:
    if not re.fullmatch(r"go(?:\d[\w.]*)?", basename(words[0])):
        return None
    at = 1
    if words[at : at + 1] == ["-C"]:
        at += 2
    return at if words[at : at + 1] == ["test"] else None


def _select(selection: Selection) -> list[str]:
    packages = []
    for path in selection.paths:
        folder = path.rpartition("/")[0] or "." if path.endswith(".go") else path.rstrip("/")
        packages.append(folder if folder.startswith((".", "/")) else f"./{folder}")
    return [*(["-run", selection.filter] if selection.filter else []), *(dict.fromkeys(packages) or ["./..."])]


GO = Runner(
    name="go",
    calls=_calls,
    options=lambda _path, _: ("-json",),
    taken=("-c", "-h", "-help", "-exec", "-bench", "-list"),
    stream=True,
    read=lambda data, ended: read_go_events(data, ended=ended),
    select=_select,
    missing=re.compile(r"\bgo: (?:command )?not found"),
    unloaded=re.compile(r"\[(?:build|setup) failed\]|^go: ", re.MULTILINE),
    empty=re.compile(r"matched no packages|no packages to test"),
)
