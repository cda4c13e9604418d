"""In which directory a tool's command runs."""

from __future__ import annotations

from typing import Any

from rootle.commands.run import supervises
from rootle.errors import NotADirectory
from rootle.rendering import escape_name

__all__ = ["place"]


async def place(workspace: Any, client: object, cwd: str) -> str:
    """Give the directory `cwd` relative to the root; it is refused when it is none or lies outside.

    A supervised client opens it beneath the root itself, through descriptors. For any other it is looked at here, which
    a link that is changed in between can deceive: what such a client may reach is for the sandbox to bound.

    Raises:
        PathEscapesRoot, PathNotFound, NotADirectory: As for any path.
    """
    name = workspace.relative(workspace.named(cwd))
    if name in ("", "."):
        return "."
    if not supervises(client):
        found = await workspace.stat(name)
        if found.kind != "directory":
            raise NotADirectory.of(f'"{escape_name(name)}" is not a directory', path=name)
    return str(name)
