"""tunacode-cli: its tool `update_file`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from serve import serve
from tunacode.tools.update_file import update_file

LOOP = asyncio.new_event_loop()


def apply(path: Path, request: dict[str, Any]) -> None:
    """Call the tool as the agent does."""
    LOOP.run_until_complete(update_file(str(path), request["old"], request["new"]))


serve(apply)
