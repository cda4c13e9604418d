"""inspect-ai's `self_check`, through an adapter that its users can copy."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
)
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from . import clients


class Environment(SandboxEnvironment):  # type: ignore[misc]
    """A `SandboxClient` as inspect-ai's sandbox."""

    def __init__(self, client: Any, directory: str) -> None:
        super().__init__()
        self._client = client
        self._directory = directory

    def _path(self, path: str) -> str:
        return path if path.startswith("/") else f"{self._directory}/{path}"

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command; a time limit and too much output are errors there."""
        if user is not None and user != getpass.getuser():
            raise SandboxUserUnsupportedError("commands run as the sandbox's own user")
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        done = await self._client.exec(
            cmd,
            cwd=self._path(cwd or "."),
            env=env,
            stdin=input.encode() if isinstance(input, str) else input,
            timeout_s=3600 if timeout is None else timeout,
            max_output_bytes=most,
        )
        if done.timed_out:
            raise TimeoutError
        stdout, stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if done.truncated:
            raise OutputLimitExceededError(limit_str="10 MiB", truncated_output=stdout + stderr)
        if done.ended == "not_started" and done.exit_code == 126:
            raise PermissionError(stderr)
        code = 128 + (done.signal or 9) if done.exit_code is None else done.exit_code
        return ExecResult(code == 0, code, stdout, stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write text or bytes."""
        data = contents.encode() if isinstance(contents, str) else contents
        await self._client.write_file(self._path(file), data)

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read text or bytes; a file that is too large is an error of its own there."""
        data = await self._client.read_file(self._path(file))
        if len(data) > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR
            raise OutputLimitExceededError(limit_str=limit, truncated_output=None)
        return data.decode() if text else data

    @classmethod
    async def sample_cleanup(cls, *args: Any, **options: Any) -> None:
        """Nothing is to be done."""


EXPECTED: dict[tuple[str, str], str] = {
    ("*", "test_exec_as_user"): "commands run as one user",
    ("bubblewrap", "test_cwd_custom"): "/usr/bin is outside the sandbox's root, and refused",
    ("bubblewrap", "test_read_file_is_directory"): "/etc is outside the sandbox's root, and refused as such",
}


@pytest.fixture(params=["local", "bubblewrap"])
def sandbox_env(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Environment]:
    """Each client, on a root that holds what the suite uses: it writes below /tmp, and looks at /usr/bin and /etc."""
    clients.expect(request, EXPECTED, request.param)
    root = "/" if request.param == "local" else "/tmp"
    return Environment(clients.client(request.param, root), str(tmp_path))
