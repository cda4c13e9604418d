"""`SshSandbox`: a directory of a machine that is reached by SSH."""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from rootle import limits
from rootle.contracts import ExecResult
from rootle.errors import RootleError, SandboxUnavailable
from rootle.sandbox.distant import beneath, needed, not_started, refusal, variables
from rootle.sandbox.headtail import HeadTail
from rootle.sandbox.remote_shell import Refused, Stream, end_text, reader, start_text
from rootle.sandbox.ssh_files import SshFiles

__all__ = ["SshSandbox"]

TIER = "ssh"


class SshSandbox:
    """A directory of a machine that is reached by SSH: an implementation of `SandboxClient`.

    Connects when it is first used, once for each event loop, keeps the connection alive and makes a new one after it
    was lost. Six commands run at one time on a connection; further ones wait. The machine needs a POSIX shell with
    `dd`, and Linux for the whole of what is promised about processes; nothing is installed there.

    A command's processes are ended at its time limit, on cancelling, at its normal end if it left any, and within some
    two seconds when the connection is lost: its process group, and whatever carries `ROOTLE_EXEC_ID` in its
    environment. Weaker than under the helper of `LocalSandbox`: a process that leaves the group *and* clears its
    environment, or that becomes another user, stays; on other systems than Linux only the group is ended, and a lost
    connection ends nothing.

    Commands and files are not confined by the other machine's kernel. Directories and files must lie beneath the root,
    with links followed; between that look and the use a link can be changed by who can write there.

    Args:
        host: Its name or address.
        root: The directory there, an absolute path.
        port: The port.
        env: Variables for every command, besides those of the login and no pager, prompts or colour.
        keep_survivors: Leave processes alone that outlive their command. Saves a message to and fro each time.
        connect_timeout_s: Time for connecting and logging in.
        keepalive_s: Seconds of silence after which the other side is asked for a sign of life; after three it is gone.
        options: Further arguments for `asyncssh.connect`: `username`, `client_keys`, `known_hosts`, `config`, ...

    Raises:
        SandboxUnavailable: From every method, when the machine cannot be reached, refuses the login, or is lost.
    """

    def __init__(
        self,
        host: str,
        root: str,
        *,
        port: int = 22,
        env: Mapping[str, str] | None = None,
        keep_survivors: bool = False,
        connect_timeout_s: float = limits.SSH_CONNECT_S,
        keepalive_s: float = limits.SSH_KEEPALIVE_S,
        **options: Any,
    ) -> None:
        if not root.startswith("/"):
            raise ValueError(f"{root!r} is not an absolute path")
        self._asyncssh = needed("asyncssh", "ssh", "SshSandbox")
        self.host, self.port, self.root = host, port, root
        self.env = dict(env or {})
        self.keep_survivors = keep_survivors
        self._options: dict[str, Any] = {
            "connect_timeout": connect_timeout_s,
            "login_timeout": connect_timeout_s,
            "keepalive_interval": keepalive_s,
            "keepalive_count_max": 3,
            **options,
        }
        self._links: WeakKeyDictionary[asyncio.AbstractEventLoop, _Link] = WeakKeyDictionary()

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Run a program, without a shell, and wait for its end or for `timeout_s` (default `limits.EXEC_TIMEOUT_S`).

        Cancelling the task ends the program and what it started before CancelledError goes on. A program that does not
        exist gives exit code 127, one that cannot be executed 126.

        Raises:
            PathNotFound, PathEscapesRoot: For `cwd`.
            InvalidArgument: For text that no process can be given.
        """
        return await self.exec_streaming(
            argv,
            on_output=lambda piece: None,
            cwd=cwd,
            env=env,
            stdin=stdin,
            timeout_s=timeout_s,
            max_output_bytes=max_output_bytes,
        )

    async def exec_streaming(
        self,
        argv: Sequence[str],
        *,
        on_output: Callable[[bytes], object],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Do as `exec`, and call `on_output` on the event loop with each piece of either stream."""
        limit_s = limits.EXEC_TIMEOUT_S if timeout_s is None else timeout_s
        most = limits.EXEC_OUTPUT_BYTES if max_output_bytes is None else max_output_bytes
        where = beneath(self.root, "." if cwd is None else cwd)
        nonce = secrets.token_hex(16)
        text = start_text(
            nonce=nonce,
            root=self.root,
            cwd=where,
            env=variables(self.env, env),
            argv=argv,
            limit_s=limit_s + limits.REMOTE_SLACK_S,
        )
        command = Running(nonce, most, on_output)
        link = self._link()
        async with link.commands:
            begun = time.monotonic()
            try:
                channel = await link.open(command, reader(len(text)))
                channel.write(text + (stdin or b""))
                channel.write_eof()
                timed_out = not await command.exited_within(limit_s)
                left = await self._finish(link, command, timed_out)
            except asyncio.CancelledError:
                await _to_the_end(self._end(link, command, limits.EXEC_CANCEL_GRACE_S))
                raise
            except (OSError, self._asyncssh.Error) as error:
                raise self._unavailable(error) from error
            finally:
                command.close()
        duration_s = time.monotonic() - begun
        try:
            command.stderr.check(command.code)
        except Refused as refused:
            if refused.reason.isdigit():
                return not_started(argv, int(refused.reason), TIER, duration_s)
            raise refusal(refused, cwd or ".") from None
        return command.result(timed_out, left, duration_s)

    async def read_file(self, path: str) -> bytes:
        """Give the whole content of a file beneath the root, of at most `limits.EXEC_FILE_BYTES`."""
        data: bytes = await self._files(lambda files: files.read(path))
        return data

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace the content of a file beneath the root at once, making it and its directories where they are missing.

        Refuses what lies in a `.git`. The new content takes the old one's place by a rename, which is one step where
        the server offers `posix-rename@openssh.com`; elsewhere there is a moment without the file.
        """
        await self._files(lambda files: files.write(path, data))

    async def aclose(self) -> None:
        """Close this event loop's connection. The next call makes another."""
        link = self._links.pop(asyncio.get_running_loop(), None)
        if link is not None:
            await link.close()

    async def _files(self, do: Callable[[SshFiles], Any]) -> Any:
        link = self._link()
        try:
            return await do(SshFiles(self._asyncssh, await link.sftp(), self.root))
        except RootleError:
            raise
        except (self._asyncssh.Error, ConnectionError) as error:
            raise self._unavailable(error) from error

    def _link(self) -> _Link:
        loop = asyncio.get_running_loop()
        if (link := self._links.get(loop)) is None:
            link = self._links[loop] = _Link(self._connect)
        return link

    async def _connect(self) -> Any:
        try:
            return await self._asyncssh.connect(self.host, self.port, **self._options)
        except (OSError, self._asyncssh.Error, TimeoutError) as error:
            raise self._unavailable(error) from error

    def _unavailable(self, error: BaseException) -> SandboxUnavailable:
        reason = str(error) or type(error).__name__
        return SandboxUnavailable.of(f"{self.host}:{self.port} cannot be used: {reason}", original_error=error)

    async def _finish(self, link: _Link, command: Running, timed_out: bool) -> int:
        """End what is left of a command and take the rest of its output. Gives how many could not be ended."""
        if timed_out:
            left = await self._end(link, command, limits.EXEC_GRACE_S)
        elif command.lost:
            said = (command.stdout.before + command.stderr.before).decode(errors="replace").strip()
            raise ConnectionError(f"the connection was lost, or no command was started: {said}".rstrip(": "))
        elif self.keep_survivors:
            left = 0
        else:
            left = await self._end(link, command, limits.EXEC_GRACE_S, limits.EXEC_SETTLE_S)
        await command.closed_within(limits.EXEC_DRAIN_S if left or self.keep_survivors else limits.EXEC_KILL_S)
        return left

    async def _end(self, link: _Link, command: Running, grace_s: float, settle_s: float = 0.0) -> int:
        # Until the mark came there is no variable to find anything by.
        await command.marked_within(limits.EXEC_KILL_S)
        text = end_text(
            nonce=command.nonce,
            pid=command.stdout.pid or 0,
            watcher=command.stdout.watcher,
            settle_s=settle_s,
            grace_s=grace_s,
            kill_s=limits.EXEC_KILL_S,
        )
        answer = Running(command.nonce, 1000, lambda piece: None)
        bound_s = settle_s + grace_s + limits.EXEC_KILL_S + limits.REMOTE_SLACK_S
        try:
            async with link.endings, asyncio.timeout(bound_s):
                channel = await link.open(answer, reader(len(text)))
                channel.write(text.encode())
                channel.write_eof()
                await answer.closed_within(bound_s)
        except TimeoutError:
            return 1  # At the least: nobody said that they are gone.
        finally:
            answer.close()
        words = answer.stdout.before.split()
        return int(words[1]) if len(words) == 2 and words[1].isdigit() else 1


class Running:
    """The session of one command, with what came out of it: an `asyncssh.SSHClientSession`."""

    def __init__(self, nonce: str, most: int, on_output: Callable[[bytes], object]) -> None:
        loop = asyncio.get_running_loop()
        self.nonce = nonce
        self.stdout, self.stderr = Stream(nonce, HeadTail(most)), Stream(nonce, HeadTail(most))
        self.code: int | None = None
        self.signal: int | None = None
        self.lost = False
        self._on_output = on_output
        self._channel: Any = None
        self._exited, self._marked, self._closed = loop.create_future(), loop.create_future(), loop.create_future()

    def connection_made(self, channel: Any) -> None:
        """Keep the channel."""
        self._channel = channel

    def session_started(self) -> None:
        """Nothing is to be done."""

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Take output; 1 is the type of standard error."""
        stream = self.stderr if datatype else self.stdout
        if piece := stream.feed(data):
            self._on_output(piece)
        if self.stdout.pid is not None:
            _settle(self._marked)

    def eof_received(self) -> bool:
        """Let the channel be closed."""
        return False

    def pause_writing(self) -> None:
        """All input was handed over already."""

    def resume_writing(self) -> None:
        """All input was handed over already."""

    def exit_status_received(self, status: int) -> None:
        """The command ended by itself."""
        self.code = status
        _settle(self._exited)

    def exit_signal_received(self, signal_name: str, core_dumped: bool, msg: str, lang: str) -> None:
        """A signal ended the command. Names that the protocol does not have come as `NAME@domain`."""
        number = getattr(signal, f"SIG{signal_name.partition('@')[0].removeprefix('SIG')}", None)
        self.signal = None if number is None else int(number)
        self.code = None
        _settle(self._exited)

    def connection_lost(self, error: BaseException | None) -> None:
        """The channel is closed."""
        self.lost = not self._exited.done()
        for one in (self._exited, self._marked, self._closed):
            _settle(one)

    async def exited_within(self, seconds: float) -> bool:
        """Wait for the end of the command's own process."""
        return await _within(self._exited, seconds)

    async def marked_within(self, seconds: float) -> bool:
        """Wait until the command's number is known."""
        return await _within(self._marked, seconds)

    async def closed_within(self, seconds: float) -> bool:
        """Wait for the end of the output."""
        return await _within(self._closed, seconds)

    def close(self) -> None:
        """Give up the channel."""
        if self._channel is not None:
            self._channel.abort()

    def result(self, timed_out: bool, left: int, duration_s: float) -> ExecResult:
        """Give how it ended and what it printed."""
        return ExecResult(
            exit_code=None if timed_out else self.code,
            signal=self.signal,
            stdout=self.stdout.kept.data,
            stderr=self.stderr.kept.data,
            timed_out=timed_out,
            truncated=self.stdout.kept.gap is not None or self.stderr.kept.gap is not None,
            duration_s=duration_s,
            ended="deadline" if timed_out else "exited",
            tier=TIER,
            stdout_total=self.stdout.kept.total,
            stderr_total=self.stderr.kept.total,
            survivors_left=left,
        )


class _Link:
    """The connection of one event loop."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._lock = asyncio.Lock()
        self._connection: Any = None
        self._sftp: Any = None
        # Servers allow ten sessions on a connection: one is for files.
        self.commands = asyncio.Semaphore(6)
        self.endings = asyncio.Semaphore(3)

    async def connection(self) -> Any:
        async with self._lock:
            if self._connection is None or self._connection.is_closed():
                self._connection, self._sftp = await self._connect(), None
            return self._connection

    async def open(self, session: Running, command: str) -> Any:
        connection = await self.connection()
        channel, _ = await connection.create_session(lambda: session, command, encoding=None)
        return channel

    async def sftp(self) -> Any:
        connection = await self.connection()
        async with self._lock:
            if self._sftp is None:
                self._sftp = await connection.start_sftp_client()
            return self._sftp

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            await self._connection.wait_closed()


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _within(future: asyncio.Future[None], seconds: float) -> bool:
    await asyncio.wait([future], timeout=seconds)
    return future.done()


async def _to_the_end(work: Any) -> None:
    """Await something whatever is cancelled meanwhile; what it raises helps nobody who is being cancelled."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with suppress(BaseException):
            await asyncio.shield(task)
