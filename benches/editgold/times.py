"""Times on a file of 100,000 lines, side by side: an exact match, and a hit and misses of an `old` of 60 lines.

    python -m benches.editgold.times

Every answer is checked before it is timed. The works of a group run in turn, and medians are given.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from typing import Any

from rootle import apply_edit, locate
from rootle.errors import AmbiguousMatch, NotEditable, TextNotFound, UnsafeEdit

from benches.editgold.peers import PEERS, interpreter_of, missing
from benches.editgold.wording import typo

__all__ = ["Timing", "measure_times", "time_tables"]

_LINES = 100_000
_OLD_LINES = 60
_AT = 70_000
_ROUNDS = 9
_PEER_ROUNDS = 3
_MOST_TIMES_COUNT = 3.0
_MOST_MS = 40.0
_LEAST_FASTER = 15.0
_WORDS = (
    "load",
    "store",
    "merge",
    "split",
    "index",
    "frame",
    "queue",
    "token",
    "cache",
    "route",
    "parse",
    "build",
    "check",
    "apply",
    "fetch",
    "write",
)
_REFUSALS = (AmbiguousMatch, NotEditable, TextNotFound, UnsafeEdit)

Timing = tuple[str, str, float]
"""Work, who, milliseconds."""


def measure_times() -> list[Timing]:
    """Measure all works."""
    rng = Random(11)
    lines = _big_file(rng)
    text = "\n".join(lines) + "\n"
    found = []
    for name, old in _works(lines, rng).items():
        _check(name, text.encode(), old)
        for label, works in _compared(name, text, old).items():
            taken: dict[str, list[float]] = {who: [] for who in works}
            for _ in range(_ROUNDS):
                for who, work in works.items():
                    taken[who].append(_time(work))
            found += [(label, who, 1e3 * median(times)) for who, times in taken.items()]
        peer = _tunacode(text, old) if name.startswith("60 lines") else None
        found += [(name, "tunacode text_match.replace", peer)] if peer is not None else []
    return found


def _compared(name: str, text: str, old: str) -> dict[str, dict[str, Callable[[], object]]]:
    """Give what is timed side by side: an exact match is only located, and edited from the bytes to the new bytes."""
    content = text.encode()
    if not name.startswith("exact"):
        return {name: {"rootle": partial(_rootle, content, old)}}
    assert locate(content, old).start == text.index(old)
    count = partial(text.count, old)
    return {
        f"{name}, locate": {"rootle": partial(locate, content, old), "str.count": count},
        f"{name}, apply_edit": {"rootle": partial(_rootle, content, old), "str.count": count},
    }


def time_tables(timings: list[Timing]) -> tuple[list[str], bool]:
    """Give the table with goals, and whether all are met."""
    rows = [
        "| work, 100,000 lines | rootle ms | other | other ms | rootle to other | goal |",
        "|---|--:|---|--:|--:|---|",
    ]
    met = True
    for name in dict.fromkeys(name for name, _, _ in timings):
        times = {who: taken for work, who, taken in timings if work == name}
        ours = times.pop("rootle")
        other, theirs = next(iter(times.items()), ("", 0.0))
        if name.startswith("exact"):
            goal, holds = f"at most {_MOST_TIMES_COUNT:.0f} x str.count", ours <= _MOST_TIMES_COUNT * theirs
        else:
            faster = not theirs or theirs >= _LEAST_FASTER * ours or not name.startswith("60 lines, miss")
            goal, holds = f"at most {_MOST_MS:.0f} ms", ours <= _MOST_MS and faster
            goal += f", {_LEAST_FASTER:.0f} x faster" if name.startswith("60 lines, miss") else ""
        met = met and holds
        ratio = "" if not theirs else f"{ours / theirs:.1f}" if name.startswith("exact") else f"1 / {theirs / ours:.1f}"
        cells = [
            name,
            f"{ours:.2f}",
            other,
            f"{theirs:.2f}" if theirs else "",
            ratio,
            goal + ("" if holds else " **missed**"),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows, met


def _big_file(rng: Random) -> list[str]:
    """Make a file like code: functions of some lines, names that come back, brackets and blanks that are everywhere."""
    lines: list[str] = []
    while len(lines) < _LINES:
        name = f"{rng.choice(_WORDS)}_{rng.choice(_WORDS)}_{rng.randrange(9_000)}"
        lines += [f"def {name}({rng.choice(_WORDS)}, {rng.choice(_WORDS)}):", "    result = []"]
        for _ in range(rng.randint(3, 14)):
            lines.append(f"    {rng.choice(_WORDS)} = {rng.choice(_WORDS)}({rng.randrange(500)}, {rng.choice(_WORDS)})")
        lines += ["    return result", ""]
    return lines[:_LINES]


def _works(lines: list[str], rng: Random) -> dict[str, str]:
    block = lines[_AT : _AT + _OLD_LINES]
    noisy = list(block)
    for at in (7, 23, 41):
        noisy[at] = typo(noisy[at], rng) or noisy[at]
    strange = [line.replace("(", "[").replace("=", ":=").upper() for line in block]
    adversary = ["    result = []", "    return result", ""] * (_OLD_LINES // 3)
    return {
        "exact, 60 lines": "\n".join(block),
        "60 lines, hit with other indentation": "\n".join("    " + line if line else line for line in block),
        "60 lines, hit with three typos in context": "\n".join(noisy),
        "60 lines, miss, nothing alike": "\n".join(strange),
        "60 lines, miss, half of the lines": "\n".join(
            a for pair in zip(block[::2], strange[::2], strict=True) for a in pair
        ),
        "adversary, 60 lines that are everywhere": "\n".join(adversary),
    }


def _rootle(content: bytes, old: str) -> bytes | None:
    lines = old.split("\n")
    lines[30] += "  # changed"
    try:
        return apply_edit(content, old, "\n".join(lines)).content
    except _REFUSALS:
        return None


def _check(name: str, content: bytes, old: str) -> None:
    result = _rootle(content, old)
    expected = content.split(b"\n")
    expected[_AT + 30] += b"  # changed"
    if name.startswith("exact") or "hit" in name:
        assert result == b"\n".join(expected), f"{name}: not the right edit"
    else:
        assert result is None, f"{name}: edited, though nothing is meant"


def _time(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


_PEER = """
import json, sys, time
from statistics import median
from tunacode.tools.utils.text_match import replace
request = json.load(sys.stdin)
taken = []
for _ in range(request["rounds"]):
    started = time.perf_counter()
    try:
        replace(request["text"], request["old"], request["new"])
    except ValueError:
        pass
    taken.append(time.perf_counter() - started)
print(json.dumps(1e3 * median(taken)))
"""


def _tunacode(text: str, old: str) -> float | None:
    peer = next(peer for peer in PEERS if peer.name == "tunacode-cli")
    if missing(peer):
        return None
    request: dict[str, Any] = {"text": text, "old": old, "new": old + "  # changed", "rounds": _PEER_ROUNDS}
    command = [str(interpreter_of(peer)), "-I", "-c", _PEER]
    done = subprocess.run(command, input=json.dumps(request), stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Print the table."""
    rows, _ = time_tables(measure_times())
    print("\n".join(rows))


if __name__ == "__main__":
    main()
