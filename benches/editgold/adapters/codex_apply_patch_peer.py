"""codex-apply-patch: a `*** Begin Patch` patch applied to files on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import codex_apply_patch
from serve import serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Apply in the current directory, which is the trial's."""
    codex_apply_patch.apply_patch(request["begin_patch"])


serve(apply)
