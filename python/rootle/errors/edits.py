"""Errors about edits and diffs."""

from __future__ import annotations

from rootle.errors.kinds import ToolRetryError

__all__ = [
    "AmbiguousMatch",
    "InvalidEdit",
    "InvalidPatch",
    "NotEditable",
    "NothingToUndo",
    "TextNotFound",
    "UnencodableText",
    "UnsafeEdit",
]


class TextNotFound(ToolRetryError, LookupError):
    """The text to be replaced is nowhere in the file; the details name the nearest places."""


class AmbiguousMatch(ToolRetryError, LookupError):
    """The text to be replaced stands at more places, or at others, than was said; the details name them."""


class UnsafeEdit(ToolRetryError, ValueError):
    """The nearest place differs from the text to be replaced in a way that may matter."""


class InvalidEdit(ToolRetryError, ValueError):
    """An edit that cannot be meant: no old text, no change, a placeholder for code, two that overlap."""


class UnencodableText(ToolRetryError, ValueError):
    """The new text has a character that the file's encoding has not."""


class NotEditable(ToolRetryError, ValueError):
    """The file is binary or too large, or the search for the place took more work than allowed."""


class InvalidPatch(ToolRetryError, ValueError):
    """The text is no diff of a form that is known, or contradicts itself, or nothing of it fits."""


class NothingToUndo(ToolRetryError, LookupError):
    """Nothing was written that could be taken back."""
