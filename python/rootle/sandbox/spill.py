"""`SpillDirectory`: files that hold what commands printed, when that is more than is kept in memory."""

from __future__ import annotations

import os
import secrets
import stat
import time

from rootle import _core, limits
from rootle.options import PathArg

__all__ = ["SpillDirectory"]

_PREFIX, _SUFFIX = "output-", ".txt"


class SpillDirectory:
    """A directory for such files, of this user alone; files that are old are removed when it is opened.

    Args:
        path: The directory; it is made if it is missing.
        max_age_s: Age at which a file is removed.

    Raises:
        PermissionError: When the directory is somebody else's, or open to others.
    """

    def __init__(self, path: PathArg, *, max_age_s: float = limits.EXEC_SPILL_AGE_S) -> None:
        self.path = os.fspath(path)
        self.max_age_s = max_age_s
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        self.root = _core.Root(self.path, resolver="auto", timeout_s=limits.PATH_TIMEOUT_S)
        found = os.stat(self.path)
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{self.path} can be written by others: output is not kept there")
        self.sweep()

    def new_name(self) -> str:
        """Give the name of a file that does not exist."""
        return f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"

    def sweep(self) -> int:
        """Remove the files that are old, and give how many; files of other names are left alone."""
        removed = 0
        oldest = time.time() - self.max_age_s
        with os.scandir(self.path) as entries:
            for entry in entries:
                if not (entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)):
                    continue
                try:
                    if entry.stat(follow_symlinks=False).st_mtime < oldest:
                        os.unlink(entry.path)
                        removed += 1
                except FileNotFoundError:
                    continue  # Another process sweeps too.
        return removed
