"""A long run of hostile commands; `make soak` runs it and keeps what it found in benches/results.

    python tests/soak/commands.py RESULTS_FILE

1,000 hostile commands must return within their time limit and half a second, leave nothing alive and keep what they
printed; 10 GB of output may add 64 MB to this process; 10,000 commands may leak no descriptor, thread or zombie.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import platform
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import rootle
from rootle.sandbox import Environment, LocalSandbox

LIMIT_S = 0.5
SLACK_S = 0.5
MARK = f"soak-{os.getpid()}"
HOSTILE = (
    "sleep 600 | cat",
    "trap '' TERM INT HUP; sleep 600",
    "setsid sleep 600 & sleep 600",
    "(setsid bash -c 'trap \"\" TERM; sleep 600 & wait' &); sleep 600",
    "sleep 600 & kill -STOP $!; kill -STOP $$",
    "for i in 1 2 3 4 5 6 7 8; do setsid bash -c 'trap \"\" TERM; while :; do sleep 1; done' & done; wait",
    "kill -9 $PPID; sleep 600",
    "setsid sleep 600 & kill -9 $PPID; sleep 600",
    "setsid env -i sleep 600 & kill -9 $PPID",
    "kill -9 $(ps -o ppid= -p $PPID) $PPID; sleep 600",
    "kill -STOP $PPID; sleep 600",
    "exec 1>&- 2>&-; sleep 600",
    "yes",
    "cat /dev/zero",
    "nohup sleep 600 >/dev/null 2>&1 & disown; exit 0",
    "b() { [ $1 = 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 600; }; b 5",
    "while :; do (sleep 600 &) ; sleep 0.02; done",
    "kill -SEGV $$",
)


def alive() -> int:
    """Count the processes that carry the mark."""
    entry = f"SOAK={MARK}".encode()
    count = 0
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if entry in (directory / "environ").read_bytes().split(b"\0"):
                count += (directory / "stat").read_text().rpartition(") ")[2][0] not in "ZX"
        except OSError:
            continue
    return count


def hostile(box: LocalSandbox, count: int) -> dict[str, Any]:
    """Run hostile commands one after the other.

    What a command printed is lost only if it came so far: on a machine that is busy it may be ended before it begins.
    It says so by a file that it makes after it printed.
    """
    moments = random.Random(1)
    late, survivors, lost, longest, not_begun = [], 0, [], 0.0, 0
    for number in range(count):
        script = moments.choice(HOSTILE)
        begun = time.monotonic()
        command = f"echo printed {number}; : > soak-{MARK}-{number}; {script}"
        done = box.run(["bash"], script=command, timeout_s=LIMIT_S, max_output_bytes=10_000)
        took = time.monotonic() - begun
        longest = max(longest, took)
        if took > LIMIT_S + SLACK_S:
            late.append([round(took, 3), script])
        came = Path(box.root, f"soak-{MARK}-{number}")
        if came.exists():
            came.unlink()
            if not done.stdout.data.startswith(f"printed {number}\n".encode()):
                lost.append(script)
        else:
            not_begun += 1
        survivors += done.survivors_left
        if number % 20 == 19:
            survivors += alive()
    return {
        "commands": count,
        "late": late,
        "longest_s": round(longest, 3),
        "survivors": survivors + alive(),
        "lost": lost,
        "not_begun": not_begun,
    }


def memory(field: str) -> int:
    """Give VmRSS or VmHWM in bytes."""
    return int(Path("/proc/self/status").read_text().split(f"{field}:")[1].split()[0]) * 1024


def flood(box: LocalSandbox, size: int) -> dict[str, Any]:
    """Print much."""
    Path("/proc/self/clear_refs").write_text("5")
    before, begun = memory("VmRSS"), time.monotonic()
    done = box.run(["bash"], script=f"head -c {size} /dev/zero; echo end", timeout_s=600)
    return {
        "bytes": done.stdout.total,
        "exact": done.stdout.total == size + 4,
        "growth_bytes": memory("VmHWM") - before,
        "took_s": round(time.monotonic() - begun, 1),
    }


def held() -> dict[str, int]:
    """Count what could leak."""
    children = [task.read_text().split() for task in Path("/proc/self/task").glob("*/children")]
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count() + len(os.listdir("/proc/self/task")),
        "children": sum(map(len, children)),
    }


async def many(box: LocalSandbox, count: int) -> None:
    """Run short commands, eight at a time."""
    gate = asyncio.Semaphore(8)

    async def one(number: int) -> None:
        async with gate:
            done = await box.exec(["sh", "-c", f"echo {number}"])
            assert done.stdout == b"%d\n" % number, done

    await asyncio.gather(*(one(number) for number in range(count)))


def main() -> int:
    """Run all, write the results, and say whether they are as they must be."""
    box = LocalSandbox("/tmp", environment=Environment(set={"SOAK": MARK}))
    results: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processors": os.cpu_count(),
        "rootle": rootle.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    results["hostile"] = hostile(box, 1_000)
    results["flood"] = flood(box, 10_000_000_000)
    asyncio.run(many(box, 100))
    time.sleep(0.5)
    before = held()
    asyncio.run(many(box, 10_000))
    time.sleep(0.5)
    results["leaks"] = {"commands": 10_000, "before": before, "after": held()}
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))
    good = not results["hostile"]["late"] and not results["hostile"]["lost"] and results["hostile"]["survivors"] == 0
    good &= results["flood"]["exact"] and results["flood"]["growth_bytes"] <= 64 * 2**20
    good &= results["leaks"]["before"] == results["leaks"]["after"]
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
