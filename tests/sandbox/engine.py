"""A container engine: the service of Podman, started for the tests, with an image of BusyBox."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import tarfile
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from rootle.errors import SandboxUnavailable
from rootle.sandbox import DockerSandbox

T = TypeVar("T")

LIMITS = {"nofile": 1024, "nproc": 4096}


@dataclass
class Engine:
    """An engine that answers."""

    sdk: Any
    base_url: str
    container: str
    number: int = 0

    def client(self, **options: Any) -> tuple[DockerSandbox, str]:
        """Give a client on an empty directory of the container."""
        self.number += 1
        root = f"/places/{self.number}"
        self.in_container("mkdir", "-p", root)
        return DockerSandbox(self.container, root, base_url=self.base_url, **options), root

    def limits(self) -> list[Any]:
        """Give the limits that a container can have where its engine may raise none."""
        make = pytest.importorskip("docker").types.Ulimit
        return [make(name=name, soft=most, hard=most) for name, most in LIMITS.items()]

    def in_container(self, *argv: str) -> bytes:
        """Run a program in it, without the client."""
        output: bytes = self.sdk.containers.get(self.container).exec_run(list(argv)).output
        return output


def _image(directory: Path) -> Path:
    """Make a file system of BusyBox alone."""
    busybox = shutil.which("busybox")
    if busybox is None or b"statically" not in subprocess.run(["file", "-L", busybox], capture_output=True).stdout:
        pytest.skip("there is no static BusyBox to make an image of (package busybox-static, and file)")
    tree = directory / "image"
    for name in ("bin", "etc", "root", "tmp", "usr", "proc", "dev"):
        (tree / name).mkdir(parents=True)
    shutil.copy(busybox, tree / "bin/busybox")
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for name in set(listed) - {"busybox"}:
        (tree / "bin" / name).symlink_to("busybox")
    (tree / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (tree / "tmp").chmod(0o1777)
    with tarfile.open(directory / "image.tar", "w") as archive:
        archive.add(tree, ".")
    return directory / "image.tar"


@contextmanager
def served(directory: Path) -> Iterator[Engine]:
    """Run a service with one container until the end of the block; skips the test where none can be had."""
    docker = pytest.importorskip("docker")
    podman = shutil.which("podman")
    if podman is None:
        pytest.skip("there is no podman")
    image = _image(directory)
    # Short: the name of a socket has a bound of 108 bytes.
    place = Path("/tmp") / f"rootle-engine-{os.getpid()}"
    place.mkdir(mode=0o700)
    base_url = f"unix://{place}/socket"
    command = [podman, "--root", f"{place}/store", "--runroot", f"{place}/run", "--storage-driver", "vfs"]
    command += ["--cgroup-manager", "cgroupfs"]
    if shutil.which("runc"):
        command += ["--runtime", "runc"]
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen([*command, "system", "service", "--time", "0", base_url], stderr=log)
    client = None
    try:
        client = _until_it_answers(docker, base_url, process)
        said = client.api.import_image_from_file(str(image), repository="rootle-test", tag="1")
        # Podman gives the image another name than Docker does.
        name = json.loads(said.strip().splitlines()[-1])["status"]
        limits = [docker.types.Ulimit(name=what, soft=most, hard=most) for what, most in LIMITS.items()]
        try:
            box = _apart(lambda: DockerSandbox.start(name, "/places", client=client, ulimits=limits, init=False))
        except SandboxUnavailable as error:
            pytest.skip(f"no container runs here: {error}")
        yield Engine(client, base_url, box.container)
        _apart(box.aclose)
    finally:
        if client is not None:
            with suppress(Exception):
                client.containers.prune()
            client.close()
        process.terminate()
        process.wait(20)
        subprocess.run([podman, "unshare", "rm", "-rf", place] if os.geteuid() else ["rm", "-rf", place], check=False)


def _apart(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine where no event loop runs."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


def _until_it_answers(docker: Any, base_url: str, process: subprocess.Popen[bytes]) -> Any:
    until = time.monotonic() + 20
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(base_url.removeprefix("unix://"))
            return docker.DockerClient(base_url=base_url, timeout=60)
        except OSError as error:
            if process.poll() is not None or time.monotonic() > until:
                pytest.skip(f"podman's service does not run here: {error}")
            time.sleep(0.1)
