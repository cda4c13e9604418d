"""Scripts that run git on a client, and what their ends mean."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient, current_context
from rootle.errors import DeadlineExceeded, GitFailed, SandboxUnavailable
from rootle.git.redacting import cleaned

__all__ = ["Clock", "failure", "run_script"]

# Ends that the scripts choose for themselves; git's own are 128 and 129.
_NO_ROOM = 96
_NO_GIT = 97
_NOT_STARTED = (126, 127)


class Clock:
    """Seconds that are left of one call's limit."""

    def __init__(self, timeout_s: float) -> None:
        context = current_context()
        self.limit_s = timeout_s
        left = timeout_s if context is None else context.remaining_s(timeout_s)
        self._end = time.monotonic() + (timeout_s if left is None else left)

    @property
    def left_s(self) -> float:
        """What is left, at least a little, so that the command's own end tells of it."""
        return max(0.01, self._end - time.monotonic())

    def out_of_time(self, what: str) -> DeadlineExceeded:
        """Make the error for a limit that has passed."""
        return DeadlineExceeded.of(f"{what} took more than {self.limit_s:g} s", limit_s=self.limit_s)


@cache
def _script(name: str) -> str:
    folder = Path(__file__).parent
    return (folder / "safe.sh").read_text("utf-8") + "\n" + (folder / f"{name}.sh").read_text("utf-8")


async def run_script(
    client: SandboxClient,
    name: str,
    *arguments: str,
    timeout_s: float,
    max_output_bytes: int,
    env: Mapping[str, str] | None = None,
) -> ExecResult:
    """Run one of the scripts of this package in the client's working tree.

    Raises:
        SandboxUnavailable: When there is no shell, no git, or no room for a temporary directory.
    """
    result = await client.exec(
        ["/bin/sh", "-c", _script(name), f"rootle-git-{name}", *arguments],
        env=env,
        timeout_s=timeout_s,
        max_output_bytes=max_output_bytes,
    )
    if result.exit_code == _NO_GIT:
        raise SandboxUnavailable.of("git is not installed where commands run, outside of the root")
    if result.exit_code in _NOT_STARTED:
        raise SandboxUnavailable.of(f"/bin/sh cannot be run: {_said(result)}")
    if result.exit_code == _NO_ROOM:
        raise SandboxUnavailable.of(f"git could not be prepared: {_said(result)}")
    return result


def failure(result: ExecResult, what: str) -> GitFailed:
    """Make the error for git's own failure."""
    return GitFailed.of(f"{what}: {_said(result)}", tool_name="git", exit_code=result.exit_code)


def _said(result: ExecResult) -> str:
    text = cleaned(result.stderr) or f"it ended with {result.exit_code if result.signal is None else result.signal}"
    return text[: limits.GIT_ERROR_CHARS]
