"""Commands through the tools of a Toolbox, under each tier: how they end, what is kept, and that nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.sandbox import Tier

from .conftest import Shell, sandbox

pytestmark = pytest.mark.usefixtures("outputs")

ALL: tuple[Tier, ...] = ("subreaper", "cgroup", "pid_namespace", "bubblewrap")
PLAIN: tuple[Tier, ...] = ("subreaper", "cgroup")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command, and what its answer must say."""

    command: str
    limit_s: float = 10
    within_s: float
    data: dict[str, Any] = field(default_factory=dict)
    output: str | None = ""
    said: str = "Exit code 0"
    tiers: tuple[Tier, ...] = ALL


DEADLINE = {"ended": "deadline", "timed_out": True, "exit_code": None}
LOST = {"ended": "supervisor_lost", "exit_code": None, "ok": False}
# Root is asked for no password.
AS_NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups " if os.geteuid() == 0 else ""
CASES = {
    "own session": Case(
        command="setsid sleep 600 & echo hi", within_s=1.0, output="hi\n", said="left running", data={"exit_code": 0}
    ),
    "partial output": Case(
        command="echo partial; sleep 600 | cat",
        limit_s=2,
        within_s=2.5,
        output="partial\n",
        said="TIME LIMIT",
        data=DEADLINE,
    ),
    "deaf": Case(
        command="trap '' TERM; echo x; sleep 600",
        limit_s=1,
        within_s=2.0,
        output="x\n",
        said="TIME LIMIT",
        data=DEADLINE,
    ),
    "double fork": Case(
        command="(setsid bash -c '(trap \"\" TERM; sleep 600) & disown; exit' &); echo x; sleep 600",
        limit_s=1,
        within_s=2.0,
        output="x\n",
        said="TIME LIMIT",
        data=DEADLINE,
    ),
    "stopped": Case(
        command="sleep 600 & kill -STOP $!; kill -STOP $$", limit_s=0.5, within_s=1.5, said="TIME LIMIT", data=DEADLINE
    ),
    "kills its parent": Case(
        command="echo hi; setsid sleep 600 & sleep 0.1; kill -9 $PPID; sleep 600",
        within_s=2.0,
        output="hi\n",
        said="killed the process that supervised it",
        data=LOST,
        tiers=PLAIN,
    ),
    "kills all it sees": Case(
        command="echo hi; setsid sleep 600 & sleep 0.1; kill -9 $PPID; kill -9 -1; echo alone",
        within_s=2.0,
        output="hi\nalone\n",
        tiers=("pid_namespace", "bubblewrap"),
    ),
    "exit 300": Case(command="exit 300", within_s=1.0, said="Exit code 44", data={"exit_code": 44, "signal": None}),
    "segmentation fault": Case(
        command="kill -SEGV $$",
        within_s=1.0,
        said="signal 11 (SIGSEGV)",
        data={"exit_code": None, "signal": signal.SIGSEGV},
    ),
    "reads": Case(
        command="cat; read x || echo none; tty", within_s=2.0, output="none\nnot a tty\n", said="Exit code 1"
    ),
    "sudo": Case(command=f"{AS_NOBODY}sudo -S true || echo refused", within_s=2.0, output=None, said="\nrefused\n"),
    "ssh": Case(command="ssh -p 1 127.0.0.1 || echo refused", within_s=2.0, output=None, said="refused"),
    "git": Case(
        command="git clone -q https://127.0.0.1:1/private.git || echo refused",
        within_s=2.0,
        output=None,
        said="refused",
    ),
    "no terminal": Case(command="ps -o tty= -p $$; : < /dev/tty", within_s=1.0, output=None, said="Exit code 1"),
    "invalid text": Case(
        command="printf 'a\\377b\\n'; printf '\\376\\n' >&2; exit 9",
        within_s=1.0,
        output=None,
        said="a\\xffb",
        data={"stdout": "a\\xffb\n", "stderr": "\\xfe\n", "exit_code": 9, "raw_stderr": b"\xfe\n"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_command_ends_as_told(shell: Shell, tmp_path: Path, name: str) -> None:
    """Text and data say how; nothing lives; the next command works."""
    case = CASES[name]
    if shell.tier not in case.tiers:
        pytest.skip("promised by other tiers")
    if name in ("sudo", "ssh") and not _there(name):
        pytest.skip(f"{name} is not installed")
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    box.call("bash", {"command": "true"})  # The first command of a sandbox finds out what the system lets it do.
    begun = time.monotonic()
    answer = box.call("bash", {"command": case.command, "timeout_s": case.limit_s})
    assert time.monotonic() - begun < case.within_s
    assert case.said in answer
    assert case.output is None or answer.data.output == case.output
    assert {key: getattr(answer.data, key) for key in case.data} == case.data
    assert (answer.data.tier, answer.data.survivors_left, shell.survivors()) == (shell.tier, 0, [])
    assert box.call("bash", {"command": "echo on"}).data.output == "on\n"


def _there(program: str) -> bool:
    return subprocess.run(["which", program], capture_output=True, check=False).returncode == 0


def test_directory_may_be_deleted(shell: Shell, tmp_path: Path) -> None:
    """By the command that runs in it; the next one in it is told that it is not there."""
    (tmp_path / "work").mkdir()
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    answer = box.call("bash", {"command": "rm -rf ../work; echo gone; exit 5", "cwd": "work"})
    assert (answer.data.output, answer.data.exit_code) == ("gone\n", 5)
    with pytest.raises(FileNotFoundError):
        box.call("bash", {"command": "true", "cwd": "work"})
    assert box.call("bash", {"command": "pwd -P"}).data.output == f"{tmp_path.resolve()}\n"


def test_clock_that_jumps_moves_no_time_limit(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the foreground, in the background and while waiting."""
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    begun = time.monotonic()
    assert box.call("bash", {"command": "sleep 600", "timeout_s": 0.4}).data.timed_out
    assert 0.35 < time.monotonic() - begun < 1.1
    begun = time.monotonic()
    job = box.call("bash", {"command": "sleep 600", "timeout_s": 0.4, "run_in_background": True}).data.id
    assert box.call("bash_output", {"id": job, "wait_s": 5}).data.timed_out
    assert 0.35 < time.monotonic() - begun < 1.2


def test_processes_and_memory_are_bounded(tmp_path: Path, tier: Tier) -> None:
    """A bomb of processes and a program that takes all memory end; this process goes on."""
    bomb = "b() { [ $1 = 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 20; }; b 9; sleep 20"
    shell = Shell(tmp_path, tier, processes=256)
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    begun = time.monotonic()
    data = box.call("bash", {"command": bomb, "timeout_s": 3}).data
    assert time.monotonic() - begun < 4.5
    assert data.ended == "process_limit" or data.timed_out
    assert (shell.survivors(), data.survivors_left) == ([], 0)
    hungry = Toolbox(tmp_path, sandbox=sandbox(tmp_path, tier, memory_bytes=300_000_000))
    answer = hungry.call("run_python", {"code": "b'x' * 10**11", "timeout_s": 20})
    assert answer.data.exit_code == 1
    assert "MemoryError" in answer


def test_environment_has_no_secrets_and_no_traps(tmp_path: Path, tier: Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this process; what the call names is there, whatever its name."""
    trap = tmp_path / "trap.sh"
    trap.write_text("echo trapped\n")
    scrubbed = {
        "BASH_ENV": str(trap),
        "ENV": str(trap),
        "LD_PRELOAD": "/nonexistent.so",
        "GIT_DIR": "/elsewhere",
        "MY_TOKEN": "t",
        "API_KEY": "k",
    }
    for name, value in scrubbed.items():
        monkeypatch.setenv(name, value)
    box = Toolbox(tmp_path, sandbox=sandbox(tmp_path, tier))
    data = box.call("bash", {"command": "env; git init -q; ls -d .git", "env": {"OWN_TOKEN": "mine"}}).data
    names = {line.partition("=")[0] for line in data.stdout.splitlines()}
    assert not scrubbed.keys() & names
    assert {"OWN_TOKEN", ".git"} <= names
    assert "trapped" not in data.output
    assert data.stderr == ""


@pytest.mark.parametrize(("command", "background"), [("yes", False), ("cat /dev/zero", True)])
def test_floods_are_bounded_and_counted(tmp_path: Path, command: str, background: bool) -> None:
    """Memory hardly grows, the total is exact, the ends are shown; measured in a process of its own."""
    size = 300_000_000
    source = f"""
import sys
from pathlib import Path
from rootle import Toolbox
def memory(field):
    return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) * 1024
with Toolbox(sys.argv[1]) as box:
    box.call("bash", {{"command": "seq 20000"}})
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    arguments = {{"command": "{command} | head -c {size}; echo; echo end", "run_in_background": {background}}}
    data = box.call("bash", arguments).data
    if {background}:
        assert box.jobs.get(data.id).wait(50)
        data = box.call("bash_output", {{"id": data.id}}).data
    print(data.output_total, data.exit_code, data.output.endswith("end\\n"), len(data.output) < 61_000)
    print(memory("VmHWM") - before)
"""
    run = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, timeout=55, check=False
    )
    assert run.returncode == 0, run.stderr
    told, growth = run.stdout.splitlines()
    assert told == f"{size + 5} 0 True True"
    assert int(growth) < 64 * 2**20


@pytest.mark.parametrize("size", range(0, 12))
def test_characters_are_not_cut(tmp_path: Path, size: int) -> None:
    """Wherever the bounds of text and memory fall."""
    code = f"""
import os
data = ("x" * {size} + "aä€😀" * 200_000).encode()
for at in range(0, len(data), 99_991):
    os.write(1, data[at : at + 99_991])
"""
    data = Toolbox(tmp_path).call("run_python", {"code": code}).data
    assert data.truncated
    assert data.output_total == size + 2_000_000
    assert "\\x" not in data.output
    assert "\ufffd" not in data.output
    assert os.path.getsize(data.output_file) == data.output_total
