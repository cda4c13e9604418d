"""What the tests of commands share: a sandbox of each tier, and a search for what a command left behind."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from rootle import _core
from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, Environment, LocalSandbox, Tier

TIERS: tuple[Tier, ...] = ("subreaper", "cgroup", "pid_namespace", "bubblewrap")
_marks = itertools.count()


class Shell:
    """A sandbox whose commands can be recognised afterwards."""

    def __init__(self, path: Path, tier: Tier, **options: Any) -> None:
        self.mark = f"mark-{os.getpid()}-{next(_marks)}-"
        environment = Environment(set={"ROOTLE_TEST_MARK": self.mark})
        self.sandbox = sandbox(path, tier, environment=environment, **options)
        self.tier = tier

    def __call__(self, script: str, *, timeout_s: float = 10, **options: Any) -> _core.ExecOutcome:
        """Run a command of the shell; `@` in it stands for the mark."""
        return self.sandbox.run(["bash"], script=script.replace("@", self.mark), timeout_s=timeout_s, **options)

    def survivors(self) -> list[int]:
        """Give the processes that carry the mark and live."""
        return [pid for pid in marked(f"ROOTLE_TEST_MARK={self.mark}") if state(pid) not in "ZX"]


def sandbox(path: Path, tier: Tier, **options: Any) -> LocalSandbox:
    """Give a sandbox of a tier."""
    if tier == "bubblewrap":
        return BubblewrapSandbox(path, **options)
    return LocalSandbox(path, tier=tier, **options)


def marked(entry: str) -> Iterator[int]:
    """Give the processes that have `entry` in their environment, or its value as their name."""
    name = entry.partition("=")[2].encode()
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            environment = (directory / "environ").read_bytes()
            arguments = (directory / "cmdline").read_bytes()
        except OSError:
            continue
        if entry.encode() in environment.split(b"\0") or arguments.split(b"\0")[0] == name:
            yield int(directory.name)


def state(pid: int) -> str:
    """Give the state of a process as one letter; "X" for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][0]
    except (OSError, IndexError):
        return "X"


def until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait for a condition, and say whether it came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)
    return True


@pytest.fixture(scope="session")
def available(tmp_path_factory: pytest.TempPathFactory) -> frozenset[Tier]:
    """The tiers that can be had here; the first one always can."""

    def works(tier: Tier) -> bool:
        try:
            sandbox(tmp_path_factory.mktemp("tier"), tier).run(["true"], timeout_s=10)
        except SandboxUnavailable:
            return tier == TIERS[0]
        return True

    return frozenset(tier for tier in TIERS if works(tier))


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest, available: frozenset[Tier]) -> Tier:
    """Each tier that can be had."""
    if request.param not in available:
        pytest.skip(f"{request.param} cannot be had here")
    return cast("Tier", request.param)


@pytest.fixture
def shell(tmp_path: Path, tier: Tier) -> Shell:
    """A shell in an empty directory, under each tier."""
    return Shell(tmp_path, tier)
