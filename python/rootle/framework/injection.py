"""What a tool gets besides its arguments."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from rootle.contracts import CallContext

__all__ = ["default_workspace", "injected_values"]

_lock = threading.Lock()
_default: tuple[str, Any] | None = None


def _after_fork() -> None:
    # Another thread of the parent may have held the lock; nobody in the child will release it.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def injected_values(
    wanted: Mapping[str, str], given: Mapping[str, Any], context: CallContext, workspace: Any
) -> dict[str, Any]:
    """Give a value for each injected parameter: what the caller passed, else the call's own, else the default.

    A parameter annotated `Workspace` gets the awaitable operations too: a tool is a coroutine.
    """
    values: dict[str, Any] = {}
    for parameter, class_name in wanted.items():
        value = given.get(parameter)
        if value is None:
            value = context if class_name == "CallContext" else workspace
        values[parameter] = default_workspace() if value is None else value
    return values


def default_workspace() -> Any:
    """Give the process-wide workspace on the current directory; a new one after a change of directory."""
    global _default
    directory = os.getcwd()
    with _lock:
        if _default is None or _default[0] != directory:
            from rootle.workspace.aio import AsyncWorkspace

            _default = (directory, AsyncWorkspace(directory))
        return _default[1]
