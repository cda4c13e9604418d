"""Coroutines of a client, awaited from threads.

A client may be bound to the event loop in which it was made. So its coroutines run on the loop of whoever awaits the
operation, which is free meanwhile: the operation itself runs on a thread. Without such a loop they run on one of the
backend's own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, wait
from typing import Any, TypeVar

from rootle import limits
from rootle._core import CancelToken

__all__ = ["Bridge", "Stopped"]

T = TypeVar("T")


class Stopped(Exception):
    """The call had to end: `reason` is "deadline" or "cancelled". Never reaches a caller."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Waiting(threading.local):
    """For whom this thread works: the loop that awaits it, and what ends it."""

    loop: asyncio.AbstractEventLoop | None = None
    token: CancelToken | None = None


class Bridge:
    """Runs coroutines for threads that wait for them."""

    def __init__(self) -> None:
        self._waiting = _Waiting()
        self._lock = threading.Lock()
        self._own: tuple[asyncio.AbstractEventLoop, int] | None = None

    def for_loop(self, loop: asyncio.AbstractEventLoop, token: CancelToken, work: Callable[[], T]) -> Callable[[], T]:
        """Give `work` such that what it awaits runs on `loop`, and ends when the token is set."""

        def on_loop() -> T:
            self._waiting.loop, self._waiting.token = loop, token
            try:
                return work()
            finally:
                self._waiting.loop = self._waiting.token = None

        return on_loop

    def run(
        self,
        coroutine: Coroutine[Any, Any, T],
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        shielded: bool = False,
    ) -> T:
        """Run a coroutine and wait for its end; one that is shielded is ended by no token.

        Raises:
            Stopped: When a token was set, or it did not end within `timeout_s` by itself; it is then cancelled.
        """
        tokens = [token for token in (cancel, self._waiting.token) if token is not None and not shielded]
        if any(token.cancelled for token in tokens):
            coroutine.close()
            raise Stopped("cancelled")
        loop = self._waiting.loop
        if loop is None:
            loop = self._own_loop()
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            self._await(future, tokens, timeout_s)
        except BaseException:
            future.cancel()
            raise
        try:
            return future.result()
        except CancelledError:
            raise Stopped("cancelled") from None

    def _await(self, future: Future[T], tokens: list[CancelToken], timeout_s: float | None) -> None:
        left = timeout_s
        while not future.done():
            pause = limits.ABORT_POLL_S if left is None else min(limits.ABORT_POLL_S, left)
            wait([future], pause)
            if future.done():
                return
            if any(token.cancelled for token in tokens):
                raise Stopped("cancelled")
            if left is not None:
                left -= pause
                if left <= 0:
                    raise Stopped("deadline")

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # A forked child has the loop, but not its thread.
            if self._own is None or self._own[1] != os.getpid():
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name="rootle-remote", daemon=True).start()
                self._own = loop, os.getpid()
            return self._own[0]
