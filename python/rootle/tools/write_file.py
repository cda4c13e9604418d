"""The `write_file` tool: a file made, or its whole content replaced."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from rootle import limits
from rootle.contracts import Action, CallContext, Edit, is_temporary
from rootle.errors import AlreadyExists, InvalidArgument, IsADirectory, PathNotFound, UnreadFile
from rootle.framework import file_tool
from rootle.rendering import count_of, escape_name, shown_diff
from rootle.reports import line_count
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["WriteFileOutput", "write_file"]


class WriteFileOutput(BaseModel):
    """The file as it is now."""

    path: str
    created: bool
    changed: bool
    bytes_written: int
    lines: int
    hash: str
    encoding: str
    diff: str = ""
    notices: list[str] = []

    def render(self) -> str:
        """Say what was done; of a replaced file also what became different."""
        done = "Created" if self.created else "Overwrote" if self.changed else "Unchanged:"
        head = f"{done} {self.path}: {count_of(self.lines, 'line')}, {count_of(self.bytes_written, 'byte')}."
        rows = [f"{head} hash {self.hash}", "" if self.created else shown_diff(self.diff)]
        rows += [f"({notice})" for notice in self.notices]
        return "\n".join(row for row in rows if row)


@file_tool(
    effect="write",
    aliases={
        **dict.fromkeys(("file_path", "filePath", "filepath", "file", "filename"), "path"),
        **dict.fromkeys(("text", "contents", "file_text", "data", "body"), "content"),
    },
)
async def write_file(
    path: str,
    content: Annotated[str, Field(strict=True, max_length=limits.EDIT_TEXT_CHARS)],
    create_only: bool = False,
    expected_hash: str | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EDIT_MAX_TIMEOUT_S)] = limits.EDIT_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> WriteFileOutput:
    """Make a file, or replace its whole content."""
    expected = _hash(expected_hash)
    name = workspace.named(path)
    if name.endswith("/"):
        raise IsADirectory.of(
            f'"{escape_name(name)}" names a directory, as every path that ends in "/"',
            path=name,
            hint="Give the path of a file; its directories are made.",
        )
    relative = workspace.relative(name)
    temporary = is_temporary(relative, root=workspace.root)
    known = expected is not None or await workspace.known_hash(name, timeout_s=timeout_s) is not None
    may_overwrite = not create_only and (known or temporary or context.overwrite == "any")
    if may_overwrite and context.confirm is not None and await _exists(workspace, name):
        await context.require(
            Action(tool="write_file", path=relative, kind="overwrite", existing=True, temporary=temporary)
        )
    try:
        written = await workspace.write(
            name, content, create_only=not may_overwrite, expected_hash=expected, timeout_s=timeout_s
        )
    except AlreadyExists:
        if create_only:
            raise
        raise UnreadFile.of(f'"{escape_name(relative)}" exists and its content was not read', path=relative) from None
    notices = list(written.notices)
    if written.changed:
        notices += await context.edited(Edit(written.path, written.before, written.after, "write_file"))
    return WriteFileOutput(
        path=escape_name(written.path),
        created=written.created,
        changed=written.changed,
        bytes_written=len(written.after or b""),
        lines=line_count(written.after or b"", written.encoding),
        hash=written.hash.hex() if written.hash else "",
        encoding=written.encoding,
        diff=written.diff(context=limits.EDIT_SNIPPET_CONTEXT, max_lines=limits.EDIT_DIFF_LINES),
        notices=notices,
    )


async def _exists(workspace: AsyncWorkspace, name: str) -> bool:
    try:
        await workspace.stat(name)
    except PathNotFound:
        return False
    return True


def _hash(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != limits.HASH_LENGTH_BYTES:
        raise InvalidArgument.of(
            "expected_hash: it is no content hash", name="expected_hash", hint="Take the hash that a read or edit gave."
        )
    return value
