"""What a `SandboxClient` may offer beyond its three methods, and the one form of result that tools make of either.

A client needs none of it. One that has `run` (`SupportsSupervision`) gives tools background jobs, output while it
comes, interleaved streams and whole outputs in files; one that has `exec_streaming` (`SupportsStreaming`) gives output
while it comes. Every other client runs a command to its end and gives back what it printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from rootle.contracts.sandbox import ExecResult

__all__ = ["CommandResult", "SupportsStreaming", "SupportsSupervision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult(ExecResult):
    """`ExecResult` with what a supervised command tells besides.

    Attributes:
        output: Both streams in the order in which they arrived; one after the other where that is not known.
        output_total: Bytes that were written to both.
        stdout_gap: Where in `stdout` bytes are missing; None when all are there. So `stderr_gap` and `output_gap`.
        survivors_killed: Processes that outlived the command and were ended.
        drained: False when a process that was left held the streams open, so that output may be missing at the end.
        spilled: Bytes of the output that are in the file that was made for it; None without one.
        spill_complete: The file holds everything.
    """

    output: bytes = b""
    output_total: int | None = None
    stdout_gap: int | None = None
    stderr_gap: int | None = None
    output_gap: int | None = None
    survivors_killed: int = 0
    drained: bool = True
    spilled: int | None = None
    spill_complete: bool = True


@runtime_checkable
class SupportsSupervision(Protocol):
    """A client whose commands are processes of this machine, run from a thread that waits for them.

    `run` takes the arguments of `rootle.sandbox.LocalSandbox.run` and gives its outcome: `stdin_fd` is a descriptor
    that the command reads from, `spill_from_start` has its output written to a file as it comes, and setting `cancel`
    ends the command with everything it started.
    """

    tier: Any

    def run(
        self,
        argv: Sequence[str],
        *,
        script: str | bytes | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        stdin_fd: int | None = None,
        timeout_s: float | None = ...,
        max_output_bytes: int | None = None,
        spill: Any = None,
        spill_name: str | None = None,
        spill_from_start: bool = False,
        cancel: Any = None,
    ) -> Any:
        """Run a command and wait in this thread for the end of its last process."""
        ...


@runtime_checkable
class SupportsStreaming(Protocol):
    """A client that hands over output while it comes."""

    async def exec_streaming(
        self,
        argv: Sequence[str],
        *,
        on_output: Callable[[bytes], object],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Do as `exec`, and call `on_output` on the event loop with each piece of either stream."""
        ...
