"""What a command finds: input, terminal, environment, descriptors, signals, limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rootle.errors import InvalidArgument, PathEscapesRoot, SandboxUnavailable
from rootle.sandbox import Environment, LocalSandbox, Tier

from .conftest import Shell, sandbox

# What asks a person meets the end of its input, or no terminal.
ASKS = {
    "cat": ("cat; echo done", b"done\n"),
    "read": ("read x; echo $?", b"1\n"),
    "tty": ("tty; cat /dev/tty 2>/dev/null || echo none", b"not a tty\nnone\n"),
    "python": ("python3 -c 'input()' 2>/dev/null || echo end", b"end\n"),
    "password": ("python3 -c 'import getpass; getpass.getpass()' 2>/dev/null </dev/null || echo end", b"end\n"),
    "ssh": (
        "command -v ssh >/dev/null || { echo failed; exit; }; ssh -p 1 127.0.0.1 2>/dev/null || echo failed",
        b"failed\n",
    ),
    "git": ("git clone -q https://127.0.0.1:1/private.git 2>/dev/null || echo failed", b"failed\n"),
    "su": ("su nobody -s /bin/sh -c 'tty' | head -1", b"not a tty\n"),
    "controlling terminal": ("ps -o tty= -p $$", b"?\n"),
}


@pytest.mark.parametrize("name", ASKS)
def test_nothing_waits_for_a_person(shell: Shell, name: str) -> None:
    """Within two seconds, without a terminal."""
    script, stdout = ASKS[name]
    if (name, shell.tier) == ("su", "bubblewrap"):
        pytest.skip("nobody can become another user there")
    begun = time.monotonic()
    outcome = shell(script, timeout_s=10)
    assert (outcome.ended, outcome.stdout.data.replace(b" ", b"")) == ("exited", stdout.replace(b" ", b""))
    assert time.monotonic() - begun < 2.0


def test_input_is_what_was_given(shell: Shell) -> None:
    """Bytes of any size and kind, or a descriptor whose other end is the caller's."""
    data = bytes(range(256)) * 10_000
    assert shell("cat", stdin=data, max_output_bytes=len(data)).stdout.data == data
    assert shell("head -c 3", stdin=data).stdout.data == data[:3]
    read, write = os.pipe()
    os.write(write, b"line\n")
    os.close(write)
    assert shell("cat", stdin_fd=read).stdout.data == b"line\n"
    os.close(read)
    for fd in (read, -1, 10**6):
        with pytest.raises(InvalidArgument):
            shell("cat", stdin_fd=fd)
    with pytest.raises(InvalidArgument):
        shell("cat", stdin=b"", stdin_fd=0)


def test_environment_is_scrubbed(tmp_path: Path, tier: Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets and traps are not taken over; what is given to the command is."""
    trap = tmp_path / "trap.sh"
    trap.write_text("echo trapped\n")
    scrubbed = {
        "BASH_ENV": str(trap),
        "ENV": str(trap),
        "LD_PRELOAD": "/nonexistent.so",
        "GIT_DIR": "/elsewhere",
        "GIT_SSH_COMMAND": f"sh {trap}",
        "GIT_CONFIG_COUNT": "1",
        "MY_API_KEY": "k",
        "session_token": "t",
        "AWS_SECRET_ACCESS_KEY": "s",
        "BASH_FUNC_ls%%": "() { echo trapped; }",
        "PROMPT_COMMAND": "echo trapped",
    }
    for name, value in scrubbed.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ORDINARY", "öä")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A")
    outcome = sandbox(tmp_path, tier).run(["bash"], script="env -0; ls", env={"OWN_TOKEN": "mine"}, timeout_s=10)
    entries = dict(entry.split("=", 1) for entry in outcome.stdout.data.decode().split("\0") if "=" in entry)
    assert not scrubbed.keys() & entries.keys()
    assert (entries["ORDINARY"], entries["OWN_TOKEN"], entries["GIT_AUTHOR_NAME"]) == ("öä", "mine", "A")
    assert (entries["PAGER"], entries["GIT_TERMINAL_PROMPT"], entries["NO_COLOR"]) == ("cat", "0", "1")
    assert b"trapped" not in outcome.output.data
    assert outcome.stderr.data == b""


def test_environment_keeps_and_scrubs_as_asked() -> None:
    """The policy's own lists come last."""
    source = {"CI_TOKEN": "x", "PLAIN": "y", "LANG": "de_DE.UTF-8", "PWD": "/"}
    kept = Environment(source=source, keep=["CI_TOKEN"], scrub=["PL*"], set={"PAGER": "more"}).build()
    assert kept["CI_TOKEN"] == "x"
    assert "PLAIN" not in kept
    assert "PWD" not in kept
    assert (kept["LANG"], kept["PAGER"], kept.get("LC_ALL")) == ("de_DE.UTF-8", "more", None)
    assert Environment(source={"LC_ALL": "C", "LANG": "de_DE.UTF-8"}).build()["LC_ALL"] == "C.UTF-8"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"env": {"A=B": "x"}}, "env"),
        ({"env": {"": "x"}}, "env"),
        ({"env": {"A\0": "x"}}, "env"),
        ({"env": {"A": "x\0y"}}, "env"),
        ({"script": "a\0b"}, "script"),
        ({"argv": []}, "argv"),
        ({"argv": ["a\0"]}, "argv"),
    ],
)
def test_what_no_process_can_have_is_refused(tmp_path: Path, options: dict[str, object], name: str) -> None:
    """With an error that names the argument, before anything runs."""
    with pytest.raises(InvalidArgument) as caught:
        LocalSandbox(tmp_path).run(**{"argv": ["true"], **options})  # type: ignore[arg-type]
    assert caught.value.details["name"] == name


def test_directory_is_confined(shell: Shell, tmp_path: Path) -> None:
    """A directory outside the root is refused, also through a link."""
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    for cwd in ("..", "/etc", "out"):
        with pytest.raises(PathEscapesRoot):
            shell("true", cwd=cwd)
    assert shell("pwd", cwd="link").stdout.data.decode().strip() == str(tmp_path / "in")


def test_command_has_no_descriptor_but_its_three(shell: Shell, tmp_path: Path) -> None:
    """Also when this process has one that is inheritable."""
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        listed = shell.sandbox.run(["ls", "/proc/self/fd"], timeout_s=5).stdout.data.split()
        # The fourth is that of the directory being listed.
        assert [int(fd) for fd in listed] == [0, 1, 2, 3]


def test_signals_are_at_their_defaults(tmp_path: Path) -> None:
    """Whatever this process ignores or blocks: Python itself ignores SIGPIPE and SIGXFSZ."""
    source = """
import signal, sys
from rootle.sandbox import LocalSandbox
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1):
    signal.signal(one, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR2})
done = LocalSandbox(sys.argv[1]).run(["cat", "/proc/self/status"], timeout_s=10)
print(done.stdout.data.decode())
print(done.exit_code)
"""
    run = subprocess.run([sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=True)
    fields = dict(line.split(":\t", 1) for line in run.stdout.splitlines() if ":\t" in line)
    # The C library ignores two signals of its own, 32 and 33, in what it starts.
    assert (int(fields["SigIgn"], 16) & ~(3 << 31), int(fields["SigBlk"], 16)) == (0, 0)


def test_host_keeps_its_own_state(tmp_path: Path) -> None:
    """No child, no handler, no change of directory, session or mask; and no adopted orphans."""
    source = """
import os, signal, sys, threading
from pathlib import Path
from rootle.sandbox import LocalSandbox
def own():
    status = Path("/proc/self/status").read_text().splitlines()
    kept = [line for line in status if line.split(":")[0] in ("SigCgt", "SigIgn", "SigBlk", "Umask", "Threads")]
    return kept, os.getcwd(), os.getsid(0), os.getpgid(0), sorted(os.listdir("/proc/self/fd"))
box = LocalSandbox(sys.argv[1])
box.run(["true"])
before = own()
for _ in range(5):
    box.run(["sh", "-c", "setsid sleep 600 & kill -9 $PPID"], timeout_s=10)
    box.run(["true"])
print(before[:4] == own()[:4], len(own()[4]) - len(before[4]))
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
"""
    run = subprocess.run([sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout == "True 0\nno child\n"


def test_processes_are_bounded(tmp_path: Path, tier: Tier) -> None:
    """A command that would start 500 processes is contained, and this process goes on meanwhile."""
    shell = Shell(tmp_path, tier, processes=64)
    # Bounded by itself as well: two to the eighth processes at most.
    bomb = "b() { [ $1 = 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 20; }; b 8; sleep 20"
    begun = time.monotonic()
    outcome = shell(bomb, timeout_s=3)
    assert time.monotonic() - begun < 4.0
    assert outcome.ended == "process_limit" or outcome.stderr.total > 0
    assert (shell.survivors(), outcome.survivors_left) == ([], 0)


def test_resources_are_bounded(tmp_path: Path, tier: Tier) -> None:
    """Memory, file size and processor time end what takes too much, and nothing else."""
    memory = Shell(tmp_path, tier, memory_bytes=300_000_000)
    program = [sys.executable, "-c", "b'x' * 10**11"]
    outcome = memory.sandbox.run(program, timeout_s=20)
    assert outcome.exit_code == 1
    assert b"MemoryError" in outcome.stderr.data
    size = Shell(tmp_path, tier, file_bytes=100_000)
    assert size("head -c 1000000 /dev/zero > big; echo $?").stdout.data == b"153\n"  # 128 + SIGXFSZ
    assert (tmp_path / "big").stat().st_size == 100_000
    outcome = Shell(tmp_path, tier, cpu_s=1)("while :; do :; done", timeout_s=20)
    assert (outcome.ended, outcome.signal) == ("exited", signal.SIGXCPU)


def test_tier_that_cannot_be_had_is_an_error(tmp_path: Path) -> None:
    """An unprivileged process without user namespaces gets no silent step down: it is told."""
    source = """
import os, sys
from rootle.errors import SandboxUnavailable
from rootle.sandbox import LocalSandbox
os.setgroups([]); os.setresgid(1000, 1000, 1000); os.setresuid(1000, 1000, 1000)
try:
    print(LocalSandbox("/", tier="cgroup").run(["true"], timeout_s=5).tier)
except SandboxUnavailable as error:
    print("refused:", "control group" in str(error))
print(LocalSandbox("/").run(["sh", "-c", "setsid sleep 600 & echo $(id -u)"], timeout_s=5).stdout.data)
"""
    if os.geteuid() != 0:
        pytest.skip("needs to become another user")
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert run.stdout in ("refused: True\nb'1000\\n'\n", "cgroup\nb'1000\\n'\n")


def test_missing_helper_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is missing."""
    from rootle.sandbox import local

    monkeypatch.setattr(local, "HELPER", tmp_path / "none")
    with pytest.raises(SandboxUnavailable, match="cannot be run"):
        LocalSandbox(tmp_path).run(["true"])
    monkeypatch.setattr(local, "HELPER", Path("/bin/true"))
    with pytest.raises(SandboxUnavailable, match="cannot be run"):
        LocalSandbox(tmp_path).run(["true"])
