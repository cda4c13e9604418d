"""Paths as the user gave them: results are relative to a root, people think in their current directory."""

from __future__ import annotations

import os
from collections.abc import Sequence

__all__ = ["ShownPaths"]


class ShownPaths:
    """Turns a path relative to `root` into the form of the argument that led to it, as ripgrep does.

    Searching `src` shows `src/a.py`, `./` shows `./a.py`, an absolute path an absolute one, and no argument `a.py`.

    Args:
        given: The paths as typed; empty means the current directory without a prefix.
        root: The absolute path of the root that the results are relative to.
    """

    def __init__(self, given: Sequence[str], root: str) -> None:
        pairs = [(self._key(path, root), path) for path in given or [""]]
        # The longest start decides, so that `rootle grep x . src` shows the files of src as `src/...` in either order.
        self._starts = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)
        self._root = root

    def __call__(self, path: str) -> str:
        """Give `path` as it is to be shown."""
        for key, given in self._starts:
            if path == key:
                return given or os.curdir
            if key == ".":
                return self._join(given, path)
            if path.startswith(key + "/"):
                return self._join(given, path[len(key) + 1 :])
        return os.path.join(self._root, path)

    @staticmethod
    def _key(path: str, root: str) -> str:
        """Say where the argument lies below the root, by its text: links inside the root are part of result paths."""
        absolute = os.path.abspath(path)
        above = absolute
        while above != root and os.path.realpath(above) != root:
            parent = os.path.dirname(above)
            if parent == above:
                return os.path.relpath(os.path.realpath(path), root)
            above = parent
        return os.path.relpath(absolute, above)

    @staticmethod
    def _join(given: str, rest: str) -> str:
        return rest if not given else given + rest if given.endswith("/") else f"{given}/{rest}"
