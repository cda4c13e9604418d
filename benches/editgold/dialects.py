"""A call as a patch, for tools that take nothing else: the difference of `old` and `new`, all of `old` as context."""

from __future__ import annotations

import difflib

from benches.editgold.trial import Trial

__all__ = ["begin_patch", "dialect_of", "unified"]


def dialect_of(trial: Trial) -> str:
    """Name the form of the trial's call: an edit, or one of three kinds of patch."""
    if trial.patch is None:
        return "edit"
    if trial.patch.startswith("*** Begin Patch"):
        return "begin_patch"
    return "unified" if trial.patch.startswith("--- ") else "search_replace"


def unified(trial: Trial) -> str:
    """Give a diff whose line number is the hint, else the true place: the best that a model can know."""
    if trial.patch is not None:
        return trial.patch
    edit = trial.edits[0]
    line = edit.near_line or trial.file[: trial.block[0]].count(b"\n") + 1
    rows = _rows(edit.old, edit.new)
    old = sum(row[0] in " -" for row in rows)
    new = sum(row[0] in " +" for row in rows)
    head = [f"--- a/{trial.path}", f"+++ b/{trial.path}", f"@@ -{line},{old} +{line},{new} @@"]
    return "\n".join([*head, *rows]) + "\n"


def begin_patch(trial: Trial) -> str:
    """Give a patch in the form that begins with `*** Begin Patch`."""
    if trial.patch is not None:
        return trial.patch
    rows = _rows(trial.edits[0].old, trial.edits[0].new)
    return "\n".join(["*** Begin Patch", f"*** Update File: {trial.path}", "@@", *rows, "*** End Patch"]) + "\n"


def _rows(old: str, new: str) -> list[str]:
    a, b = _lines(old), _lines(new)
    rows = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [" " + line for line in a[i1:i2]]
        else:
            rows += ["-" + line for line in a[i1:i2]] + ["+" + line for line in b[j1:j2]]
    return rows


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []
