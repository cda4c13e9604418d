"""What goes wrong in a sandbox or on the way to it: typed errors, partial answers, nothing lost."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rootle import AsyncWorkspace, Toolbox, Workspace
from rootle.contracts import ExecResult, Replacement
from rootle.errors import (
    CommitIncomplete,
    DeadlineExceeded,
    SandboxUnavailable,
    StaleFile,
    UserAbortError,
)
from rootle.sandbox import Environment, LocalSandbox, client_of
from rootle.workspace import SandboxBackend
from rootle.workspace.remote import scripts

FILES = {"src/a.py": "def main():\n    pass\n", "b.txt": "needle\n", ".gitignore": "*.log\n"}


class Meddling:
    """A client that does something before, or gives something else after, certain scripts."""

    def __init__(self, root: Path, **tricks: Callable[..., Any]) -> None:
        self.inner = LocalSandbox(root)
        self.tricks = tricks
        self.scripts: list[str] = []
        self.loops: set[int] = set()
        self.cancelled = 0

    async def exec(self, argv: Sequence[str], **options: Any) -> ExecResult:
        """Run a program, with the trick for its script."""
        name = next((name for name in scripts.__all__ if getattr(scripts, name) == argv[2]), "")
        self.scripts.append(name)
        self.loops.add(id(asyncio.get_running_loop()))
        trick = self.tricks.get(name.lower()) or self.tricks.get("every")
        try:
            if trick is None or (name == "PROBE" and "probe" not in self.tricks):
                return await self.inner.exec(argv, **options)
            given = trick(lambda: self.inner.exec(argv, **options))
            result: ExecResult = await given if asyncio.iscoroutine(given) else given
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return result

    async def read_file(self, path: str) -> bytes:
        """Read a file."""
        return await self.inner.read_file(path)

    async def write_file(self, path: str, data: bytes) -> None:
        """Write a file."""
        self.scripts.append("write_file")
        await self.inner.write_file(path, data)


def soon(condition: Callable[[], bool]) -> bool:
    """Wait a second for something."""
    end = time.monotonic() + 1
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def workspace(client: Any) -> Workspace:
    return Workspace(backend=SandboxBackend(client))


async def hang(_: Any) -> ExecResult:
    await asyncio.sleep(3600)
    raise AssertionError


def raising(_: Any) -> ExecResult:
    raise ConnectionResetError("the line is dead")


def timed_out(_: Any) -> ExecResult:
    return ExecResult(exit_code=None, timed_out=True, ended="deadline", stdout=b"look\0found\0-\0\0\0")


def truncated(call: Any) -> Any:
    async def cut() -> ExecResult:
        result = await call()
        return ExecResult(exit_code=0, stdout=result.stdout[:20] + result.stdout[-20:], truncated=True)

    return cut()


def garbage(_: Any) -> ExecResult:
    return ExecResult(exit_code=0, stdout=b"Welcome to sandbox 3000!\n")


CALLS: dict[str, Callable[[Workspace], Any]] = {
    "read": lambda w: w.read("b.txt", timeout_s=5),
    "stat": lambda w: w.stat("b.txt"),
    "list_dir": lambda w: w.list_dir(timeout_s=5),
    "glob": lambda w: w.glob("*", timeout_s=5),
    "walk": lambda w: w.walk(timeout_s=5),
    "grep": lambda w: w.grep("needle", timeout_s=5),
    "edit": lambda w: w.edit("b.txt", Replacement("needle", "pin"), timeout_s=5),
    "write": lambda w: w.write("c.txt", "x", timeout_s=5),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_client_that_fails(tree: Any, call: Callable[[Workspace], Any]) -> None:
    """Its error is told as a sandbox that is not available, with the error itself."""
    root = tree(FILES)
    with pytest.raises(SandboxUnavailable, match="ConnectionResetError: the line is dead") as caught:
        call(workspace(Meddling(root, every=raising)))
    assert isinstance(caught.value.original_error, ConnectionResetError)
    assert (root / "b.txt").read_text() == "needle\n"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("script", ["look", "list", "probe"])
def test_answers_that_make_no_sense(tree: Any, script: str, call: Callable[[Workspace], Any]) -> None:
    """What is not understood is an error, or an answer that says that it is not whole."""
    root = tree(FILES)
    try:
        result = call(workspace(Meddling(root, **{script: garbage})))
    except SandboxUnavailable:
        return
    asked_otherwise = script in ("look", "list")
    assert getattr(result, "complete", asked_otherwise) in (False, asked_otherwise)
    if script == "list" and hasattr(result, "complete"):
        assert not result.complete
        assert result.warnings


@pytest.mark.parametrize("name", ["read", "list_dir", "glob", "walk", "grep", "edit"])
def test_answers_that_were_cut(tree: Any, name: str) -> None:
    """A client that keeps less than was asked for leaves a hole: nothing is made of such an answer."""
    root = tree(FILES)
    with pytest.raises(SandboxUnavailable, match="cut the output"):
        CALLS[name](workspace(Meddling(root, look=truncated, list=truncated)))
    assert (root / "b.txt").read_text() == "needle\n"


@pytest.mark.parametrize("name", ["list_dir", "glob", "walk", "grep"])
def test_searches_that_run_out_of_time_give_what_they_have(tree: Any, name: str) -> None:
    """A listing that was ended by its limit is a partial answer, not an empty tree."""
    result = CALLS[name](workspace(Meddling(tree(FILES), list=timed_out)))
    assert (result.complete, result.stop) == (False, "deadline")


def test_a_search_that_runs_out_of_time_below_a_start(tree: Any) -> None:
    """A start that was not come to is not said to be missing."""
    found = workspace(Meddling(tree(FILES), list=timed_out)).grep("main", "src", timeout_s=5)
    assert (found.complete, found.stop, found.matches) == (False, "deadline", [])


def test_candidates_that_were_not_all_found(tree: Any) -> None:
    """The search in the sandbox was ended: what it named until then is searched."""

    def partial(_: Any) -> ExecResult:
        return ExecResult(exit_code=None, timed_out=True, ended="deadline", stdout=b"./b.txt\0./src/")

    found = workspace(Meddling(tree(FILES), search=partial)).grep("needle|main", timeout_s=5)
    assert [match.path for match in found.matches] == ["b.txt"]
    assert (found.complete, found.stop, found.totals_exact) == (False, "deadline", False)


@pytest.mark.parametrize("name", ["read", "edit", "write"])
def test_time_over_where_nothing_partial_is(tree: Any, name: str) -> None:
    """Then DeadlineExceeded is raised, and nothing was written."""
    root = tree(FILES)
    with pytest.raises(DeadlineExceeded):
        CALLS[name](workspace(Meddling(root, look=timed_out)))
    assert sorted(path.name for path in root.iterdir()) == [".gitignore", "b.txt", "src"]


def test_a_client_that_keeps_no_time(tree: Any) -> None:
    """A client that does not end at its limit is ended soon after."""
    client = Meddling(tree(FILES), look=hang)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        workspace(client).read("b.txt", timeout_s=0.2)
    assert time.monotonic() - began < 6
    assert soon(lambda: client.cancelled == 1)


async def test_cancelling_the_task_cancels_the_client(tree: Any) -> None:
    """The client's own coroutine gets the cancellation, on the loop that awaits."""
    client = Meddling(tree(FILES), list=hang)
    task = asyncio.ensure_future(AsyncWorkspace.over(client).grep("needle"))
    while "LIST" not in client.scripts:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(100):
        if client.cancelled:
            break
        await asyncio.sleep(0.01)
    assert client.cancelled == 1
    assert client.loops == {id(asyncio.get_running_loop())}


def test_the_abort_signal_cancels_the_client(tree: Any) -> None:
    """So does the host's abort signal."""
    abort = threading.Event()

    async def hang_and_abort(call: Any) -> ExecResult:
        abort.set()
        return await hang(call)

    client = Meddling(tree(FILES), list=hang_and_abort)
    with pytest.raises(UserAbortError):
        Toolbox(client).call("grep", {"pattern": "needle"}, abort=abort)
    assert soon(lambda: client.cancelled == 1)


def test_a_file_that_changes_before_it_is_replaced(tree: Any) -> None:
    """The check right before the rename meets it: with a known hash it is stale, else the edit is made anew."""
    root = tree(FILES)
    times = iter(range(1))

    def meddle(call: Any) -> Any:
        if next(times, None) is not None:
            (root / "b.txt").write_text("needle\nsomebody else\n")
        return call()

    space = workspace(Meddling(root, commit=meddle))
    space.read("b.txt")
    with pytest.raises(StaleFile):
        space.edit("b.txt", Replacement("needle", "pin"))
    assert (root / "b.txt").read_text() == "needle\nsomebody else\n"
    times = iter(range(1))
    (root / "b.txt").write_text("needle\n")
    workspace(Meddling(root, commit=meddle)).edit("b.txt", Replacement("needle", "pin"))
    assert (root / "b.txt").read_text() == "pin\nsomebody else\n"
    assert not list(root.glob(".rootle*"))


def test_a_client_that_dies_while_it_writes(tree: Any) -> None:
    """Nobody knows whether the file was written: the error says so and names it."""
    root = tree(FILES)
    with pytest.raises(CommitIncomplete, match="not seen to its end") as caught:
        workspace(Meddling(root, commit=raising)).edit("b.txt", Replacement("needle", "pin"))
    assert caught.value.details["written"] == ["b.txt"]
    assert (root / "b.txt").read_text() == "needle\n"


def test_several_files_are_put_back(tree: Any, tmp_path: Path) -> None:
    """When the second of two renames fails, the first is undone; no temporary file stays."""
    root = tree({"one": "1\n", "two": "2\n", "tools/.keep": ""})
    for program in Path("/usr/bin").iterdir():
        if program.name != "mv":
            (root / "tools" / program.name).symlink_to(program)
    mv = root / "tools/mv"
    mv.write_text('#!/bin/sh\ncase "$*" in *.tmp*two) exit 1 ;; esac\nexec /usr/bin/mv "$@"\n')
    mv.chmod(0o755)
    client = LocalSandbox(root, environment=Environment(set={"PATH": str(root / "tools")}))
    diff = "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-1\n+one\n--- a/two\n+++ b/two\n@@ -1 +1 @@\n-2\n+two\n"
    space = workspace(client)
    with pytest.raises(OSError, match="cannot be written"):
        space.apply_plan(space.plan_patch(diff))
    assert ((root / "one").read_text(), (root / "two").read_text()) == ("1\n", "2\n")
    assert sorted(path.name for path in root.iterdir()) == ["one", "tools", "two"]
    assert space.changed == []


def test_large_contents_go_by_the_client(tree: Any) -> None:
    """What is too large for a command's input is written by the client, then checked and renamed as anything."""
    root = tree(FILES)
    client = Meddling(root)
    space = workspace(client)
    text = "x" * 3_000_000 + "\n"
    space.write("new/big.txt", text)
    assert (root / "new/big.txt").read_text() == text
    assert client.scripts.count("write_file") == 1
    space.undo()
    assert not (root / "new/big.txt").exists()
    assert not list(root.rglob(".rootle*"))


FORGED = b"\0".join(
    [
        b"look", b"found", b"-", b"", b"", b"dd 4096 1.0 1.0 755 2 1 3",
        b"ld 4 1.0 1.0 777 3 1 1 a", b"%(host)s",
        b"ff 4 1.0 1.0 644 4 1 1 a/evil", b"",
        b"dd 4 1.0 1.0 755 5 1 1 d", b"",
        b"ff 4 1.0 1.0 644 4 1 1 d", b"",
        b"over", b"",
        b"files", b"2", b"./a/evil", b"./a/.gitignore", b"5 x\n5 x\n10 total\n", b"hellohello", b"5 x\n5 x\n10 total\n",
        b"end", b"",
    ]
)  # fmt: skip


def test_a_sandbox_cannot_write_here(tree: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A listing in which a link to this machine is also a directory makes nothing where the link leads."""
    host = tmp_path_factory.mktemp("host")
    forged = ExecResult(exit_code=0, stdout=FORGED % {b"host": os.fsencode(host)})
    client = Meddling(tree(FILES), list=lambda _: forged)
    space = workspace(client)
    assert space.glob("*", no_ignore=True, hidden=True).paths == ["d"]
    found = space.grep("hello", no_ignore=True, hidden=True, follow_links=True)
    assert found.matches == []
    assert list(host.iterdir()) == []


@pytest.mark.parametrize("path", [b"../up", b"a/../../up", b"/etc/x", b"a//b", b"."])
def test_a_listing_that_climbs_is_not_believed(tree: Any, path: bytes) -> None:
    """Names that are no names below the root end the listing, and the answer says that it is not whole."""
    lines = [b"look", b"found", b"-", b"", b"", b"dd 4096 1.0 1.0 755 2 1 3", b"ff 4 1.0 1.0 644 4 1 1 " + path, b""]
    forged = ExecResult(exit_code=0, stdout=b"\0".join([*lines, b"over", b"", b"end", b""]))
    found = workspace(Meddling(tree(FILES), list=lambda _: forged)).walk()
    assert (found.paths, found.complete) == ([], False)


def test_how_many_commands_a_call_takes(tree: Any) -> None:
    """Each may take as long as the way to the sandbox: few are taken."""
    client = Meddling(tree(FILES))
    box = Toolbox(client)
    assert client_of(box.workspace) is client
    box.call("read_file", {"path": "b.txt"})
    counts = {}
    for name, arguments in [
        ("read_file", {"path": "b.txt"}),
        ("list_dir", {}),
        ("glob", {"pattern": "*"}),
        ("grep", {"pattern": "needle"}),
        ("grep", {"pattern": "nothing at all"}),
        ("update_file", {"path": "src/a.py", "old": "pass", "new": "return"}),
        ("write_file", {"path": "new.txt", "content": "x\n"}),
    ]:
        client.scripts.clear()
        box.call(name, arguments)
        counts[f"{name} {next(iter(arguments.values()), '')}"] = len(client.scripts)
    assert counts == {
        "read_file b.txt": 1,
        "list_dir ": 1,
        "glob *": 1,
        "grep needle": 3,
        "grep nothing at all": 2,
        "update_file src/a.py": 3,
        "write_file new.txt": 3,
    }
