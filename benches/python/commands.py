"""Measures what a command costs above `asyncio.create_subprocess_shell`, in one process and taking turns.

    python -m benches.python.commands                # 300 rounds
    python -m benches.python.commands --rounds 1000

Every command's output is compared before its time counts. A ratio is that of the medians; on a machine that does other
things the smallest times say more. Exit code 1 when the default tier costs more than 1.5 times as much, or bubblewrap
more than 10 ms more (the least times compared).
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, LocalSandbox, Tier

GOAL = 1.5
GOAL_BUBBLEWRAP_MS = 10.0
COMMAND = "echo done"
TIERS: tuple[Tier, ...] = ("subreaper", "cgroup", "pid_namespace", "bubblewrap")


async def plain() -> bytes:
    """Run the command with asyncio alone."""
    process = await asyncio.create_subprocess_shell(
        COMMAND, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    return (await process.communicate())[0]


def supervised(box: LocalSandbox) -> Callable[[], Awaitable[bytes]]:
    """Run the command in a sandbox, awaited."""

    async def run() -> bytes:
        return (await box.exec(["/bin/sh", "-c", COMMAND])).stdout

    return run


def waiting(box: LocalSandbox) -> Callable[[], Awaitable[bytes]]:
    """Run the command in a sandbox and wait for it in this thread."""

    async def run() -> bytes:
        return box.run(["/bin/sh"], script=COMMAND).stdout.data

    return run


async def measure(rounds: int) -> dict[str, list[float]]:
    """Give the times of each way, in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        ways: dict[str, Callable[[], Awaitable[bytes]]] = {"asyncio": plain}
        for tier in TIERS:
            box = BubblewrapSandbox(directory) if tier == "bubblewrap" else LocalSandbox(directory, tier=tier)
            try:
                box.run(["true"])
            except SandboxUnavailable as error:
                print(f"{tier}: {error}")
                continue
            ways[tier] = supervised(box)
            ways[f"{tier}, in this thread"] = waiting(box)
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = time.perf_counter()
                output = await way()
                times[name].append((time.perf_counter() - begun) * 1000)
                if output != b"done\n":
                    raise SystemExit(f"{name} gave {output!r}")
        return times


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of a command")
    parser.add_argument("--rounds", type=int, default=300)
    times = asyncio.run(measure(parser.parse_args().rounds))
    base = times["asyncio"]
    ratios = {}
    print(f"{'':28} {'median ms':>10} {'ratio':>6} {'least ms':>10} {'ratio':>6}")
    for name, own in times.items():
        ratios[name] = statistics.median(own) / statistics.median(base)
        least = min(own) / min(base)
        print(f"{name:28} {statistics.median(own):10.2f} {ratios[name]:6.2f} {min(own):10.2f} {least:6.2f}")
    if "bubblewrap" in times:
        more = [min(own) - min(base) for name, own in times.items() if name == "bubblewrap"]
        print(f"bubblewrap costs {more[0]:.1f} ms more")
        if more[0] > GOAL_BUBBLEWRAP_MS:
            return 1
    return int(ratios["subreaper"] > GOAL)


if __name__ == "__main__":
    sys.exit(main())
