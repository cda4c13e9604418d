"""GNU patch, with its default fuzz of two lines."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from serve import LIMIT_S, Refused, serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Apply to the file that is named on the command line."""
    command = ["patch", "--silent", "--force", "--no-backup-if-mismatch", "--reject-file=-", str(path)]
    done = subprocess.run(
        command, input=request["diff"].encode("utf-8"), capture_output=True, timeout=LIMIT_S, check=False
    )
    if done.returncode:
        raise Refused(done.stdout.decode("utf-8", "replace")[:200])


serve(apply)
