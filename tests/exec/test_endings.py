"""How commands end, and that nothing is left of them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from rootle.sandbox import Tier

from .conftest import Shell


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command, and what must come of it."""

    script: str
    limit_s: float = 10
    within_s: float
    ended: str = "exited"
    exit_code: int | None = 0
    signal: int | None = None
    stdout: bytes = b""
    tiers: tuple[str, ...] = ("subreaper", "cgroup", "pid_namespace", "bubblewrap")


CASES = {
    "own session": Case(script="setsid sleep 600 & echo hi", within_s=1.0, stdout=b"hi\n"),
    "own session, deaf": Case(
        script="setsid bash -c \"trap '' TERM HUP; while :; do sleep 1; done\" & echo hi", within_s=1.2, stdout=b"hi\n"
    ),
    "partial output": Case(
        script="echo partial; sleep 600 | cat",
        limit_s=2,
        within_s=2.5,
        ended="deadline",
        exit_code=None,
        signal=15,
        stdout=b"partial\n",
    ),
    "deaf": Case(
        script="trap '' TERM; echo x; sleep 600",
        limit_s=1,
        within_s=1.6,
        ended="deadline",
        exit_code=None,
        signal=9,
        stdout=b"x\n",
    ),
    "double fork": Case(
        script="(setsid bash -c '(trap \"\" TERM; sleep 600) & disown; exit' &); echo x; sleep 600",
        limit_s=1,
        within_s=1.6,
        ended="deadline",
        exit_code=None,
        signal=15,
        stdout=b"x\n",
    ),
    "stopped": Case(
        script="echo x; sleep 600 & kill -STOP $!; kill -STOP $$",
        limit_s=1,
        within_s=1.6,
        ended="deadline",
        exit_code=None,
        signal=15,
        stdout=b"x\n",
    ),
    "answers TERM": Case(
        script="trap 'echo bye; exit 7' TERM; echo x; while :; do sleep 0.05; done",
        limit_s=1,
        within_s=1.6,
        ended="deadline",
        exit_code=7,
        stdout=b"x\nbye\n",
    ),
    "background that ends soon": Case(script="(sleep 0.05; echo late) & echo hi", within_s=1.0, stdout=b"hi\nlate\n"),
    "process substitution": Case(script="echo hi > >(sleep 0.05; cat)", within_s=1.0, stdout=b"hi\n"),
    "exit code": Case(script="exit 300", within_s=1.0, exit_code=44),
    "segmentation fault": Case(script="kill -SEGV $$", within_s=1.0, exit_code=None, signal=11),
    "SIGUSR1": Case(script="kill -USR1 $$", within_s=1.0, exit_code=None, signal=10),
    "kills its supervisor softly": Case(
        script="kill $PPID; kill -INT $PPID; kill -HUP $PPID; kill -QUIT $PPID; echo still; exit 3",
        within_s=1.0,
        exit_code=3,
        stdout=b"still\n",
    ),
    "kills its supervisor": Case(
        script="echo hi; setsid sleep 600 & sleep 0.1; kill -9 $PPID; sleep 600",
        within_s=2.0,
        ended="supervisor_lost",
        exit_code=None,
        stdout=b"hi\n",
        tiers=("subreaper", "cgroup"),
    ),
    "kills its supervisor, environment cleared": Case(
        script="echo hi; setsid env -i bash -c 'exec -a @ sleep 600' & sleep 0.1; exec env -i bash -c 'kill -9 $PPID'",
        within_s=2.0,
        ended="supervisor_lost",
        exit_code=None,
        stdout=b"hi\n",
        tiers=("subreaper", "cgroup"),
    ),
    "kills supervisor and guardian": Case(
        script="echo hi; setsid sleep 600 & sleep 0.1; kill -9 $(ps -o ppid= $PPID) $PPID; sleep 600",
        within_s=2.5,
        ended="supervisor_lost",
        exit_code=None,
        stdout=b"hi\n",
        tiers=("subreaper", "cgroup"),
    ),
    "stops supervisor and guardian": Case(
        script="echo hi; sleep 0.1; kill -STOP $(ps -o ppid= $PPID) $PPID; sleep 600",
        limit_s=1,
        within_s=2.5,
        ended="deadline",
        exit_code=None,
        signal=15,
        stdout=b"hi\n",
        tiers=("subreaper", "cgroup"),
    ),
    "kills all it sees": Case(
        script="echo hi; setsid sleep 600 & sleep 0.1; kill -9 $PPID; kill -9 -1; echo alone",
        within_s=2.0,
        stdout=b"hi\nalone\n",
        tiers=("pid_namespace", "bubblewrap"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_command_ends_with_everything_it_started(shell: Shell, name: str) -> None:
    """Reason, code, output and time are as the table says, nothing lives, and the next command works."""
    case = CASES[name]
    if shell.tier not in case.tiers:
        pytest.skip("promised by other tiers")
    begun = time.monotonic()
    outcome = shell(case.script, timeout_s=case.limit_s)
    took = time.monotonic() - begun
    assert (outcome.ended, outcome.stdout.data) == (case.ended, case.stdout)
    assert (outcome.exit_code, outcome.signal) == (case.exit_code, case.signal)
    assert took < case.within_s
    assert outcome.tier == shell.tier
    assert (shell.survivors(), outcome.survivors_left) == ([], 0)
    assert shell("echo on").stdout.data == b"on\n"


def test_survivors_are_kept_when_asked_for(tmp_path: Path, tier: Tier) -> None:
    """A daemon goes on, is counted, and does not hold up the call."""
    if tier == "bubblewrap":
        pytest.skip("nothing outlives its command there")
    shell = Shell(tmp_path, tier, keep_survivors=True)
    begun = time.monotonic()
    outcome = shell("setsid bash -c 'for i in {1..20}; do sleep 0.1; date >> ticks; done' & echo hi")
    assert time.monotonic() - begun < 1.0
    assert (outcome.exit_code, outcome.stdout.data, outcome.drained) == (0, b"hi\n", False)
    assert outcome.survivors_left >= 1
    assert shell.survivors()
    written = (tmp_path / "ticks").stat().st_size if (tmp_path / "ticks").exists() else 0
    time.sleep(0.5)
    assert (tmp_path / "ticks").stat().st_size > written
    for pid in shell.survivors():
        os.kill(pid, signal.SIGKILL)


def test_command_may_delete_its_directory(shell: Shell, tmp_path: Path) -> None:
    """The next command in another directory works, and one in the deleted directory says that it is not there."""
    (tmp_path / "work").mkdir()
    outcome = shell("rm -rf ../work; pwd; exit 5", cwd="work")
    assert outcome.exit_code == 5
    assert shell("pwd").stdout.data.decode().strip() == str(tmp_path)
    with pytest.raises(FileNotFoundError):
        shell("true", cwd="work")


def test_clock_that_jumps_does_not_move_the_deadline(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is measured on the monotonic clock, whatever the wall clock says."""
    monkeypatch.setattr(time, "time", lambda: 0.0)
    begun = time.monotonic()
    outcome = shell("sleep 600", timeout_s=0.5)
    assert outcome.ended == "deadline"
    assert 0.45 < time.monotonic() - begun < 1.2


def test_program_that_cannot_start(shell: Shell, tmp_path: Path) -> None:
    """A missing program and one that is not executable are outcomes, with the codes that shells give."""
    (tmp_path / "text").write_text("no program")
    for argv, error, code in ((["no-such-program"], 2, 127), (["./text"], 13, 126), (["./"], 13, 126)):
        outcome = shell.sandbox.run(argv, timeout_s=5)
        assert (outcome.ended, outcome.start_error, outcome.exit_code) == ("not_started", error, code)
