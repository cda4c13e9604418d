"""An SSH server on loopback with keys and configuration of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from rootle.sandbox import SshSandbox

PROGRAM = shutil.which("sshd") or "/usr/sbin/sshd"


@dataclass
class Server:
    """A running server."""

    port: int
    directory: Path
    process: subprocess.Popen[bytes]

    def client(self, root: Path | str, **options: object) -> SshSandbox:
        """Give a client on a directory."""
        known = f"[127.0.0.1]:{self.port} {(self.directory / 'host.pub').read_text()}"
        (self.directory / "known").write_text(known)
        settings: dict[str, object] = {
            "username": getpass.getuser(),
            "client_keys": [str(self.directory / "user")],
            "known_hosts": str(self.directory / "known"),
            "config": None,
            "agent_path": None,
        }
        return SshSandbox("127.0.0.1", str(root), port=self.port, **{**settings, **options})  # type: ignore[arg-type]


@contextmanager
def served(directory: Path) -> Iterator[Server]:
    """Run a server until the end of the block; skips the test where there is none."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("there is no sshd (package openssh-server)")
    pytest.importorskip("asyncssh")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name], check=True)
    (directory / "authorized").write_text((directory / "user.pub").read_text())
    (directory / "authorized").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if os.geteuid() == 0:
        # Where the server locks its own unprivileged half in.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    (directory / "config").write_text(
        f"""Port {port}
ListenAddress 127.0.0.1
HostKey {directory}/host
AuthorizedKeysFile {directory}/authorized
StrictModes no
UsePAM no
PidFile none
PasswordAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
"""
    )
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen([PROGRAM, "-D", "-e", "-f", directory / "config"], stderr=log)
    try:
        until = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    pytest.skip(f"sshd does not run here: {(directory / 'log').read_text()[-300:]}")
                time.sleep(0.02)
        yield Server(port, directory, process)
    finally:
        process.terminate()
        process.wait(10)
