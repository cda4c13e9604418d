"""The replica: what is known of a tree in the sandbox, as a tree of this machine that the core can work on.

It lies in a private directory, in memory where the system has such a place. Files are empty or sparse, but for those
whose content is needed. What the sandbox says is not trusted: every directory on the way to what is made was made here,
nothing is opened through a link, and what does not fit to the rest is left out.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from contextlib import suppress

from rootle import _core, limits
from rootle.workspace.remote.entries import Entry
from rootle.workspace.remote.look import Look
from rootle.workspace.remote.scratch import Scratch

__all__ = ["Replica"]

_OUTSIDE = "/.rootle-outside"
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK


class Replica:
    """A directory of this machine that stands for the sandbox's root.

    Args:
        root: The root's path in the sandbox, which results and errors name.
    """

    def __init__(self, root: str) -> None:
        self._scratch = Scratch()
        self.path = f"{self._scratch.path}/tree"
        self.journal = f"{self._scratch.path}/journal"
        os.mkdir(self.path, 0o700)
        self.own = _core.Root(self.path, resolver="auto", timeout_s=limits.PATH_TIMEOUT_S)
        """For writing: what is written is this directory's own matter."""
        self.root = self.own.standing_for(root)
        """For reading: paths and links are meant in the sandbox."""
        self._made: set[str] = {""}

    def close(self) -> None:
        """Remove it."""
        self._scratch.remove()

    def __enter__(self) -> Replica:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def where(self, path: str) -> str:
        """Give the place of a path that is relative to the root."""
        return f"{self.path}/{path}" if path else self.path

    def add(self, entries: Mapping[str, Entry], *, sizes: bool = False) -> None:
        """Make entries, empty ones; with `sizes` as large as they are."""
        for entry in entries.values():
            self._make(entry, sizes=sizes)
        for entry in entries.values():
            if entry.kind == "symlink":
                self._stand_in(entry)
        # What is made in a directory changes its time.
        for path in self._made:
            if (made := entries.get(path)) is not None:
                os.utime(self.where(path), ns=(made.mtime_ns, made.mtime_ns))

    def put(self, path: str, content: bytes, entry: Entry | None = None) -> bool:
        """Give a file its content, and the time and mode that are known of it; say whether it could be made."""
        try:
            self.directory(posixpath.dirname(path))
            descriptor = os.open(self.where(path), _MAKE | os.O_TRUNC, 0o600)
        except OSError:
            return False
        with open(descriptor, "wb") as file:
            kept = os.fstat(descriptor).st_mtime_ns
            file.write(content)
            file.flush()
            time_ns = kept if entry is None else entry.mtime_ns
            os.utime(descriptor, ns=(time_ns, time_ns))
            if entry is not None:
                os.fchmod(descriptor, entry.mode & 0o7777 | 0o600)
        return True

    def place(self, look: Look) -> None:
        """Make what was found at a path, and the way to it."""
        entry = look.entry
        if entry is not None and look.state in ("found", "missing"):
            if look.content is not None:
                self.put(entry.path, look.content, entry)
            else:
                self._make(entry, sizes=True)
        if look.state == "outside":
            self._link(look.named, _OUTSIDE)
        elif look.state == "loop":
            self._link(look.named, posixpath.basename(look.named.rstrip("/")))
        elif look.state == "dangling":
            with suppress(OSError):
                self.directory(posixpath.dirname(look.real))
            self._lead(look.named, look.real)
        elif look.state == "found":
            self._lead(look.named, look.real)
        elif look.rest and look.named.rstrip("/").endswith(look.rest):
            self._lead(look.named.rstrip("/").removesuffix(look.rest).rstrip("/"), look.real)

    def directory(self, path: str) -> None:
        """Make a directory and those above it, each of them new; raises FileExistsError where something else is."""
        if path in self._made:
            return
        self.directory(posixpath.dirname(path))
        os.mkdir(self.where(path), 0o700)
        self._made.add(path)

    def _make(self, entry: Entry, *, sizes: bool) -> None:
        path = entry.path
        with suppress(OSError):
            self.directory(posixpath.dirname(path))
            if entry.kind == "directory":
                self.directory(path)
            elif entry.kind == "file":
                self._file(entry, entry.size if sizes else 0)
            elif entry.kind == "symlink":
                self._link(path, entry.target or "")
            else:
                os.mkfifo(self.where(path), 0o600)

    def _file(self, entry: Entry, size: int) -> None:
        descriptor = os.open(self.where(entry.path), _MAKE | os.O_EXCL, 0o600)
        try:
            os.utime(descriptor, ns=(entry.mtime_ns, entry.mtime_ns))
            if size:
                os.ftruncate(descriptor, size)
                os.utime(descriptor, ns=(entry.mtime_ns, entry.mtime_ns))
        finally:
            os.close(descriptor)

    def _link(self, path: str, target: str) -> None:
        path = path.rstrip("/")
        with suppress(OSError):
            self.directory(posixpath.dirname(path))
            os.symlink(target or _OUTSIDE, self.where(path))

    def _lead(self, named: str, real: str) -> None:
        """Make the path as it was named lead to where it is, if it is not that already."""
        named = "" if ".." in named.split("/") else posixpath.normpath(named)
        if named not in ("", ".", real):
            self._link(named, posixpath.relpath("/" + real, "/" + posixpath.dirname(named)))

    def _stand_in(self, link: Entry) -> None:
        """Make something where a link leads, if that is there and was not listed, so that the link is whole.

        It was not listed because nothing there is looked at.
        """
        if link.leads_to not in ("f", "d") or not link.target:
            return
        root = self.root.path.rstrip("/")
        target = posixpath.normpath(posixpath.join(f"{root}/{posixpath.dirname(link.path)}", link.target))
        if not target.startswith(f"{root}/"):
            return
        path = target[len(root) + 1 :]
        with suppress(OSError):
            self.directory(posixpath.dirname(path))
            if link.leads_to == "d":
                self.directory(path)
            else:
                os.close(os.open(self.where(path), _MAKE | os.O_EXCL, 0o600))
