"""The `glob` tool: find files by name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from rootle import limits
from rootle.framework import base_tool
from rootle.notices import stopped, warned
from rootle.rendering import count_of, escape_name
from rootle.results import GlobResult
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["GlobOutput", "glob"]


class GlobOutput(BaseModel):
    """Paths that match, in the order asked for; `total` counts all of them when `total_exact`."""

    paths: list[str]
    total: int
    total_exact: bool
    ignored: int
    complete: bool
    stop: str | None
    cursor: str | None
    freshness: str
    notices: list[str]

    @classmethod
    def of(cls, result: GlobResult) -> GlobOutput:
        """Build the output from the core's result."""
        return cls(
            paths=[escape_name(path) for path in result.paths],
            total=result.total,
            total_exact=result.total_exact,
            ignored=result.ignored,
            complete=result.complete,
            stop=result.stop,
            cursor=result.cursor,
            freshness=result.freshness,
            notices=_notices(result),
        )

    def render(self) -> str:
        """Write one path a line, then what was not seen."""
        return "\n".join([*self.paths, *self.notices]) if self.paths else "\n".join(["No paths match.", *self.notices])


def _notices(result: GlobResult) -> list[str]:
    lines = stopped(result.stop, result.coverage, result.cursor)
    if result.cursor and not lines:
        total = count_of(result.total, "path") if result.total_exact else f"at least {count_of(result.total, 'path')}"
        lines.append(f'(Showing {len(result.paths):,} of {total}. Pass cursor="{result.cursor}" for more.)')
    if not result.paths and result.ignored:
        entries = count_of(result.ignored, "ignored or hidden entry", "ignored or hidden entries")
        lines.append(f"{entries} not looked at: pass no_ignore=true or hidden=true.")
    return lines + warned(result.warnings)


@base_tool(effect="read", inline=True)
async def glob(
    pattern: Annotated[str, Field(min_length=1)] | list[str],
    path: str = ".",
    sort: Literal["modified", "path", "size", "depth"] = "modified",
    kind: Literal["file", "directory", "any"] = "file",
    ignore_case: bool = False,
    hidden: bool = False,
    no_ignore: bool = False,
    max_results: Annotated[int, Field(ge=1, le=limits.GLOB_MAX)] = limits.GLOB_DEFAULT,
    cursor: str | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.SEARCH_MAX_TIMEOUT_S)] = limits.SEARCH_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
) -> GlobOutput:
    """Find files by glob pattern."""
    found = await workspace.glob(
        pattern,
        workspace.named(path),
        sort=sort,
        kind=kind,
        ignore_case=ignore_case,
        hidden=hidden,
        no_ignore=no_ignore,
        max_results=max_results,
        cursor=cursor,
        timeout_s=timeout_s,
    )
    return GlobOutput.of(found)
