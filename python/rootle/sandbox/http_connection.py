"""One connection of the HTTP server: requests in, answers out, and whether the other side is still there."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import h11

from rootle import limits

__all__ = ["Connection", "Gone", "Malformed"]


class Gone(Exception):
    """The client closed the connection."""


class Malformed(Exception):
    """The request cannot be answered: `status` says why."""

    def __init__(self, status: int, message: str, type: str = "BadRequest") -> None:
        super().__init__(message)
        self.status = status
        self.type = type


class Connection:
    """Reads and writes HTTP/1.1 with h11."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.HTTP_HEADER_BYTES)
        self.sent = False
        """Whether the answer was begun."""

    async def request(self) -> h11.Request | None:
        """Give the next request; None when there is none for long, or the client is gone."""
        self.sent = False
        try:
            async with asyncio.timeout(limits.HTTP_IDLE_S):
                event = await self._next()
        except (TimeoutError, Gone, ConnectionError):
            return None
        except h11.RemoteProtocolError as error:
            raise Malformed(error.error_status_hint, str(error)) from None
        return event if isinstance(event, h11.Request) else None

    async def body(self, most: int) -> bytes:
        """Give the request's body. One that is larger is not read to its end.

        Raises:
            Malformed, Gone: See there.
        """
        data = bytearray()
        try:
            while True:
                async with asyncio.timeout(limits.HTTP_IDLE_S):
                    event = await self._next()
                if isinstance(event, h11.EndOfMessage):
                    return bytes(data)
                if not isinstance(event, h11.Data):
                    raise Gone
                data += event.data
                if len(data) > most:
                    raise Malformed(413, f"the body is larger than {most} bytes")
        except TimeoutError:
            raise Malformed(408, "the body did not come") from None
        except h11.RemoteProtocolError as error:
            raise Malformed(error.error_status_hint, str(error)) from None

    async def _next(self) -> Any:
        while True:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
            event = self._http.next_event()
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise Gone
            if event is not h11.NEED_DATA:
                return event
            self._http.receive_data(await self._reader.read(65536))

    async def gone(self) -> None:
        """Come back when the client closed the connection, while an answer is made."""
        while True:
            # A client that sends more meanwhile waits in vain; it is not heard before the answer's end.
            data = await self._reader.read(65536)
            self._http.receive_data(data)
            if not data:
                return

    async def begin(self, status: int, kind: str, length: int | None = None) -> None:
        """Send the head of an answer; without a length its body is chunked."""
        headers = [("Content-Type", kind), ("Cache-Control", "no-store")]
        headers.append(("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length)))
        self.sent = True
        await self._write(self._http.send(h11.Response(status_code=status, headers=headers)))

    async def send(self, data: bytes) -> None:
        """Send a part of the body; waits when the client reads slowly, and gives up when it does not read at all."""
        await self._write(self._http.send(h11.Data(data=data)))

    async def end(self) -> bool:
        """End the answer. True when there can be another request."""
        await self._write(self._http.send(h11.EndOfMessage()))
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            return True
        return False

    async def answer(self, status: int, body: Any = None) -> bool:
        """Send a whole answer, bytes or JSON."""
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        await self.begin(status, kind, len(data))
        if data:
            await self.send(data)
        return await self.end()

    async def _write(self, data: bytes | None) -> None:
        if not data:
            return
        try:
            self._writer.write(data)
            async with asyncio.timeout(limits.HTTP_IDLE_S):
                await self._writer.drain()
        except (TimeoutError, ConnectionError) as error:
            raise Gone from error

    async def linger(self) -> None:
        """Take what is still coming for a moment. Closed with something unread, a client would not see the answer."""
        with suppress(TimeoutError, ConnectionError, OSError):
            if self._writer.can_write_eof():
                self._writer.write_eof()
            async with asyncio.timeout(limits.HTTP_LINGER_S):
                while await self._reader.read(65536):
                    pass

    async def close(self) -> None:
        """Close the connection."""
        self._writer.close()
        with suppress(Exception):
            await self._writer.wait_closed()
