"""Several processes write the same file; the call is interrupted while it waits."""

from __future__ import annotations

import fcntl
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.crash.conftest import Victim


@pytest.fixture
def place(scratch: Path) -> Path:
    """Give a directory with a tree and a journal."""
    top = Path(tempfile.mkdtemp(dir=scratch))
    for name in ("root", "journal"):
        (top / name).mkdir()
    return top


def job(top: Path, **more: Any) -> dict[str, Any]:
    return {"root": str(top / "root"), "journal": str(top / "journal"), "content": str(top / "new"), **more}


def test_updates_of_four_processes(place: Path, crowd: list[Victim], every: int) -> None:
    """Every line that was reported is there, once (pi#2327, gemini-cli#26731)."""
    each = 250 if every == 1 else 25
    (place / "root/f").write_bytes(b"")
    reports = [place / f"report-{number}" for number in range(len(crowd))]
    for number, victim in enumerate(crowd):
        lines = [f"{number}:{turn}\n" for turn in range(each)]
        victim.start(job(place, kind="append", path="f", lines=lines), reports[number])
    outcomes = [victim.finish(report) for victim, report in zip(crowd, reports, strict=True)]
    assert [outcome.error for outcome in outcomes] == [None] * len(crowd)
    lines = (place / "root/f").read_text().splitlines()
    assert sorted(lines) == sorted(f"{number}:{turn}" for number in range(len(crowd)) for turn in range(each))
    assert os.listdir(place / "root") == ["f"]


def test_creators_of_four_processes(place: Path, crowd: list[Victim]) -> None:
    """Exactly one makes the file, the others are told (atomicwrites: overwrite=False)."""
    (place / "new").write_bytes(b"mine")
    for turn in range(5):
        reports = [place / f"report-{number}" for number in range(len(crowd))]
        for victim, report in zip(crowd, reports, strict=True):
            victim.start(job(place, kind="write", path=f"new-{turn}", create_only=True), report)
        outcomes = [victim.finish(report) for victim, report in zip(crowd, reports, strict=True)]
        errors = [outcome.error["class"] for outcome in outcomes if outcome.error is not None]
        assert errors == ["AlreadyExists"] * (len(crowd) - 1)
        assert (place / f"root/new-{turn}").read_bytes() == b"mine"


@pytest.mark.parametrize("kind", ["write", "commit"])
def test_interrupt_while_waiting(victim: Victim, place: Path, kind: str) -> None:
    """Ctrl-C ends the wait for somebody else's lock at once, and nothing has changed."""
    (place / "root/f").write_bytes(b"old")
    (place / "new").write_bytes(b"new")
    report = place / "report"
    with (place / "root/f").open() as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        pid = victim.start(job(place, kind=kind, path="f", timeout_s=30.0, changes=[["write", "f", None, "x"]]), report)
        time.sleep(0.3)
        begun = time.perf_counter()
        os.kill(pid, signal.SIGINT)
        outcome = victim.finish(report)
    assert time.perf_counter() - begun < 0.5
    assert outcome.error is not None
    assert outcome.error["class"] == "KeyboardInterrupt"
    assert (place / "root/f").read_bytes() == b"old"
    assert os.listdir(place / "root") == ["f"]


def test_lock_of_a_dead_process_is_free(victim: Victim, place: Path) -> None:
    """A lock does not outlive its holder, and its time limit is kept while it lives."""
    (place / "root/f").write_bytes(b"old")
    (place / "new").write_bytes(b"new")
    with (place / "root/f").open() as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        outcome = victim.run(job(place, kind="write", path="f", timeout_s=0.2))
    assert outcome.error is not None
    assert outcome.error["class"] == "DeadlineExceeded"
    assert 0.2 <= outcome.taken < 1
    assert victim.run(job(place, kind="write", path="f", timeout_s=0.2)).value["before"] == "old"
