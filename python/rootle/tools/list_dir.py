"""The `list_dir` tool: a directory as a tree."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from rootle import limits
from rootle.framework import base_tool
from rootle.notices import stopped, warned
from rootle.rendering import count_of, escape_name
from rootle.results import ListResult
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["DirectoryEntry", "ListDirOutput", "list_dir"]

_KIND_SUFFIX = {"directory": "/", "symlink": "@", "fifo": "|", "socket": "="}


class DirectoryEntry(BaseModel):
    """One entry; the last three are counts of a directory's own entries that are not listed."""

    model_config = ConfigDict(from_attributes=True)

    path: str
    depth: int
    kind: str
    size: int
    mtime_ns: int
    mode: int
    link_target: str | None
    broken: bool
    listed: bool
    ignored: int
    hidden: int
    not_shown: int


class ListDirOutput(BaseModel):
    """A tree in reading order: each directory is followed by its entries."""

    path: str
    entries: list[DirectoryEntry]
    ignored: int
    hidden: int
    not_shown: int
    complete: bool
    stop: str | None
    notices: list[str]

    @classmethod
    def of(cls, path: str, result: ListResult) -> ListDirOutput:
        """Build the output from the core's result."""
        entries = [DirectoryEntry.model_validate(entry) for entry in result.entries]
        for entry in entries:
            entry.path = escape_name(entry.path)
            entry.link_target = None if entry.link_target is None else escape_name(entry.link_target)
        return cls(
            path=path,
            entries=entries,
            ignored=result.ignored,
            hidden=result.hidden,
            not_shown=result.not_shown,
            complete=result.complete,
            stop=result.stop,
            notices=_notices(result),
        )

    def render(self) -> str:
        """Write the tree, two spaces a level, sizes behind files, and what is not listed."""
        lines = [f"{self.path.rstrip('/') or '.'}/{_left_out(self.ignored, self.hidden, self.not_shown)}"]
        lines.extend(_line(entry) for entry in self.entries)
        if not self.entries and not (self.ignored or self.hidden or self.not_shown):
            lines.append("  (empty)")
        return "\n".join([*lines, *self.notices])


def _line(entry: DirectoryEntry) -> str:
    text = "  " * entry.depth + os.path.basename(entry.path) + _KIND_SUFFIX.get(entry.kind, "")
    if entry.kind == "symlink":
        return f"{text} -> {entry.link_target}{' (broken)' if entry.broken else ''}"
    if entry.kind == "file":
        return f"{text} ({_size(entry.size)})"
    if entry.kind == "directory" and not entry.listed:
        return f"{text} ..."
    return text + _left_out(entry.ignored, entry.hidden, entry.not_shown)


def _size(size: int) -> str:
    scaled, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):  # noqa: B007
        if scaled < 1024:
            break
        scaled /= 1024
    else:
        unit = "TiB"
    return f"{size} B" if unit == "B" else f"{scaled:.1f} {unit}"


def _left_out(ignored: int, hidden: int, not_shown: int) -> str:
    parts = [
        f"{count:,} {word}"
        for count, word in ((ignored, "ignored"), (hidden, "hidden"), (not_shown, "not shown"))
        if count
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _notices(result: ListResult) -> list[str]:
    lines = stopped(result.stop, result.coverage, None)
    if result.stop == "max_entries":
        entries = count_of(len(result.entries), "entry", "entries")
        lines.append(f"(Cut at {entries}: list a subdirectory, or pass a larger max_entries.)")
    return lines + warned(result.warnings)


@base_tool(effect="read", inline=True)
async def list_dir(
    path: str = ".",
    depth: Annotated[int, Field(ge=1, le=limits.LIST_MAX_DEPTH)] = limits.LIST_DEFAULT_DEPTH,
    max_entries: Annotated[int, Field(ge=1, le=limits.LIST_MAX_ENTRIES)] = limits.LIST_DEFAULT_ENTRIES,
    hidden: bool = False,
    no_ignore: bool = False,
    timeout_s: Annotated[float, Field(gt=0, le=limits.SEARCH_MAX_TIMEOUT_S)] = limits.SEARCH_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
) -> ListDirOutput:
    """List a directory as a tree."""
    name = workspace.named(path)
    found = await workspace.list_dir(
        name, depth=depth, max_entries=max_entries, hidden=hidden, no_ignore=no_ignore, timeout_s=timeout_s
    )
    return ListDirOutput.of(escape_name(workspace.relative(name)), found)
