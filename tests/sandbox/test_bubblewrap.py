"""What a command in bubblewrap sees and can write, and what it cannot do. `tests/exec` has how its commands end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rootle.errors import InvalidArgument, PathNotFound, SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, mounts
from rootle.sandbox.bubblewrap import INSIDE


def said(box: BubblewrapSandbox, script: str, **options: object) -> str:
    """Give what a script prints, errors included."""
    outcome = box.run(["sh"], script=script, timeout_s=20, merge_streams=True, **options)  # type: ignore[arg-type]
    return outcome.output.data.decode().strip()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BubblewrapSandbox:
    """A sandbox on a directory below a home directory that holds a secret."""
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    (home / "secret").write_text("s")
    (home / "tools").mkdir()
    (home / "tools/tool").write_text("t")
    monkeypatch.setenv("HOME", str(home))
    box = BubblewrapSandbox(home / "project", readable=[home / "tools"])
    try:
        box.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(f"bubblewrap cannot be had here: {error}")
    return box


def test_only_the_directory_can_be_written(box: BubblewrapSandbox, tmp_path: Path) -> None:
    """What is written there stays; everything else is read-only, empty or not there."""
    assert said(box, "echo kept > f; echo x > /tmp/x; echo x > ~/x; ls -A ~ /tmp /run") != ""
    assert (tmp_path / "home/project/f").read_text() == "kept\n"
    assert not (tmp_path / "home/x").exists()
    for path in ("/x", "/usr/x", "/etc/x", "/opt/x", "/run/x", INSIDE, "../tools/tool", f"{sys.prefix}/x"):
        assert "cannot" in said(box, f"echo x 2>&1 > {path} || echo cannot"), path
    assert said(box, "cat ../tools/tool; ls ~; cat ~/secret 2>/dev/null") == "tproject\ntools"


def test_scratch_is_a_command_s_own_and_bounded(box: BubblewrapSandbox, tmp_path: Path) -> None:
    """Nothing of one command is there for the next, and memory is not filled."""
    assert said(box, "echo x > /tmp/x; echo x > /var/tmp/y; ls /tmp | grep -c '^[xy]$'; id -u") == f"2\n{os.geteuid()}"
    assert said(box, "ls -A /tmp | grep -v ^pytest") == ""
    small = BubblewrapSandbox(tmp_path / "home/project", scratch_bytes=100_000)
    assert "No space left" in said(small, "head -c 300000 /dev/zero > /tmp/x; true")


def test_private_files_are_not_shown(box: BubblewrapSandbox, tmp_path: Path) -> None:
    """Whatever not everybody may read below /etc, whoever runs this."""
    for name in mounts.private("/etc"):
        assert said(box, f"cat {name} 2>/dev/null; ls {name} 2>/dev/null | grep -v '^{name}$'") == "", name
    (tmp_path / "a").mkdir(mode=0o700)
    (tmp_path / "b").write_text("x")
    (tmp_path / "b").chmod(0o600)
    (tmp_path / "c").write_text("x")
    assert sorted(mounts.private(str(tmp_path))) == [f"{tmp_path}/a", f"{tmp_path}/b"] + [f"{tmp_path}/home"] * (
        (tmp_path / "home").stat().st_mode & 0o005 != 0o005
    )


def test_no_rights_and_no_other_process(box: BubblewrapSandbox) -> None:
    """Without capabilities, with itself alone, in a session of its own, without network."""
    assert said(box, "grep -c '^Cap.*0000000000000000$' /proc/self/status") == "5"
    assert said(box, "echo /proc/[0-9]*") == "/proc/1 /proc/2"
    assert said(box, "mount -t tmpfs none /mnt 2>/dev/null || echo refused") == "refused"
    assert said(box, "umount /etc/shadow 2>/dev/null || echo refused") == "refused"
    assert said(box, "mknod d b 7 0 2>/dev/null || echo refused") == "refused"
    assert said(box, "kill -9 1; echo on; cat /proc/1/environ >/dev/null 2>&1 || echo closed") == "on\nclosed"


def assert_kernel_is_out_of_reach(box: BubblewrapSandbox) -> None:
    """Root in a sandbox has root's number, for which the kernel's settings are writable."""
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    assert said(box, "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern || echo refused") != ""
    assert said(box, "(echo pwn > /proc/sys/kernel/core_pattern) 2>/dev/null || echo refused") == "refused"
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before
    assert said(box, "(echo x > /proc/sys/kernel/hostname) 2>/dev/null || echo refused") == "refused"
    assert said(box, "(echo h > /proc/sysrq-trigger) 2>/dev/null || echo refused") == "refused"
    assert said(box, "head -c 1 /proc/kcore 2>/dev/null | wc -c; head -c 1 /proc/keys 2>/dev/null | wc -c") == "0\n0"


@pytest.mark.parametrize("user_namespace", [True, False])
def test_kernel_is_out_of_reach(tmp_path: Path, user_namespace: bool) -> None:
    """With a user namespace and without."""
    box = BubblewrapSandbox(tmp_path, user_namespace=user_namespace)
    try:
        box.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(f"it cannot be had here: {error}")
    assert_kernel_is_out_of_reach(box)
    if user_namespace:
        # With CAP_DAC_OVERRIDE everything seems so; who may write is asked above. A trigger on pressure is one's
        # own, and what is covered by /dev/null swallows what is written.
        harmless = {
            *mounts.OF_OTHERS,
            "/proc/kmsg",
            *(f"/proc/pressure/{name}" for name in ("cpu", "io", "irq", "memory")),
        }
        found = said(box, "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null")
        assert set(found.split()) <= harmless
        assert said(box, "(echo x > /proc/kmsg) 2>/dev/null || echo refused") == "refused"


def test_network_is_there_when_asked_for(box: BubblewrapSandbox) -> None:
    """A server of this machine is reached with `net` and not without."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: server.accept()[0].close(), daemon=True).start()
        connect = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5); print('in')"
        for net, expected in ((False, False), (True, True)):
            own = BubblewrapSandbox(box.root, net=net)
            done = own.run([sys.executable, "-c", connect], timeout_s=20)
            assert (done.stdout.data == b"in\n") is expected, done.stderr.data


def test_variables_of_a_command_do_not_reach_outside(box: BubblewrapSandbox, tmp_path: Path) -> None:
    """A library that they name is loaded inside the sandbox at the most, never by the program that makes it."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    (tmp_path / "evil.c").write_text(
        '#include <stdio.h>\n__attribute__((constructor)) void f(void) { FILE *o = fopen("%s", "w");'
        ' if (o) { fputs("out", o); fclose(o); } }' % (tmp_path / "outside")
    )
    library = tmp_path / "home/project/evil.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "evil.c"], check=True)
    done = box.run(["/bin/sh", "-c", "/bin/true; echo ran"], env={"LD_PRELOAD": str(library)}, timeout_s=20)
    assert done.stdout.data == b"ran\n"
    assert not (tmp_path / "outside").exists()


def test_what_this_process_runs_from_is_read_only_below_the_directory(tmp_path: Path) -> None:
    """A virtual environment in the project would otherwise carry code out of the sandbox."""
    import rootle

    package = Path(rootle.__file__).parent
    box = BubblewrapSandbox(package.parent)
    try:
        box.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(f"bubblewrap cannot be had here: {error}")
    assert "Read-only" in said(box, f"echo x > {package}/__init__.py")
    assert said(box, "touch not-there && rm not-there && echo writable") == "writable"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works on files of others")
def test_root_can_work_on_files_of_another_user(tmp_path: Path) -> None:
    """Without a user namespace, and still with nothing that acts outside."""
    os.chown(tmp_path, 1234, 1234)
    box = BubblewrapSandbox(tmp_path)
    try:
        box.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(f"bubblewrap cannot be had here: {error}")
    assert said(box, "echo x > f && chown 1234:1234 f && stat -c %u f") == "1234"
    assert_kernel_is_out_of_reach(box)
    assert said(box, "mount -t tmpfs none /mnt 2>/dev/null || echo refused") == "refused"
    assert said(box, "cat /etc/shadow 2>/dev/null") == ""


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything visible, a path that is missing, and a machine without the program."""
    with pytest.raises(InvalidArgument):
        BubblewrapSandbox("/")
    with pytest.raises(PathNotFound):
        BubblewrapSandbox(tmp_path, readable=[tmp_path / "none"])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="install the package bubblewrap"):
        BubblewrapSandbox(tmp_path).run(["/bin/true"])


def test_a_refusal_by_the_system_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the program printed is the reason."""
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SandboxUnavailable, match="No permissions to create new namespace"):
        BubblewrapSandbox(tmp_path, user_namespace=True).run(["true"])
