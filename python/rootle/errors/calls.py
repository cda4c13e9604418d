"""Errors about calls: patterns, arguments, time, and tools themselves."""

from __future__ import annotations

from rootle.errors.kinds import RootleError, ToolRetryError

__all__ = [
    "DeadlineExceeded",
    "InvalidArgument",
    "InvalidCursor",
    "InvalidGlob",
    "InvalidPattern",
    "InvalidPrompt",
    "InvalidTool",
    "PatternTooLarge",
    "UnknownFileType",
    "UnknownTool",
]


class InvalidPattern(ToolRetryError, ValueError):
    """The regular expression does not parse."""


class PatternTooLarge(ToolRetryError, ValueError):
    """The regular expression or glob needs more memory or nesting than allowed."""


class InvalidGlob(ToolRetryError, ValueError):
    """The glob does not parse."""


class UnknownFileType(ToolRetryError, ValueError):
    """No file type has that name; the suggestions are near names."""


class InvalidCursor(ToolRetryError, ValueError):
    """The cursor was not made by this kind of call, or is damaged."""

    default_hint = "Leave the cursor out to start again."


class InvalidArgument(ToolRetryError, ValueError):
    """An argument is missing, unknown, of the wrong type or out of its range."""


class UnknownTool(ToolRetryError, LookupError):
    """The toolbox has no tool of that name; the suggestions are near names."""


class DeadlineExceeded(ToolRetryError, TimeoutError):
    """The time limit passed where nothing partial can exist."""


class InvalidPrompt(RootleError, ValueError):
    """A prompt file that cannot be read, or whose words do not fit its tool."""


class InvalidTool(RootleError, TypeError):
    """A function that cannot be a tool, or a tool that cannot be put in the form asked for."""
