"""Calls of tools that are cut short: by task, abort signal or Ctrl-C, by the end of the toolbox or of this process."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import UserAbortError
from rootle.sandbox import Environment, LocalSandbox, Tier

from .conftest import Shell, marked, state, until

pytestmark = pytest.mark.usefixtures("outputs")

# Deaf, with a child in a session of its own and one that is stopped.
STUBBORN = "trap '' TERM; echo x; setsid sleep 600 & sleep 600 & kill -STOP $!; while :; do sleep 600; done"
PYTHON = f"import subprocess; subprocess.run(['bash', '-c', {STUBBORN!r}])"

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "bash": ("bash", {"command": STUBBORN}),
    "auto_background": ("bash", {"command": STUBBORN, "auto_background": True}),
    "run_python": ("run_python", {"code": PYTHON}),
}


def children() -> list[str]:
    """Give the state of each child of this process; a zombie is a child that was forgotten."""
    listed = [task.read_text().split() for task in Path("/proc/self/task").glob("*/children")]
    return [state(int(pid)) for pids in listed for pid in pids]


@pytest.mark.parametrize("name", CALLS)
async def test_task_cancelled_at_any_moment(shell: Shell, tmp_path: Path, name: str, outputs: Path) -> None:
    """CancelledError within a second, also during the start; nothing lives and no file is left."""
    if name != "bash" and shell.tier != "subreaper":
        pytest.skip("the same under all tiers")
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    tool, arguments = CALLS[name]
    moments = random.Random(11)
    for _ in range(40):
        task = asyncio.create_task(box.acall(tool, arguments))
        await asyncio.sleep(moments.choice([0, 0.001, 0.01, 0.05]) * moments.random())
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 1.0
    assert shell.survivors() == []
    assert children() == []
    assert not outputs.exists() or list(outputs.iterdir()) == []
    assert (await box.acall("bash", {"command": "echo on"})).data.output == "on\n"


@pytest.mark.parametrize("make", [threading.Event, asyncio.Event])
@pytest.mark.parametrize("name", CALLS)
def test_abort_signal_ends_the_command(shell: Shell, tmp_path: Path, make: Callable[[], Any], name: str) -> None:
    """UserAbortError within a second, and nothing lives."""
    box = Toolbox(tmp_path, sandbox=shell.sandbox)
    stop = make()
    times: list[float] = []

    def abort() -> None:
        until(lambda: len(shell.survivors()) >= 3, 5)
        times.append(time.monotonic())
        stop.set()

    threading.Thread(target=abort).start()
    tool, arguments = CALLS[name]
    with pytest.raises(UserAbortError) as caught:
        box.call(tool, arguments, abort=stop)
    assert time.monotonic() - times[0] < 1.0
    assert caught.value.code == "user_abort_error"
    assert shell.survivors() == []


async def test_progress_that_fails_ends_the_command(shell: Shell, tmp_path: Path) -> None:
    """The host's own error comes out, and nothing lives."""
    box = Toolbox(tmp_path, sandbox=shell.sandbox)

    def progress(*_: object) -> None:
        raise ValueError("no more")

    with pytest.raises(Exception, match="no more"):
        await box.acall("bash", {"command": STUBBORN}, progress=progress)
    assert shell.survivors() == []


def test_waiting_may_be_cut_short_without_ending_the_job(shell: Shell, tmp_path: Path) -> None:
    """The wait is the call's, the command is not."""
    with Toolbox(tmp_path, sandbox=shell.sandbox) as box:
        job = box.call("bash", {"command": STUBBORN, "run_in_background": True}).data.id
        assert box.call("bash_output", {"id": job, "wait_s": 5}).data.output == "x\n"
        stop = threading.Event()
        threading.Timer(0.2, stop.set).start()
        begun = time.monotonic()
        with pytest.raises(UserAbortError):
            box.call("bash_output", {"id": job, "wait_s": 30}, abort=stop)
        answer = box.call("bash_output", {"id": job, "wait_s": 30}, timeout_s=0.3)
        assert time.monotonic() - begun < 1.5
        assert answer.data.running
        assert len(shell.survivors()) >= 3
    assert shell.survivors() == []


def host(tmp_path: Path, body: str, mark: str, tier: Tier) -> subprocess.Popen[str]:
    """Start another Python with a toolbox `box`, and wait until the command in it has made a file."""
    made = "BubblewrapSandbox(" if tier == "bubblewrap" else f"LocalSandbox(tier={tier!r}, path="
    source = f"""
import asyncio, os, sys, time
from rootle import Toolbox
from rootle.sandbox import BubblewrapSandbox, Environment, LocalSandbox
sandbox = {made}{str(tmp_path)!r}, environment=Environment(set={{"ROOTLE_TEST_MARK": {mark!r}}}))
box = Toolbox({str(tmp_path)!r}, sandbox=sandbox)
command = {STUBBORN.replace("echo x", "touch ready")!r}
{textwrap.dedent(body)}
"""
    process = subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert until((tmp_path / "ready").exists, 10), process.communicate(timeout=1)
    return process


HOSTS = {
    "call": "box.call('bash', {'command': command})",
    "acall": "asyncio.run(box.acall('bash', {'command': command}))",
    "run_python": "box.call('run_python', {'code': f'import os; os.execlp(\"bash\", \"bash\", \"-c\", {command!r})'})",
    "background": "box.call('bash', {'command': command, 'run_in_background': True}); time.sleep(600)",
}


@pytest.mark.parametrize("kind", HOSTS)
def test_interrupt_is_raised_and_ends_the_command(tmp_path: Path, tier: Tier, kind: str) -> None:
    """Ctrl-C: KeyboardInterrupt, and nothing lives when the process is over."""
    mark = f"tool-int-{os.getpid()}-{tier}-{kind}"
    body = f"try:\n    {HOSTS[kind]}\nexcept KeyboardInterrupt:\n    print('interrupted')"
    process = host(tmp_path, body, mark, tier)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert time.monotonic() - begun < 2.5  # The interpreter's own end is in it.
    assert (stdout, process.returncode) == ("interrupted\n", 0), stderr
    assert until(lambda: not living(mark), 1.0)


@pytest.mark.parametrize("kind", HOSTS)
def test_host_killed_outright_leaves_nothing(tmp_path: Path, tier: Tier, kind: str) -> None:
    """Within a second, in the background too."""
    mark = f"tool-kill-{os.getpid()}-{tier}-{kind}"
    process = host(tmp_path, HOSTS[kind], mark, tier)
    assert living(mark)
    process.kill()
    process.wait()
    assert until(lambda: not living(mark), 1.0)
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def living(mark: str) -> list[int]:
    """Give the processes that carry the mark and live."""
    return [pid for pid in marked(f"ROOTLE_TEST_MARK={mark}") if state(pid) not in "ZX"]


@pytest.mark.parametrize("how", ["close", "with", "forgotten"])
def test_jobs_end_with_the_toolbox(tmp_path: Path, tier: Tier, how: str) -> None:
    """When it is closed, left, or nobody holds it any more."""
    shell = Shell(tmp_path, tier)
    box: Toolbox | None = Toolbox(tmp_path, sandbox=shell.sandbox)
    assert box is not None
    for _ in range(3):
        box.call("bash", {"command": STUBBORN, "run_in_background": True})
    assert until(lambda: len(shell.survivors()) >= 9, 5)
    begun = time.monotonic()
    if how == "close":
        box.close()
    elif how == "with":
        with box:
            pass
    else:
        box = None
        gc.collect()
    # Who holds the toolbox last lets go of it on the loop's thread, a moment later.
    assert until(lambda: not shell.survivors(), 2.0 if how == "forgotten" else 0.0)
    assert time.monotonic() - begun < 2.5
    assert until(lambda: not [one for one in threading.enumerate() if one.name.startswith("rootle-job")], 1.0)


async def test_async_toolbox_closes(tmp_path: Path) -> None:
    """Without holding up the loop."""
    shell = Shell(tmp_path, "subreaper")
    async with Toolbox(tmp_path, sandbox=shell.sandbox) as box:
        await box.acall("bash", {"command": STUBBORN, "run_in_background": True})
        assert until(lambda: len(shell.survivors()) >= 3, 5)
    assert shell.survivors() == []


def test_fork_has_no_jobs(tmp_path: Path) -> None:
    """A forked child neither ends nor counts its parent's commands, and can run its own."""
    source = """
import os, sys
from rootle import Toolbox
box = Toolbox(sys.argv[1])
job = box.call("bash", {"command": "read x; echo got $x", "run_in_background": True}).data.id
pid = os.fork()
if pid == 0:
    box.close()
    assert box.jobs.all == []
    assert box.call("bash", {"command": "echo own"}).data.output == "own\\n"
    own = box.call("bash", {"command": "echo job", "run_in_background": True}).data.id
    assert box.call("bash_output", {"id": own, "wait_s": 5}).data.output == "job\\n"
    box.close()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(box.call("bash_output", {"id": job, "stdin": "it\\n", "wait_s": 5}).data.output, end="")
"""
    run = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, timeout=30, check=False
    )
    assert run.stdout == "0\ngot it\n", run.stderr


def test_calls_leak_nothing(tmp_path: Path) -> None:
    """Descriptors, threads and children are as many after 400 calls, eight at a time, as after the first ones."""
    box = Toolbox(tmp_path, sandbox=LocalSandbox(tmp_path, environment=Environment()))

    async def one(number: int) -> None:
        command = {"command": f"echo {number}; exit {number % 7}"}
        if number % 4 == 0:
            job = (await box.acall("bash", {**command, "run_in_background": True})).data.id
            if number % 8 == 0:
                await box.acall("bash_kill", {"id": job})
            else:
                await box.jobs.get(job).ended()
        elif number % 4 == 1:
            done = await box.acall("bash", {"command": "seq 200000"}, progress=lambda *_: None)
            assert done.data.output_total == 1_288_895
        else:
            done = await box.acall("bash", command)
            assert (done.data.output, done.data.exit_code) == (f"{number}\n", number % 7)

    async def many(count: int) -> None:
        gate = asyncio.Semaphore(8)

        async def gated(number: int) -> None:
            async with gate:
                await one(number)

        await asyncio.gather(*(gated(number) for number in range(count)))

    def held() -> tuple[int, int, list[str]]:
        return len(os.listdir("/proc/self/fd")), threading.active_count(), children()

    asyncio.run(many(24))
    assert until(lambda: not box.jobs.running, 2)
    before = held()
    asyncio.run(many(400))
    assert until(lambda: held() == before, 2), (before, held())
    assert before[2] == []
    assert len(box.jobs) <= 64
