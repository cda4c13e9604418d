"""`JobInput`: the pipe through which text is sent to a command that runs."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable

from rootle import limits

__all__ = ["JobInput"]

_PIECE = 65_536


class JobInput:
    """A pipe; `theirs` is the end that the command reads from, and to be closed by whoever runs it."""

    def __init__(self) -> None:
        self.theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        self._ours: int | None = ours
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """Whether more can be sent."""
        return self._ours is not None

    async def send(self, data: bytes, wanted: Callable[[], bool]) -> int:
        """Send bytes and give how many were taken: not all when the command does not read, or `wanted` turns false."""
        sent = 0
        end = time.monotonic() + limits.JOB_STDIN_S
        while sent < len(data) and wanted() and time.monotonic() < end:
            taken = self._write(data[sent : sent + _PIECE])
            if taken is None:
                break
            sent += taken
            if not taken:
                await asyncio.sleep(limits.JOB_POLL_S)
        return sent

    def _write(self, data: bytes) -> int | None:
        """Write what there is room for; None when nobody will ever read it."""
        with self._lock:
            if self._ours is None:
                return None
            try:
                return os.write(self._ours, data)
            except BlockingIOError:
                return 0
            except OSError as error:
                if error.errno == errno.EPIPE:
                    return None
                raise

    def close(self) -> None:
        """Have the command's input end."""
        with self._lock:
            ours, self._ours = self._ours, None
        if ours is not None:
            os.close(ours)
