"""Single paths in a sandbox: where they lead and what is there."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rootle import _core, limits
from rootle.contracts import SandboxClient
from rootle.errors import NotADirectory, PathNotFound
from rootle.workspace.local import LocalBackend
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.look import Look, look
from rootle.workspace.remote.names import Trees
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.station import Deadline, Station

if TYPE_CHECKING:
    from rootle._core import CancelToken
    from rootle.options import PathArg
    from rootle.results import Metadata

__all__ = ["RemotePaths"]

T = TypeVar("T")


class RemotePaths:
    """What all operations of the backend share: the sandbox, its root, and looking at paths."""

    def __init__(self, client: SandboxClient, root: str = ".") -> None:
        self.client = client
        self._station = Station(client, root)
        self._trees = Trees(self._station)
        self._names_lock = threading.Lock()
        self._names: dict[str, tuple[float, str | None]] = {}

    @property
    def path(self) -> str:
        """The root's absolute path in the sandbox; asks it when it is not known yet."""
        known = self._station.known
        if known is None and self._station.given.startswith("/"):
            return self._station.given
        return self._station.features().root

    @property
    def prepared(self) -> bool:
        """Whether it is known what the sandbox has."""
        return self._station.known is not None

    def prepare(self) -> None:
        """Ask the sandbox what it has; done by itself before the first operation."""
        self._station.features()

    def for_loop(self, loop: asyncio.AbstractEventLoop, token: CancelToken, work: Callable[[], T]) -> Callable[[], T]:
        """Give `work` such that the client's coroutines run on `loop`, and end when `token` is set."""
        return self._station.bridge.for_loop(loop, token, work)

    def relative(self, path: PathArg) -> str:
        """Give `path` relative to the root by its text alone; raises PathEscapesRoot for one outside."""
        absolute = os.fspath(path).startswith("/")
        root = self.path if absolute else (self._station.known.root if self._station.known else "/")
        return _slash().standing_for(root).relative(path)

    def stat(self, path: PathArg, *, follow: bool = True) -> Metadata:
        """Look at one path; links are followed only inside the root."""
        found = self._look(path, Deadline(limits.PATH_TIMEOUT_S))
        if not follow and found.link is not None and not os.fspath(path).endswith("/"):
            return found.link.metadata()
        if found.there and found.entry is not None:
            self._refuse_slash(found)
            return found.entry.metadata()
        return self._refusing(found, lambda backend: backend.stat(found.name, follow=follow))

    def real_path(self, path: PathArg, *, timeout_s: float | None = None, cancel: CancelToken | None = None) -> str:
        """Give `path` relative to the root with every link resolved; remembered for `limits.REMOTE_NAMES_S`."""
        name = self.relative(path)
        with self._names_lock:
            known = self._names.get(name)
        if known is None or time.monotonic() - known[0] >= limits.REMOTE_NAMES_S:
            limit_s = limits.PATH_TIMEOUT_S if timeout_s is None else min(timeout_s, limits.PATH_TIMEOUT_S)
            found = self._look(path, Deadline(limit_s, cancel))
            if found.state not in ("found", "missing"):
                return self._refusing(found, lambda backend: backend.real_path(found.name))
            known = 0.0, found.real or "." if found.there else None
        if known[1] is None:
            raise PathNotFound.of(f'"{name}" does not exist', path=name)
        return known[1]

    def _look(self, path: PathArg, deadline: Deadline, content_bytes: int = 0) -> Look:
        name = self.relative(path)
        try:
            found = look(self._station, [name], deadline, content_bytes=content_bytes)[0]
        except Stopped as stopped:
            raise deadline.error(stopped) from None
        self._remember(found)
        return found

    def _remember(self, found: Look) -> None:
        """Remember where a path led, for the next step of the same edit."""
        with self._names_lock:
            now = time.monotonic()
            self._names = {name: one for name, one in self._names.items() if now - one[0] < limits.REMOTE_NAMES_S}
            if found.state in ("found", "missing"):
                self._names[found.named] = now, found.real or "." if found.there else None

    def _forget_names(self) -> None:
        """Forget where paths led: something was written."""
        with self._names_lock:
            self._names = {}

    def _refusing(self, found: Look, ask: Callable[[LocalBackend], T]) -> T:
        """Have the core say what is wrong with a path: it knows what may have been meant."""
        if found.state == "missing":
            held = self._trees.take(["."], Deadline(limits.PATH_TIMEOUT_S), rules=False, skipped=limits.SKIP_DIRS)
            held.replica.place(found)
            return ask(held.backend)
        with Replica(self._station.features().root) as replica:
            replica.place(found)
            return ask(LocalBackend.on(replica.root))

    def _refuse_slash(self, found: Look) -> None:
        if found.named.endswith("/") and found.entry is not None and found.entry.kind != "directory":
            raise NotADirectory.of(f'"{found.named}" is not a directory', path=found.named)


def _slash() -> _core.Root:
    """Give a root whose own place does not matter."""
    global _any_root
    if _any_root is None:
        _any_root = _core.Root("/", resolver="auto", timeout_s=limits.PATH_TIMEOUT_S)
    return _any_root


_any_root: _core.Root | None = None
