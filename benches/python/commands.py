"""Measures what a command costs above `asyncio.create_subprocess_shell`, in one process and taking turns.

    python -m benches.python.commands                # 300 rounds
    python -m benches.python.commands --rounds 1000 --json FILE

A command is measured as a user of the tools calls it (`Toolbox.acall`, `Toolbox.call`) and as a sandbox runs it, beside
what asyncio needs for the same one through `/bin/sh` and through bash. Output and exit code are compared before a time
counts. A ratio is that of the medians; on a machine that does other things the smallest times say more. Exit code 1
when `bash("true")` costs more than 1.5 times as much as asyncio's own, or more than 10 ms more in bubblewrap.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import rootle
from rootle import Toolbox
from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, LocalSandbox, Tier

GOAL = 1.5
GOAL_BUBBLEWRAP_MS = 10.0
PLAIN = "true"
SCRIPT = "echo done"
TIERS: tuple[Tier, ...] = ("subreaper", "cgroup", "pid_namespace", "bubblewrap")
Way: TypeAlias = Callable[[], Awaitable[tuple[bytes, int | None]]]


def with_asyncio(command: str, shell: str | None = None) -> Way:
    """Run the command with asyncio alone."""

    async def run() -> tuple[bytes, int | None]:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            executable=shell,
        )
        return (await process.communicate())[0], process.returncode

    return run


def with_tool(box: Toolbox, command: str, **options: object) -> Way:
    """Call the tool, awaited."""

    async def run() -> tuple[bytes, int | None]:
        data = (await box.acall("bash", {"command": command, **options})).data
        return data.raw_output, data.exit_code

    return run


def with_sandbox(box: LocalSandbox, command: str) -> Way:
    """Run the command in a sandbox, awaited."""

    async def run() -> tuple[bytes, int | None]:
        done = await box.exec(["/bin/sh", "-c", command])
        return done.stdout, done.exit_code

    return run


def in_this_thread(box: LocalSandbox, command: str) -> Way:
    """Run the command in a sandbox and wait for it in this thread."""

    async def run() -> tuple[bytes, int | None]:
        done = box.run(["/bin/sh"], script=command)
        return done.stdout.data, done.exit_code

    return run


def sandboxes(directory: str) -> dict[Tier, LocalSandbox]:
    """Give one of each tier that can be had here."""
    found: dict[Tier, LocalSandbox] = {}
    for tier in TIERS:
        sandbox = BubblewrapSandbox(directory) if tier == "bubblewrap" else LocalSandbox(directory, tier=tier)
        try:
            sandbox.run(["true"])
        except SandboxUnavailable as error:
            print(f"{tier}: {error}")
        else:
            found[tier] = sandbox
    return found


def ways(directory: str) -> dict[str, tuple[Way, bytes]]:
    """Give each way by its name, with the output that it must give."""
    box = Toolbox(directory)
    made: dict[str, tuple[Way, bytes]] = {
        "true: asyncio": (with_asyncio(PLAIN), b""),
        "true: bash tool": (with_tool(box, PLAIN), b""),
        "true: bash tool, by its shell": (with_tool(box, PLAIN, env=["PWD=/"]), b""),
        "true: asyncio with bash": (with_asyncio(PLAIN, "/bin/bash"), b""),
        "echo: asyncio": (with_asyncio(SCRIPT), b"done\n"),
        "echo: asyncio with bash": (with_asyncio(SCRIPT, "/bin/bash"), b"done\n"),
        "echo: bash tool": (with_tool(box, SCRIPT), b"done\n"),
    }
    for tier, sandbox in sandboxes(directory).items():
        made[f"echo: {tier}"] = (with_sandbox(sandbox, SCRIPT), b"done\n")
        made[f"echo: {tier}, in this thread"] = (in_this_thread(sandbox, SCRIPT), b"done\n")
        made[f"true: bash tool, {tier}"] = (with_tool(Toolbox(directory, sandbox=sandbox), PLAIN), b"")
    return made


async def measure(rounds: int) -> dict[str, list[float]]:
    """Give the times of each way, in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        every = ways(directory)
        times: dict[str, list[float]] = {name: [] for name in every}
        for number in range(rounds + 5):
            for name, (way, expected) in every.items():
                begun = time.perf_counter()
                given = await way()
                took = (time.perf_counter() - begun) * 1000
                if given != (expected, 0):
                    raise SystemExit(f"{name} gave {given!r}")
                if number >= 5:  # The first ones start the helper.
                    times[name].append(took)
        return times


def table(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Give medians and least times, each with its ratio to asyncio's for the same command."""
    rows = {}
    for name, own in times.items():
        base = times[name.partition(":")[0] + ": asyncio"]
        rows[name] = {
            "median_ms": round(statistics.median(own), 3),
            "ratio": round(statistics.median(own) / statistics.median(base), 3),
            "least_ms": round(min(own), 3),
            "least_ratio": round(min(own) / min(base), 3),
        }
    return rows


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of a command")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--json", type=Path, help="a file for the results")
    args = parser.parse_args()
    before = os.getloadavg()[0]
    rows = table(asyncio.run(measure(args.rounds)))
    print(f"{'':34} {'median ms':>10} {'ratio':>6} {'least ms':>10} {'ratio':>6}")
    for name, row in rows.items():
        print("{:34} {:10.2f} {:6.2f} {:10.2f} {:6.2f}".format(name, *row.values()))
    if args.json:
        results = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "rounds": args.rounds,
            "processors": os.cpu_count(),
            "load_before": round(before, 2),
            "rootle": rootle.__version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            "ways": rows,
        }
        args.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    inside = rows.get("true: bash tool, bubblewrap", rows["true: asyncio"])
    more = inside["median_ms"] - rows["true: asyncio"]["median_ms"]
    print(f"bubblewrap costs {more:.1f} ms more than asyncio")
    return int(rows["true: bash tool"]["ratio"] > GOAL or more > GOAL_BUBBLEWRAP_MS)


if __name__ == "__main__":
    sys.exit(main())
