"""What goes wrong with running commands, besides what the commands do themselves."""

from __future__ import annotations

from rootle.errors.kinds import ToolExecutionError, ToolRetryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

__all__ = [
    "AddressRefused",
    "CloneFailed",
    "GitFailed",
    "HostNotFound",
    "NoTestRunner",
    "NotARepository",
    "RepositoryRefused",
    "SandboxUnavailable",
    "TooManyJobs",
    "UnknownJob",
]


class SandboxUnavailable(ToolExecutionError):
    """Commands cannot be run: a helper is missing, the system refuses what is asked for, the sandbox is gone."""

    @classmethod
    def of(cls, message: str, **details: Any) -> Self:
        """Make the error from its message, which says what failed; no tool is named in it."""
        error = super().of(message, **details)
        error.args = (message,)
        return error


class UnknownJob(ToolRetryError, LookupError):
    """No command has that id: it never had, or its output was forgotten to make room."""


class TooManyJobs(ToolRetryError):
    """As many commands as are allowed run in the background already."""

    default_hint = "End one with bash_kill, or wait for one with bash_output and wait_s."


class AddressRefused(ToolRetryError, PermissionError):
    """The host, one of its addresses or the port is none that may be connected to."""

    default_hint = "Only public addresses and the ports of web servers are reached; whoever runs this may allow others."


class HostNotFound(ToolRetryError, LookupError):
    """A host's name has no address."""


class NotARepository(ToolRetryError, LookupError):
    """There is no git repository with a work tree at the directory or above it, up to the root."""


class RepositoryRefused(ToolRetryError, PermissionError):
    """A part of the repository lies outside the root, is a link, or belongs to another user; `details` has `reason`."""

    default_hint = "Whoever runs this may allow it."


class GitFailed(ToolExecutionError):
    """Git ended with an error: a damaged repository, a version that does not know its format."""


class CloneFailed(ToolExecutionError):
    """A repository was not cloned; nothing of it is left."""


class NoTestRunner(ToolRetryError, LookupError):
    """Nothing in the directory tells how its tests are run."""
