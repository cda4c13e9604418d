"""A process is killed at each system call of a writing: the file has its old or its new content, never another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.crash.conftest import Shape

pytestmark = [pytest.mark.usefixtures("strace"), pytest.mark.timeout(120)]


def test_killed_at_a_call(shape: Shape, every: int) -> None:
    """Old or new bytes, at most one temporary file, and the next call mends and sweeps (zerostack#112)."""
    shape.build()
    calls = shape.victim.calls(shape.job())
    assert shape.content() == shape.new
    found = set()
    torn = 0
    # The last bytes of the new content: of a file that is overwritten, the others are on the disk by then.
    last = max(at for at, (name, _) in enumerate(calls) if name == "pwrite64")
    for name, number in [calls[at] for at in sorted({*range(0, len(calls), every), last})]:
        shape.build()
        outcome = shape.victim.run(shape.job(), "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}")
        assert outcome.killed, (name, number, outcome)
        left = shape.content()
        torn += left not in (shape.old, shape.new)
        assert shape.in_place or not torn, (name, number)
        assert len(shape.temps()) <= 1
        shape.rest_is_intact()
        before = shape.next_call()
        assert before in (shape.old, shape.new), (name, number)
        assert shape.in_place or before == left
        found.add(before == shape.new)
    assert every > 1 or found == {True, False}
    # What the journal is for has been met.
    assert bool(torn) == shape.in_place
