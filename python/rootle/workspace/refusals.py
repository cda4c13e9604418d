"""Refusals of edits told with what only the workspace knows: which edit, which content, which plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rootle.contracts import Replacement
from rootle.errors import InvalidPatch, StaleFile, TextNotFound, ToolRetryError, UnsafeEdit
from rootle.rendering import count_of, escape_name, shown_diff

if TYPE_CHECKING:
    from rootle.results import PatchPlan

__all__ = ["changed_since_edit", "changed_since_read", "nothing_fits", "of_which_edit", "other_hash"]


def of_which_edit(error: ToolRetryError, edits: Sequence[Replacement]) -> ToolRetryError:
    """Say which of several edits was refused, and what to know when it builds upon an earlier one."""
    number = error.details.get("edit")
    if not isinstance(number, int) or len(edits) < 2 or error.details.get("reason") == "overlap":
        return error
    which = f"edit {number + 1} of {len(edits)}"
    builds = any(_builds_upon(edits[number].old, earlier) for earlier in edits[:number])
    if builds and isinstance(error, TextNotFound | UnsafeEdit):
        which += " (each edit is located in the file as it is before the call, not as an earlier edit leaves it)"
    return type(error)(
        f"{which}: {error.message}", error.hint, suggestions=error.suggestions, details=dict(error.details)
    )


def _builds_upon(old: str, earlier: Replacement) -> bool:
    """Tell whether `old` is, or has a line of, what an earlier edit writes."""
    kept = {line.strip() for line in earlier.old.splitlines()}
    written = {line.strip() for line in earlier.new.splitlines()} - kept - {""}
    return old.strip() in earlier.new or any(line.strip() in written for line in old.splitlines())


def other_hash(name: str, error: StaleFile) -> StaleFile:
    """Say that the file has another content hash than the caller gave; whether it has changed is not known."""
    current = error.details.get("current_hash")
    is_now = f"Its content hash is {current.hex()} now. " if isinstance(current, bytes) else ""
    return StaleFile.of(
        f'"{escape_name(name)}" does not have the expected content hash',
        hint=f"{is_now}Read the file again before writing it.",
        **error.details,
    )


def changed_since_read(error: StaleFile, diff: str) -> StaleFile:
    """Add what changed."""
    said = f"What changed:\n{shown_diff(diff)}\nRead the file again before writing it."
    return StaleFile.of(error.message, hint=said, diff=diff, **error.details)


def changed_since_edit(error: StaleFile) -> StaleFile:
    """Say why an edit is not taken back."""
    name = escape_name(str(error.details.get("path", "")))
    return StaleFile.of(
        f'"{name}" has changed since the edit that was to be taken back',
        hint="Nothing was taken back; edit the file instead.",
        **error.details,
    )


def nothing_fits(plan: PatchPlan) -> InvalidPatch:
    """Say that a plan has conflicts and nothing to write."""
    first = next((conflict.message for file in plan.files for conflict in file.conflicts), None)
    return InvalidPatch.of(
        f"the plan has {count_of(plan.conflicts, 'conflict')} and nothing to write",
        hint=None if first is None else f"The first one: {first}",
        conflicts=plan.conflicts,
    )
