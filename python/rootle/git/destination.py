"""Where a clone goes: a new directory below the root, by a path that can mean nothing else."""

from __future__ import annotations

import re
import unicodedata

from rootle.errors import InvalidArgument, InvalidPath, PathEscapesRoot, ProtectedPath
from rootle.rendering import escape_name

__all__ = ["checked_branch", "checked_destination", "means_git"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_IN_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)")


def checked_destination(relative: str, shown: str) -> str:
    """Give the destination in its plain form.

    Args:
        relative: The path, relative to the root.
        shown: The path as it was given.

    Raises:
        PathEscapesRoot: When it leads above the root.
        InvalidPath: When it is the root itself, or starts like an option.
        ProtectedPath: When it is in a `.git`, by any of that name's spellings.
    """
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    name = escape_name(shown)
    if ".." in parts:
        raise PathEscapesRoot.of(f'"{name}" leads upwards', path=shown)
    if not parts:
        raise InvalidPath.of(f'"{name}" is the root itself: name a new directory below it', path=shown)
    if _CONTROL.search(relative):
        raise InvalidPath.of(f'"{name}" has control characters', path=shown)
    if any(part.startswith("-") for part in parts):
        raise InvalidPath.of(f'"{name}" starts with a dash, as options do', path=shown)
    if any(means_git(part) for part in parts):
        raise ProtectedPath.of(f'"{name}" is in a .git directory', path=shown)
    return "/".join(parts)


def means_git(name: str) -> bool:
    """Whether some file system takes the name for `.git`; at least as strict as the core is when it writes."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    seen = "".join(c for c in folded if unicodedata.category(c) not in ("Cf", "Mn", "Me"))
    return re.split(r"[:\\]", seen)[0].rstrip(" .") in (".git", "git~1")


def checked_branch(name: str) -> str:
    """Give the name of a branch or tag; raises InvalidArgument for what git takes for none, or for an option."""
    if not name or name.startswith(("-", "/", ".")) or name.endswith(("/", ".")) or _NOT_IN_BRANCH.search(name):
        raise InvalidArgument.of(f'"{escape_name(name)}" cannot be the name of a branch or tag', name="branch")
    return name
