"""In which directory a tool's command runs."""

from __future__ import annotations

import posixpath
from typing import Any

from rootle.commands.run import supervises
from rootle.errors import NotADirectory
from rootle.rendering import escape_name

__all__ = ["place"]


async def place(workspace: Any, client: object, cwd: str) -> str:
    """Give the directory `cwd` for a client; it is refused when it is none or lies outside the root.

    For a tree on this machine it is relative to the root, which the client shows as its own; for one in a sandbox it is
    absolute there.

    A supervised client opens it beneath the root itself, through descriptors. For any other it is looked at here, which
    a link that is changed in between can deceive: what such a client may reach is for the sandbox to bound.

    Raises:
        PathEscapesRoot, PathNotFound, NotADirectory: As for any path.
    """
    state = getattr(workspace, "sync", workspace)
    remote = getattr(state.backend, "client", None) is not None
    if remote:
        await workspace.ready()
    name = workspace.relative(workspace.named(cwd))
    if name not in ("", ".") and (remote or not supervises(client)):
        found = await workspace.stat(name)
        if found.kind != "directory":
            raise NotADirectory.of(f'"{escape_name(name)}" is not a directory', path=name)
    return posixpath.normpath(posixpath.join(workspace.root, name)) if remote else name or "."
