"""Telling the host what a command prints while it runs."""

from __future__ import annotations

import time

from rootle import limits
from rootle.commands.job import Job
from rootle.commands.text import harmless, whole_end
from rootle.contracts import CallContext

__all__ = ["Progress"]


class Progress:
    """Reports output to the progress callback of a call: bytes so far, and the new text.

    A report holds whole lines where there are any, no more than `limits.COMMAND_PROGRESS_CHARS`; when more comes, its
    beginning is left out, for the result has it.
    """

    def __init__(self, context: CallContext) -> None:
        self._context = context
        self._at = 0
        self._rest = b""
        self._due = 0.0

    def read(self, job: Job, over: bool) -> None:
        """Report what a job printed since the last time."""
        total = job.total
        if total <= self._at and not (over and self._rest):
            return
        start = max(self._at, total - limits.COMMAND_PROGRESS_CHARS)
        data = job.read(start, total - start)
        if start > self._at:
            self._rest = b""
        self._at = start + len(data)
        self._report(self._rest + data, over)

    def take(self, data: bytes) -> None:
        """Take a piece of output as it comes, and report when the last report is long enough ago."""
        self._at += len(data)
        self._rest = (self._rest + data)[-limits.COMMAND_PROGRESS_CHARS :]
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + limits.COMMAND_PROGRESS_S
            self._report(self._rest, False)

    def finish(self) -> None:
        """Report what was held back of the pieces taken."""
        if self._rest:
            self._report(self._rest, True)

    def _report(self, data: bytes, over: bool) -> None:
        end = len(data) if over else data.rfind(b"\n") + 1 or whole_end(data)
        self._rest = data[end:]
        if text := harmless(data[:end]):
            self._context.report(self._at, None, text)
