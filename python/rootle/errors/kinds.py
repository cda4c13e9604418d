"""The base of every error, and the kinds that the error contract tells apart."""

from __future__ import annotations

# Not imported from typing: a command-line search must not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar, Self

__all__ = [
    "FileOperationError",
    "RootleError",
    "RootleInternalError",
    "ToolExecutionError",
    "ToolRetryError",
    "UserAbortError",
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
