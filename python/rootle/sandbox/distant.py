"""What clients of other machines share: paths beneath a root that is not here, and the result of a command there."""

from __future__ import annotations

import importlib
import os
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from rootle.contracts import ExecResult
from rootle.errors import InvalidPath, NotADirectory, PathEscapesRoot, PathNotFound, ProtectedPath, SandboxUnavailable
from rootle.sandbox.environment import QUIET
from rootle.sandbox.remote_shell import Refused

__all__ = ["beneath", "check_written", "needed", "not_started", "refusal", "variables", "within"]


def needed(module: str, extra: str, user: str) -> Any:
    """Import a module that an extra brings.

    Raises:
        SandboxUnavailable: With the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise SandboxUnavailable.of(f"{user} needs the module {module}: pip install 'rootle[{extra}]'") from error


def beneath(root: str, path: str) -> str:
    """Give the absolute form of a path in a tree that is elsewhere.

    >>> beneath("/w", "a/../b"), beneath("/w", "/w/c")
    ('/w/b', '/w/c')

    Raises:
        InvalidPath: When it is empty or contains a NUL character.
        PathEscapesRoot: When it leads outside by its own words; what links do is seen there alone.
    """
    if not path or "\0" in path:
        raise InvalidPath.of(f"{path!r} is not a path", path=path)
    full = posixpath.normpath(posixpath.join(root, path))
    if not within(root, full):
        raise PathEscapesRoot.of(f'"{path}" is outside the root', path=path)
    return full


def within(root: str, full: str) -> bool:
    """Whether an absolute path is a directory or lies in it."""
    return full == root or full.startswith(root.rstrip("/") + "/")


def check_written(path: str) -> None:
    """Refuse what git would run: raises ProtectedPath."""
    if ".git" in (part.lower() for part in path.split("/")):
        raise ProtectedPath.of(f'"{path}" is inside .git', path=path)


def variables(own: Mapping[str, str], given: Mapping[str, str] | None) -> dict[str, str]:
    """Give what is set for a command elsewhere: no pager, prompt or colour, then the sandbox's own, then the call's."""
    return {**QUIET, **own, **(given or {})}


def refusal(refused: Refused, cwd: str) -> Exception:
    """Give the error for a directory that a command could not be started in."""
    if refused.reason == "outside":
        return PathEscapesRoot.of(f'"{cwd}" is outside the root', path=cwd)
    if refused.reason == "file":
        return NotADirectory.of(f'"{cwd}" is not a directory', path=cwd)
    return PathNotFound.of(f'"{cwd}" does not exist', path=cwd)


def not_started(argv: Sequence[str], code: int, tier: str, duration_s: float) -> ExecResult:
    """Give the result of a program that is missing (127) or cannot be executed (126)."""
    reason = os.strerror(2 if code == 127 else 13)
    stderr = f"{argv[0]}: {reason}\n".encode(errors="surrogateescape")
    return ExecResult(
        exit_code=code,
        stderr=stderr,
        ended="not_started",
        tier=tier,
        duration_s=duration_s,
        stdout_total=0,
        stderr_total=0,
    )
