"""Run jobs in forked children, so that each can be traced, limited, killed, and costs no start of an interpreter.

Reads a JSON object a line from standard input, answers with two lines each: the child's `pid` at once, its wait status
when it has ended. The child leaves a JSON object in the job's `report` file: `value`, or `error` with class, code and
details, and the seconds `taken`. With `stop` it stops itself before the call, until it is told to go on. Two calls of
`access` on paths that do not exist mark in a trace where the call begins and ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from rootle import _core
from rootle.errors import RootleError, StaleFile

Job = dict[str, Any]
MS_BIND, MS_REMOUNT, MS_RDONLY = 4096, 32, 1


def hidden_mounts(mounts: list[dict[str, Any]]) -> None:
    """Mount where no other process sees it: `tmpfs` of a size, `bind` of a path on itself, `read_only` of a bind."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: bytes, at: bytes, kind: bytes | None, flags: int, data: bytes | None) -> None:
        if libc.mount(source, at, kind, ctypes.c_ulong(flags), data) != 0:
            raise OSError(ctypes.get_errno(), "mount")

    if libc.unshare(0x00020000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    mount(b"none", b"/", None, 0x4000 | 0x40000, None)
    for wanted in mounts:
        at = os.fsencode(wanted["at"])
        if wanted["kind"] == "tmpfs":
            mount(b"tmpfs", at, b"tmpfs", 0, f"size={wanted['size']}".encode())
            for name, size in wanted.get("files", {}).items():
                Path(wanted["at"], name).write_bytes(b"o" * size)
        else:
            mount(at, at, None, MS_BIND, None)
            if wanted["kind"] == "read_only":
                mount(at, at, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None)


def options(job: Job) -> dict[str, Any]:
    """Give what every writing call takes."""
    return {
        "make_parents": True,
        "allow_git_internals": False,
        "max_bytes": 10**9,
        "journal_dir": job["journal"],
        "timeout_s": job.get("timeout_s", 10.0),
        "cancel": None,
    }


def told(written: _core.Written) -> dict[str, Any]:
    """Give what a test wants to know of a file; content as Latin-1."""
    before = written.before
    return {
        "path": written.path,
        "before": None if before is None else before.decode("latin-1"),
        "created": written.created,
        "in_place": written.in_place,
        "hard_link_broken": written.hard_link_broken,
        "notices": [notice.code for notice in written.notices],
    }


def write(job: Job, root: _core.Root) -> Any:
    """Write the content of the file `content` to `path`."""
    content = Path(job["content"]).read_bytes()
    mark("begin")
    done = _core.write_file(
        root=root,
        path=job["path"],
        content=content,
        create_only=job.get("create_only", False),
        expected_hash=None,
        mode=None,
        **options(job),
    )
    mark("end")
    return told(done)


def change(kind: str, path: str, to: str | None = None, content: str | None = None) -> _core.FileChange:
    """Build one change of a commit."""
    return _core.FileChange(
        kind=kind,
        path=path,
        to=to,
        content=None if content is None else content.encode("latin-1"),
        create_only=False,
        expected_hash=None,
        mode=None,
    )


def commit(job: Job, root: _core.Root) -> Any:
    """Make `changes`: lists of the arguments of `change`."""
    changes = [change(*arguments) for arguments in job["changes"]]
    mark("begin")
    done = _core.commit(root=root, changes=changes, **options(job))
    mark("end")
    return [told(written) for written in done]


def recover(job: Job, root: _core.Root) -> Any:
    """Finish what is left half done."""
    done = _core.recover(root=root, journal_dir=job["journal"], timeout_s=10.0, cancel=None)
    return [[file.path, file.action] for file in done]


def append(job: Job, root: _core.Root) -> Any:
    """Add lines to a file by compare and swap; how often somebody else was faster."""
    refused = 0
    for line in job["lines"]:
        while True:
            old = _core.read_whole(root=root, path=job["path"], max_bytes=10**9, timeout_s=10.0, cancel=None)
            try:
                _core.write_file(
                    root=root,
                    path=job["path"],
                    content=old.content + line.encode(),
                    create_only=False,
                    expected_hash=old.hash,
                    mode=None,
                    **options(job),
                )
            except StaleFile:
                refused += 1
            else:
                break
    return refused


JOBS = {"write": write, "commit": commit, "recover": recover, "append": append}


def mark(name: str) -> None:
    """Leave a trace that the recording finds."""
    os.access(f"/rootle-{name}", os.F_OK)


def child(job: Job) -> None:
    """Do the job and report on it."""
    if job.get("mounts"):
        hidden_mounts(job["mounts"])
    if job.get("user") is not None:
        os.setgroups([])
        os.setresgid(job["user"], job["user"], job["user"])
        os.setresuid(job["user"], job["user"], job["user"])
    if job.get("file_size") is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_size"], job["file_size"]))
    root = _core.Root(job["root"], resolver=job.get("resolver", "auto"), timeout_s=10.0)
    report: dict[str, Any] = {}
    if job.get("stop"):
        os.kill(os.getpid(), signal.SIGSTOP)
    begun = time.perf_counter()
    try:
        report["value"] = JOBS[job["kind"]](job, root)
    except RootleError as error:
        details = {key: value for key, value in error.details.items() if isinstance(value, int | str | None)}
        report["error"] = {"class": type(error).__name__, "code": error.code, **details}
    except KeyboardInterrupt:
        report["error"] = {"class": "KeyboardInterrupt", "code": ""}
    report["taken"] = time.perf_counter() - begun
    if job.get("file_size") is not None:
        report["left"] = {str(path.name): len(path.read_bytes()) for path in Path(job["root"]).iterdir()}
    if job.get("mounts"):
        report["left"] = {
            str(path.relative_to(job["root"])): path.read_bytes().decode("latin-1")
            for path in Path(job["root"]).rglob("*")
            if path.is_file()
        }
    os.write(job["report_fd"], json.dumps(report).encode())


def main() -> None:
    """Serve until standard input ends."""
    for line in sys.stdin:
        job: Job = json.loads(line)
        job["report_fd"] = os.open(job["report"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                child(job)
                status = 0
            finally:
                os._exit(status)
        os.close(job["report_fd"])
        print(json.dumps(pid), flush=True)
        print(json.dumps(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
