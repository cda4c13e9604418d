"""A thread for each call: a command may take hours, and a pool would run out of threads."""

from __future__ import annotations

import _thread
import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from rootle._core import CancelToken
from rootle.contracts import current_context

__all__ = ["in_own_thread"]

T = TypeVar("T")


async def in_own_thread(work: Callable[[], T], token: CancelToken | None = None) -> T:
    """Run `work` in a new thread. Cancelling the task, or its call context, sets the token and awaits its end.

    In a call that has a thread to itself (no event loop runs in it) the work is done in place: the core watches for
    Ctrl-C there.
    """
    context = current_context()
    release = context.on_abort(token.cancel) if context is not None and token is not None else None
    try:
        if context is not None and context.inline:
            return work()
        return await _started(work, token)
    finally:
        if release is not None:
            release()


async def _started(work: Callable[[], T], token: CancelToken | None) -> T:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(give: Callable[[], None]) -> None:
        if not future.done():
            give()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            given = error if not isinstance(error, StopIteration) else RuntimeError("StopIteration")
            give = lambda: future.set_exception(given)  # noqa: E731
        else:
            give = lambda: future.set_result(value)  # noqa: E731
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(settle, give)

    # Not `threading.Thread`, whose start waits until the new thread runs; and nobody waits for this one at the exit.
    _thread.start_new_thread(run, ())
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if token is not None:
            token.cancel()
        await _done(future)
        raise


async def _done(future: asyncio.Future[T]) -> None:
    """Wait for the end, whatever is cancelled meanwhile; the core bounds how long it takes."""
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            continue
    if not future.cancelled():
        future.exception()  # Looked at, so that it is not reported as forgotten.
