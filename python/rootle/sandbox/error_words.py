"""Errors as words, for where they must leave the process: their class, message, hint and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootle import errors
from rootle.errors import RootleError

__all__ = ["from_words", "to_words"]

KINDS: tuple[type[Exception], ...] = (
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    FileExistsError,
    PermissionError,
    TimeoutError,
    ConnectionError,
    OSError,
    ValueError,
)
"""The builtin errors that the contract of sandboxes names, and their like."""


def to_words(error: Exception) -> dict[str, Any]:
    """Describe an error."""
    own = isinstance(error, RootleError)
    return {
        "type": type(error).__name__,
        "message": str(error.args[0]) if own and error.args else str(error),
        "hint": getattr(error, "hint", None),
        "suggestions": list(getattr(error, "suggestions", ())),
        "kinds": [kind.__name__ for kind in KINDS if isinstance(error, kind)],
    }


def from_words(words: Mapping[str, Any]) -> Exception:
    """Make an error again: of its own class if it is one of rootle's, else of the nearest builtin one."""
    message = str(words.get("message", ""))
    own = getattr(errors, str(words.get("type")), None)
    if isinstance(own, type) and issubclass(own, RootleError):
        made: Exception = own.of(message, hint=words.get("hint"), suggestions=words.get("suggestions"))
        return made
    named = words.get("kinds", ())
    return next((kind for kind in KINDS if kind.__name__ in named), RuntimeError)(message)
