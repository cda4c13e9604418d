"""What the tests of git share: repositories made by plain git, and a toolbox on them."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from rootle import Toolbox
from rootle.sandbox import LocalSandbox

IDENTITY = {
    "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "n@example.com",
    "GIT_COMMITTER_NAME": "n",
    "GIT_COMMITTER_EMAIL": "n@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Plain:
    """Git as anyone would run it in a directory: with all that a repository's configuration says."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self.home = home
        path.mkdir(parents=True, exist_ok=True)

    def __call__(self, *arguments: str, check: bool = True, path: str | None = None, **env: str) -> str:
        """Run git and give its output."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={"PATH": os.environ["PATH"] if path is None else path, "HOME": str(self.home), **IDENTITY, **env},
            capture_output=True,
            check=False,
            timeout=50,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.decode("utf-8", "surrogateescape")

    def commit(self, files: dict[str, str | bytes], message: str = "m") -> str:
        """Write files, commit everything, and give the commit."""
        self.write(files)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", message)
        return self("rev-parse", "HEAD").strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files below the directory."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())


PlainIn: TypeAlias = Callable[[Path], Plain]


class GitServer(ThreadingHTTPServer):
    """Repositories below a directory over HTTP on loopback, through git's own backend.

    Paths that start with a word of `special` are answered otherwise; `asked` has every request.
    """

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.path = path
        self.asked: list[tuple[str, str, str | None]] = []
        self.redirects: dict[str, str] = {}
        self.stalled = threading.Event()
        self.password: str | None = None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what tests are about."""


class _Request(BaseHTTPRequestHandler):
    server: GitServer
    protocol_version = "HTTP/1.0"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        self.answer(body)

    def answer(self, body: bytes) -> None:
        authorization = self.headers.get("Authorization")
        self.server.asked.append((self.headers.get("Host", ""), self.path, authorization))
        first = self.path.strip("/").split("/")[0]
        if first in self.server.redirects:
            self.send_response(302)
            self.send_header("Location", self.server.redirects[first].replace("{rest}", self.path[len(first) + 2 :]))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif first == "private" and authorization != self.server.password:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()
        elif first == "stall":
            self.server.stalled.set()
            self.connection.settimeout(60)
            self.connection.recv(1)
        elif first == "half":
            self.backend(body, half=self.command == "POST")
        elif first == "dumb":
            self.plain_file()
        else:
            self.backend(body)

    def plain_file(self) -> None:
        path = self.server.path / self.path.strip("/").split("?")[0]
        if not path.is_file():
            return self.send_error(404)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(path.read_bytes())
        return None

    def backend(self, body: bytes, *, half: bool = False) -> None:
        path, _, query = self.path.removeprefix("/half").partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.path),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_CONFIG_KEY_1": "http.uploadpack",
            "GIT_CONFIG_VALUE_1": "true",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(["git", "http-backend"], env=env, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        # Without the length, the end of an encrypted connection could not be told from one that broke.
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not half or b"PACK" not in content:
            self.wfile.write(content)
            return
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self.server.stalled.set()
        self.connection.settimeout(60)
        self.connection.recv(1)


@pytest.fixture
def server(tmp_path: Path, plain: PlainIn) -> Iterator[GitServer]:
    """A server with the repositories `tool.git` (a branch, a tag, three commits) and `empty.git`."""
    path = tmp_path / "served"
    source = plain(tmp_path / "source")
    source("init", "--quiet", "--initial-branch=main")
    for number in range(3):
        source.commit({"file.txt": f"{number}\n"})
    source("tag", "v1")
    source("checkout", "--quiet", "-b", "topic")
    source.commit({"topic.txt": "topic\n"})
    source("checkout", "--quiet", "main")
    source("clone", "--quiet", "--bare", ".", str(path / "tool.git"))
    plain(path)("init", "--quiet", "--bare", "--initial-branch=trunk", "empty.git")
    made = GitServer(path)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of the toolbox; what lies beside it is outside."""
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def plain(home: Path) -> PlainIn:
    """Plain git in a directory of its own."""
    return lambda path: Plain(path, home)


@pytest.fixture
def repo(root: Path, home: Path) -> Plain:
    """A repository at the root with one commit of one file."""
    plain = Plain(root, home)
    plain("init", "--quiet", "--initial-branch=main")
    plain.commit({"file.txt": "one\ntwo\n"})
    return plain


@pytest.fixture
def box(root: Path) -> Toolbox:
    return Toolbox(root, allow_web=True, sandbox=LocalSandbox(root))
