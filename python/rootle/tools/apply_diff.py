"""The `apply_diff` tool: a diff on one file or several, written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from rootle import limits
from rootle.contracts import Action, CallContext, Edit, is_temporary
from rootle.errors import StaleFile
from rootle.framework import file_tool
from rootle.rendering import count_of, escape_lines, escape_name
from rootle.reports import EditReport, LineSpan, SnippetLine, edit_reports, lines_text, snippet
from rootle.workspace.aio import AsyncWorkspace

if TYPE_CHECKING:
    from rootle.results import FilePatch, PatchConflict, PatchHunk, PatchPlan

__all__ = ["ApplyDiffOutput", "Conflict", "HunkReport", "NearPlace", "PatchedFile", "apply_diff"]


class NearPlace(BaseModel):
    """A place that comes near a hunk, and the definition that it is in."""

    lines: LineSpan
    score: float
    text: str
    symbol: str | None = None


class HunkReport(BaseModel):
    """A hunk that is in the file now; `index` counts the file's hunks from 1."""

    index: int
    header: str
    edit: EditReport


class Conflict(BaseModel):
    """A hunk that does not fit: why, what comes near, and the hunk as it would fit; no `index` for a whole file."""

    index: int | None
    header: str
    reason: str
    message: str
    candidates: list[NearPlace] = []
    suggested_hunk: str | None = None


class PatchedFile(BaseModel):
    """What became of one file of the diff; of very many hunks and conflicts the first ones are told of singly."""

    path: str
    new_path: str | None = None
    operation: Literal["update", "add", "delete", "rename", "copy"]
    changed: bool
    hash: str | None = None
    hunks_applied: int = 0
    hunks_already_applied: int = 0
    hunks: list[HunkReport] = []
    conflict_count: int = 0
    conflicts: list[Conflict] = []
    snippet: list[SnippetLine] = []

    def render(self, *, written: bool = True) -> str:
        """Say what was done to the file, or would be, then each conflict with its way out, then the changed lines."""
        name = self.path if self.new_path is None else f"{self.path} -> {self.new_path}"
        counts = [
            (self.hunks_applied, "hunk", "applied" if written else "would fit"),
            (self.hunks_already_applied, "hunk", "already applied" if written else "already there"),
            (self.conflict_count, "conflict", ""),
        ]
        said = ", ".join(f"{count_of(count, noun)} {word}".rstrip() for count, noun, word in counts if count)
        without = "done" if self.changed else "nothing to do" if written or self.operation == "update" else "would fit"
        rows = [f"{self.operation} {name}: {said or without}"]
        if self.hash is not None:
            rows[0] += f". hash {self.hash}"
        for hunk in self.hunks:
            rows += [f"Warning: hunk {hunk.index}: {warning.text}" for warning in hunk.edit.warnings]
        for conflict in self.conflicts:
            # The message says which hunk, and the first row which file.
            rows.append(f"Conflict: {escape_lines(conflict.message).removeprefix(f'{self.path}: ')}")
            if conflict.suggested_hunk:
                rows.append(f"This hunk would fit:\n{escape_lines(conflict.suggested_hunk.rstrip())}")
        rows.append(lines_text(self.new_path or self.path, self.snippet))
        return "\n".join(row for row in rows if row)


class ApplyDiffOutput(BaseModel):
    """The files in the order of the diff; `applied` says whether anything was, or in a dry run would be, written."""

    applied: bool
    dry_run: bool
    dialect: str
    files: list[PatchedFile]
    notices: list[str] = []

    @property
    def failed(self) -> bool:
        """Whether hunks did not fit and nothing was written for that."""
        return not self.applied and any(file.conflicts for file in self.files)

    def render(self) -> str:
        """Say whether it was written, then file by file."""
        head = []
        if self.failed:
            head.append("NOT APPLIED: some hunks do not fit, and no file was changed.")
        elif self.dry_run:
            head.append("Dry run: nothing was written.")
        files = (file.render(written=not head) for file in self.files)
        rows = [*head, *files, *(f"({notice})" for notice in self.notices)]
        return "\n".join(rows)


@file_tool(
    effect="write",
    aliases={
        **dict.fromkeys(("patch", "patch_text", "patchText", "input"), "diff"),
        **dict.fromkeys(("file_path", "filePath", "filepath", "file", "filename"), "path"),
    },
)
async def apply_diff(
    diff: Annotated[str, Field(strict=True, min_length=1, max_length=limits.EDIT_TEXT_CHARS)],
    path: str | None = None,
    allow_partial: bool = False,
    dry_run: bool = False,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EDIT_MAX_TIMEOUT_S)] = limits.EDIT_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> ApplyDiffOutput:
    """Apply a diff."""
    options: dict[str, Any] = {"allow_partial": allow_partial, "timeout_s": timeout_s}
    if path is not None:
        options["path"] = workspace.named(path)
    for left in reversed(range(limits.EDIT_RETRIES)):
        plan = await workspace.plan_patch(diff, **options)
        if dry_run or not plan.changes or (plan.conflicts and not allow_partial):
            return _report(plan, applied=bool(plan.changes) and (allow_partial or not plan.conflicts), dry_run=dry_run)
        await _ask(plan, workspace, context)
        try:
            written = await workspace.apply_plan(plan, timeout_s=timeout_s)
            break
        except StaleFile:
            # Another call wrote one of the files meanwhile; what that was is looked at like any other content.
            if not left:
                raise
    notices = [f"{escape_name(one.path)}: {notice.message}" for one in written for notice in one.notices]
    for file in plan.files:
        for name, before, after in _edits(file):
            notices += await context.edited(Edit(name, before, after, "apply_diff"))
    return _report(plan, applied=True, dry_run=False, notices=notices)


async def _ask(plan: PatchPlan, workspace: AsyncWorkspace, context: CallContext) -> None:
    """Ask for each file that is there already and changes."""
    for file in plan.files:
        if file.changed and file.before is not None:
            await context.require(
                Action(
                    tool="apply_diff",
                    path=file.path,
                    kind="delete" if file.operation == "delete" else "edit",
                    existing=True,
                    temporary=is_temporary(file.path, root=workspace.root),
                )
            )


def _edits(file: FilePatch) -> list[tuple[str, bytes | None, bytes | None]]:
    """Give what happened to each path: a rename ends one file and begins another."""
    if not file.changed:
        return []
    if file.new_path is None:
        return [(file.path, file.before, file.after)]
    if file.operation == "copy":
        return [(file.new_path, None, file.after)]
    return [(file.path, file.before, None), (file.new_path, None, file.after)]


def _report(plan: PatchPlan, *, applied: bool, dry_run: bool, notices: list[str] | None = None) -> ApplyDiffOutput:
    return ApplyDiffOutput(
        applied=applied,
        dry_run=dry_run,
        dialect=plan.dialect,
        files=[_file(file, applied and not dry_run) for file in plan.files],
        notices=notices or [],
    )


def _file(file: FilePatch, written: bool) -> PatchedFile:
    lines = file.snippet(context=limits.EDIT_SNIPPET_CONTEXT, max_lines=limits.EDIT_SNIPPET_LINES) if written else []
    return PatchedFile(
        path=escape_name(file.path),
        new_path=None if file.new_path is None else escape_name(file.new_path),
        operation=file.operation,
        changed=file.changed and written,
        hash=file.hash.hex() if file.hash is not None and written else None,
        hunks_applied=len(file.applied),
        hunks_already_applied=len(file.already_applied),
        hunks=[_hunk(hunk) for hunk in (file.applied + file.already_applied)[: limits.EDIT_HUNKS]],
        conflict_count=len(file.conflicts),
        conflicts=[_conflict(conflict) for conflict in file.conflicts[: limits.EDIT_HUNKS]],
        snippet=snippet(lines),
    )


def _hunk(hunk: PatchHunk) -> HunkReport:
    return HunkReport(index=hunk.index, header=hunk.header, edit=edit_reports([hunk.outcome])[0])


def _conflict(conflict: PatchConflict) -> Conflict:
    return Conflict(
        index=conflict.index,
        header=conflict.header,
        reason=conflict.reason,
        message=conflict.message,
        candidates=[
            NearPlace(
                lines=LineSpan(first=near.first, last=near.last), score=near.score, text=near.text, symbol=near.symbol
            )
            for near in conflict.candidates[: limits.EDIT_CANDIDATES]
        ],
        suggested_hunk=conflict.suggested_hunk,
    )
