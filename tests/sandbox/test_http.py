"""What is the HTTP protocol's own: tokens, bounds, what a request may say, and what happens when a side is gone."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rootle import limits
from rootle.contracts import ExecResult
from rootle.errors import PathEscapesRoot, SandboxUnavailable
from rootle.sandbox import HttpStreamSandbox, LocalSandbox

from . import http_service
from .conftest import Place
from .http_service import TOKEN

h11 = pytest.importorskip("h11")
pytest.importorskip("httpx2")

from rootle.sandbox.http_server import SandboxServer  # noqa: E402


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """A client of a server for a local directory."""
    async with http_service.served(LocalSandbox(tmp_path)) as client:
        yield Place("http", client, str(tmp_path))


def url_of(place: Place) -> str:
    """Give the server's address."""
    assert isinstance(place.client, HttpStreamSandbox)
    return place.client.url


async def raw(place: Place, text: str | bytes, *, stay: bool = False) -> bytes:
    """Send bytes to the server and give what it answers until it closes, or for half a second."""
    port = int(url_of(place).rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text.encode() if isinstance(text, str) else text)
    answer = b""
    try:
        async with asyncio.timeout(0.5 if stay else 10):
            while piece := await reader.read(65536):
                answer += piece
    except TimeoutError:
        assert stay
    writer.close()
    return answer


def request(line: str, body: bytes = b"", **headers: str) -> bytes:
    """Write a request as it must be, but for what is given."""
    fields = {"Host": "x", "Authorization": f"Bearer {TOKEN}", "Connection": "close"}
    fields.update({name.replace("_", "-"): value for name, value in headers.items()})
    fields.setdefault("Content-Length", str(len(body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{line} HTTP/1.1\r\n{head}\r\n".encode() + body


@pytest.mark.parametrize(
    "token",
    ["", "Bearer ", "Bearer wrong", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}"],
)
async def test_without_the_token_nothing_is_done(place: Place, token: str) -> None:
    """Whatever is asked for, with one answer that says nothing more."""
    for line, body in (
        ("POST /v1/exec", json.dumps({"argv": ["touch", "made"]}).encode()),
        ("PUT /v1/file?path=made", b"x"),
        ("GET /v1/file?path=none", b""),
        ("GET /v1/health", b""),
        ("GET /nothing", b""),
    ):
        answer = await raw(place, request(line, body, Authorization=token))
        assert answer.startswith(b"HTTP/1.1 401 "), line
        assert TOKEN.encode() not in answer
    assert not os.listdir(place.root)


async def test_client_says_why_it_is_refused(place: Place) -> None:
    """A wrong token, nobody there, and something else there, are all the sandbox being unavailable."""
    stranger = HttpStreamSandbox(url_of(place), "x" * 16)
    with pytest.raises(SandboxUnavailable, match="401: the token is missing or wrong"):
        await stranger.exec(["true"])
    with pytest.raises(SandboxUnavailable, match="cannot be used: ConnectError"):
        await HttpStreamSandbox("http://127.0.0.1:1", "x" * 16).read_file("x")
    other = HttpStreamSandbox(url_of(place) + "/elsewhere", TOKEN)
    with pytest.raises(SandboxUnavailable, match="404"):
        await other.write_file("x", b"")
    with pytest.raises(ValueError, match="can be guessed"):
        SandboxServer(LocalSandbox(place.root), "short")


@pytest.mark.parametrize(
    ("line", "body", "status"),
    [
        ("POST /v1/exec", b"{", 400),
        ("POST /v1/exec", b"[]", 400),
        ("POST /v1/exec", b'{"argv": "ls"}', 400),
        ("POST /v1/exec", b'{"argv": ["ls", 1]}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "shell": true}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "timeout_s": true}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "timeout_s": -1}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "timeout_s": NaN}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "max_output_bytes": -1}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "stdin": "*"}', 400),
        ("POST /v1/exec", b'{"argv": ["ls"], "env": {"A": 1}}', 400),
        ("GET /v1/exec", b"", 405),
        ("DELETE /v1/file?path=kept", b"", 405),
        ("GET /v1/file", b"", 400),
        ("GET /v1/file?path=kept&path=other", b"", 400),
        ("GET /v1/file?path=kept&x=1", b"", 400),
        ("GET /v1/file?path=%FF", b"", 400),
        ("GET /v1/file?path=", b"", 400),
        ("GET /v1/file?path=a%00b", b"", 400),
        ("GET /v1/file?path=..%2f..%2fetc%2fpasswd", b"", 403),
        ("GET /v1/file?path=%2e%2e/%2e%2e/etc/passwd", b"", 403),
        ("GET /v1/file?path=%252e%252e%252fetc", b"", 404),
        ("GET /v1/file/../file?path=kept", b"", 404),
        ("GET /v1/file?path=/etc/passwd", b"", 403),
        ("PUT /v1/file?path=.git/hooks/x", b"x", 403),
        ("GET /", b"", 404),
        ("GET /v1/file?path=kept", b"body", 413),
    ],
)
async def test_requests_that_are_refused(place: Place, line: str, body: bytes, status: int) -> None:
    """With a status and an error in the body; the server goes on."""
    Path(place.root, "kept").write_text("kept")
    answer = await raw(place, request(line, body))
    assert int(answer.split(b" ", 2)[1]) == status, answer[:300]
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]
    assert sorted(os.listdir(place.root)) == ["kept"]
    assert await place.client.read_file("kept") == b"kept"


async def test_what_is_no_http_is_refused(place: Place) -> None:
    """Noise, a head without end, two lengths."""
    assert (await raw(place, b"\x16\x03\x01noise\r\n\r\n")).startswith(b"HTTP/1.1 400 ")
    assert (await raw(place, b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000)).startswith(b"HTTP/1.1 431 ")
    smuggled = request("GET /v1/health", Content_Length="0", Transfer_Encoding="chunked", content_length="5")
    assert b" 200 " not in (await raw(place, smuggled, stay=True)).split(b"\r\n")[0]
    assert (await place.client.exec(["true"])).ok


async def test_bodies_are_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are in memory: by what comes, whatever its length is said to be."""
    monkeypatch.setattr(limits, "EXEC_FILE_BYTES", 1000)
    monkeypatch.setattr(limits, "HTTP_BODY_BYTES", 1000)
    for line in ("PUT /v1/file?path=x", "POST /v1/exec"):
        answer = await raw(place, request(line, b"x" * 1001))
        assert answer.startswith(b"HTTP/1.1 413 ")
        chunked = b"3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n"
        head = f"{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert (await raw(place, head.encode() + chunked)).startswith(b"HTTP/1.1 413 ")
    assert not os.listdir(place.root)


async def test_a_client_that_is_gone_ends_its_command(place: Place) -> None:
    """Within a second, with everything it started."""
    body = {"argv": ["sh", "-c", "(setsid sleep 600 &); sleep 600"], "env": {"ROOTLE_TEST_MARK": place.mark}}
    port = int(url_of(place).rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request("POST /v1/exec", json.dumps(body).encode()))
    await reader.readuntil(b"started")
    while len(place.living()) < 2:
        await asyncio.sleep(0.02)
    writer.transport.abort()
    assert await place.gone(2)


async def test_a_server_that_dies_is_the_sandbox_being_unavailable(tmp_path: Path) -> None:
    """In the middle of a command; and its commands are gone with it."""
    process, url = started_server(tmp_path)
    place = Place("http", HttpStreamSandbox(url, TOKEN), str(tmp_path))
    task = asyncio.create_task(place.shell("sleep 600", timeout_s=100))
    while not place.living():
        await asyncio.sleep(0.02)
    process.kill()
    with pytest.raises(SandboxUnavailable):
        await asyncio.wait_for(task, 10)
    process.wait(10)
    assert await place.gone(5)
    with pytest.raises(SandboxUnavailable, match="cannot be used"):
        await place.client.exec(["true"])


async def test_a_hundred_megabytes_cost_what_is_kept(place: Place) -> None:
    """On the network and in memory, with the exact total."""
    before = peak()
    done = await place.shell("head -c 100000000 /dev/zero", timeout_s=50)
    assert (done.stdout_total, done.truncated, len(done.stdout)) == (100_000_000, True, limits.EXEC_OUTPUT_BYTES)
    assert peak() - before < 40_000_000


async def test_many_at_one_time(place: Place) -> None:
    """Forty commands, of which some fail and one is cancelled, each with its own answer."""
    tasks = [
        asyncio.create_task(place.client.exec(["sh", "-c", f"sleep 0.2; echo {number}; exit {number % 3}"]))
        for number in range(40)
    ]
    await asyncio.sleep(0.1)
    tasks[7].cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    for number, one in enumerate(done):
        if number == 7:
            assert isinstance(one, asyncio.CancelledError)
        else:
            assert isinstance(one, ExecResult)
            assert (one.stdout, one.exit_code) == (b"%d\n" % number, number % 3)


async def test_output_comes_while_the_command_runs(place: Place) -> None:
    """Also from a local sandbox behind the server; the result is the same as without."""
    pieces: list[tuple[float, bytes]] = []
    begun = time.monotonic()
    assert isinstance(place.client, HttpStreamSandbox)
    done = await place.client.exec_streaming(
        ["sh", "-c", "echo one; sleep 1; echo two >&2"],
        on_output=lambda piece: pieces.append((time.monotonic() - begun, piece)),
        timeout_s=20,
    )
    assert (done.stdout, done.stderr, done.exit_code) == (b"one\n", b"two\n", 0)
    assert b"".join(piece for _, piece in pieces) == b"one\ntwo\n"
    assert pieces[-1][0] - pieces[0][0] > 0.5


async def test_signs_of_life(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent command outlives the client's patience; a silent server does not."""
    monkeypatch.setattr(limits, "HTTP_PING_S", 0.1)
    patient = HttpStreamSandbox(url_of(place), TOKEN, silence_s=0.5)
    assert (await patient.exec(["sleep", "1.5"])).ok
    monkeypatch.setattr(limits, "HTTP_PING_S", 60)
    with pytest.raises(SandboxUnavailable, match="ReadTimeout"):
        await patient.exec(["sleep", "5"])
    await patient.aclose()


async def test_errors_keep_their_class(place: Place) -> None:
    """Through the wire, with their hint."""
    with pytest.raises(PathEscapesRoot, match="outside the root") as caught:
        await place.client.read_file("../x")
    assert caught.value.hint == PathEscapesRoot.default_hint
    name = os.fsdecode(b"odd-\xff")
    await place.client.write_file(name, b"x")
    assert await place.client.read_file(name) == b"x"
    assert os.listdir(os.fsencode(place.root)) == [b"odd-\xff"]
    assert (await place.client.exec(["cat", name])).stdout == b"x"


def test_command_line_refuses_what_is_unsafe(tmp_path: Path) -> None:
    """No token, and an open network without TLS."""
    for arguments, env, said in (
        ([], {}, "there is no token"),
        (["--host", "0.0.0.0"], {"ROOTLE_SANDBOX_TOKEN": TOKEN}, "the token needs TLS"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "rootle.sandbox.http_server", "--root", tmp_path, *arguments],
            env={**os.environ, "ROOTLE_SANDBOX_TOKEN": "", **env},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (done.returncode, said in done.stderr) == (2, True)


async def test_command_line_serves_until_it_is_told(tmp_path: Path) -> None:
    """Commands do not find the token in their environment."""
    process, url = started_server(tmp_path)
    client = HttpStreamSandbox(url, TOKEN)
    done = await client.exec(["sh", "-c", "env; cat /proc/$PPID/environ 2>/dev/null | tr '\\0' '\\n'; pwd"])
    assert (TOKEN.encode() in done.stdout, done.stdout.splitlines()[-1].decode()) == (False, str(tmp_path))
    await client.aclose()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def started_server(path: Path) -> tuple[subprocess.Popen[str], str]:
    """Start the server's command line, and give its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rootle.sandbox.http_server", "--root", path, "--port", "0"],
        env={**os.environ, "ROOTLE_SANDBOX_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    found = re.fullmatch(r"listening at (\S+)\n", process.stdout.readline())
    process.stdout.close()
    assert found
    return process, found[1]


def peak() -> int:
    """Give the most memory that this process had, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) * 1024
