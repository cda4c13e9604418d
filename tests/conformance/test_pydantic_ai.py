"""pydantic-ai's `WorkspaceBackendSuite`, through an adapter that its users can copy."""

from __future__ import annotations

import math
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai.workspaces")

from pydantic_ai.workspaces import (
    CommandResult,
    WorkspaceOutputLimitError,
    WorkspaceRef,
    WorkspaceTimeoutError,
    WorkspaceUnavailableError,
)
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite
from rootle.errors import SandboxUnavailable

from . import clients


class Backend:
    """A `SandboxClient` as pydantic-ai's workspace; files go through its commands."""

    def __init__(self, client: Any, directory: str) -> None:
        self._client = client
        self._directory = directory

    @property
    def ref(self) -> WorkspaceRef | None:
        """Name the directory; there is nothing more to come back to."""
        return WorkspaceRef(provider="rootle", id=self._directory)

    async def working_dir(self) -> str:
        """Give the directory."""
        return self._directory

    async def run(
        self,
        command: str | Sequence[str],
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        """Run a command; a time limit and too much output are errors there, and a signal is a code."""
        if shell != isinstance(command, str):
            raise TypeError("a text is for a shell, and a list is not")
        if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
            raise ValueError(f"{timeout} is no time limit")
        argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        try:
            done = await self._client.exec(
                argv, env=env, timeout_s=86_400 if timeout is None else timeout, max_output_bytes=100_000_000
            )
        except (SandboxUnavailable, FileNotFoundError) as error:
            raise WorkspaceUnavailableError(str(error)) from error
        if done.timed_out:
            raise WorkspaceTimeoutError(f"{timeout} seconds are over")
        if done.truncated:
            raise WorkspaceOutputLimitError("more than 100 MB of output")
        code = 128 + (done.signal or signal.SIGKILL) if done.exit_code is None else done.exit_code
        return CommandResult(
            exit_code=code,
            stdout=done.stdout.decode(errors="replace"),
            stderr=done.stderr.decode(errors="replace"),
        )


EXPECTED: dict[tuple[str, str], str] = {
    (
        "bubblewrap",
        "test_cancellation_stops_foreground_work",
    ): "it looks for the process's number from another command, "
    "where it is that command's own: each has its process namespace",
}


class TestBackend(WorkspaceBackendSuite):
    """Each client. What outlives a command is kept, as that contract wants it, where the client can."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        """The clients are asyncio's."""
        return "asyncio"

    @pytest.fixture
    def has_real_posix_shell(self) -> bool:
        """They have one."""
        return True

    @pytest.fixture(params=["local, survivors kept", "bubblewrap"])
    def backend(self, request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
        """Each client on an empty directory."""
        clients.expect(request, EXPECTED, request.param)
        return Backend(clients.client(request.param, tmp_path), str(tmp_path))
