"""The frozen records that searches and reads give, in one place; they are made by the core and can be made by hand."""

from rootle._core import (
    ContextLine,
    Coverage,
    GlobEntry,
    GlobResult,
    GrepFile,
    GrepMatch,
    GrepResult,
    HiddenCharacter,
    ListEntry,
    ListResult,
    Metadata,
    PathWarning,
    ReadLine,
    ReadResult,
    WalkEntry,
    WalkResult,
)

__all__ = [
    "ContextLine",
    "Coverage",
    "GlobEntry",
    "GlobResult",
    "GrepFile",
    "GrepMatch",
    "GrepResult",
    "HiddenCharacter",
    "ListEntry",
    "ListResult",
    "Metadata",
    "PathWarning",
    "ReadLine",
    "ReadResult",
    "WalkEntry",
    "WalkResult",
]
