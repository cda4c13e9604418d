"""A tree to work on: typed operations over one backend, for threads (`Workspace`) and for tasks (`AsyncWorkspace`).

Names are imported on first use: the plain functions need `LocalBackend` alone and must stay light.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle.workspace.aio import AsyncWorkspace
    from rootle.workspace.local import LocalBackend
    from rootle.workspace.remote import SandboxBackend
    from rootle.workspace.workspace import Workspace

_WHERE = {
    "AsyncWorkspace": "rootle.workspace.aio",
    "LocalBackend": "rootle.workspace.local",
    "SandboxBackend": "rootle.workspace.remote",
    "Workspace": "rootle.workspace.workspace",
}

__all__ = ["AsyncWorkspace", "LocalBackend", "SandboxBackend", "Workspace"]


def __getattr__(name: str) -> object:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value
