"""The tools under test that run in this process: rootle and plain exact replacement. Peers: `peers.py`.

This is the one file that knows how rootle's edits are called.
"""

from __future__ import annotations

import time
from typing import Protocol

from rootle import apply_edits, apply_patch
from rootle.editing import Replacement
from rootle.errors import ToolRetryError

from benches.editgold.answer import Answer
from benches.editgold.trial import Trial

__all__ = ["Exact", "Rootle", "Subject"]


class Subject(Protocol):
    """Something that applies edits. `takes` says which trials it can be given at all."""

    name: str

    def takes(self, trial: Trial) -> bool:
        """Tell whether the tool has the form of call that the trial needs."""

    def apply(self, trial: Trial) -> Answer:
        """Give what the tool makes of the trial."""


class Rootle:
    """rootle's engine, on bytes, without any file."""

    name = "rootle"

    def takes(self, trial: Trial) -> bool:
        """Take everything."""
        return True

    def apply(self, trial: Trial) -> Answer:
        """Edit as a caller of the package does."""
        started = time.perf_counter()
        try:
            return _edited(trial, started) if trial.patch is None else _patched(trial, trial.patch, started)
        except ToolRetryError as refusal:
            seconds = time.perf_counter() - started
            return Answer(None, reason=str(refusal.details.get("reason", refusal.code)), seconds=seconds)


def _edited(trial: Trial, started: float) -> Answer:
    edits = [Replacement(edit.old, edit.new, near_line=edit.near_line) for edit in trial.edits]
    edited = apply_edits(trial.file, edits)
    seconds = time.perf_counter() - started
    done = all(outcome.status == "already_applied" for outcome in edited.outcomes)
    tiers = [name for outcome in edited.outcomes for name in (outcome.tier, *outcome.repairs)]
    return Answer(edited.content, done, ", ".join(dict.fromkeys(tiers)), seconds=seconds)


def _patched(trial: Trial, diff: str, started: float) -> Answer:
    patched = apply_patch({trial.path: trial.file}, diff)
    seconds = time.perf_counter() - started
    if not patched.complete:
        reasons = [conflict.reason for file in patched.files for conflict in file.conflicts]
        return Answer(None, reason=", ".join(dict.fromkeys(reasons)), seconds=seconds)
    return Answer(patched.changed.get(trial.path), done=not patched.changed, seconds=seconds)


class Exact:
    """Replaces `old` where it stands exactly once, as most tools do first."""

    name = "exact match"

    def takes(self, trial: Trial) -> bool:
        """Take edits only."""
        return trial.patch is None

    def apply(self, trial: Trial) -> Answer:
        """Replace in the text as the file's encoding gives it."""
        started = time.perf_counter()
        text = trial.file.decode(trial.codec)
        for edit in trial.edits:
            if not edit.old or text.count(edit.old) != 1:
                return Answer(None, reason="count", seconds=time.perf_counter() - started)
            text = text.replace(edit.old, edit.new)
        return Answer(text.encode(trial.codec), seconds=time.perf_counter() - started)
