"""Where commands run.

`LocalSandbox` runs them on this machine under rootle's helper: they end on time with everything they started. What
holds a command's processes together is the *tier*, and it is named in every result:

- "subreaper" (default): the helper adopts every orphan. Background children, sessions of their own, double forks and
  stopped processes are ended; so is everything when this process is killed outright.
- "cgroup": the same, and the kernel ends all of them at once. Needs a control group (version 2) in which groups can be
  made. Moving a process into one costs up to some 10 ms.
- "pid_namespace": the command sees no process but its own and cannot signal any other; all end with the first. Needs
  the right to make namespaces: root's, or user namespaces.

`BubblewrapSandbox` runs them on this machine in a file system of their own.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rootle.sandbox.attached import client_of
from rootle.sandbox.bubblewrap import BubblewrapSandbox
from rootle.sandbox.environment import Environment
from rootle.sandbox.local import LocalSandbox, Tier
from rootle.sandbox.spill import SpillDirectory, user_spill

if TYPE_CHECKING:
    from rootle.sandbox.docker import DockerSandbox
    from rootle.sandbox.http import HttpStreamSandbox
    from rootle.sandbox.pool import PooledSandboxProvider
    from rootle.sandbox.recording import RecordingSandbox, ReplayMismatch
    from rootle.sandbox.ssh import SshSandbox

__all__ = [
    "BubblewrapSandbox",
    "DockerSandbox",
    "Environment",
    "HttpStreamSandbox",
    "LocalSandbox",
    "PooledSandboxProvider",
    "RecordingSandbox",
    "ReplayMismatch",
    "SpillDirectory",
    "SshSandbox",
    "Tier",
    "client_of",
    "user_spill",
]

_LATER = {
    "DockerSandbox": "docker",
    "HttpStreamSandbox": "http",
    "PooledSandboxProvider": "pool",
    "RecordingSandbox": "recording",
    "ReplayMismatch": "recording",
    "SshSandbox": "ssh",
}
"""What is imported when it is asked for, and from where."""


def __getattr__(name: str) -> Any:
    if (module := _LATER.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"rootle.sandbox.{module}"), name)
