"""The `grep` tool: search file contents by regular expression."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rootle import limits
from rootle.framework import base_tool
from rootle.notices import left_out, stopped, warned
from rootle.rendering import count_of, escape_name, escape_text
from rootle.results import GrepResult
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["GrepContext", "GrepFileCount", "GrepHit", "GrepOutput", "grep"]


class GrepContext(BaseModel):
    """A line around a match."""

    model_config = ConfigDict(from_attributes=True)

    line: int
    text: str


class GrepHit(BaseModel):
    """A match; `line` and `column` count from 1, the column in bytes; `text` may be clipped around the match."""

    model_config = ConfigDict(from_attributes=True)

    path: str
    line: int
    end_line: int
    column: int
    text: str
    clipped: bool
    lossy: bool
    before: list[GrepContext]
    after: list[GrepContext]


class GrepFileCount(BaseModel):
    """A file with matches; `count` is of matching lines, 1 when only the file was asked for."""

    model_config = ConfigDict(from_attributes=True)

    path: str
    count: int
    binary: bool
    encoding: str
    more: bool


class GrepOutput(BaseModel):
    """What a search found and what it covered; `total` counts all matches when `totals_exact`."""

    mode: Literal["content", "files", "count"]
    matches: list[GrepHit]
    files: list[GrepFileCount]
    total: int
    total_files: int
    totals_exact: bool
    complete: bool
    stop: str | None
    coverage: dict[str, int]
    cursor: str | None
    engine: str
    freshness: str
    notices: list[str]

    @classmethod
    def of(cls, result: GrepResult, mode: Literal["content", "files", "count"]) -> GrepOutput:
        """Build the output from the core's result."""
        matches = [GrepHit.model_validate(match) for match in result.matches]
        files = [GrepFileCount.model_validate(file) for file in result.files]
        for item in (*matches, *files):
            item.path = escape_name(item.path)
        return cls.model_construct(
            mode=mode,
            matches=matches,
            files=files,
            total=result.total,
            total_files=result.total_files,
            totals_exact=result.totals_exact,
            complete=result.complete,
            stop=result.stop,
            coverage=result.coverage.as_dict(),
            cursor=result.cursor,
            engine=result.engine,
            freshness=result.freshness,
            notices=_notices(result),
        )

    def render(self) -> str:
        """Write the matches under their files, then what was not seen."""
        if self.mode == "content":
            body = self._render_matches()
        elif self.mode == "files":
            body = [file.path for file in self.files]
        else:
            body = [f"{file.path}: {file.count:,}" for file in self.files]
        return "\n".join([self._headline(), *body, *self.notices])

    def _headline(self) -> str:
        if not self.total_files:
            return "No matches." if self.complete else "No matches so far."
        least = "" if self.totals_exact else "at least "
        files = count_of(self.total_files, "file")
        if self.mode == "files":
            return f"Found {least}{files} with matches."
        return f"Found {least}{count_of(self.total, 'match', 'matches')} in {files}."

    def _render_matches(self) -> list[str]:
        lines: list[str] = []
        flagged = {file.path: file for file in self.files if file.binary or file.more}
        path, last = None, 0
        for hit in self.matches:
            if hit.path != path:
                path, last = hit.path, 0
                lines.extend(["", path + _file_note(flagged.get(path))])
            first = hit.before[0].line if hit.before else hit.line
            if last and first > last + 1 and (hit.before or hit.after):
                lines.append("  --")
            lines.extend(f"  {context.line}-{escape_text(context.text)}" for context in hit.before)
            for offset, text in enumerate(hit.text.split("\n")):
                lines.append(f"  {hit.line + offset}:{escape_text(text)}")
            lines.extend(f"  {context.line}-{escape_text(context.text)}" for context in hit.after)
            last = hit.after[-1].line if hit.after else hit.end_line
        return [*lines, ""] if lines else lines


def _file_note(file: GrepFileCount | None) -> str:
    if file is None:
        return ""
    notes = [note for note, said in (("binary, matches before its first NUL byte", file.binary), ("more in this file", file.more)) if said]
    return f" ({'; '.join(notes)})"


def _notices(result: GrepResult) -> list[str]:
    lines: list[str] = []
    if result.stop == "max_matches":
        lines.append(f'Stopped at the limit of matches. Pass cursor="{result.cursor}" for more, or narrow the search.')
    lines += stopped(result.stop, result.coverage, result.cursor)
    if not result.total_files and result.complete:
        lines += _why_empty(result)
    return lines + left_out(result.coverage) + warned(result.warnings)


def _why_empty(result: GrepResult) -> list[str]:
    if not result.coverage.files:
        if result.coverage.filtered:
            return [f"No file was searched: none of {count_of(result.coverage.filtered, 'file')} passes the glob, exclude and type filters."]
        return ["No file was searched: there is none here, or all are ignored or hidden."]
    lines = [f"Searched {count_of(result.coverage.files, 'file')}."]
    if result.hidden_matches:
        lines.append(
            f"{count_of(result.hidden_matches, 'match', 'matches')} in {count_of(result.hidden_files, 'ignored or hidden file')}:"
            " pass no_ignore=true and hidden=true to see them."
        )
    return lines


@base_tool(effect="read", inline=True)
async def grep(
    pattern: Annotated[str, Field(min_length=1)],
    path: str | list[str] = ".",
    glob: list[str] | None = None,
    exclude: list[str] | None = None,
    type: list[str] | None = None,
    mode: Literal["content", "files", "count"] = "content",
    ignore_case: bool = False,
    fixed: bool = False,
    word: bool = False,
    multiline: bool = False,
    dotall: bool = False,
    invert: bool = False,
    only_matching: bool = False,
    before: Annotated[int, Field(ge=0, le=limits.GREP_MAX_CONTEXT_LINES)] = 0,
    after: Annotated[int, Field(ge=0, le=limits.GREP_MAX_CONTEXT_LINES)] = 0,
    max_matches: Annotated[int, Field(ge=1, le=limits.GREP_MAX_MATCHES)] = limits.GREP_DEFAULT_MATCHES,
    max_per_file: Annotated[int, Field(ge=1)] | None = None,
    sort: Literal["path", "modified"] = "path",
    hidden: bool = False,
    no_ignore: bool = False,
    guess_encoding: bool = False,
    cursor: str | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.SEARCH_MAX_TIMEOUT_S)] = limits.SEARCH_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
) -> GrepOutput:
    """Search file contents by regular expression."""
    paths = [path] if isinstance(path, str) else path
    found = await workspace.grep(
        pattern,
        [workspace.named(item) for item in paths],
        glob=glob or (),
        exclude=exclude or (),
        type=type or (),
        mode=mode,
        ignore_case=ignore_case,
        fixed=fixed,
        word=word,
        multiline=multiline,
        dotall=dotall,
        invert=invert,
        only_matching=only_matching,
        before=before,
        after=after,
        max_matches=max_matches,
        max_per_file=max_per_file,
        sort=sort,
        hidden=hidden,
        no_ignore=no_ignore,
        guess_encoding=guess_encoding,
        cursor=cursor,
        explain_empty=True,
        timeout_s=timeout_s,
    )
    return GrepOutput.of(found, mode)
