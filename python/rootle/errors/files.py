"""Errors about paths and files."""

from __future__ import annotations

from rootle.errors.kinds import FileOperationError, ToolRetryError

__all__ = [
    "AlreadyExists",
    "CommitIncomplete",
    "FileTooLarge",
    "InvalidPath",
    "IoFailed",
    "IsADirectory",
    "NotADirectory",
    "NotARegularFile",
    "PathEscapesRoot",
    "PathNotFound",
    "PermissionDenied",
    "ProtectedPath",
    "RootGone",
    "StaleFile",
    "SymlinkLoop",
    "UnreadFile",
    "Unwritable",
    "WriteUnsettled",
]


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


class ProtectedPath(ToolRetryError, PermissionError):
    """The path is inside a `.git` directory, or is one: git runs programs that it finds there."""

    default_hint = "Files inside .git are not written; .gitignore, .gitattributes and .github are."


class AlreadyExists(ToolRetryError, FileExistsError):
    """A file that must not exist yet does."""


class StaleFile(ToolRetryError, OSError):
    """The file's content is not what the caller knows; `details` has `expected_hash` and `current_hash`."""

    default_hint = "Read the file again before writing it."


class FileTooLarge(ToolRetryError, OSError):
    """The file, or the content for it, is larger than allowed; `details` has `size` and `limit` in bytes."""


class InvalidPath(ToolRetryError, ValueError):
    """The text cannot be a path: empty, a NUL byte, or too long."""


class UnreadFile(ToolRetryError, PermissionError):
    """The file exists and would be overwritten, but its present content was not read."""

    default_hint = "Read the file first, or pass its content hash as expected_hash."


class RootGone(FileOperationError, FileNotFoundError):
    """The root directory was removed, or is no directory any more."""


class PermissionDenied(FileOperationError, PermissionError):
    """The operating system refused access."""


class Unwritable(FileOperationError, PermissionError):
    """The file may be written, but only in a way that could lose something, so it is not."""


class CommitIncomplete(FileOperationError, OSError):
    """Writing several files failed in the middle; `details["written"]` names those that could not be put back."""


class WriteUnsettled(FileOperationError, TimeoutError):
    """The file system stopped answering when a change was under way; `details["written"]` says whether it is made."""

    default_hint = "Look at the file before going on: it has its old content or its new one, whole."


class IoFailed(FileOperationError, OSError):
    """Any other failure of the operating system on one path."""
