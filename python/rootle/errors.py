"""Every error that rootle raises.

    RootleError
    ├── ToolRetryError                 the model can fix this by calling again differently
    │   ├── PathEscapesRoot            also PermissionError
    │   ├── PathNotFound               also FileNotFoundError
    │   ├── NotADirectory              also NotADirectoryError
    │   ├── IsADirectory               also IsADirectoryError
    │   ├── NotARegularFile            also OSError
    │   ├── SymlinkLoop                also OSError
    │   ├── InvalidPath                also ValueError
    │   ├── InvalidPattern             also ValueError
    │   ├── PatternTooLarge            also ValueError
    │   ├── InvalidGlob                also ValueError
    │   ├── UnknownFileType            also ValueError
    │   ├── InvalidCursor              also ValueError
    │   ├── InvalidArgument            also ValueError
    │   ├── UnknownTool                also LookupError
    │   ├── TextNotFound               also LookupError
    │   ├── AmbiguousMatch             also LookupError
    │   ├── UnsafeEdit                 also ValueError
    │   ├── InvalidEdit                also ValueError
    │   ├── UnencodableText            also ValueError
    │   ├── NotEditable                also ValueError
    │   ├── InvalidPatch               also ValueError
    │   ├── UnreadFile                 also PermissionError
    │   ├── NothingToUndo              also LookupError
    │   └── DeadlineExceeded           also TimeoutError
    ├── ToolExecutionError             a tool failed for good; told to the user
    ├── FileOperationError             one file failed for good; told to the user
    │   ├── RootGone                   also FileNotFoundError
    │   ├── PermissionDenied           also PermissionError
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

# Not imported from typing: a command-line search must not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar, Self

__all__ = [
    "AmbiguousMatch",
    "DeadlineExceeded",
    "FileOperationError",
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
    "NotADirectory",
    "NotARegularFile",
    "NotEditable",
    "NothingToUndo",
    "PathEscapesRoot",
    "PathNotFound",
    "PatternTooLarge",
    "PermissionDenied",
    "RootGone",
    "RootleError",
    "RootleInternalError",
    "SymlinkLoop",
    "TextNotFound",
    "ToolExecutionError",
    "ToolRetryError",
    "UnencodableText",
    "UnknownFileType",
    "UnknownTool",
    "UnreadFile",
    "UnsafeEdit",
    "UserAbortError",
    "all_errors",
]


class RootleError(Exception):
    """The base of every error here.

    Args:
        message: What happened, in one sentence.
        hint: What to do about it; the class may have one of its own.
        suggestions: Names or paths that may have been meant, best first.
        details: Facts for programs, such as `path` or `pattern`.

    Attributes:
        code: The class's name in snake_case.
    """

    code: ClassVar[str] = "rootle_error"
    default_hint: ClassVar[str | None] = None

    message: str
    hint: str | None
    suggestions: tuple[str, ...]
    details: dict[str, Any]

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Derive the class's code from its name."""
        super().__init_subclass__(**kwargs)
        cls.code = "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")

    def __init__(
        self,
        message: str = "",
        hint: str | None = None,
        *,
        suggestions: Iterable[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.suggestions = tuple(suggestions)
        self.details = dict(details or {})

    @classmethod
    def of(cls, message: str, **details: Any) -> Self:
        """Make the error from its message and its facts; `hint` and `suggestions` among them get their own places."""
        hint = details.pop("hint", None)
        suggestions = details.pop("suggestions", None) or ()
        return cls(message, hint, suggestions=suggestions, details=details)

    def __str__(self) -> str:
        """Give the message, what may have been meant and the hint, as sentences."""
        parts = [str(self.args[0]) if self.args and self.args[0] else type(self).__name__]
        if self.suggestions:
            parts.append(f"Did you mean {_either(self.suggestions)}?")
        if self.hint:
            parts.append(self.hint)
        if len(parts) > 1 and parts[0][-1] not in ".!?":
            parts[0] += "."
        return " ".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild without calling `__init__`, whose arguments differ between the classes."""
        return _rebuild, (type(self), self.args), _state(self)


class ToolRetryError(RootleError):
    """The model can fix this by calling again differently: bad path, pattern or argument, stale read, time limit."""


class ToolExecutionError(RootleError):
    """A tool failed for good; reported to the user."""

    tool_name: str
    original_error: BaseException | None

    def __init__(
        self,
        tool_name: str,
        message: str = "",
        original_error: BaseException | None = None,
        *,
        hint: str | None = None,
        suggestions: Iterable[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint, suggestions=suggestions, details=details)
        self.args = (f"{tool_name} failed: {message}",)
        self.tool_name = tool_name
        self.original_error = original_error

    @classmethod
    def of(cls, message: str, **details: Any) -> Self:
        """Make the error from its message; `tool_name` and `original_error` among the details get their own places."""
        return cls(
            details.pop("tool_name", "tool"),
            message,
            details.pop("original_error", None),
            hint=details.pop("hint", None),
            suggestions=details.pop("suggestions", None) or (),
            details=details,
        )


class FileOperationError(RootleError):
    """An operation on one file failed for good (permission, decoding, input or output); reported to the user."""

    operation: str
    path: str
    original_error: BaseException | None

    def __init__(
        self,
        operation: str,
        path: str,
        message: str = "",
        original_error: BaseException | None = None,
        *,
        hint: str | None = None,
        suggestions: Iterable[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        facts = {"operation": operation, "path": path, **(details or {})}
        super().__init__(message, hint, suggestions=suggestions, details=facts)
        self.args = (f'{operation} of "{path}" failed: {message}',)
        self.operation = operation
        self.path = path
        self.original_error = original_error

    @classmethod
    def of(cls, message: str, **details: Any) -> Self:
        """Make the error from a message that already names the operation and the path."""
        error = cls(
            details.pop("operation", "access"),
            details.pop("path", ""),
            message,
            details.pop("original_error", None),
            hint=details.pop("hint", None),
            suggestions=details.pop("suggestions", None) or (),
            details=details,
        )
        error.args = (message,)
        return error


class UserAbortError(RootleError):
    """The host's abort signal was set, or the call's cancel token."""


class RootleInternalError(RootleError):
    """A fault of rootle's own: a broken invariant or a panic in the core."""

    default_hint = "This is a bug in rootle, not in the call."


class PathEscapesRoot(ToolRetryError, PermissionError):
    """The path, or a link on the way, leads outside the root; nothing about the target is disclosed."""

    default_hint = "Use a path inside the root; relative paths start there."


class PathNotFound(ToolRetryError, FileNotFoundError):
    """Nothing exists at the path; the suggestions are existing paths like it."""


class NotADirectory(ToolRetryError, NotADirectoryError):
    """A directory was needed, or a path goes on below something that is not one."""


class IsADirectory(ToolRetryError, IsADirectoryError):
    """A file was needed and the path is a directory."""


class NotARegularFile(ToolRetryError, OSError):
    """The path is a FIFO, a socket, a device or a file of a kernel file system."""


class SymlinkLoop(ToolRetryError, OSError):
    """Too many symbolic links on the way."""


class InvalidPath(ToolRetryError, ValueError):
    """The text cannot be a path: empty, a NUL byte, or too long."""


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
    """The text is no diff of a form that is known, or contradicts itself."""


class UnreadFile(ToolRetryError, PermissionError):
    """The file exists and would be overwritten, but its present content was not read."""

    default_hint = "Read the file first, or pass its content hash as expected_hash."


class NothingToUndo(ToolRetryError, LookupError):
    """Nothing was written that could be taken back."""


class DeadlineExceeded(ToolRetryError, TimeoutError):
    """The time limit passed where nothing partial can exist."""


class RootGone(FileOperationError, FileNotFoundError):
    """The root directory was removed, or is no directory any more."""


class PermissionDenied(FileOperationError, PermissionError):
    """The operating system refused access."""


class IoFailed(FileOperationError, OSError):
    """Any other failure of the operating system on one path."""


class InvalidPrompt(RootleError, ValueError):
    """A prompt file that cannot be read, or whose words do not fit its tool."""


class InvalidTool(RootleError, TypeError):
    """A function that cannot be a tool, or a tool that cannot be put in the form asked for."""


def all_errors() -> tuple[type[RootleError], ...]:
    """Every class of this module, sorted by name."""
    found = (globals()[name] for name in __all__ if name != "all_errors")
    return tuple(sorted(found, key=lambda error: error.__name__))


def _either(names: tuple[str, ...]) -> str:
    quoted = [f'"{name}"' for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _rebuild(cls: type[RootleError], args: tuple[Any, ...]) -> RootleError:
    error = cls.__new__(cls)
    error.args = args
    return error


def _state(error: RootleError) -> dict[str, Any]:
    """Give the attributes; an original error that cannot travel to another process is replaced by its description."""
    state = error.__dict__.copy()
    original = state.get("original_error")
    if original is not None:
        import pickle

        try:
            pickle.loads(pickle.dumps(original))
        except Exception:  # Anything may be raised by a foreign class's own pickling.
            state["original_error"] = Exception(f"{type(original).__name__}: {original}")
    return state
