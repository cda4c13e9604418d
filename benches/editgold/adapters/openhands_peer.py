"""openhands-aci: the `str_replace` command of its editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openhands_aci.editor import OHEditor
from serve import serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Make the replacement; the editor raises where it will not."""
    OHEditor()(command="str_replace", path=str(path), old_str=request["old"], new_str=request["new"])


serve(apply)
