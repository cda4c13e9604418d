"""Which client a tool's commands go through."""

from __future__ import annotations

import threading
from typing import Any

from rootle.contracts import SandboxClient
from rootle.sandbox.local import LocalSandbox

__all__ = ["client_of"]

_lock = threading.Lock()


def client_of(workspace: Any) -> SandboxClient:
    """Give the client on which the commands of a workspace's tools run.

    It is the one that the workspace lives on or was given; for a local directory without one, a `LocalSandbox` on that
    directory, which is made once and kept.

    Args:
        workspace: A `Workspace` or an `AsyncWorkspace`.

    Raises:
        PathNotFound, NotADirectory, PermissionDenied: When the directory cannot be opened.
    """
    state = getattr(workspace, "sync", workspace)
    if state.client is None:
        with _lock:
            if state.client is None:
                state.client = LocalSandbox(state.root)
    client: SandboxClient = state.client
    return client
