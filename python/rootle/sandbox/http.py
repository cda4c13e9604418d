"""`HttpStreamSandbox`: a sandbox behind a small HTTP protocol, as `rootle.sandbox.http_server` serves it."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

from rootle import limits
from rootle.contracts import ExecResult
from rootle.errors import InvalidPath, SandboxUnavailable
from rootle.sandbox.distant import needed
from rootle.sandbox.error_words import from_words
from rootle.sandbox.headtail import HeadTail
from rootle.sandbox.http_protocol import line, result_from_events

__all__ = ["HttpStreamSandbox"]


class HttpStreamSandbox:
    """A sandbox behind a small HTTP protocol: an implementation of `SandboxClient`.

    What runs behind the server gives the guarantees; results name its tier. Cancelling asks the server to end the
    command and waits until it did, and a connection that is lost ends the command there as well.

    Args:
        url: Where the server is, such as `https://box.example:8443`.
        token: The server's token.
        connect_timeout_s: Time for connecting.
        silence_s: How long the server may say nothing; it gives a sign of life every `limits.HTTP_PING_S`.
        options: Further arguments for `httpx2.AsyncClient`: `verify`, `cert`, `proxy`, ...

    Raises:
        SandboxUnavailable: From every method, when the server cannot be reached, refuses the token, or is lost.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        connect_timeout_s: float = limits.HTTP_CONNECT_S,
        silence_s: float = limits.HTTP_SILENCE_S,
        **options: Any,
    ) -> None:
        self._httpx = needed("httpx2", "http", "HttpStreamSandbox")
        self.url = url.rstrip("/")
        self._options: dict[str, Any] = {
            "headers": {"Authorization": f"Bearer {token}"},
            "timeout": self._httpx.Timeout(silence_s, connect=connect_timeout_s, pool=None),
            # Every command holds a connection for as long as it runs.
            "limits": self._httpx.Limits(max_connections=None, max_keepalive_connections=8),
            "trust_env": False,
            **options,
        }
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

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
        """Run a program, without a shell, and wait for its end or for `timeout_s` (default `limits.EXEC_TIMEOUT_S`)."""
        return await self._exec(argv, cwd, env, stdin, timeout_s, max_output_bytes, None)

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
        """Do as `exec`, and call `on_output` on the event loop with pieces of either stream as they come.

        A server whose own sandbox cannot hand over output early calls at the end.
        """
        return await self._exec(argv, cwd, env, stdin, timeout_s, max_output_bytes, on_output)

    async def read_file(self, path: str) -> bytes:
        """Give the whole content of a file, of at most `limits.EXEC_FILE_BYTES`."""
        async with self._answer("GET", "/v1/file", params=_path(path)) as answer:
            data = bytearray()
            async for piece in answer.aiter_bytes():
                data += piece
                if len(data) > limits.EXEC_FILE_BYTES:
                    raise SandboxUnavailable.of(f"{self.url} sends more than {limits.EXEC_FILE_BYTES} bytes of a file")
            return bytes(data)

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace the content of a file, making it and its directories where they are missing."""
        async with self._answer("PUT", "/v1/file", params=_path(path), content=data):
            pass

    async def aclose(self) -> None:
        """Close this event loop's connections. The next call makes others."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def _exec(
        self,
        argv: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str] | None,
        stdin: bytes | None,
        timeout_s: float | None,
        max_output_bytes: int | None,
        on_output: Callable[[bytes], object] | None,
    ) -> ExecResult:
        number = secrets.token_hex(16)
        body = {
            "id": number,
            "argv": list(argv),
            "cwd": cwd,
            "env": None if env is None else dict(env),
            "stdin": None if stdin is None else base64.b64encode(stdin).decode(),
            "timeout_s": limits.EXEC_TIMEOUT_S if timeout_s is None else timeout_s,
            "max_output_bytes": max_output_bytes,
            "stream": on_output is not None,
        }
        try:
            return await self._events(json.dumps(body).encode(), on_output)
        except asyncio.CancelledError:
            await self._cancel(number)
            raise

    async def _events(self, body: bytes, on_output: Callable[[bytes], object] | None) -> ExecResult:
        # The server bounds what it sends; a server that does not is bounded here.
        streams = {"stdout": HeadTail(limits.HTTP_OUTPUT_BYTES), "stderr": HeadTail(limits.HTTP_OUTPUT_BYTES)}
        async with self._answer("POST", "/v1/exec", content=body) as answer:
            async for event in _lines(answer):
                kind = event.get("event")
                if kind in streams:
                    streams[kind].push(base64.b64decode(event["data"]))
                elif kind == "output" and on_output is not None:
                    on_output(base64.b64decode(event["data"]))
                elif kind == "error":
                    raise from_words(event["error"])
                elif kind == "exit":
                    return result_from_events(event, streams["stdout"].data, streams["stderr"].data)
        raise SandboxUnavailable.of(f"{self.url} broke off before the command's end")

    async def _cancel(self, number: str) -> None:
        """Ask for the end of a command and wait for it, whatever is cancelled meanwhile."""

        async def ask() -> None:
            with suppress(SandboxUnavailable):
                async with self._answer("POST", "/v1/cancel", content=line("cancel", id=number)):
                    pass

        task = asyncio.ensure_future(ask())
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(task)

    @asynccontextmanager
    async def _answer(self, method: str, path: str, **options: Any) -> AsyncIterator[Any]:
        """Give an answer that is good; raise what the others say."""
        try:
            async with self._client().stream(method, self.url + path, **options) as answer:
                if answer.status_code >= 300:
                    raise await self._error(answer)
                yield answer
        except (self._httpx.HTTPError, self._httpx.InvalidURL, self._httpx.StreamError) as error:
            reason = f"{type(error).__name__} {error}".strip()
            raise SandboxUnavailable.of(f"{self.url} cannot be used: {reason}", original_error=error) from error

    async def _error(self, answer: Any) -> Exception:
        text = (await answer.aread())[:10_000]
        try:
            words = json.loads(text)["error"]
        except (ValueError, TypeError, KeyError):
            return SandboxUnavailable.of(f"{self.url} answered {answer.status_code}")
        if answer.status_code in (401, 405, 503) or words.get("type") == "NoEndpoint":
            return SandboxUnavailable.of(f"{self.url} answered {answer.status_code}: {words.get('message')}")
        return from_words(words)

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        if (client := self._clients.get(loop)) is None:
            client = self._clients[loop] = self._httpx.AsyncClient(**self._options)
        return client


def _path(path: str) -> dict[str, str]:
    if not path or "\0" in path:
        raise InvalidPath.of(f"{path!r} is not a path", path=path)
    try:
        path.encode()
    except UnicodeEncodeError:
        # The query of an address holds Unicode; a name that is none is sent as its bytes.
        return {"path_base64": base64.urlsafe_b64encode(path.encode(errors="surrogateescape")).decode()}
    return {"path": path}


async def _lines(answer: Any) -> AsyncIterator[dict[str, Any]]:
    """Give the events of an answer. One that is not whole at the end is not there."""
    rest = b""
    async for piece in answer.aiter_bytes():
        *whole, rest = (rest + piece).split(b"\n")
        for text in whole:
            try:
                event = json.loads(text)
            except ValueError as error:
                raise SandboxUnavailable.of(f"the server sends what is no event: {text[:50]!r}") from error
            yield event
        if len(rest) > limits.HTTP_LINE_BYTES:
            raise SandboxUnavailable.of("the server sends a line without end")
