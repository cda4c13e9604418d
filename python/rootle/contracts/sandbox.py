"""`SandboxClient`: the three methods through which any sandbox is reached, whoever runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

__all__ = ["ExecResult", "SandboxClient"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """How a command ended and what it printed.

    Attributes:
        exit_code: The command's own; None when it was ended by a signal or by the time limit.
        signal: The number of the signal that ended it.
        stdout: What it printed, as bytes; text and errors are kept apart.
        truncated: More was printed than `max_output_bytes`; the middle is missing.
        duration_s: Seconds from start to end.
        ended: Why it ended: "exited" by itself, "not_started" (no such program: exit code 127; not executable: 126),
            "deadline", "cancelled", "process_limit", or "supervisor_lost" when it killed what supervised it.
        tier: What held its processes together, where that is known: see `rootle.sandbox`.
        stdout_total: Bytes that it wrote in all, where that is known; so `stderr_total`.
        survivors_left: Processes of it that still live.
    """

    exit_code: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    signal: int | None = None
    timed_out: bool = False
    truncated: bool = False
    duration_s: float = 0.0
    ended: str = "exited"
    tier: str | None = None
    stdout_total: int | None = None
    stderr_total: int | None = None
    survivors_left: int = 0

    @property
    def ok(self) -> bool:
        """Whether the command ended by itself with exit code 0."""
        return self.exit_code == 0 and self.signal is None and not self.timed_out


@runtime_checkable
class SandboxClient(Protocol):
    """A machine, container or process space with a tree in it.

    A command's non-zero exit is a result. Methods raise FileNotFoundError, IsADirectoryError and PermissionError for
    the files they cannot reach, and any error of their own when the sandbox itself cannot be reached.
    """

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Run a program, without a shell, and wait for its end or for `timeout_s`."""
        ...

    async def read_file(self, path: str) -> bytes:
        """Give the whole content of a file."""
        ...

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace the content of a file, making it and its directories where they are missing."""
        ...
