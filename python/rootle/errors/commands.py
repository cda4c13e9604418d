"""What goes wrong with running commands, besides what the commands do themselves."""

from __future__ import annotations

from rootle.errors.kinds import ToolExecutionError, ToolRetryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

__all__ = ["SandboxUnavailable", "TooManyJobs", "UnknownJob"]


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
