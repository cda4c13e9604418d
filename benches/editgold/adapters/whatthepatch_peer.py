"""whatthepatch: parses the diff and applies it to the lines of the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import whatthepatch
from serve import Refused, serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Apply the first file's diff."""
    text = path.read_bytes().decode("utf-8")
    diff = next(iter(whatthepatch.parse_patch(request["diff"])), None)
    if diff is None:
        raise Refused("no diff found")
    lines = whatthepatch.apply_diff(diff, text)
    result = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    path.write_bytes(result.encode("utf-8"))


serve(apply)
