"""git apply; hunks without context are allowed, since base edits may have none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from serve import LIMIT_S, Refused, serve

_COMMAND = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "--recount", "-"]


def apply(path: Path, request: dict[str, Any]) -> None:
    """Apply in the current directory, which is the trial's and no repository."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(Path.cwd().parent), "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        _COMMAND,
        input=request["diff"].encode("utf-8"),
        capture_output=True,
        timeout=LIMIT_S,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise Refused(done.stderr.decode("utf-8", "replace")[:200])


serve(apply)
