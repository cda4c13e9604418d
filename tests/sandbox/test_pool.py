"""A pool is bounded, fair, and hands out only sandboxes that answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import SandboxUnavailable
from rootle.sandbox import LocalSandbox, PooledSandboxProvider


class Fake:
    """A sandbox that can die."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.number = type(self).made
        self.dead = self.closed = False

    async def exec(self, argv: Any, **options: Any) -> ExecResult:
        await asyncio.sleep(0)
        if self.dead:
            raise SandboxUnavailable.of("dead")
        return ExecResult(exit_code=0)

    async def read_file(self, path: str) -> bytes:
        raise FileNotFoundError(path)

    async def write_file(self, path: str, data: bytes) -> None: ...

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Count from one."""
    Fake.made = 0


async def test_never_more_than_its_size_and_everybody_is_served() -> None:
    """Twenty sessions on three sandboxes."""
    now = most = 0
    async with PooledSandboxProvider(Fake, 3) as pool:

        async def session() -> None:
            nonlocal now, most
            async with pool.session():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.002)
                now -= 1

        await asyncio.gather(*(session() for _ in range(20)))
        assert (most, Fake.made, pool.free, pool.taken) == (3, 3, 3, 0)


async def test_first_come_first_served_and_cancelled_waits_take_nothing() -> None:
    """A wait that is cancelled, also in the moment in which it is served, leaves the place to the next."""
    pool = PooledSandboxProvider(Fake, 1)
    client = await pool.acquire()
    order: list[int] = []

    async def wait(number: int) -> None:
        got = await pool.acquire()
        order.append(number)
        await pool.release(got)

    tasks = []
    for number in range(5):
        tasks.append(asyncio.create_task(wait(number)))
        await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.sleep(0)
    await pool.release(client)
    tasks[0].cancel()  # Its place is already given, and it has not run yet.
    done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
    assert [type(one).__name__ for one in done] == ["CancelledError", "CancelledError", "NoneType"] + ["NoneType"] * 2
    assert order == [2, 3, 4]
    assert await asyncio.wait_for(pool.acquire(), 5) is not None


async def test_dead_and_broken_ones_are_replaced() -> None:
    """Found dead before it is handed out, or released as broken; each is closed."""
    pool = PooledSandboxProvider(Fake, 1)
    first = await pool.acquire()
    await pool.release(first)
    assert isinstance(first, Fake)
    first.dead = True
    second = await pool.acquire()
    assert isinstance(second, Fake)
    assert (second.number, first.closed) == (2, True)
    await pool.release(second, broken=True)
    with pytest.raises(SandboxUnavailable):
        async with pool.session() as third:
            raise SandboxUnavailable.of("gone")
    assert isinstance(third, Fake)
    assert (second.closed, third.number, third.closed, pool.free) == (True, 3, True, 0)


async def test_a_check_that_hangs_is_a_failed_one() -> None:
    """Bounded by `check_s`."""

    async def hang(client: SandboxClient) -> bool:
        await asyncio.sleep(60)
        return True

    pool = PooledSandboxProvider(Fake, 1, check=hang, check_s=0.05)
    first = await pool.acquire()
    await pool.release(first)
    assert await asyncio.wait_for(pool.acquire(), 5) is not first


async def test_a_factory_that_fails_lets_the_next_one_try() -> None:
    """And its place is not lost."""
    failures = iter([True, True, False])

    async def make() -> Fake:
        await asyncio.sleep(0)
        if next(failures):
            raise OSError("no machine")
        return Fake()

    pool = PooledSandboxProvider(make, 1)
    for _ in range(2):
        with pytest.raises(OSError, match="no machine"):
            await pool.acquire()
    assert isinstance(await pool.acquire(), Fake)


async def test_reset_clears_for_the_next_session(tmp_path: Path) -> None:
    """One that cannot be cleared is replaced."""
    seen: list[SandboxClient] = []

    async def reset(client: SandboxClient) -> None:
        seen.append(client)
        if len(seen) == 2:
            raise RuntimeError("cannot")

    pool = PooledSandboxProvider(Fake, 1, reset=reset)
    first = await pool.acquire()
    await pool.release(first)
    assert await pool.acquire() is first
    await pool.release(first)
    assert await pool.acquire() is not first


async def test_closing_closes_all_and_ends_waits() -> None:
    """Also those in use; later calls are refused."""
    pool = PooledSandboxProvider(Fake, 1)
    client = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    await pool.aclose()
    with pytest.raises(SandboxUnavailable):
        await waiting
    with pytest.raises(SandboxUnavailable):
        await pool.acquire()
    assert isinstance(client, Fake)
    assert client.closed
    await pool.release(client)
    with pytest.raises(ValueError, match="released already"):
        await pool.release(client)
    with pytest.raises(ValueError, match="serves nobody"):
        PooledSandboxProvider(Fake, 0)


async def test_a_session_s_tools_close_over_its_sandbox(tmp_path: Path) -> None:
    """Each session builds its own, on its own directory."""
    numbers = iter(range(100))

    def make() -> LocalSandbox:
        path = tmp_path / str(next(numbers))
        path.mkdir()
        return LocalSandbox(path)

    async with PooledSandboxProvider(make, 2) as pool, pool.session() as one, pool.session() as two:
        assert isinstance(one, LocalSandbox)
        assert isinstance(two, LocalSandbox)
        for client, text in ((one, "a"), (two, "b")):
            box = Toolbox(client.root, sandbox=client)
            await box.acall("write_file", {"path": "f", "content": text})
        assert (await one.read_file("f"), await two.read_file("f")) == (b"a", b"b")
