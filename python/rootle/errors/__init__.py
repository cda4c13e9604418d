"""Every error that rootle raises.

    RootleError
    ├── ToolRetryError                 the model can fix this by calling again differently
    │   ├── PathEscapesRoot            also PermissionError
    │   ├── PathNotFound               also FileNotFoundError
    │   ├── NotADirectory              also NotADirectoryError
    │   ├── IsADirectory               also IsADirectoryError
    │   ├── NotARegularFile            also OSError
    │   ├── SymlinkLoop                also OSError
    │   ├── ProtectedPath              also PermissionError
    │   ├── AlreadyExists              also FileExistsError
    │   ├── StaleFile                  also OSError
    │   ├── FileTooLarge               also OSError
    │   ├── InvalidPath                also ValueError
    │   ├── InvalidPattern             also ValueError
    │   ├── PatternTooLarge            also ValueError
    │   ├── InvalidGlob                also ValueError
    │   ├── UnknownFileType            also ValueError
    │   ├── InvalidCursor              also ValueError
    │   ├── InvalidArgument            also ValueError
    │   ├── UnknownTool                also LookupError
    │   ├── UnknownJob                 also LookupError
    │   ├── TooManyJobs                too much runs in the background
    │   ├── TextNotFound               also LookupError
    │   ├── AmbiguousMatch             also LookupError
    │   ├── UnsafeEdit                 also ValueError
    │   ├── InvalidEdit                also ValueError
    │   ├── UnencodableText            also ValueError
    │   ├── NotEditable                also ValueError
    │   ├── InvalidPatch               also ValueError
    │   ├── UnreadFile                 also PermissionError
    │   ├── NothingToUndo              also LookupError
    │   ├── AddressRefused             also PermissionError
    │   ├── HostNotFound               also LookupError
    │   ├── NotARepository             also LookupError
    │   ├── RepositoryRefused          also PermissionError
    │   ├── NoTestRunner               also LookupError
    │   └── DeadlineExceeded           also TimeoutError
    ├── ToolExecutionError             a tool failed for good; told to the user
    │   ├── CloneFailed                a repository was not cloned, and nothing of it is left
    │   ├── GitFailed                  git ended with an error
    │   └── SandboxUnavailable         commands cannot be run there
    ├── FileOperationError             one file failed for good; told to the user
    │   ├── RootGone                   also FileNotFoundError
    │   ├── PermissionDenied           also PermissionError
    │   ├── Unwritable                 also PermissionError
    │   ├── CommitIncomplete           also OSError
    │   ├── WriteUnsettled             also TimeoutError
    │   └── IoFailed                   also OSError
    ├── UserAbortError                 the host's abort signal was set
    ├── RootleInternalError            a fault of rootle's own
    ├── InvalidPrompt                  also ValueError; a prompt file that cannot be used
    └── InvalidTool                    also TypeError; a function that cannot be a tool

`str()` of each is meant for a model: what happened, what may have been meant, what to do. The parts are attributes too.

    >>> error = PathNotFound.of('"srx" does not exist', path="srx", suggestions=["src"])
    >>> error.code, error.details["path"], isinstance(error, FileNotFoundError)
    ('path_not_found', 'srx', True)
    >>> print(error)
    "srx" does not exist. Did you mean "src"?

A class that is also a builtin error carries no `errno` or `filename`: a failed call is described by its message alone.
"""

from __future__ import annotations

from rootle.errors.calls import (
    DeadlineExceeded,
    InvalidArgument,
    InvalidCursor,
    InvalidGlob,
    InvalidPattern,
    InvalidPrompt,
    InvalidTool,
    PatternTooLarge,
    UnknownFileType,
    UnknownTool,
)
from rootle.errors.commands import (
    AddressRefused,
    CloneFailed,
    GitFailed,
    HostNotFound,
    NotARepository,
    NoTestRunner,
    RepositoryRefused,
    SandboxUnavailable,
    TooManyJobs,
    UnknownJob,
)
from rootle.errors.edits import (
    AmbiguousMatch,
    InvalidEdit,
    InvalidPatch,
    NotEditable,
    NothingToUndo,
    TextNotFound,
    UnencodableText,
    UnsafeEdit,
)
from rootle.errors.files import (
    AlreadyExists,
    CommitIncomplete,
    FileTooLarge,
    InvalidPath,
    IoFailed,
    IsADirectory,
    NotADirectory,
    NotARegularFile,
    PathEscapesRoot,
    PathNotFound,
    PermissionDenied,
    ProtectedPath,
    RootGone,
    StaleFile,
    SymlinkLoop,
    UnreadFile,
    Unwritable,
    WriteUnsettled,
)
from rootle.errors.kinds import (
    FileOperationError,
    RootleError,
    RootleInternalError,
    ToolExecutionError,
    ToolRetryError,
    UserAbortError,
)

__all__ = [
    "AddressRefused",
    "AlreadyExists",
    "AmbiguousMatch",
    "CloneFailed",
    "CommitIncomplete",
    "DeadlineExceeded",
    "FileOperationError",
    "FileTooLarge",
    "GitFailed",
    "HostNotFound",
    "InvalidArgument",
    "InvalidCursor",
    "InvalidEdit",
    "InvalidGlob",
    "InvalidPatch",
    "InvalidPath",
    "InvalidPattern",
    "InvalidPrompt",
    "InvalidTool",
    "IoFailed",
    "IsADirectory",
    "NoTestRunner",
    "NotADirectory",
    "NotARegularFile",
    "NotARepository",
    "NotEditable",
    "NothingToUndo",
    "PathEscapesRoot",
    "PathNotFound",
    "PatternTooLarge",
    "PermissionDenied",
    "ProtectedPath",
    "RepositoryRefused",
    "RootGone",
    "RootleError",
    "RootleInternalError",
    "SandboxUnavailable",
    "StaleFile",
    "SymlinkLoop",
    "TextNotFound",
    "TooManyJobs",
    "ToolExecutionError",
    "ToolRetryError",
    "UnencodableText",
    "UnknownFileType",
    "UnknownJob",
    "UnknownTool",
    "UnreadFile",
    "UnsafeEdit",
    "Unwritable",
    "UserAbortError",
    "WriteUnsettled",
    "all_errors",
]


def all_errors() -> tuple[type[RootleError], ...]:
    """Every class of this module, sorted by name."""
    found = (globals()[name] for name in __all__ if name != "all_errors")
    return tuple(sorted(found, key=lambda error: error.__name__))
