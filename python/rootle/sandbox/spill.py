"""`SpillDirectory`: files that hold what commands printed, when that is more than is kept in memory."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from rootle import _core, limits
from rootle.errors import RootleError, SandboxUnavailable
from rootle.options import PathArg

__all__ = ["SpillDirectory", "user_spill"]

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

    def keep(self, data: bytes) -> str:
        """Write an output into a new file and give its name."""
        name = self.new_name()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self.file(name), flags, 0o600), "wb") as file:
            file.write(data)
        return name

    def file(self, name: str) -> str:
        """Give the path of a file of that name."""
        return os.path.join(self.path, name)

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


_lock = threading.Lock()
_users: SpillDirectory | None = None


def _after_fork() -> None:
    # Another thread of the parent may have held the lock; nobody in the child will release it.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def user_spill() -> SpillDirectory:
    """Give the directory in which tools keep outputs, opened once.

    It is `$XDG_STATE_HOME/rootle/output` (`~/.local/state/rootle/output` without that variable), else one below the
    system's directory for temporary files.

    Raises:
        SandboxUnavailable: When none of them can be written to.
    """
    global _users
    with _lock:
        if _users is None or not os.path.isdir(_users.path):
            _users = _opened()
        return _users


def _opened() -> SpillDirectory:
    reasons = []
    for path in _places():
        try:
            spill = SpillDirectory(path)
            os.unlink(spill.file(spill.keep(b"")))
        except (OSError, RootleError) as error:
            reasons.append(str(error))
        else:
            return spill
    raise SandboxUnavailable.of(f"no directory for the output of commands: {'; '.join(reasons)}")


def _places() -> Iterator[str]:
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME") or "", ".local", "state")
    if os.path.isabs(state):
        yield os.path.join(state, "rootle", "output")
    # In a directory that everybody writes to, the name may be taken by somebody who waits for it.
    own = os.path.join(tempfile.gettempdir(), f"rootle-{os.geteuid()}")
    with suppress(FileExistsError):
        os.mkdir(own, 0o700)
    found = os.lstat(own)
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022:
        yield os.path.join(own, "output")
    yield tempfile.mkdtemp(prefix="rootle-output-")
