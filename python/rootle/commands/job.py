"""`Job`: one command whose output can be asked for, while it runs and afterwards."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from rootle import limits
from rootle._core import CancelToken
from rootle.commands.excerpt import Kept
from rootle.commands.job_input import JobInput
from rootle.contracts import CommandResult
from rootle.sandbox import SpillDirectory

__all__ = ["Job"]


class Job:
    """A command that runs in a thread of its own, or one that ended and printed more than was shown.

    Attributes:
        id: By which tools name it.
        command: Its text, for people and models.
        description: What it is for.
        result: How it ended; None while it runs.
        error: What kept it from running.
        seen: Bytes of its output that the model was given.
        heard: Whether somebody was told that it ended.
        input: What can be sent to it; None when it was given all of its input.
    """

    def __init__(self, id: str, command: str, description: str | None, spill: SpillDirectory, name: str) -> None:
        self.id = id
        self.command = command
        self.description = description
        self.result: CommandResult | None = None
        self.error: BaseException | None = None
        self.seen = 0
        self.heard = False
        self.token = CancelToken()
        self.begun = time.monotonic()
        self.spill = spill
        self.spill_name = name
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], None]] = []
        self.input: JobInput | None = None
        self._output: int | None = None

    def __repr__(self) -> str:
        """Show what it is and how it is."""
        return f"Job({self.id}, {'running' if self.running else 'ended'}, {self.command[:40]!r})"

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return not self._over.is_set()

    @property
    def duration_s(self) -> float:
        """Seconds since it began, or that it took."""
        return self.result.duration_s if self.result is not None else time.monotonic() - self.begun

    @property
    def path(self) -> str:
        """The file that holds its output."""
        return self.spill.file(self.spill_name)

    @property
    def takes_input(self) -> bool:
        """Whether text can be sent to it."""
        return self.running and self.input is not None and self.input.open

    def run(self, work: Callable[[], CommandResult], then: Callable[[Job], None]) -> None:
        """Start the thread that runs `work` and, when it is over, `then`."""

        def body() -> None:
            try:
                self.result = work()
            except BaseException as error:
                self.error = error
            if self.input is not None:
                self.input.close()
            with self._lock:
                self._over.set()
                self._close_output()
                waiting, self._waiting = self._waiting, []
            for wake in waiting:
                wake()
            then(self)

        threading.Thread(target=body, name=f"rootle-job-{self.id}", daemon=True).start()

    def slim(self) -> None:
        """Keep of its output in memory only what its file does not hold."""
        result = self.result
        if result is None:
            return
        tail = result.output if result.output_gap is None else result.output[result.output_gap :]
        in_file = self._in_file() >= (result.output_total or 0)
        self.result = replace(result, stdout=b"", stderr=b"", output=b"" if in_file else tail, output_gap=0)

    def ended_with(self, result: CommandResult) -> None:
        """Take the result of a command that ran elsewhere."""
        self.result = result
        self.heard = True
        self._over.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait in this thread for its end; False when the time was over first."""
        return self._over.wait(timeout_s)

    async def ended(self, timeout_s: float | None = None) -> bool:
        """Wait for its end on the event loop; False when the time was over first. Cancelling it ends the wait alone."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not future.done():
                future.set_result(None)

        def wake() -> None:
            with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
                loop.call_soon_threadsafe(settle)

        with self._lock:
            if self._over.is_set():
                return True
            self._waiting.append(wake)
        try:
            await asyncio.wait([future], timeout=timeout_s)
        finally:
            with self._lock:
                if wake in self._waiting:
                    self._waiting.remove(wake)
        return self._over.is_set()

    async def end(self) -> None:
        """End it with everything it started and wait until it is gone, whatever is cancelled meanwhile."""
        self.token.cancel()
        cancelled = False
        while self.running:
            try:
                await self.ended()
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    @property
    def total(self) -> int:
        """Bytes that it printed, as far as is known."""
        if self.result is not None and self.result.output_total is not None:
            return self.result.output_total
        return self._in_file()

    def kept(self, start: int) -> Kept:
        """Give its output from byte `start` on, at most twice as many bytes as are shown: its beginning and its end."""
        total = self.total
        start = max(0, min(start, total))
        length = limits.COMMAND_SHOWN_BYTES
        if total - start <= 2 * length:
            data = self.read(start, total - start)
            if start + len(data) >= total:
                return Kept(data, None, start + len(data), start)
        head = self.read(start, length)
        tail = self.read(total - length, length)
        return Kept(head + tail, len(head), total, start)

    def read(self, start: int, max_bytes: int) -> bytes:
        """Give bytes of its output, from the file or, where that was full, from the end that is kept in memory."""
        data = b""
        if start < self._in_file():
            with self._opened() as file:
                data = b"" if file is None else os.pread(file, max_bytes, start)
        if not data and self.result is not None:
            kept = self.result.output
            tail = kept if self.result.output_gap is None else kept[self.result.output_gap :]
            at = start - (self.total - len(tail))
            if at >= 0:
                data = tail[at : at + max_bytes]
        return data

    def readable_from(self, start: int) -> int:
        """Give the first byte from `start` on that can be read: a file that was full has a gap after it."""
        if start < self._in_file() or self.result is None:
            return start
        kept = self.result.output
        return max(start, self.total - (len(kept) - (self.result.output_gap or 0)))

    def _in_file(self) -> int:
        with self._opened() as file:
            return 0 if file is None else os.fstat(file).st_size

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        """Give the file of its output, which stays open while it runs: others may sweep away what looks old."""
        with self._lock:
            if self._output is None:
                with suppress(OSError):
                    self._output = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                yield self._output
            finally:
                if self._over.is_set():
                    self._close_output()

    def _close_output(self) -> None:
        if self._output is not None:
            os.close(self._output)
            self._output = None

    def forget(self) -> None:
        """Remove its file."""
        with self._lock:
            self._close_output()
        with suppress(OSError):
            os.unlink(self.path)
