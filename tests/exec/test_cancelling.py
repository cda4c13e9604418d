"""Commands that are cut short from outside: by their task, their token, Ctrl-C, or the end of this process."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from rootle import _core
from rootle.sandbox import Environment, LocalSandbox, Tier

from .conftest import Shell, marked, state, until

# Deaf, with a child in a session of its own and one that is stopped.
STUBBORN = "trap '' TERM; echo x; setsid sleep 600 & sleep 600 & kill -STOP $!; while :; do sleep 600; done"


def children() -> list[str]:
    """Give the state of each child of this process; a zombie is a child that was forgotten."""
    listed = [task.read_text().split() for task in Path("/proc/self/task").glob("*/children")]
    return [state(int(pid)) for pids in listed for pid in pids]


async def test_task_cancelled_at_any_moment(shell: Shell) -> None:
    """CancelledError within a second, also during the start, and nothing lives."""
    moments = random.Random(7)
    for _ in range(40):
        task = asyncio.create_task(shell.sandbox.exec(["bash", "-c", STUBBORN]))
        await asyncio.sleep(moments.choice([0, 0.001, 0.01, 0.05]) * moments.random())
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 1.0
    assert shell.survivors() == []
    assert children() == []
    assert (await shell.sandbox.exec(["echo", "on"])).stdout == b"on\n"


async def test_timeout_of_asyncio_ends_the_command(shell: Shell) -> None:
    """`asyncio.timeout` is a cancellation too."""
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await shell.sandbox.exec(["bash", "-c", STUBBORN])
    assert time.monotonic() - begun < 1.3
    assert shell.survivors() == []


def test_token_ends_a_command_within_200_ms(shell: Shell) -> None:
    """What was printed before is there."""
    token = _core.CancelToken()
    ended: list[tuple[_core.ExecOutcome, float]] = []
    thread = threading.Thread(target=lambda: ended.append((shell(STUBBORN, cancel=token), time.monotonic())))
    thread.start()
    assert until(lambda: len(shell.survivors()) >= 3, 5)
    begun = time.monotonic()
    token.cancel()
    thread.join()
    [(outcome, end)] = ended
    assert end - begun < 0.3  # 200 ms, and what a loaded machine takes to wake a thread.
    assert (outcome.ended, outcome.stdout.data, shell.survivors()) == ("cancelled", b"x\n", [])


def test_token_that_is_set_already(shell: Shell) -> None:
    """The command hardly begins."""
    token = _core.CancelToken()
    token.cancel()
    outcome = shell("sleep 600", cancel=token)
    assert (outcome.ended, shell.survivors()) == ("cancelled", [])


def host(tmp_path: Path, body: str, mark: str, tier: Tier) -> subprocess.Popen[str]:
    """Start another Python with a sandbox `box`, and wait until the command in it has printed into a file."""
    made = "BubblewrapSandbox(" if tier == "bubblewrap" else f"LocalSandbox(tier={tier!r}, path="
    source = f"""
import asyncio, os, sys, threading, time
from rootle.sandbox import BubblewrapSandbox, Environment, LocalSandbox
box = {made}{str(tmp_path)!r}, environment=Environment(set={{"ROOTLE_TEST_MARK": {mark!r}}}))
command = {STUBBORN.replace("echo x", "touch ready")!r}
{textwrap.dedent(body)}
"""
    process = subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert until((tmp_path / "ready").exists, 10), process.communicate(timeout=1)
    return process


HOSTS = {
    "plain": "box.run(['bash'], script=command)",
    "asyncio": "asyncio.run(box.exec(['bash', '-c', command]))",
}


@pytest.mark.parametrize("kind", HOSTS)
def test_interrupt_ends_the_command(tmp_path: Path, tier: Tier, kind: str) -> None:
    """Ctrl-C raises KeyboardInterrupt at once, and nothing lives."""
    mark = f"int-{os.getpid()}-{tier}-{kind}"
    process = host(
        tmp_path, f"try:\n    {HOSTS[kind]}\nexcept KeyboardInterrupt:\n    print('interrupted')", mark, tier
    )
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert time.monotonic() - begun < 1.5  # The interpreter's own end is in it.
    assert (stdout, process.returncode) == ("interrupted\n", 0), stderr
    assert list(marked(f"ROOTLE_TEST_MARK={mark}")) == []


# A child of the host that holds all of its descriptors and outlives it.
FORKS = """
def fork():
    while not os.path.exists("ready"):
        time.sleep(0.01)
    if os.fork() == 0:
        open("forked", "w").close()
        time.sleep(8)
        os._exit(0)
os.chdir(box.root)
threading.Thread(target=fork, daemon=True).start()
"""


@pytest.mark.parametrize("kind", [*HOSTS, "with a forked child"])
def test_host_killed_outright_leaves_nothing(tmp_path: Path, tier: Tier, kind: str) -> None:
    """Within a second, also when a child that the host forked holds its descriptors open."""
    mark = f"kill-{os.getpid()}-{tier}-{kind.replace(' ', '-')}"
    process = host(tmp_path, HOSTS.get(kind, FORKS + HOSTS["plain"]), mark, tier)
    assert kind in HOSTS or until((tmp_path / "forked").exists, 5)
    process.kill()
    process.wait()
    assert until(lambda: not [pid for pid in marked(f"ROOTLE_TEST_MARK={mark}") if state(pid) not in "ZX"], 1.0)
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def test_end_of_the_thread_that_started_a_command_ends_nothing(tmp_path: Path, tier: Tier) -> None:
    """What a thread started and kept lives on when the thread is gone."""
    if tier == "bubblewrap":
        pytest.skip("nothing outlives its command there")
    shell = Shell(tmp_path, tier, keep_survivors=True)
    thread = threading.Thread(target=lambda: shell("setsid sleep 30 & echo hi"))
    thread.start()
    thread.join()
    time.sleep(0.3)
    survivors = shell.survivors()
    assert survivors
    for pid in survivors:
        os.kill(pid, signal.SIGKILL)


def test_commands_leak_nothing(tmp_path: Path) -> None:
    """Descriptors, threads and zombies are as many after 300 commands, eight at a time, as after the first ones."""
    box = LocalSandbox(tmp_path, environment=Environment())

    async def many(count: int) -> None:
        gate = asyncio.Semaphore(8)

        async def one(number: int) -> None:
            async with gate:
                done = await box.exec(["sh", "-c", f"echo {number}; exit {number % 7}"])
                assert (done.stdout, done.exit_code) == (b"%d\n" % number, number % 7)

        await asyncio.gather(*(one(number) for number in range(count)))

    def held() -> tuple[int, int, list[str]]:
        return len(os.listdir("/proc/self/fd")), threading.active_count(), children()

    asyncio.run(many(20))
    before = held()
    asyncio.run(many(300))
    assert until(lambda: held() == before, 2), (before, held())
    assert before[2] == []


def test_commands_at_once_do_not_end_each_other(tmp_path: Path) -> None:
    """One that kills its supervisor and the guardian takes no other with it."""
    box = LocalSandbox(tmp_path)
    results: list[_core.ExecOutcome] = []
    steady = threading.Thread(
        target=lambda: results.append(
            box.run(["bash"], script="for i in {1..15}; do sleep 0.1; done; echo all; exit 4")
        )
    )
    steady.start()
    time.sleep(0.2)
    for script in ("kill -9 $PPID; sleep 5", "kill -9 $(ps -o ppid= $PPID) $PPID; sleep 5"):
        assert box.run(["bash"], script=script, timeout_s=10).ended == "supervisor_lost"
    assert box.run(["bash"], script="echo on").stdout.data == b"on\n"
    steady.join()
    assert [(one.stdout.data, one.exit_code) for one in results] == [(b"all\n", 4)]


def test_fork_of_this_process_runs_commands_too(tmp_path: Path) -> None:
    """In a guardian of its own, and the parent's goes on."""
    box = LocalSandbox(tmp_path)
    box.run(["true"])
    pid = os.fork()
    if pid == 0:
        try:
            done = box.run(["sh", "-c", "exit 9"], timeout_s=5)
            os._exit(done.exit_code or 0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert box.run(["sh", "-c", "exit 8"], timeout_s=5).exit_code == 8


GUARDIAN = "ps -o ppid= -p $PPID"


def below(pid: int) -> list[int]:
    """Give the children of a process, and theirs, the deepest first."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for task in tasks for child in task.read_text().split()]
    return [one for child in found for one in (*below(child), child)]


def is_ready(guardian: int) -> bool:
    """Whether one supervisor waits, with the process that will become a command."""
    return len(below(guardian)) == 2


def gone(pids: list[int]) -> bool:
    """Whether all of them ended."""
    return all(state(pid) in "ZX" for pid in pids)


def test_helper_ends_with_this_process(tmp_path: Path) -> None:
    """The guardian and what it keeps ready, within a second, also when nothing ran."""
    source = "import sys\nfrom rootle.sandbox import LocalSandbox\n"
    source += (
        f"print(LocalSandbox('/').run(['sh'], script='{GUARDIAN}').stdout.data.decode(), flush=True)\nsys.stdin.read()"
    )
    command = [sys.executable, "-c", source]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        guardian = int(process.stdout.readline())
        assert until(lambda: is_ready(guardian), 1)
        ready = below(guardian)
        assert state(guardian) in "SR"
        process.kill()
    assert until(lambda: gone([guardian, *ready]), 1.0)


def test_supervisors_that_wait_may_be_killed(tmp_path: Path) -> None:
    """Whoever kills them, the next command finds others."""
    box = LocalSandbox(tmp_path)
    for _ in range(5):
        guardian = int(box.run(["sh"], script=GUARDIAN).stdout.data)
        assert until(partial(is_ready, guardian), 1)
        for pid in (ready := below(guardian)):
            os.kill(pid, signal.SIGKILL)
        assert until(partial(gone, ready), 1)
        assert box.run(["sh"], script="echo on; exit 3").exit_code == 3


def test_command_takes_after_this_process_as_it_is_now(tmp_path: Path) -> None:
    """The mask and the limits count as they are when the command starts, not when the first one did."""
    import resource

    box = LocalSandbox(tmp_path)
    box.run(["true"])
    mask = os.umask(0o027)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        assert box.run(["bash"], script="umask; ulimit -n").stdout.data == b"0027\n200\n"
    finally:
        os.umask(mask)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert box.run(["bash"], script="umask; ulimit -n").stdout.data == f"{mask:04o}\n{soft}\n".encode()
