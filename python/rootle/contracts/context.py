"""`CallContext`: what one tool call carries besides its arguments.

A host's abort signal may be a `threading.Event`, an `asyncio.Event` or the core's cancel token; only whether it is set
is looked at, so that it may belong to another thread or loop.

    >>> import threading
    >>> stop = threading.Event()
    >>> context = CallContext(abort=stop, timeout_s=5)
    >>> context.check()
    >>> stop.set()
    >>> context.aborted
    True
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, MutableSequence, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, Protocol, TypeAlias, cast

from rootle import limits
from rootle.contracts.edits import Action, ActionRefused, AfterEdit, Confirm, Edit, tell_after_edit
from rootle.errors import DeadlineExceeded, UserAbortError
from rootle.rendering import escape_name

__all__ = ["AbortSignal", "CallContext", "Progress", "current_context"]


class Event(Protocol):
    """The part of `threading.Event` and `asyncio.Event` that is needed here."""

    def is_set(self) -> bool:
        """Whether the call must end."""
        ...


class Token(Protocol):
    """The part of the core's cancel token that is needed here."""

    @property
    def cancelled(self) -> bool:
        """Whether the call must end."""
        ...


AbortSignal: TypeAlias = Event | Token
Progress: TypeAlias = Callable[[float, float | None, str | None], object]
"""Called with how much is done, of how much (None: not known), and a word on it."""

_current: ContextVar[CallContext | None] = ContextVar("rootle_call_context", default=None)


def current_context() -> CallContext | None:
    """Give the context of the tool call that this code runs in; None outside of one."""
    return _current.get()


class CallContext:
    """Abort signal, progress, deadline and edit policy of one call.

    Args:
        abort: Set by the host to end the call.
        progress: Told how far the call is.
        timeout_s: Seconds from now after which the call must be over.
        confirm: Asked before an existing file that is not temporary is overwritten or edited.
        changed: Gets each changed path once, in the order of first changes.
        after_edit: Told of each edit.
        overwrite: Which existing files may be overwritten whole: "known" ones, whose content was read or written
            before, or "any".
        inline: There is no event loop: the call runs in the thread that waits for it, and may block it.
    """

    __slots__ = (
        "_is_set",
        "_progress",
        "_timeout_s",
        "after_edit",
        "bound",
        "changed",
        "confirm",
        "deadline",
        "inline",
        "overwrite",
        "written",
    )

    def __init__(
        self,
        *,
        abort: AbortSignal | None = None,
        progress: Progress | None = None,
        timeout_s: float | None = None,
        confirm: Confirm | None = None,
        changed: MutableSequence[str] | None = None,
        after_edit: Sequence[AfterEdit] = (),
        overwrite: Literal["known", "any"] = "known",
        inline: bool = False,
    ) -> None:
        self._is_set = _probe(abort)
        self._progress = progress
        self._timeout_s = timeout_s
        self.deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.confirm = confirm
        self.changed: MutableSequence[str] = [] if changed is None else changed
        self.after_edit = after_edit
        self.overwrite: Literal["known", "any"] = overwrite
        self.inline = inline
        self.written: list[str] = []
        """Paths that are written already: an abort, or a time limit, that comes after that must tell them."""
        self.bound: asyncio.Timeout | None = None
        """What ends the call when its time is over."""

    @property
    def timed_out(self) -> bool:
        """Whether the call is being ended because its time is over, and not because its task was cancelled."""
        return self.bound is not None and self.bound.expired()

    @property
    def aborted(self) -> bool:
        """Whether the host wants the call to end."""
        return self._is_set is not None and self._is_set()

    def remaining_s(self, limit_s: float | None = None) -> float | None:
        """Give the seconds left before the deadline, at most `limit_s`; None when neither is there."""
        if self.deadline is None:
            return limit_s
        left = max(0.0, self.deadline - time.monotonic())
        return left if limit_s is None else min(left, limit_s)

    def check(self) -> None:
        """Raise UserAbortError when aborted, DeadlineExceeded when the deadline has passed."""
        if self._is_set is not None and self._is_set():
            raise self.aborted_error()
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise self.out_of_time()

    def out_of_time(self, error: DeadlineExceeded | None = None) -> DeadlineExceeded:
        """Make the error for a deadline that has passed: that of the call, or of a part of it, which gave `error`."""
        said, details = self._so_far()
        limit_s = self._timeout_s
        if error is not None and (limit_s is None or self.remaining_s() != 0):
            limit_s = error.details.get("limit_s", 0)
        return DeadlineExceeded.of(f"time limit of {limit_s:g} s reached{said}", limit_s=limit_s, **details)

    def aborted_error(self) -> UserAbortError:
        """Make the error for a call that the host has aborted."""
        said, details = self._so_far()
        return UserAbortError.of(f"aborted by the user{said}", **details)

    def _so_far(self) -> tuple[str, dict[str, Any]]:
        """Say what stays although the call is over."""
        if not self.written:
            return "", {}
        return f"; written before that: {', '.join(map(escape_name, self.written))}", {"written": list(self.written)}

    def note_written(self, paths: Iterable[str]) -> None:
        """Remember what is on disk, whatever becomes of the call."""
        self.written += [path for path in dict.fromkeys(paths) if path not in self.written]

    @property
    def watched(self) -> bool:
        """Whether the host wants to be told how far the call is."""
        return self._progress is not None

    def report(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the host how far the call is."""
        if self._progress is not None:
            self._progress(done, total, message)

    def on_abort(self, call: Callable[[], object]) -> Callable[[], None]:
        """Have `call` called once when the abort signal is set; the function given back ends the watch."""
        if self._is_set is None:
            return _nothing
        return _watch(self._is_set, call)

    @contextmanager
    def active(self) -> Generator[CallContext]:
        """Make this the current context of what runs inside the `with`."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    async def allows(self, action: Action) -> bool:
        """Ask the host whether `action` may be done; what can lose nothing is not asked for."""
        if self.confirm is None or not action.needs_confirmation:
            return True
        return await _ask(self.confirm, action)

    async def require(self, action: Action) -> None:
        """End the tool with a result that says so when the host does not allow `action`; to be called before it."""
        if not await self.allows(action):
            raise ActionRefused(action)

    async def edited(self, edit: Edit) -> list[str]:
        """Note an edit that is on disk, tell the hooks, and give what they say."""
        if edit.path not in self.changed:
            self.changed.append(edit.path)
        return await tell_after_edit(self.after_edit, edit)


def _nothing() -> None:
    return None


def _probe(signal: AbortSignal | None) -> Callable[[], bool] | None:
    if signal is None:
        return None
    is_set = getattr(signal, "is_set", None)
    if callable(is_set):
        return cast("Callable[[], bool]", is_set)
    if hasattr(signal, "cancelled"):
        token = signal
        return lambda: bool(token.cancelled)
    raise TypeError(f"an abort signal has is_set() or cancelled, {type(signal).__name__} has neither")


def _watch(is_set: Callable[[], bool], call: Callable[[], object]) -> Callable[[], None]:
    """Look at the signal from the running loop, or from a thread where there is none, until it is set or forgotten."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return _watch_from_thread(is_set, call)
    timer: asyncio.TimerHandle | None = None

    def look() -> None:
        nonlocal timer
        if is_set():
            call()
        else:
            timer = loop.call_later(limits.ABORT_POLL_S, look)

    def forget() -> None:
        if timer is not None:
            timer.cancel()

    look()
    return forget


def _watch_from_thread(is_set: Callable[[], bool], call: Callable[[], object]) -> Callable[[], None]:
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            if is_set():
                call()
                return
            over.wait(limits.ABORT_POLL_S)

    threading.Thread(target=look, name="rootle-abort", daemon=True).start()
    return over.set


async def _ask(confirm: Confirm, action: Action) -> bool:
    """Call a coroutine function in place and a plain one on a daemon thread.

    A plain one may wait for a person: it must not hold up the loop, nor the exit of the process.
    """
    if inspect.iscoroutinefunction(confirm):
        return bool(await confirm(action))
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def deliver(value: object, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def ask() -> None:
        try:
            value, error = confirm(action), None
        except Exception as raised:
            value, error = False, raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, value, error)

    threading.Thread(target=ask, name="rootle-confirm", daemon=True).start()
    said = await answer
    return bool(await said if isinstance(said, Awaitable) else said)
