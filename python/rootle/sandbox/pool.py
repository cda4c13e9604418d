"""`PooledSandboxProvider`: sandboxes that are kept ready and handed out one session at a time."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Self

from rootle import limits
from rootle.contracts import SandboxClient
from rootle.errors import SandboxUnavailable

__all__ = ["PooledSandboxProvider", "answers"]


async def answers(client: SandboxClient) -> bool:
    """Whether a sandbox runs a command. The health check that a pool makes unless it is given another."""
    return (await client.exec(["true"], timeout_s=limits.POOL_CHECK_S)).exit_code == 0


class PooledSandboxProvider:
    """At most `size` sandboxes, each in the hands of one session at a time. Lives on one event loop.

    A session's tools close over its sandbox, so they are built for each one:

        async with PooledSandboxProvider(make, size=4) as pool:
            async with pool.session() as client:
                box = Toolbox(root, sandbox=client)

    Sandboxes are made when they are needed. One that is free is checked before it is handed out, and one that does not
    pass, or is released as broken, is closed and replaced. Who waits is served in the order of asking; a wait that is
    cancelled takes nothing with it.

    Args:
        factory: Makes a sandbox; may be asynchronous.
        size: The most that there are at one time.
        check: Says whether a sandbox can be handed out; by default it must run `true`. None leaves it out.
        reset: Called with a sandbox that comes back, to clear it for the next session; if it raises, the sandbox is
            replaced.
        check_s: Time limit of a check, of a reset and of closing, each.
    """

    def __init__(
        self,
        factory: Callable[[], SandboxClient | Awaitable[SandboxClient]],
        size: int,
        *,
        check: Callable[[SandboxClient], Awaitable[bool]] | None = answers,
        reset: Callable[[SandboxClient], Awaitable[object]] | None = None,
        check_s: float = limits.POOL_CHECK_S,
    ) -> None:
        if size < 1:
            raise ValueError(f"a pool of {size} sandboxes serves nobody")
        self._factory = factory
        self._check = check
        self._reset = reset
        self._check_s = check_s
        self._places = size
        self._free: list[SandboxClient] = []
        self._taken: dict[int, SandboxClient] = {}
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed = False
        self.size = size

    @property
    def free(self) -> int:
        """Sandboxes that are ready."""
        return len(self._free)

    @property
    def taken(self) -> int:
        """Sandboxes that sessions have."""
        return len(self._taken)

    async def acquire(self) -> SandboxClient:
        """Give a sandbox that nobody else has until it is released; waits for one when all are taken.

        Raises:
            SandboxUnavailable: When the pool is closed, also while waiting.
            Exception: What the factory raises. The next in line then tries.
        """
        await self._place()
        try:
            client = await self._healthy()
        except BaseException:
            self._leave()
            raise
        if self._closed:
            self._leave()
            await self._close(client)
            raise SandboxUnavailable.of("the pool of sandboxes is closed")
        self._taken[id(client)] = client
        return client

    async def release(self, client: SandboxClient, *, broken: bool = False) -> None:
        """Take a sandbox back. One that is `broken`, or cannot be reset, is closed; another is made when needed.

        Raises:
            ValueError: When it is not one of this pool's that a session has.
        """
        if self._taken.pop(id(client), None) is None:
            raise ValueError("the sandbox was not acquired from this pool, or was released already")
        kept = False
        try:
            if not (broken or self._closed):
                kept = await self._was_reset(client)
        finally:
            # Also when this is cancelled: the place must not be lost.
            if kept and not self._closed:
                self._free.append(client)
                self._leave()
            else:
                self._leave()
                await asyncio.shield(self._close(client))

    @asynccontextmanager
    async def session(self) -> AsyncIterator[SandboxClient]:
        """Give a sandbox for the length of a block; it is replaced if SandboxUnavailable comes out of the block."""
        client = await self.acquire()
        broken = False
        try:
            yield client
        except SandboxUnavailable:
            broken = True
            raise
        finally:
            await self.release(client, broken=broken)

    async def aclose(self) -> None:
        """Close all sandboxes, those that sessions have too; who waits gets SandboxUnavailable."""
        self._closed = True
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(SandboxUnavailable.of("the pool of sandboxes is closed"))
        clients = [*self._free, *self._taken.values()]
        self._free.clear()
        await asyncio.gather(*(self._close(client) for client in clients))

    async def __aenter__(self) -> Self:
        """Give the pool, which the end of the block closes."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all."""
        await self.aclose()

    async def _place(self) -> None:
        """Wait for one of the places, after everybody who asked before."""
        if self._closed:
            raise SandboxUnavailable.of("the pool of sandboxes is closed")
        if self._places > 0 and not self._waiting:
            self._places -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._leave()  # It was given a place in the same moment.
            raise

    def _leave(self) -> None:
        """Hand the place to the next in line."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._places += 1

    async def _healthy(self) -> SandboxClient:
        while self._free:
            client = self._free.pop()
            passed = False
            try:
                passed = await self._passes(client)
            finally:
                if not passed:
                    await asyncio.shield(self._close(client))
            if passed:
                return client
        made = self._factory()
        return await made if inspect.isawaitable(made) else made

    async def _passes(self, client: SandboxClient) -> bool:
        if self._check is None:
            return True
        try:
            async with asyncio.timeout(self._check_s):
                return await self._check(client)
        except Exception:
            return False

    async def _was_reset(self, client: SandboxClient) -> bool:
        if self._reset is None:
            return True
        try:
            async with asyncio.timeout(self._check_s):
                await self._reset(client)
        except Exception:
            return False
        return True

    async def _close(self, client: SandboxClient) -> None:
        """Close a sandbox that can be closed. What that raises helps nobody: it is given up anyway."""
        close = getattr(client, "aclose", None) or getattr(client, "close", None)
        if close is None:
            return
        with suppress(Exception):
            async with asyncio.timeout(self._check_s):
                done = close()
                if inspect.isawaitable(done):
                    await done
