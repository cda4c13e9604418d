"""What is the engine's own: containers that are not there, that end, that are made and removed."""

from __future__ import annotations

from typing import Any

import pytest
from rootle.errors import SandboxUnavailable
from rootle.sandbox import DockerSandbox

from . import engine


async def test_what_does_not_run_says_so(container_engine: engine.Engine) -> None:
    """No engine, no such container, a container that was stopped."""
    nobody = DockerSandbox("x", base_url="tcp://127.0.0.1:1")
    with pytest.raises(SandboxUnavailable, match="the engine says"):
        await nobody.exec(["true"])
    missing = DockerSandbox("no-such-container", base_url=container_engine.base_url)
    for call in (missing.exec(["true"]), missing.read_file("x"), missing.write_file("x", b"")):
        with pytest.raises(SandboxUnavailable, match="no-such-container"):
            await call
    await missing.aclose()
    with pytest.raises(ValueError, match="not an absolute path"):
        DockerSandbox("x", "relative")


async def test_a_container_is_made_and_removed(container_engine: engine.Engine) -> None:
    """With the directory, without network, and gone at the end."""
    image = container_engine.sdk.containers.get(container_engine.container).image.id
    options: dict[str, Any] = {"ulimits": container_engine.limits(), "init": False}
    box = await DockerSandbox.start(image, "/deep/work", base_url=container_engine.base_url, **options)
    done = await box.exec(["sh", "-c", "pwd; ls /sys/class/net; id -u"])
    assert done.stdout.decode().split() == ["/deep/work", "lo", "0"]
    name = box.container
    container_engine.sdk.containers.get(name).kill()
    with pytest.raises(SandboxUnavailable):
        await box.exec(["true"])
    await box.aclose()
    assert name not in [one.id for one in container_engine.sdk.containers.list(all=True)]


async def test_output_comes_while_the_command_runs(container_engine: engine.Engine) -> None:
    """`exec_streaming` calls back on the event loop."""
    client, _ = container_engine.client()
    pieces: list[bytes] = []
    done = await client.exec_streaming(["sh", "-c", "echo one; sleep 0.5; echo two >&2"], on_output=pieces.append)
    assert (done.stdout, done.stderr, b"".join(pieces), len(pieces)) == (b"one\n", b"two\n", b"one\ntwo\n", 2)
    await client.aclose()
