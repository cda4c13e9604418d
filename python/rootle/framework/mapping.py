"""What becomes of an exception that a tool raises."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rootle.errors import (
    FileOperationError,
    IoFailed,
    IsADirectory,
    NotADirectory,
    PathNotFound,
    PermissionDenied,
    RootleError,
    ToolExecutionError,
)

__all__ = ["file_error", "path_argument", "tool_error"]

_PATH_PARAMETERS = ("path", "file_path", "filepath", "file", "filename")


def tool_error(tool: str, error: BaseException) -> RootleError:
    """Give rootle's own error as it is, and anything else as a ToolExecutionError."""
    if isinstance(error, RootleError):
        return error
    return ToolExecutionError(tool, str(error) or type(error).__name__, error)


def file_error(tool: str, error: BaseException, path: str) -> RootleError:
    """Map the errors of file operations first: what a better path mends is for the model, the rest for the user."""
    if isinstance(error, RootleError):
        return error
    if isinstance(error, OSError):
        return _os_error(error, _path_of(error, path))
    if isinstance(error, UnicodeDecodeError):
        return FileOperationError("decode", path, str(error), error)
    return tool_error(tool, error)


def path_argument(arguments: Mapping[str, object]) -> str:
    """Give the argument that is the path of a file tool: by its name, else the first one that is text."""
    named = [arguments[name] for name in _PATH_PARAMETERS if name in arguments]
    texts = [value for value in (*named, *arguments.values()) if isinstance(value, str | os.PathLike)]
    return os.fsdecode(texts[0]) if texts else ""


def _os_error(error: OSError, path: str) -> RootleError:
    if isinstance(error, FileNotFoundError):
        return PathNotFound.of(f'file not found: "{path}"', path=path, hint="Check the path.")
    if isinstance(error, IsADirectoryError):
        return IsADirectory.of(f'"{path}" is a directory', path=path)
    if isinstance(error, NotADirectoryError):
        return NotADirectory.of(f'"{path}" is not a directory', path=path)
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error, PermissionError):
        return PermissionDenied("access", path, reason, error)
    return IoFailed("read/write", path, reason, error)


def _path_of(error: OSError, path: str) -> str:
    """Prefer the path as the caller wrote it: the system's may be absolute, above the root."""
    name = error.filename
    return path or (os.fsdecode(name) if isinstance(name, str | bytes) else "")
