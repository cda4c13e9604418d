"""The `grep` tool: search file contents by regular expression."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rootle import limits
from rootle.framework import Deferred, base_tool
from rootle.notices import left_out, stopped, warned
from rootle.rendering import count_of, escape_lines, escape_name
from rootle.results import GrepFile, GrepMatch, GrepResult
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
    def of(cls, result: GrepResult, mode: Literal["content", "files", "count"], notices: list[str]) -> GrepOutput:
        """Build the output from the core's result."""
        matches = [GrepHit.model_validate(match) for match in result.matches]
        for match in matches:
            match.path = escape_name(match.path)
        files = [GrepFileCount.model_validate(file) for file in result.files]
        for file in files:
            file.path = escape_name(file.path)
        return cls(
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
            notices=notices,
        )


def _render(result: GrepResult, mode: str, notices: list[str], resumed: bool, plain: bool) -> str:
    """Write the matches under their files, then what was not seen; `plain` matches are of one line each."""
    if mode == "content":
        body = _plain_text(result) if plain else _matches_text(result)
    elif mode == "files":
        body = [escape_name(file.path) for file in result.files]
    else:
        body = [f"{escape_name(file.path)}: {file.count:,}" for file in result.files]
    return "\n".join([_headline(result, mode, resumed), *body, *notices])


def _headline(result: GrepResult, mode: str, resumed: bool) -> str:
    if not result.total_files:
        coverage = result.coverage
        if not result.complete:
            return "No matches so far."
        if coverage.too_large or coverage.unreadable or coverage.step_limited:
            return "No matches in what was searched."
        return "No more matches after the cursor." if resumed else "No matches."
    least = "" if result.totals_exact else "at least "
    files = count_of(result.total_files, "file")
    if mode == "files":
        return f"Found {least}{files} with matches."
    return f"Found {least}{count_of(result.total, 'match', 'matches')} in {files}."


def _plain_text(result: GrepResult) -> list[str]:
    """Write matches of one line without context, which is most of what is asked for, with few reads of each."""
    lines: list[str] = []
    flagged = _flagged(result)
    path = None
    for hit in result.matches:
        if hit.path != path:
            path = hit.path
            lines += ("", escape_name(path) + _file_note(flagged.get(path)))
        lines.append(f"  {hit.line}:{hit.text} [clipped]" if hit.clipped else f"  {hit.line}:{hit.text}")
    return [escape_lines("\n".join(lines)), ""] if lines else lines


def _matches_text(result: GrepResult) -> list[str]:
    lines: list[str] = []
    flagged = _flagged(result)
    path, last = None, 0
    for hit in result.matches:
        before, after = hit.before, hit.after
        if hit.path != path:
            path, last = hit.path, 0
            lines += ("", escape_name(path) + _file_note(flagged.get(path)))
        if not before and not after and "\n" not in hit.text:
            lines.append(f"  {hit.line}:{hit.text} [clipped]" if hit.clipped else f"  {hit.line}:{hit.text}")
            last = hit.line
            continue
        if last and (before or after) and (before[0].line if before else hit.line) > last + 1:
            lines.append("  --")
        lines += [f"  {context.line}-{context.text}" for context in before]
        lines += _hit_lines(hit)
        lines += [f"  {context.line}-{context.text}" for context in after]
        last = after[-1].line if after else hit.end_line
    return [escape_lines("\n".join(lines)), ""] if lines else lines


def _flagged(result: GrepResult) -> dict[str, GrepFile]:
    return {file.path: file for file in result.files if file.binary or file.more}


def _hit_lines(hit: GrepMatch) -> list[str]:
    lines = [f"  {hit.line + offset}:{text}" for offset, text in enumerate(hit.text.split("\n"))]
    if hit.clipped:
        lines[-1] += " [clipped]"
    return lines


def _file_note(file: GrepFile | None) -> str:
    if file is None:
        return ""
    notes = ["binary, matches before its first NUL byte"] if file.binary else []
    if file.more:
        notes.append("more in this file")
    return f" ({'; '.join(notes)})"


def _notices(result: GrepResult, resumed: bool) -> list[str]:
    lines: list[str] = []
    if result.stop == "max_matches":
        lines.append(
            f'Stopped at the limit of matches or text. Pass cursor="{result.cursor}" for more, or narrow the search.'
        )
    lines += stopped(result.stop, result.coverage, result.cursor)
    if not result.total_files and result.complete and not resumed:
        lines += _why_empty(result)
    return lines + left_out(result.coverage) + warned(result.warnings)


def _why_empty(result: GrepResult) -> list[str]:
    if not result.coverage.files:
        if result.coverage.filtered:
            files = count_of(result.coverage.filtered, "file")
            return [f"No file was searched: none of {files} passes the glob, exclude and type filters."]
        return ["No file was searched: there is none here, or all are ignored or hidden."]
    lines = [f"Searched {count_of(result.coverage.files, 'file')}."]
    if result.hidden_matches and result.hidden_files:
        matches = count_of(result.hidden_matches, "match", "matches")
        files = count_of(result.hidden_files, "ignored or hidden file")
        lines.append(f"At least {matches} in {files}: pass no_ignore=true and hidden=true to see them.")
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
) -> Deferred[GrepOutput]:
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
        max_text_bytes=limits.OUTPUT_CHARS,
        sort=sort,
        hidden=hidden,
        no_ignore=no_ignore,
        guess_encoding=guess_encoding,
        cursor=cursor,
        explain_empty=True,
        timeout_s=timeout_s,
    )
    resumed = cursor is not None
    notices = _notices(found, resumed)
    text = _render(found, mode, notices, resumed, plain=not (before or after or multiline))
    return Deferred(text, lambda: GrepOutput.of(found, mode, notices))
