"""diff-match-patch: a patch is made of `old` and `new` and applied to the whole text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diff_match_patch import diff_match_patch
from serve import Refused, serve


def apply(path: Path, request: dict[str, Any]) -> None:
    """Search the whole text, whatever the distance; all parts of the patch must apply."""
    text = path.read_bytes().decode("utf-8")
    tool = diff_match_patch()
    tool.Match_Distance = 1_000 * max(1, len(text))
    tool.Diff_Timeout = 1.0
    patches = tool.patch_make(request["old"], request["new"])
    result, applied = tool.patch_apply(patches, text)
    if not applied or not all(applied):
        raise Refused("not all parts applied")
    path.write_bytes(result.encode("utf-8"))


serve(apply)
