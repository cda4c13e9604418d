"""One command in a container, over the engine's attach socket, from a thread that waits for it."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rootle._core import CancelToken
from rootle.sandbox.headtail import HeadTail
from rootle.sandbox.remote_shell import Stream, reader

__all__ = ["ContainerExec"]

LOOK_S = 0.05
"""How often the token and the time are looked at."""

ASK_S = 0.2
"""How often the engine is asked whether a silent command still runs: what it left may hold the output open."""


@dataclass
class ContainerExec:
    """A command that was started.

    Attributes:
        api: The SDK's `APIClient`.
        container: The container's id.
        user: Whom it runs as; None for the container's own user.
        stdout: What it printed; so `stderr`.
        exit_code: Its code, when the engine knows it.
        ended: "exited", "deadline" or "cancelled".
    """

    api: Any
    container: str
    user: str | None
    nonce: str
    most: int
    on_output: Callable[[bytes], object] = lambda piece: None
    stdout: Stream = field(init=False)
    stderr: Stream = field(init=False)
    exit_code: int | None = None
    ended: str = "exited"

    def __post_init__(self) -> None:
        """Prepare the streams."""
        self.stdout, self.stderr = Stream(self.nonce, HeadTail(self.most)), Stream(self.nonce, HeadTail(self.most))

    def start(self, text: bytes, stdin: bytes) -> None:
        """Start the command of a text, with input behind it."""
        command = ["/bin/sh", "-c", reader(len(text)).removeprefix("exec /bin/sh -c ").strip("'")]
        made = self.api.exec_create(self.container, command, stdin=True, user=self.user or "")
        self._id = made["Id"]
        try:
            self._holder = self.api.exec_start(self._id, socket=True)
        except Exception as error:
            # The SDK leaves the connection of an answer that it does not like.
            if (answer := getattr(error, "response", None)) is not None:
                answer.close()
            raise
        self._socket: socket.socket = getattr(self._holder, "_sock", self._holder)
        self._socket.settimeout(None)
        self._rest = b""
        # What the command does not read must not keep its output from being read.
        threading.Thread(target=self._feed, args=(text + stdin,), daemon=True).start()

    def _feed(self, data: bytes) -> None:
        with suppress(OSError):
            self._socket.sendall(data)
            self._socket.shutdown(socket.SHUT_WR)

    def wait(self, limit_s: float, token: CancelToken | None) -> None:
        """Take output until the command ends, its time is over, or the token is set."""
        begun = asked = time.monotonic()
        while True:
            now = time.monotonic()
            if token is not None and token.cancelled:
                self.ended = "cancelled"
                return
            if now - begun >= limit_s:
                self.ended = "deadline"
                return
            more = self._take(min(LOOK_S, limit_s - (now - begun)))
            if more is False or (more is None and now - asked >= ASK_S):
                asked = now
                if not self._runs():
                    return
                if more is False:
                    time.sleep(LOOK_S)  # The streams are closed, and it still runs.

    def drain(self, seconds: float) -> None:
        """Take what is left of the output, for at most that long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._take(min(LOOK_S, left)) is not False:
            pass

    def wait_for_mark(self, seconds: float) -> None:
        """Take output until the command's number is known."""
        until = time.monotonic() + seconds
        while self.stdout.pid is None and time.monotonic() < until:
            if self._take(LOOK_S) is False:
                return

    def close(self) -> None:
        """Let go of the socket."""
        with suppress(OSError, AttributeError):
            self._socket.close()
            self._holder.close()

    def _runs(self) -> bool:
        found = self.api.exec_inspect(self._id)
        if not found["Running"]:
            self.exit_code = found["ExitCode"]
        return bool(found["Running"])

    def _take(self, seconds: float) -> bool | None:
        """Take what there is: True when there was something, None when not, False at the end."""
        pending = getattr(self._socket, "pending", None)  # Of TLS: read from the network and not taken yet.
        if not (pending is not None and pending()) and not select.select([self._socket], [], [], seconds)[0]:
            return None
        try:
            data = self._socket.recv(1 << 18)
        except OSError:
            return False
        if not data:
            return False
        self._rest += data
        # A header of eight bytes says which stream and how long.
        while len(self._rest) >= 8 and len(self._rest) >= 8 + (length := int.from_bytes(self._rest[4:8], "big")):
            stream = self.stderr if self._rest[0] == 2 else self.stdout
            if piece := stream.feed(self._rest[8 : 8 + length]):
                self.on_output(piece)
            self._rest = self._rest[8 + length :]
        return True
