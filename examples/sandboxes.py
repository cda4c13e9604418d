"""The same ten tool calls in a local directory, in bubblewrap, and on an SSH server on loopback, with the same results.

Needs bubblewrap and OpenSSH's server for the second and third place; one that cannot be had is named and left out.
"""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rootle import Toolbox
from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, SshSandbox

DIFF = """@@
 def greet(name):
-    return 'Good day, ' + name
+    return f'Good day, {name}!'
"""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "src/greet.py", "content": "def greet(name):\n    return 'Hello, ' + name\n"}),
    ("write_file", {"path": "notes/ünï code.txt", "content": "one\ntwo\nthree\n"}),
    ("list_dir", {"depth": 2}),
    ("glob", {"pattern": "**/*.py", "sort": "path"}),
    ("grep", {"pattern": "Hello|two"}),
    ("read_file", {"path": "notes/ünï code.txt", "start_line": 2}),
    ("update_file", {"path": "src/greet.py", "old_text": "Hello", "new_text": "Good day"}),
    ("apply_diff", {"path": "src/greet.py", "diff": DIFF}),
    ("run_python", {"code": "import sys; sys.path.insert(0, 'src')\nfrom greet import greet; print(greet('you'))"}),
    ("bash", {"command": "cat src/greet.py; echo problem >&2; exit 3"}),
]

# Of each result what a place does not change: no times, no tiers, no words about how it was done.
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "write_file": lambda data: (data.path, data.hash),
    "list_dir": lambda data: [(entry.path, entry.kind) for entry in data.entries],
    "glob": lambda data: data.paths,
    "grep": lambda data: [(match.path, match.line, match.column, match.text) for match in data.matches],
    "read_file": lambda data: [(line.number, line.text) for line in data.files[0].lines],
    "update_file": lambda data: (data.path, data.hash),
    "apply_diff": lambda data: (data.applied, [(file.path, file.hunks_applied, file.hash) for file in data.files]),
    "run_python": lambda data: (data.exit_code, data.stdout, data.stderr),
    "bash": lambda data: (data.exit_code, data.stdout, data.stderr),
}


@contextmanager
def ssh_server(directory: Path) -> Iterator[dict[str, Any]]:
    """Run a server on a free port, with keys of its own, and give what a client needs."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        raise SandboxUnavailable.of("there is no sshd: install the package openssh-server")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if getpass.getuser() == "root":
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    settings = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": directory / "host",
        "AuthorizedKeysFile": directory / "user.pub",
        "StrictModes": "no",
        "UsePAM": "no",
        "PidFile": "none",
        "PermitRootLogin": "prohibit-password",
        "Subsystem": "sftp internal-sftp",
    }
    (directory / "config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    (directory / "known").write_text(f"[127.0.0.1]:{port} {(directory / 'host.pub').read_text()}")
    log = (directory / "log").open("wb")
    server = subprocess.Popen([program, "-D", "-e", "-f", directory / "config"], stderr=log)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield {
            "port": port,
            "username": getpass.getuser(),
            "client_keys": [str(directory / "user")],
            "known_hosts": str(directory / "known"),
            "config": None,
            "agent_path": None,
        }
    finally:
        server.terminate()
        server.wait(10)
        log.close()


def answers(box: Toolbox) -> list[Any]:
    """Make the calls and give what they answer."""
    return [ANSWERS[name](box.call(name, arguments).data) for name, arguments in CALLS]


def main() -> int:
    """Compare the places; exit code 1 when one answers otherwise."""
    with ExitStack() as stack:

        def directory() -> Path:
            return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rootle-example-"))).resolve()

        def on_loopback() -> Toolbox:
            settings = stack.enter_context(ssh_server(directory()))
            return Toolbox(SshSandbox("127.0.0.1", str(directory()), **settings))

        places: dict[str, Callable[[], Toolbox]] = {
            "local": lambda: Toolbox(directory()),
            "bubblewrap": lambda: Toolbox(BubblewrapSandbox(directory())),
            "ssh": on_loopback,
        }
        expected: list[Any] | None = None
        for name, make in places.items():
            begun = time.perf_counter()
            try:
                found = answers(make())
            except SandboxUnavailable as error:
                print(f"{name:11} cannot be had here: {error}")
                continue
            took = time.perf_counter() - begun
            expected = expected or found
            different = [call for call, one, other in zip(CALLS, found, expected, strict=True) if one != other]
            print(f"{name:11} {len(CALLS)} calls in {took:5.2f} s: {different or 'the same results'}")
            if different:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
