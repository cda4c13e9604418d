"""What is SSH's own: logging in, losing the connection, several event loops, servers that offer less."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest
from rootle.errors import SandboxUnavailable
from rootle.sandbox import SshSandbox

from . import sshd
from .conftest import Place


async def test_what_cannot_be_reached_says_so(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """No server, another user's key, another server's key."""
    nobody = SshSandbox("127.0.0.1", "/tmp", port=1, known_hosts=None, config=None)
    with pytest.raises(SandboxUnavailable, match=r"127.0.0.1:1 cannot be used"):
        await nobody.exec(["true"])
    stranger = ssh_server.client(tmp_path, client_keys=[str(ssh_server.directory / "host")])
    with pytest.raises(SandboxUnavailable, match="Permission denied"):
        await stranger.read_file("x")
    (tmp_path / "known").write_text(f"[127.0.0.1]:{ssh_server.port} {(ssh_server.directory / 'user.pub').read_text()}")
    misled = ssh_server.client(tmp_path, known_hosts=str(tmp_path / "known"))
    with pytest.raises(SandboxUnavailable, match="not trusted"):
        await misled.write_file("x", b"")
    with pytest.raises(ValueError, match="not an absolute path"):
        SshSandbox("127.0.0.1", "relative")


async def test_a_lost_connection_ends_the_command_there(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """By a process that stands beside it; the call says that the sandbox is gone, and the next one connects again."""
    place = Place("ssh", ssh_server.client(tmp_path), str(tmp_path))
    assert isinstance(place.client, SshSandbox)
    task = asyncio.create_task(place.shell("trap '' HUP; (setsid sleep 600 &); sleep 600", timeout_s=100))
    for _ in range(500):
        await asyncio.sleep(0.02)
        if len(place.living()) >= 2:
            break
    connection = await place.client._link().connection()
    connection.abort()
    with pytest.raises(SandboxUnavailable):
        await asyncio.wait_for(task, 10)
    assert await place.gone(10)
    assert (await place.client.exec(["echo", "again"])).stdout == b"again\n"
    await place.client.aclose()


def test_each_event_loop_has_its_connection(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """A client is made once and used from several, one after the other."""
    client = ssh_server.client(tmp_path)

    async def once(text: str) -> bytes:
        try:
            return (await client.exec(["echo", text])).stdout
        finally:
            await client.aclose()

    assert [asyncio.run(once(text)) for text in ("one", "two")] == [b"one\n", b"two\n"]


async def test_survivors_are_kept_when_asked_for(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """A daemon goes on, until its time limit there."""
    place = Place("ssh", ssh_server.client(tmp_path, keep_survivors=True), str(tmp_path))
    done = await place.shell("(setsid sleep 600 >/dev/null 2>&1 </dev/null &); echo hi", timeout_s=20)
    assert (done.stdout, done.exit_code) == (b"hi\n", 0)
    assert place.living()
    for pid in place.living():
        await place.client.exec(["kill", "-9", str(pid)])
    await place.client.aclose()  # type: ignore[attr-defined]


async def test_noise_of_a_login_is_not_the_command_s(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """What start-up files print comes before the mark."""
    from rootle.sandbox.headtail import HeadTail
    from rootle.sandbox.remote_shell import Refused, Stream

    stream = Stream("abc", HeadTail(100))
    given = [stream.feed(piece) for piece in (b"Welcome!\nabc 1", b"\n\nab", b"c 12 13", b"\nout", b"put")]
    assert (b"".join(given), stream.pid, stream.watcher, stream.kept.data) == (b"output", 12, 13, b"output")
    stream.check(125)
    refused = Stream("abc", HeadTail(100))
    refused.feed(b"\nabc 1 0\nabc cwd\n")
    with pytest.raises(Refused, match="cwd"):
        refused.check(125)
    refused.check(1)


async def test_output_comes_while_the_command_runs(ssh_server: sshd.Server, tmp_path: Path) -> None:
    """`exec_streaming` calls back with pieces of both streams."""
    client = ssh_server.client(tmp_path)
    pieces: list[tuple[float, bytes]] = []
    begun = time.monotonic()
    done = await client.exec_streaming(
        ["sh", "-c", "echo one; sleep 1; echo two >&2"],
        on_output=lambda piece: pieces.append((time.monotonic() - begun, piece)),
    )
    assert (done.stdout, done.stderr) == (b"one\n", b"two\n")
    assert b"".join(piece for _, piece in pieces) == b"one\ntwo\n"
    assert pieces[-1][0] - pieces[0][0] > 0.5
    await client.aclose()


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """And importing the package needs none of them."""
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    with pytest.raises(SandboxUnavailable, match=r"pip install 'rootle\[ssh\]'"):
        SshSandbox("127.0.0.1", "/")
