"""patch-ng: applies the diff to the file, with fuzz allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import patch_ng
from serve import Refused, serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Apply in the current directory, which is the trial's."""
    patches = patch_ng.fromstring(request["diff"].encode("utf-8"))
    if not patches or not patches.apply(strip=1, root=".", fuzz=True):
        raise Refused("not applied")


serve(apply)
