"""hermes-agent: `patch_replace` of its file operations, over a terminal that runs its commands with a shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from serve import LIMIT_S, Refused, serve
from tools.file_operations import ShellFileOperations

os.environ["HERMES_DISABLE_LSP"] = "1"


class Terminal:
    """The one method that the file operations ask of a terminal."""

    def __init__(self) -> None:
        self.cwd = "/"

    def execute(
        self, command: str, cwd: str | None = None, timeout: int | None = None, stdin_data: str | None = None, **_: Any
    ) -> dict[str, Any]:
        """Run one command."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=cwd or self.cwd,
            input=None if stdin_data is None else stdin_data.encode("utf-8", "surrogateescape"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            check=False,
        )
        return {"output": done.stdout.decode("utf-8", "replace"), "returncode": done.returncode}


TERMINAL = Terminal()
FILES = ShellFileOperations(TERMINAL)


def apply(path: Path, request: dict[str, Any]) -> None:
    """Replace through the shell, as the agent does."""
    TERMINAL.cwd = str(Path.cwd())
    result = FILES.patch_replace(str(path), request["old"], request["new"])
    if result.error:
        raise Refused(result.error)


serve(apply)
