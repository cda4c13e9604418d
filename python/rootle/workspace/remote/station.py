"""The sandbox as the backend sees it: its root, what tools it has, and scripts that run in it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import DeadlineExceeded, PathNotFound, RootleError, SandboxUnavailable, UserAbortError
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Bridge, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from rootle._core import CancelToken

__all__ = ["Deadline", "Features", "Output", "Station", "encoded"]

_NO_ROOT = 70
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@=,:~ ")


def encoded(path: str) -> str:
    r"""Write a path such that `printf %b` gives its bytes: plain ASCII, all else as `\0ooo`."""
    return "".join(chr(byte) if byte in _PLAIN else f"\\0{byte:03o}" for byte in os.fsencode(path))


class Deadline:
    """When a call must end, and by whom it may be ended."""

    def __init__(self, timeout_s: float | None, cancel: CancelToken | None = None) -> None:
        self.at = None if timeout_s is None else time.monotonic() + timeout_s
        self.limit_s = timeout_s
        self.cancel = cancel

    def left(self) -> float | None:
        """Give the seconds left; raises Stopped when there are none."""
        if self.cancel is not None and self.cancel.cancelled:
            raise Stopped("cancelled")
        if self.at is None:
            return None
        left = self.at - time.monotonic()
        if left <= 0:
            raise Stopped("deadline")
        return left

    def part(self, share: float) -> Deadline:
        """Give a deadline after this share of the time that is left, so that something can still be done after it."""
        left = self.left()
        return Deadline(None if left is None else left * share, self.cancel)

    def error(self, stopped: Stopped) -> RootleError:
        """Give the error for a call that has nothing partial to give."""
        if stopped.reason == "cancelled":
            return UserAbortError("the call was cancelled")
        return DeadlineExceeded.of(f"time limit of {self.limit_s:g} s reached", limit_s=self.limit_s)


@dataclass(frozen=True, slots=True)
class Features:
    """What the sandbox has.

    Attributes:
        root: The root's absolute path there.
        tools: Programs that were found.
        can: Abilities that were tried out, such as "find -printf".
        rg: What ripgrep says of its version.
    """

    root: str
    tools: frozenset[str]
    can: frozenset[str]
    rg: str | None

    @property
    def record(self) -> str:
        """How the script asks about files: by "find" or by "stat"."""
        return "find" if "find -printf" in self.can else "stat"

    def require(self, purpose: str, *needed: str) -> None:
        """Raise SandboxUnavailable when tools or abilities are missing without which `purpose` is not possible."""
        missing = [name for name in needed if name not in self.tools and name not in self.can]
        if missing:
            raise SandboxUnavailable.of(
                f"{purpose} needs {' and '.join(f'`{name}`' for name in missing)}, which the sandbox does not have",
                missing=missing,
                hint="Install GNU findutils, coreutils and grep there, or busybox.",
            )

    def require_listing(self) -> None:
        """Raise SandboxUnavailable when a tree cannot be listed."""
        needed = ["head", "readlink -f", "find -printf"]
        if "find -printf" not in self.can:
            needed[2:] = ["find -print0", "xargs -0", "stat -c"]
        self.require("listing a tree", *needed)

    def require_looking(self) -> None:
        """Raise SandboxUnavailable when a path cannot be looked at."""
        self.require("looking at a path", "readlink -f", "wc", "cat")
        if "find -printf" not in self.can:
            self.require("looking at a path", "stat -c")


@dataclass(frozen=True, slots=True)
class Output:
    """What a script printed; `stopped` when its time was over before its end, `cut` when some of it is missing."""

    data: bytes
    stopped: str | None = None
    cut: bool = False
    error: str = ""
    exit_code: int | None = 0


class Station:
    """A client with a root in its tree."""

    def __init__(self, client: SandboxClient, root: str) -> None:
        self.client = client
        self.given = root
        self.bridge = Bridge()
        self._features: Features | None = None
        self._lock = threading.Lock()

    @property
    def known(self) -> Features | None:
        """What is known of the sandbox, if it was asked."""
        return self._features

    def features(self, deadline: Deadline | None = None) -> Features:
        """Ask the sandbox once what it has."""
        if self._features is None:
            with self._lock:
                if self._features is None:
                    self._features = self._probe(deadline or Deadline(limits.PATH_TIMEOUT_S))
        return self._features

    def _probe(self, deadline: Deadline) -> Features:
        output = self._exec(["sh", "-c", scripts.PROBE, "rootle", encoded(self.given)], None, deadline, None)
        if output.stopped:
            raise deadline.error(Stopped(output.stopped))
        fields = output.data.split(b"\0")
        if output.exit_code != 0 or fields[-3:] != [b"end", b"", b""]:
            raise self._not_understood(output)
        pairs = list(zip(fields[0::2], fields[1::2], strict=False))
        rg = next((os.fsdecode(value) for key, value in pairs if key == b"rg"), None)
        return Features(
            root=next(os.fsdecode(value) for key, value in pairs if key == b"root"),
            tools=frozenset(os.fsdecode(value) for key, value in pairs if key == b"tool"),
            can=frozenset(os.fsdecode(value) for key, value in pairs if key == b"can"),
            rg=rg if rg and rg.startswith("ripgrep") else None,
        )

    def run(
        self,
        script: str,
        arguments: Sequence[str] = (),
        *,
        deadline: Deadline,
        stdin: bytes | None = None,
        max_bytes: int | None = None,
        shielded: bool = False,
    ) -> Output:
        """Run a script in the root.

        Args:
            script: One of `rootle.workspace.remote.scripts`.
            arguments: Its arguments after the root.
            deadline: When it must end; what it printed until then is given.
            stdin: What it reads.
            max_bytes: How much it may print.
            shielded: Nothing but the deadline ends it.

        Raises:
            SandboxUnavailable: When the client fails, or the root is gone.
        """
        argv = ["sh", "-c", script, "rootle", encoded(self.features(deadline).root), *arguments]
        return self._exec(argv, stdin, deadline, max_bytes, shielded=shielded)

    def _exec(
        self,
        argv: Sequence[str],
        stdin: bytes | None,
        deadline: Deadline,
        max_bytes: int | None,
        *,
        shielded: bool = False,
    ) -> Output:
        try:
            left = deadline.left()
            result = self.awaited(
                lambda: self.client.exec(argv, stdin=stdin, timeout_s=left, max_output_bytes=max_bytes),
                deadline,
                shielded=shielded,
            )
        except Stopped as stopped:
            return Output(b"", stopped.reason)
        stopped_by = "deadline" if result.timed_out else "cancelled" if result.ended == "cancelled" else None
        if stopped_by is None:
            self._check(argv, result)
        error = result.stderr.decode("utf-8", "replace").strip()
        return Output(result.stdout, stopped_by, result.truncated, error, result.exit_code)

    def _check(self, argv: Sequence[str], result: ExecResult) -> None:
        """Raise what the end of a script means, when it did not come to its own end."""
        error = result.stderr.decode("utf-8", "replace").strip()
        if result.exit_code == _NO_ROOT and "rootle: no root" in error:
            raise PathNotFound.of(f'the root "{self.given}" is no directory in the sandbox', path=self.given)
        if result.exit_code in (126, 127) and not result.stdout:
            raise SandboxUnavailable.of(
                f"the sandbox has no shell that can be run: {error or argv[0]}", hint="A POSIX `sh` is needed there."
            )
        if result.signal is not None or result.exit_code is None:
            how = f"signal {result.signal}" if result.signal is not None else result.ended
            raise SandboxUnavailable.of(f"a command in the sandbox was ended by {how}")

    def _not_understood(self, output: Output) -> SandboxUnavailable:
        said = output.error or output.data[-200:].decode("utf-8", "replace")
        return SandboxUnavailable.of(
            f"the sandbox did not answer as a POSIX shell does (exit code {output.exit_code}): {said[:300]}"
        )

    def incomplete(self, output: Output) -> SandboxUnavailable:
        """Give the error for an answer of which a part is missing."""
        if output.cut:
            return SandboxUnavailable.of(f"the sandbox cut the output of a command after {len(output.data):,} bytes")
        return self._not_understood(output)

    def awaited(
        self, call: Callable[[], Coroutine[Any, Any, Any]], deadline: Deadline, *, shielded: bool = False
    ) -> Any:
        """Await one of the client's methods from this thread.

        Raises:
            Stopped: When the call must end.
            SandboxUnavailable: When the client raises anything but an error about a file.
        """

        async def guarded() -> Any:
            return await call()

        left = deadline.left()
        grace = None if left is None else left + limits.REMOTE_GRACE_S
        try:
            return self.bridge.run(guarded(), timeout_s=grace, cancel=deadline.cancel, shielded=shielded)
        except (Stopped, RootleError, FileNotFoundError, IsADirectoryError, PermissionError):
            raise
        except TimeoutError:
            if deadline.at is not None and time.monotonic() >= deadline.at:
                raise Stopped("deadline") from None
            raise SandboxUnavailable.of("the sandbox did not answer in time") from None
        except Exception as error:
            raise SandboxUnavailable.of(
                f"the sandbox failed: {type(error).__name__}: {error}", original_error=error
            ) from error
