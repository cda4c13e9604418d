"""`Patience`: what is left of a call's time when it does several things one after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rootle import limits
from rootle.errors import DeadlineExceeded, UserAbortError

if TYPE_CHECKING:
    from rootle._core import CancelToken

__all__ = ["Patience"]

_NO_TIME_S = 0.02


class Patience:
    """The time limit and the cancel token of one call, which begins now."""

    def __init__(self, timeout_s: float | None = None, cancel: CancelToken | None = None) -> None:
        self.cancel = cancel
        self._timeout_s = timeout_s
        self._begun = time.monotonic()

    def left_s(self) -> float | None:
        """Give the seconds left, None without a limit; raises DeadlineExceeded when there are none."""
        if self._timeout_s is None:
            return None
        spent = time.monotonic() - self._begun
        # The limit that the caller gave, and an error tells, unless some of it is really gone.
        left = self._timeout_s if spent < _NO_TIME_S else self._timeout_s - spent
        if left <= 0 < self._timeout_s:
            raise DeadlineExceeded.of(f"time limit of {self._timeout_s:g} s reached", limit_s=self._timeout_s)
        return left

    @contextmanager
    def holding(self, lock: threading.Lock) -> Generator[None]:
        """Hold a lock, waiting for it as long as the call may."""
        while not lock.acquire(timeout=limits.ABORT_POLL_S):
            if self.cancel is not None and self.cancel.cancelled:
                raise UserAbortError("cancelled")
            self.left_s()
        try:
            yield
        finally:
            lock.release()
