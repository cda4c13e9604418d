"""Which directory is the root of a path that a person names: the enclosing git work tree, as ripgrep's rules expect."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rootle.options import PathArg

__all__ = ["enclosing_root"]


def enclosing_root(paths: Sequence[PathArg]) -> tuple[str, list[str]]:
    """Find the root for `paths` and give the paths as absolute text.

    The root is the work tree (the directory that holds `.git`) around all of them, so that the repository's own ignore
    rules count below it; without one it is their common directory. Nothing is read but the existence of directories and
    of `.git`.
    """
    absolute = [_absolute(os.fspath(path)) for path in paths]
    start = absolute[0] if len(absolute) == 1 else os.path.commonpath(absolute)
    while not os.path.isdir(start):
        start = os.path.dirname(start)
    directory = start
    while not os.path.lexists(f"{directory.rstrip('/')}/.git"):
        parent = os.path.dirname(directory)
        if parent == directory:
            return start, absolute
        directory = parent
    return directory, absolute


def _absolute(path: str) -> str:
    """Make `path` absolute; `..` after a name means what it means to the kernel, so links before it are followed."""
    names = path.split("/")
    first = next((at for at, name in enumerate(names) if name not in ("", ".", "..")), len(names))
    return os.path.realpath(path) if ".." in names[first:] else os.path.abspath(path)
