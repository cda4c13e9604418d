"""Private directories for replicas, of which none stays for good.

A directory is locked by whoever made it, for as long as it is used. What is not locked was left over by a process that
was killed outright, and the next one removes it: a process id would tell nothing in another container.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from weakref import finalize

from rootle import limits

__all__ = ["Scratch", "sweep"]

_PREFIX = "rootle-replica-"
_swept_by = 0


class Scratch:
    """A new directory of this user alone, in memory where the system has such a place."""

    def __init__(self) -> None:
        global _swept_by
        where = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else tempfile.gettempdir()
        if _swept_by != os.getpid():
            _swept_by = os.getpid()
            sweep(where)
        self.path = tempfile.mkdtemp(prefix=_PREFIX, dir=where)
        lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        self.remove = finalize(self, _remove, self.path, lock)


def _remove(path: str, lock: int) -> None:
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


def sweep(where: str) -> int:
    """Remove the directories below `where` that this user's processes left over, and give how many.

    New ones stay (`limits.REMOTE_SCRATCH_AGE_S`): their makers may not have locked them yet.
    """
    removed = 0
    with suppress(OSError), os.scandir(where) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    removed += _removed(entry.path)
    return removed


def _removed(path: str) -> bool:
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(lock)
        if found.st_uid != os.geteuid() or time.time() - found.st_mtime < limits.REMOTE_SCRATCH_AGE_S:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path)
        return True
    finally:
        os.close(lock)
