"""The `read_file` tool: lines of one file or of several."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from rootle import limits
from rootle.contracts import ReadRecord
from rootle.errors import FileOperationError, ToolRetryError
from rootle.framework import file_tool
from rootle.rendering import count_of, escape_name, escape_text, frame_tag
from rootle.results import ReadResult
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["FileLine", "FileText", "HiddenCharacter", "ReadFileOutput", "read_file"]


class FileLine(BaseModel):
    """A line without its end; `column` is its first character here, from 1; `cut` says that it goes on."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    text: str
    column: int
    cut: bool


class HiddenCharacter(BaseModel):
    """An invisible or direction-changing character, where it stands (from 1), and its code point as `U+202E`."""

    model_config = ConfigDict(from_attributes=True)

    line: int
    column: int
    code_point: str


class FileText(BaseModel):
    """Lines of one file; or `error`, with its code, when it could not be read."""

    path: str
    lines: list[FileLine] = []
    total_lines: int | None = None
    size: int | None = None
    encoding: str | None = None
    lossy: bool = False
    binary: bool = False
    line_ends: str | None = None
    final_newline: bool | None = None
    hash: str | None = None
    unchanged: bool = False
    next_line: int | None = None
    next_column: int | None = None
    hidden_unicode: list[HiddenCharacter] = []
    error: str | None = None
    error_code: str | None = None
    notices: list[str] = []

    def render(self) -> str:
        """Write the lines with their numbers inside a frame that no content can close, then the notices."""
        body = "\n".join(f"{line.number:>6}\t{escape_text(line.text)}" for line in self.lines)
        if self.error is not None:
            return f"{self.path}: {escape_text(self.error)}"
        path = self.path.replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
        tag = frame_tag("file", body)
        frame = [f'<{tag} path="{path}">', body, f"</{tag}>"] if self.lines else []
        return "\n".join([*frame, *(f"({notice})" for notice in self.notices)])


class ReadFileOutput(BaseModel):
    """The files in the order asked for."""

    files: list[FileText]

    def render(self) -> str:
        """Write the files one after the other."""
        return "\n\n".join(file.render() for file in self.files)


@file_tool(effect="read", inline=True)
async def read_file(
    path: str | Annotated[list[str], Field(min_length=1, max_length=limits.READ_MAX_FILES)],
    start_line: int = 1,
    max_lines: Annotated[int, Field(ge=1, le=limits.READ_MAX_LINES)] = limits.READ_DEFAULT_LINES,
    start_column: Annotated[int, Field(ge=1)] = 1,
    encoding: str | None = None,
    only_if_changed: bool = False,
    timeout_s: Annotated[float, Field(gt=0, le=limits.SEARCH_MAX_TIMEOUT_S)] = limits.SEARCH_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
) -> ReadFileOutput:
    """Read lines of one file or of several."""

    async def one(item: str, max_chars: int) -> FileText:
        name = workspace.named(item)
        known = workspace.sync.read_state.get(workspace.relative(name))
        result = await workspace.read(
            name,
            start_line=start_line,
            max_lines=max_lines,
            start_column=start_column,
            max_chars=max_chars,
            encoding=encoding,
            timeout_s=timeout_s,
        )
        return _file_text(result, unchanged=encoding is None and _seen_before(known, result), brief=only_if_changed)

    if isinstance(path, str):
        return ReadFileOutput(files=[await one(path, limits.READ_CHARS)])
    files: list[FileText] = []
    left = limits.OUTPUT_CHARS
    for item in path:
        if left <= 0:
            files.append(
                FileText(
                    path=escape_name(workspace.named(item)),
                    notices=["not read: the answer is full; read it in a call of its own"],
                )
            )
            continue
        try:
            files.append(await one(item, min(left, limits.READ_CHARS)))
            left -= sum(len(line.text) + 1 for line in files[-1].lines)
        except (ToolRetryError, FileOperationError) as error:
            files.append(FileText(path=escape_name(workspace.named(item)), error=str(error), error_code=error.code))
    return ReadFileOutput(files=files)


def _seen_before(known: ReadRecord | None, result: ReadResult) -> bool:
    """Tell whether the file is as it was read before, and whether these very lines were given then."""
    if known is None or result.hash is None or known.content_hash != result.hash or not result.lines:
        return False
    return known.covers(result.lines[0].number, result.lines[-1].number)


def _file_text(result: ReadResult, *, unchanged: bool, brief: bool) -> FileText:
    given = [] if unchanged and brief else result.lines
    return FileText(
        path=escape_name(result.path),
        lines=[FileLine.model_validate(line) for line in given],
        total_lines=result.total_lines,
        size=result.size,
        encoding=result.encoding,
        lossy=result.lossy,
        binary=result.binary,
        line_ends=result.line_ends,
        final_newline=result.final_newline,
        hash=None if result.hash is None else result.hash.hex(),
        unchanged=unchanged,
        next_line=result.next_line,
        next_column=result.next_column,
        hidden_unicode=[HiddenCharacter.model_validate(item) for item in result.hidden_unicode],
        notices=_notices(result, unchanged, brief),
    )


def _notices(result: ReadResult, unchanged: bool, brief: bool) -> list[str]:
    if result.binary and not result.lines:
        return [f"binary file, {count_of(result.size, 'byte')}: not shown"]
    if not result.size or result.total_lines == 0:
        return ["the file is empty"]
    if unchanged and brief:
        return ["unchanged since it was last read"]
    notices = [_extent(result), *_form(result)]
    if unchanged:
        notices.append("unchanged since it was last read")
    return [notice for notice in notices if notice]


def _extent(result: ReadResult) -> str:
    """Say which part of the file this is, unless it is all of it."""
    total = "" if result.total_lines is None else f" of {result.total_lines:,}"
    if not result.lines:
        return f"past the end: the file has {count_of(result.total_lines or 0, 'line')}"
    first, last = result.lines[0], result.lines[-1]
    if result.next_line is None:
        return (
            ""
            if first.number == 1 and first.column == 1
            else f"lines {first.number:,}-{last.number:,}{total}, to the end"
        )
    on = f"start_line={result.next_line}"
    if result.next_column not in (None, 1):
        on += f", start_column={result.next_column}"
    cut = "; long lines are cut" if any(line.cut for line in result.lines) else ""
    return f"partial: lines {first.number:,}-{last.number:,}{total}{cut}; go on with {on}"


def _form(result: ReadResult) -> list[str]:
    """Say what is unusual about the file's text."""
    notices = []
    if result.encoding != "utf-8" or result.bom:
        notices.append(f"encoding {result.encoding}{' with byte order mark' if result.bom else ''}")
    if result.binary:
        notices.append("has NUL bytes")
    if result.lossy:
        notices.append("some bytes are no valid text and are shown as U+FFFD")
    if result.line_ends in ("crlf", "mixed"):
        notices.append("CRLF line ends" if result.line_ends == "crlf" else "mixed line ends")
    if result.final_newline is False and result.next_line is None:
        notices.append("no newline at the end of the file")
    if result.hidden_unicode:
        places = ", ".join(f"{item.line}:{item.column} {item.code_point}" for item in result.hidden_unicode)
        notices.append(f"hidden_unicode at {places}")
    if result.changed_while_reading:
        notices.append("the file changed while it was read")
    return notices
