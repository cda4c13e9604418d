"""The reference server of `HttpStreamSandbox`: puts any `SandboxClient` behind the protocol.

ROOTLE_SANDBOX_TOKEN=... python -m rootle.sandbox.http_server --root /work --port 8765
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hmac
import json
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rootle import limits
from rootle.contracts import SandboxClient
from rootle.errors import SandboxUnavailable
from rootle.sandbox.distant import needed
from rootle.sandbox.error_words import to_words
from rootle.sandbox.http_protocol import ExecRequest, line, pieces, result_to_exit
from rootle.sandbox.live import run_live

needed("h11", "http", "The HTTP server")

from rootle.sandbox.http_connection import Connection, Gone, Malformed  # noqa: E402

__all__ = ["SandboxServer", "serve"]

STATUS: tuple[tuple[type[Exception], int], ...] = (
    (SandboxUnavailable, 503),
    (FileNotFoundError, 404),
    (PermissionError, 403),
    (IsADirectoryError, 409),
    (NotADirectoryError, 409),
    (FileExistsError, 409),
    (ValueError, 400),
    (OSError, 409),
)
"""Statuses of what a sandbox raises; the error itself stands in the body."""


class SandboxServer:
    """Answers requests for one sandbox.

    Args:
        client: The sandbox. It confines paths; the server hands them on as they are.
        token: What a request must bear; of 16 characters at least.
    """

    def __init__(self, client: SandboxClient, token: str) -> None:
        if len(token) < 16:
            raise ValueError("a token of fewer than 16 characters can be guessed")
        self._client = client
        self._token = f"Bearer {token}".encode()
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._places = asyncio.Semaphore(limits.HTTP_CONNECTIONS)
        self._handlers: set[asyncio.Task[Any]] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        connection = Connection(reader, writer)
        try:
            async with self._places:
                while await self._one(connection):
                    pass
        except (Gone, ConnectionError):
            pass
        finally:
            self._handlers.discard(task)
            await connection.close()

    async def close(self) -> None:
        """End all commands and connections."""
        tasks = list(self._handlers)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, connection: Connection) -> bool:
        try:
            request = await connection.request()
            if request is None:
                return False
            headers = {bytes(name): bytes(value) for name, value in request.headers}
            # Before anything of the body is read.
            if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
                raise Malformed(401, "the token is missing or wrong", "Unauthorized")
            return await self._answer(connection, bytes(request.method).decode(), bytes(request.target))
        except Malformed as error:
            if not connection.sent:
                words = {"type": error.type, "message": str(error), "kinds": []}
                await connection.answer(error.status, {"error": words})
                await connection.linger()
            return False

    async def _answer(self, connection: Connection, method: str, target: bytes) -> bool:
        address = urlsplit(target.decode("ascii", "replace"))
        match address.path, method:
            case "/v1/exec", "POST":
                return await self._exec(connection, await connection.body(limits.HTTP_BODY_BYTES))
            case "/v1/cancel", "POST":
                return await self._cancel(connection, await connection.body(limits.HTTP_HEADER_BYTES))
            case "/v1/file", "GET":
                await connection.body(0)
                return await self._called(connection, self._client.read_file(_path(address.query)))
            case "/v1/file", "PUT":
                path, data = _path(address.query), await connection.body(limits.EXEC_FILE_BYTES)
                return await self._called(connection, self._client.write_file(path, data))
            case "/v1/health", "GET":
                await connection.body(0)
                return await connection.answer(200, {"protocol": 1})
            case "/v1/exec" | "/v1/cancel" | "/v1/file" | "/v1/health", _:
                raise Malformed(405, f"{method} is not for {address.path}")
        raise Malformed(404, f"there is nothing at {address.path}", "NoEndpoint")

    async def _called(self, connection: Connection, call: Any) -> bool:
        """Answer with what a call gives, or raises."""
        try:
            done = await call
        except Exception as error:
            status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
            return await connection.answer(status, {"error": to_words(error)})
        return await connection.answer(204 if done is None else 200, done)

    async def _cancel(self, connection: Connection, body: bytes) -> bool:
        with suppress(ValueError, AttributeError, TypeError):
            task = self._running.get(json.loads(body).get("id"))
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        return await connection.answer(204)

    async def _exec(self, connection: Connection, body: bytes) -> bool:
        try:
            request = ExecRequest(body)
        except ValueError as error:
            return await connection.answer(400, {"error": to_words(error)})
        await connection.begin(200, "application/x-ndjson")
        await connection.send(line("started"))
        live: asyncio.Queue[bytes] = asyncio.Queue()
        task = asyncio.ensure_future(self._run(request, live))
        if request.id:
            self._running[request.id] = task
        gone = asyncio.ensure_future(connection.gone())
        try:
            await self._follow(connection, task, gone, live)
            if gone.done():
                raise Gone
            await self._report(connection, task)
        finally:
            gone.cancel()
            # Whatever happened here, the command is over before the connection is, and can be waited for until then.
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task, gone])
            self._running.pop(request.id, None)
        return await connection.end()

    async def _run(self, request: ExecRequest, live: asyncio.Queue[bytes]) -> Any:
        most = request.max_output_bytes
        limit_s = limits.EXEC_TIMEOUT_S if request.timeout_s is None else request.timeout_s
        options: Mapping[str, Any] = {
            "cwd": request.cwd,
            "env": request.env,
            "stdin": request.stdin,
            "timeout_s": min(limit_s, limits.EXEC_MAX_TIMEOUT_S),
            "max_output_bytes": min(limits.EXEC_OUTPUT_BYTES if most is None else most, limits.HTTP_OUTPUT_BYTES),
        }
        if request.stream:
            return await run_live(self._client, request.argv, live.put_nowait, options)
        return await self._client.exec(request.argv, **options)

    async def _follow(
        self,
        connection: Connection,
        task: asyncio.Future[Any],
        gone: asyncio.Future[None],
        live: asyncio.Queue[bytes],
    ) -> None:
        """Send output as it comes, and signs of life, until the command is over or the client is gone."""
        while True:
            coming = asyncio.ensure_future(live.get())
            waiting: list[asyncio.Future[Any]] = [task, gone, coming]
            await asyncio.wait(waiting, timeout=limits.HTTP_PING_S, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                for event in pieces("output", coming.result()):
                    await connection.send(event)
                continue
            coming.cancel()
            if task.done() or gone.done():
                return
            await connection.send(line("ping"))

    async def _report(self, connection: Connection, task: asyncio.Future[Any]) -> None:
        if task.cancelled():
            await connection.send(line("error", error=to_words(SandboxUnavailable.of("the command was cancelled"))))
        elif (error := task.exception()) is not None:
            known = error if isinstance(error, Exception) else RuntimeError(type(error).__name__)
            await connection.send(line("error", error=to_words(known)))
        else:
            result = task.result()
            for event in (*pieces("stdout", result.stdout), *pieces("stderr", result.stderr)):
                await connection.send(event)
            await connection.send(result_to_exit(result))


def _path(query: str) -> str:
    """Give the path of a file request; exactly one, decoded once."""
    try:
        given = parse_qs(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        given = {}
    if list(given) == ["path"] and len(given["path"]) == 1:
        return given["path"][0]
    if list(given) == ["path_base64"] and len(given["path_base64"]) == 1:
        with suppress(ValueError):
            return base64.urlsafe_b64decode(given["path_base64"][0]).decode(errors="surrogateescape")
    raise Malformed(400, "the query must name one path")


@asynccontextmanager
async def serve(
    client: SandboxClient,
    token: str,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[str]:
    """Serve a sandbox until the end of the block, and give the server's address.

    Args:
        client: The sandbox.
        token: What a request must bear.
        host: The address to listen at.
        port: The port; 0 for any that is free.
        tls: Certificates for TLS. Without it, token and content go over the network as they are.
    """
    server = SandboxServer(client, token)
    listening = await asyncio.start_server(server.handle, host, port, ssl=tls, limit=1 << 20)
    try:
        name = f"[{host}]" if ":" in host else host
        yield f"{'https' if tls else 'http'}://{name}:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        await server.close()
        await listening.wait_closed()


def main(arguments: list[str] | None = None) -> int:
    """Serve a directory until SIGINT or SIGTERM."""
    from rootle.sandbox import BubblewrapSandbox, LocalSandbox

    parser = argparse.ArgumentParser(prog="python -m rootle.sandbox.http_server", description=__doc__)
    parser.add_argument("--root", required=True, help="the directory")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--token-file", type=Path, help="a file with the token, instead of ROOTLE_SANDBOX_TOKEN")
    parser.add_argument("--bubblewrap", action="store_true", help="run commands in bubblewrap")
    parser.add_argument("--certificate", type=Path, help="for TLS: the certificates, as PEM")
    parser.add_argument("--key", type=Path, help="for TLS: the key, as PEM")
    parser.add_argument("--insecure", action="store_true", help="listen beyond loopback without TLS")
    given = parser.parse_args(arguments)
    token = given.token_file.read_text().strip() if given.token_file else os.environ.pop("ROOTLE_SANDBOX_TOKEN", "")
    if not token:
        parser.error("there is no token: set ROOTLE_SANDBOX_TOKEN or give --token-file")
    if given.certificate is None and not given.insecure and given.host not in ("127.0.0.1", "::1", "localhost"):
        parser.error("beyond loopback the token needs TLS: give --certificate and --key")
    tls = None
    if given.certificate is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(given.certificate, given.key)
    client = (BubblewrapSandbox if given.bubblewrap else LocalSandbox)(given.root)
    with suppress(KeyboardInterrupt):
        asyncio.run(_until_told(client, token, given.host, given.port, tls))
    return 0


async def _until_told(client: SandboxClient, token: str, host: str, port: int, tls: ssl.SSLContext | None) -> None:
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    async with serve(client, token, host, port, tls=tls) as address:
        print(f"listening at {address}", flush=True)
        await told.wait()


if __name__ == "__main__":
    sys.exit(main())
