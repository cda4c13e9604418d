"""The `update_file` tool: pieces of a file replaced, all of them or none."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rootle import limits
from rootle.contracts import Action, CallContext, Edit, Replacement, is_temporary
from rootle.errors import InvalidArgument
from rootle.framework import file_tool
from rootle.rendering import count_of, escape_name, shown_diff
from rootle.reports import EditReport, SnippetLine, edit_reports, lines_text, snippet
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["EditItem", "UpdateFileOutput", "update_file"]

_OLD = ("old_string", "old_str", "old_text", "oldString", "oldStr", "oldText", "search", "find")
_NEW = ("new_string", "new_str", "new_text", "newString", "newStr", "newText", "replace", "replacement")
_PATH = ("file_path", "filePath", "filepath", "file", "filename")
_ALIASES = {**dict.fromkeys(_OLD, "old"), **dict.fromkeys(_NEW, "new")}


class EditItem(BaseModel):
    """One replacement."""

    model_config = ConfigDict(extra="forbid")

    old: Annotated[str, Field(strict=True, max_length=limits.EDIT_TEXT_CHARS)]
    new: Annotated[str, Field(strict=True, max_length=limits.EDIT_TEXT_CHARS)]
    replace_all: bool = False
    expected_count: Annotated[int, Field(ge=1)] | None = None
    near_line: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _known_names(cls, value: Any) -> Any:
        """Take the names that models use for the two texts, where only one is given."""
        if not isinstance(value, dict):
            return value
        named = dict(value)
        for alias, name in _ALIASES.items():
            if alias in named and name not in named:
                named[name] = named.pop(alias)
        return named


class UpdateFileOutput(BaseModel):
    """The file after the edits."""

    path: str
    changed: bool
    hash: str
    edits: list[EditReport]
    diff: str = ""
    snippet: list[SnippetLine] = []
    notices: list[str] = []

    def render(self) -> str:
        """Say what was done, then the lines as they are now."""
        rows = [self._head()]
        rows += [f"Warning: {warning.text}" for edit in self.edits for warning in edit.warnings]
        if any(edit.tier != "exact" for edit in self.edits if edit.status == "applied"):
            rows.append(shown_diff(self.diff))
        rows.append(lines_text(self.path, self.snippet))
        rows += [f"({notice})" for notice in self.notices]
        return "\n".join(row for row in rows if row)

    def _head(self) -> str:
        done = [edit for edit in self.edits if edit.status == "applied"]
        again = len(self.edits) - len(done)
        told = [f"{count_of(again, 'edit')} already applied, nothing to do"] if again else []
        if done:
            count = sum(edit.replacements for edit in done)
            tiers = sorted({edit.tier for edit in done} - {"exact"})
            how = f", found by {', '.join(tiers)}" if tiers else ""
            told.insert(0, f"{count_of(count, 'replacement')}{how}")
        return f"{'Updated' if self.changed else 'Unchanged:'} {self.path}: {'; '.join(told)}. hash {self.hash}"


@file_tool(effect="write", aliases={**_ALIASES, **dict.fromkeys(_PATH, "path")})
async def update_file(
    path: str,
    old: Annotated[str, Field(strict=True, max_length=limits.EDIT_TEXT_CHARS)] | None = None,
    new: Annotated[str, Field(strict=True, max_length=limits.EDIT_TEXT_CHARS)] | None = None,
    replace_all: bool = False,
    expected_count: Annotated[int, Field(ge=1)] | None = None,
    near_line: Annotated[int, Field(ge=1)] | None = None,
    edits: Annotated[list[EditItem], Field(max_length=limits.EDIT_MAX_EDITS)] | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EDIT_MAX_TIMEOUT_S)] = limits.EDIT_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> UpdateFileOutput:
    """Replace pieces of a file."""
    items = _items(old, new, edits, replace_all, expected_count, near_line)
    name = workspace.named(path)
    expected: bytes | None = None
    if context.confirm is not None:
        # A person is asked only about an edit that can be made.
        tried = await workspace.edit(name, items, timeout_s=timeout_s, dry_run=True)
        expected = tried.before_hash
        temporary = is_temporary(tried.path, root=workspace.root)
        if tried.before_hash != tried.hash:
            await context.require(
                Action(tool="update_file", path=tried.path, kind="edit", existing=True, temporary=temporary)
            )
    done = await workspace.edit(name, items, timeout_s=timeout_s, expected_hash=expected)
    notices = list(done.notices)
    if done.changed:
        notices += await context.edited(Edit(done.path, done.before, done.after, "update_file"))
    return UpdateFileOutput(
        path=escape_name(done.path),
        changed=done.changed,
        hash=done.hash.hex() if done.hash else "",
        edits=edit_reports(done.outcomes),
        diff=done.diff(context=limits.EDIT_SNIPPET_CONTEXT, max_lines=limits.EDIT_DIFF_LINES),
        snippet=snippet(done.snippet(context=limits.EDIT_SNIPPET_CONTEXT, max_lines=limits.EDIT_SNIPPET_LINES)),
        notices=notices,
    )


def _items(
    old: str | None,
    new: str | None,
    edits: list[EditItem] | None,
    replace_all: bool,
    expected_count: int | None,
    near_line: int | None,
) -> list[Replacement]:
    """Give the edits asked for, by whichever of the two ways."""
    if edits:
        if old or new:
            raise InvalidArgument.of("give either old and new, or edits, not both", name="edits")
        return [
            Replacement(item.old, item.new, item.replace_all, item.expected_count, item.near_line) for item in edits
        ]
    if old is None or new is None:
        missing = "old" if old is None else "new"
        raise InvalidArgument.of(f'parameter "{missing}" is missing', name=missing, hint="Give old and new, or edits.")
    return [Replacement(old, new, replace_all, expected_count, near_line)]
