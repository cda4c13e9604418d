"""One event loop on a thread of its own, for callers that have none or whose own must not be entered.

The loop is the process's; a forked child starts its own. Its thread is a daemon: it never keeps the process alive.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

from rootle import limits
from rootle.errors import RootleInternalError, ToolExecutionError

__all__ = ["has_loop", "run", "run_inline"]

T = TypeVar("T")

_lock = threading.Lock()
_running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None


def _after_fork() -> None:
    # The child has the parent's loop but not its thread, unless it was forked on that thread, and perhaps a lock that
    # nobody will release.
    global _lock, _running
    _lock = threading.Lock()
    _running = None


os.register_at_fork(after_in_child=_after_fork)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the loop and wait for it in the calling thread, in the caller's context variables.

    An exception in the waiting thread, such as KeyboardInterrupt, cancels the coroutine, waits a moment for its end and
    goes on.
    """
    loop, thread = _loop()
    if thread is threading.current_thread():
        coroutine.close()
        raise ToolExecutionError("call", "a tool that calls another waits for itself", hint="Await acall() instead.")
    job = _Job(coroutine, loop)
    try:
        loop.call_soon_threadsafe(job.start)
        job.over.acquire()
    except BaseException:
        loop.call_soon_threadsafe(job.cancel)
        job.over.acquire(timeout=limits.CANCEL_GRACE_S)
        raise
    return job.outcome()


def has_loop() -> bool:
    """Tell whether a loop runs in this thread."""
    return asyncio._get_running_loop() is not None


def run_inline(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits, in the calling thread and without a loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    coroutine.close()
    raise RootleInternalError("a tool that was declared inline awaits more than its workspace")


class _Job(Generic[T]):
    """A coroutine on its way through the loop.

    Its outcome is kept here, not in the task: a task lets KeyboardInterrupt and SystemExit out of the loop, which would
    end the thread and every other call.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        self._coroutine = coroutine
        self._loop = loop
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False
        self._value: list[T] = []
        self._error: BaseException | None = None
        self.over = threading.Lock()
        self.over.acquire()

    def start(self) -> None:
        """Begin, on the loop's thread."""
        if self._cancelled:
            self._coroutine.close()
            self.over.release()
            return
        self._task = self._loop.create_task(self._run())

    def cancel(self) -> None:
        """End it, on the loop's thread."""
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    def outcome(self) -> T:
        """Give the value, or raise what the coroutine raised."""
        error, self._error = self._error, None
        if error is None:
            return self._value[0]
        try:
            raise error
        finally:
            # The traceback holds this frame, and the frame would hold the error.
            del error

    async def _run(self) -> None:
        try:
            self._value.append(await self._coroutine)
        except BaseException as error:
            self._error = error
        finally:
            self.over.release()


def _loop() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    global _running
    with _lock:
        if _running is None or not _running[1].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="rootle-loop", daemon=True)
            thread.start()
            _running = loop, thread
        return _running
