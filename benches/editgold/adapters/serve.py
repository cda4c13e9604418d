"""The loop of every adapter: takes a trial as a line of JSON, lets the tool edit a real file, answers with the file.

Runs in the peer's own environment: the standard library only. A tool refuses by raising; what it writes in spite of
that counts as written.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Refused", "serve"]

LIMIT_S = 5
"""Time of one edit; past it the tool counts as having refused."""


class Refused(Exception):
    """The tool did not make the edit."""


class TooSlow(BaseException):
    """The time of one edit is over. Not an Exception, so that no tool takes it for one of its own."""


def serve(apply: Callable[[Path, dict[str, Any]], None]) -> None:
    """Answer until the input ends; `apply` edits the file at the path as the request says."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the tool prints must not get among the answers
    signal.signal(signal.SIGALRM, _over)
    for line in sys.stdin:
        answers.write(json.dumps(_one(apply, json.loads(line))) + "\n")
        answers.flush()


def _one(apply: Callable[[Path, dict[str, Any]], None], request: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="editgold-") as folder:
        path = Path(folder) / request["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        content = base64.b64decode(request["file"])
        path.write_bytes(content)
        os.chdir(folder)
        reason = ""
        started = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
        try:
            apply(path, request)
        except TooSlow:
            reason = "too slow"
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}"[:200]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.perf_counter() - started
        after = path.read_bytes() if path.exists() else b""
        os.chdir("/")
    changed = None if after == content else base64.b64encode(after).decode()
    return {"content": changed, "reason": reason, "seconds": seconds}


def _over(*_: object) -> None:
    raise TooSlow
