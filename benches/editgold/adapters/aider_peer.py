"""aider-chat: the SEARCH/REPLACE coder, which parses a block and replaces in the file's text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aider.coders.editblock_coder import DEFAULT_FENCE, do_replace, find_original_update_blocks
from aider.io import InputOutput
from serve import Refused, serve

IO = InputOutput(yes=True, pretty=False, fancy_input=False)


def apply(path: Path, request: dict[str, Any]) -> None:
    """Read, replace and write as the coder does."""
    old, new = request["old"], request["new"]
    if request["patch"]:
        blocks = list(find_original_update_blocks(request["patch"], DEFAULT_FENCE, [request["name"]]))
        if len(blocks) != 1:
            raise Refused(f"{len(blocks)} blocks")
        _, old, new = blocks[0]
    content = IO.read_text(str(path))
    if content is None:
        raise Refused("not readable")
    changed = do_replace(str(path), content, old, new, DEFAULT_FENCE)
    if not changed:
        raise Refused("not found")
    IO.write_text(str(path), changed)


serve(apply)
