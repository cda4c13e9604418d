"""A victim: a process that writes a file and is killed, or made to fail, at any system call of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Job = dict[str, Any]

CALL = re.compile(r"(\w+)\(")
ORDINARY_USER = 1000
SUPERUSER = os.geteuid() == 0


@dataclass(frozen=True)
class Outcome:
    """What came of a job: its value, or its error, or the signal that ended it."""

    report: dict[str, Any]
    status: int
    trace: str

    @property
    def killed(self) -> bool:
        return os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL

    @property
    def error(self) -> dict[str, Any] | None:
        assert self.status == 0, f"the victim died: status {self.status}\n{self.trace}"
        found: dict[str, Any] | None = self.report.get("error")
        return found

    @property
    def value(self) -> Any:
        assert self.error is None, self.error
        return self.report["value"]

    @property
    def taken(self) -> float:
        return float(self.report["taken"])


class Victim:
    """The server of jobs, and strace on its children."""

    def __init__(self, directory: Path) -> None:
        self._report = directory / "report"
        self._trace = directory / "trace"
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()

    def run(self, job: Job, *strace: str) -> Outcome:
        """Do the job, traced by strace with these arguments if there are any."""
        self._report.unlink(missing_ok=True)
        self._ask({**job, "stop": bool(strace), "report": str(self._report)})
        pid = self._answer()
        tracer = self._attach(pid, strace) if strace else None
        status = self._answer()
        if tracer is not None:
            tracer.wait()
            assert tracer.stderr is not None
            tracer.stderr.close()
        text = self._report.read_text()
        trace = self._trace.read_text() if strace else ""
        return Outcome(json.loads(text) if text else {}, status, trace)

    def start(self, job: Job, report: Path) -> int:
        """Begin a job and give its process; `finish` waits for it."""
        self._ask({**job, "report": str(report)})
        return self._answer()

    def finish(self, report: Path) -> Outcome:
        status = self._answer()
        text = report.read_text()
        return Outcome(json.loads(text) if text else {}, status, "")

    def calls(self, job: Job) -> list[tuple[str, int]]:
        """Give each system call of the job's writing, with its number among those of its name."""
        outcome = self.run(job, "-e", "trace=all")
        assert outcome.error is None, outcome.error
        seen: Counter[str] = Counter()
        found: list[tuple[str, int]] | None = None
        for line in outcome.trace.splitlines():
            match = CALL.match(line)
            if match is None:
                continue
            seen[match[1]] += 1
            if "/rootle-begin" in line:
                found = []
            elif "/rootle-end" in line:
                break
            elif found is not None:
                found.append((match[1], seen[match[1]]))
        assert found, outcome.trace
        return found

    def _attach(self, pid: int, strace: tuple[str, ...]) -> subprocess.Popen[str]:
        while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.0002)
        command = ["strace", "-o", str(self._trace), *strace, "-p", str(pid)]
        tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert tracer.stderr is not None
        # Every way on from the stop goes through strace once it says so.
        line = tracer.stderr.readline()
        assert "attached" in line, line
        os.kill(pid, signal.SIGCONT)
        return tracer

    def _ask(self, job: Job) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()

    def _answer(self) -> int:
        assert self._server.stdout is not None
        return int(self._server.stdout.readline())


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """Give a directory that every user can reach, in memory where there is one: syncing to a disk takes long."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="rootle-crash-", dir=memory if memory.is_dir() else None) as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@pytest.fixture
def victim(scratch: Path) -> Iterator[Victim]:
    """Start the server of jobs."""
    directory = Path(tempfile.mkdtemp(dir=scratch))
    directory.chmod(0o755)
    victim = Victim(directory)
    yield victim
    victim.close()


@pytest.fixture
def crowd(scratch: Path) -> Iterator[list[Victim]]:
    """Start four servers, whose jobs run at the same time."""
    victims = [Victim(Path(tempfile.mkdtemp(dir=scratch))) for _ in range(4)]
    yield victims
    for victim in victims:
        victim.close()


@pytest.fixture
def strace() -> None:
    """Skip where strace is missing or may not trace."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("tracing is not allowed here")


@pytest.fixture
def every() -> int:
    """Give how many calls apart faults are put: each call where all faults are asked for, some of them elsewhere."""
    return 1 if os.environ.get("ROOTLE_FAULTS") == "all" else 19


LINES = b"".join(b"line %06d\n" % number for number in range(200_000))
OLD = {
    "small": b"old content\n",
    "large": LINES[:3_000_000],
    "crlf": b"one\r\ntwo\nthree\rfour\r\n" * 50 + b"no final newline",
    "bom": b"\xef\xbb\xbfmarked\n" + b"\xe9\xff\x00" * 100,
    "symlink": b"behind a link\n" * 10,
    "hardlink": b"two names\n" * 10,
    "in-place": LINES[:700_000],
    "new": None,
}


@dataclass
class Shape:
    """A file to be written, in a tree of its own, and what must be true of it after a fault."""

    name: str
    top: Path
    victim: Victim

    def __post_init__(self) -> None:
        self.root = self.top / "root"
        self.dir = self.root / "d"
        self.file = self.dir / "f"
        self.journal = self.top / "journal"
        self.old = OLD[self.name]
        base = self.old if self.old is not None else b"made\n"
        # Neither content begins or ends like the other, and both lengths change.
        self.new = base.upper().replace(b"0", b"zero")[: len(base) + 100_000] + b"\nmore"
        self.in_place = self.name == "in-place"
        (self.top / "new").write_bytes(self.new)
        (self.top / "next").write_bytes(b"the next call's")
        self.user = ORDINARY_USER if self.in_place and SUPERUSER else None
        self.resolver = "components" if self.name in ("crlf", "hardlink") else "auto"

    def build(self) -> None:
        """Make the tree as it is before the call."""
        if self.dir.exists():
            self.dir.chmod(0o755)
        for directory in (self.root, self.journal):
            shutil.rmtree(directory, ignore_errors=True)
        self.dir.mkdir(parents=True)
        self.journal.mkdir()
        if self.old is not None:
            self.file.write_bytes(self.old)
            self.file.chmod(0o640)
        if self.name == "symlink":
            (self.root / "link").symlink_to("d/f")
        if self.name == "hardlink":
            os.link(self.file, self.root / "other")
        if self.in_place:
            if self.user is not None:
                for path in (self.root, self.dir, self.file, self.journal):
                    os.chown(path, self.user, self.user)
            self.dir.chmod(0o555)

    @property
    def path(self) -> str:
        return {"symlink": "link", "new": "d/p/f"}.get(self.name, "d/f")

    def job(self, content: str = "new") -> Job:
        return {
            "kind": "write",
            "root": str(self.root),
            "path": self.path,
            "content": str(self.top / content),
            "journal": str(self.journal),
            "user": self.user,
            "resolver": self.resolver,
        }

    def content(self) -> bytes | None:
        path = self.dir / "p/f" if self.name == "new" else self.file
        return path.read_bytes() if path.exists() else None

    def temps(self) -> list[str]:
        return [path.name for path in self.root.rglob(".rootle-*")]

    def journals(self) -> list[str]:
        return [path.name for path in self.journal.iterdir()]

    def rest_is_intact(self) -> None:
        """What the call must not touch in any case."""
        if self.name == "symlink":
            assert os.readlink(self.root / "link") == "d/f"
        if self.name == "hardlink":
            assert (self.root / "other").read_bytes() == self.old
        if self.old is not None:
            assert self.file.stat().st_mode & 0o7777 == 0o640
        names = {path.name for path in self.root.rglob("*")}
        assert {name for name in names if not name.startswith(".rootle-")} <= {"d", "f", "p", "link", "other"}

    def next_call(self) -> bytes | None:
        """Write again: the content that the next call finds, after what it mends and sweeps."""
        done = self.victim.run(self.job("next"))
        assert done.taken < 1
        before: str | None = done.value["before"]
        assert self.content() == b"the next call's"
        assert self.temps() == []
        assert self.journals() == []
        self.rest_is_intact()
        return None if before is None else before.encode("latin-1")


@pytest.fixture(params=list(OLD))
def shape(request: pytest.FixtureRequest, scratch: Path, victim: Victim) -> Shape:
    """Give one kind of file after the other."""
    name: str = request.param
    top = Path(tempfile.mkdtemp(dir=scratch))
    top.chmod(0o755)
    return Shape(name, top, victim)
