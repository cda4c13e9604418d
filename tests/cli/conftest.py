"""Running the command line as a person does: in a directory, into a pipe or on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[bytes]"]
Terminal: TypeAlias = Callable[..., tuple[int, str]]


@pytest.fixture
def rootle(tmp_path: Path) -> Run:
    """Run `rootle ARGUMENTS` in the test's directory, into a pipe."""

    def run(*arguments: str | bytes, text: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "rootle", *arguments]
        return subprocess.run(command, cwd=cwd or tmp_path, input=text, capture_output=True, check=False, timeout=30)

    return run


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """Run `rootle ARGUMENTS` on a pseudo-terminal; gives the exit code and what was shown."""

    def run(*arguments: str, **environment: str) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm", **environment}
        env.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
        command = [sys.executable, "-m", "rootle", *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        os.close(ours)
        return process.wait(timeout=30), shown.decode().replace("\r\n", "\n")

    return run


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # What Linux says when the other end of a pseudo-terminal is closed.
        return b""
