"""The contracts, each in a small working use."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from rootle.contracts import (
    Action,
    CallContext,
    Edit,
    ExecResult,
    Fingerprint,
    ReadState,
    SandboxClient,
    current_context,
    is_temporary,
    tell_after_edit,
)
from rootle.errors import DeadlineExceeded, UserAbortError


class Token:
    """Stands for the core's cancel token."""

    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class MemorySandbox:
    """The smallest sandbox: files in a dict, and `cat`."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        out = self.files[argv[1]] if argv[0] == "cat" else stdin or b""
        cut = out if max_output_bytes is None else out[:max_output_bytes]
        return ExecResult(exit_code=0, stdout=cut, truncated=cut != out)

    async def read_file(self, path: str) -> bytes:
        return self.files[path]

    async def write_file(self, path: str, data: bytes) -> None:
        self.files[path] = data


async def test_sandbox_client_is_three_methods() -> None:
    """A class with the methods is a client; nothing of rootle's is subclassed."""
    client: SandboxClient = MemorySandbox()
    await client.write_file("a", b"12345")
    result = await client.exec(["cat", "a"], max_output_bytes=3)
    assert isinstance(client, SandboxClient)
    assert not isinstance(object(), SandboxClient)
    assert (result.stdout, result.truncated, result.ok) == (b"123", True, True)


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        (ExecResult(exit_code=0), True),
        (ExecResult(exit_code=1), False),
        (ExecResult(exit_code=None, signal=9), False),
        (ExecResult(exit_code=None, timed_out=True), False),
    ],
)
def test_exec_result_is_ok_only_after_exit_code_0(result: ExecResult, ok: bool) -> None:
    """A signal and a time limit are no success."""
    assert result.ok is ok


@pytest.mark.parametrize("make", [threading.Event, asyncio.Event])
def test_context_takes_either_event_as_abort_signal(make: Any) -> None:
    """Only `is_set` is looked at."""
    event = make()
    context = CallContext(abort=event)
    context.check()
    event.set()
    assert context.aborted
    with pytest.raises(UserAbortError):
        context.check()


def test_context_takes_a_cancel_token_as_abort_signal() -> None:
    """The core's token has a property instead."""
    token = Token()
    context = CallContext(abort=token)
    context.check()
    token.cancel()
    with pytest.raises(UserAbortError):
        context.check()


def test_context_refuses_what_is_no_signal() -> None:
    """At once, not at the first look."""
    with pytest.raises(TypeError, match="has neither"):
        CallContext(abort=object())  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [threading.Event, asyncio.Event])
async def test_on_abort_calls_from_the_loop(make: Any) -> None:
    """The bridge from a host's signal to a token that native work polls."""
    event, token = make(), Token()
    forget = CallContext(abort=event).on_abort(token.cancel)
    await asyncio.sleep(0.05)
    assert not token.cancelled
    event.set()
    await asyncio.sleep(0.1)
    forget()
    assert token.cancelled


def test_on_abort_calls_without_a_loop() -> None:
    """A thread that waits in native code is reached too."""
    event, called = threading.Event(), threading.Event()
    forget = CallContext(abort=event).on_abort(called.set)
    event.set()
    assert called.wait(1)
    forget()


async def test_on_abort_is_forgotten() -> None:
    """After the call the signal reaches nothing any more."""
    event, token = threading.Event(), Token()
    CallContext(abort=event).on_abort(token.cancel)()
    event.set()
    await asyncio.sleep(0.1)
    assert not token.cancelled


def test_context_deadline_counts_down() -> None:
    """What is left is never more than the limit asked for, nor negative."""
    context = CallContext(timeout_s=0.05)
    left = context.remaining_s()
    assert left is not None
    assert 0 < left <= 0.05
    assert context.remaining_s(0.001) == 0.001
    assert CallContext().remaining_s(7) == 7
    time.sleep(0.06)
    assert context.remaining_s() == 0
    with pytest.raises(DeadlineExceeded) as caught:
        context.check()
    assert caught.value.details == {"limit_s": 0.05}


def test_context_reports_progress() -> None:
    """With a callback or without one."""
    seen: list[tuple[Any, ...]] = []
    CallContext(progress=lambda *said: seen.append(said)).report(1, 2, "half")
    CallContext().report(1)
    assert seen == [(1, 2, "half")]


def test_context_is_current_only_inside() -> None:
    """The current context ends with its `with`."""
    context = CallContext()
    assert current_context() is None
    with context.active():
        assert current_context() is context
    assert current_context() is None


ACTION = Action(tool="write_file", path="a.py", kind="overwrite", existing=True)


@pytest.mark.parametrize(
    ("action", "asked"),
    [
        (ACTION, True),
        (Action(tool="edit", path="a.py", kind="edit", existing=True), True),
        (Action(tool="write_file", path="a.py", kind="overwrite", existing=False), False),
        (Action(tool="write_file", path="tmp/a", kind="overwrite", existing=True, temporary=True), False),
    ],
)
async def test_only_what_can_lose_something_is_asked_for(action: Action, asked: bool) -> None:
    """New files and scratch files are not asked for."""
    seen: list[Action] = []

    def refuse(what: Action) -> bool:
        seen.append(what)
        return False

    assert await CallContext(confirm=refuse).allows(action) is not asked
    assert seen == ([action] if asked else [])


async def test_confirm_may_be_async_and_may_fail() -> None:
    """A coroutine function is awaited; an error of either kind is the tool's."""

    async def agree(_: Action) -> bool:
        return True

    def fail(_: Action) -> bool:
        raise RuntimeError("no terminal")

    assert await CallContext(confirm=agree).allows(ACTION)
    with pytest.raises(RuntimeError, match="no terminal"):
        await CallContext(confirm=fail).allows(ACTION)


async def test_plain_confirm_does_not_hold_up_the_loop() -> None:
    """It may wait for a person; the loop goes on."""
    answer = threading.Event()
    asked = asyncio.create_task(CallContext(confirm=lambda _: answer.wait(5)).allows(ACTION))
    await asyncio.sleep(0.05)
    assert not asked.done()
    answer.set()
    assert await asked


@pytest.mark.parametrize(
    ("path", "temporary"),
    [
        ("src/a.py", False),
        ("tmp/a.py", True),
        ("src/.scratch/a.py", True),
        ("notes.tmp", True),
        ("notes~", True),
        ("tmp", False),
        ("template/a.py", False),
        ("", False),
    ],
)
def test_scratch_files_are_told_by_their_path(path: str, temporary: bool) -> None:
    """By a directory on the way or an ending of the name."""
    assert is_temporary(path, root="/work") is temporary


def test_system_temporary_files_are_scratch_unless_the_root_lies_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who works in the temporary directory means to keep what is there."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/var/scratchpad")
    assert is_temporary("var/scratchpad/x/a.py", root="/")
    assert not is_temporary("a.py", root="/var/scratchpad/x")
    assert not is_temporary("var/scratchpad-not/a.py", root="/")


async def test_hooks_hear_of_edits_and_cannot_break_them() -> None:
    """What they say is collected; a failure is a notice."""
    seen: list[Edit] = []

    async def check(edit: Edit) -> str | None:
        seen.append(edit)
        return "1 problem"

    async def fail(edit: Edit) -> str | None:
        raise RuntimeError("server died")

    async def silent(edit: Edit) -> str | None:
        return None

    edit = Edit("a.py", b"1", b"2")
    changed: list[str] = []
    context = CallContext(changed=changed, after_edit=[check, fail, silent])
    assert await context.edited(edit) == ["1 problem", "fail failed after the edit: server died"]
    await context.edited(Edit("b.py", None, b""))
    await context.edited(edit)
    assert changed == ["a.py", "b.py"]
    assert seen[0] is edit
    assert await tell_after_edit([], edit) == []


STAT = Fingerprint(3, 100, 100, 7, 1)
TOUCHED = Fingerprint(3, 200, 200, 7, 1)


@pytest.mark.parametrize(
    ("recorded", "now", "unchanged"),
    [
        ((b"h", STAT), (b"h", STAT), True),
        ((b"h", STAT), (b"h", TOUCHED), True),
        ((b"h", STAT), (b"i", STAT), False),
        ((b"h", STAT), (None, STAT), True),
        ((b"h", STAT), (None, TOUCHED), False),
        ((None, STAT), (b"h", STAT), True),
        ((None, STAT), (None, None), False),
        ((b"h", None), (None, STAT), False),
    ],
)
def test_content_decides_whether_a_file_changed(recorded: Any, now: Any, unchanged: bool) -> None:
    """Hashes first; the fingerprint where one is missing."""
    state = ReadState()
    state.record("a", content_hash=recorded[0], fingerprint=recorded[1])
    assert state.is_unchanged("a", content_hash=now[0], fingerprint=now[1]) is unchanged
    assert not state.is_unchanged("b", content_hash=now[0], fingerprint=now[1])


def test_read_state_joins_ranges_of_the_same_content() -> None:
    """Ranges that touch become one; other content starts anew."""
    state = ReadState()
    for lines in [(1, 10), (30, 40), (11, 15), (35, 50)]:
        state.record("a", content_hash=b"1", lines=lines)
    record = state.get("a")
    assert record is not None
    assert record.ranges == ((1, 15), (30, 50))
    assert record.covers(2, 15)
    assert not record.covers(10, 30)
    state.record("a", content_hash=b"2", lines=(3, 4))
    assert state.get("a").ranges == ((3, 4),)  # type: ignore[union-attr]


def test_read_state_forgets() -> None:
    """On request, and the longest unused when it is full."""
    state = ReadState(max_files=2)
    for path in ["a", "b", "a", "c"]:
        state.record(path, content_hash=b"1")
    assert [state.get(path) is not None for path in "abc"] == [True, False, True]
    state.forget("a")
    assert len(state) == 1
    state.clear()
    assert len(state) == 0


def read_result(**facts: Any) -> Any:
    """Stand in for the core's result."""
    metadata = SimpleNamespace(size=3, mtime_ns=100, ctime_ns=100, inode=7, device=1)
    lines = [SimpleNamespace(number=n, column=1, cut=n == 4) for n in (2, 3, 4, 5)]
    values: dict[str, Any] = {"path": "a", "lines": lines, "hash": b"h", "metadata": metadata, "content": b"a\nb\nc\n"}
    values |= {"changed_while_reading": False}
    return SimpleNamespace(**{**values, **facts})


def test_read_state_records_a_read() -> None:
    """Lines count as read up to the first that was cut."""
    state = ReadState()
    state.record_read(read_result())
    record = state.get("a")
    assert record is not None
    assert (record.content_hash, record.fingerprint, record.ranges) == (b"h", STAT, ((2, 3),))
    assert record.content == b"a\nb\nc\n"
    state.record_read(read_result(changed_while_reading=True))
    assert state.get("a") is None
    state.record_read(read_result(lines=[]))
    assert state.get("a").ranges == ()  # type: ignore[union-attr]


def test_read_state_lets_the_oldest_contents_go() -> None:
    """Contents are bounded in bytes; what is known of the file otherwise stays."""
    state = ReadState(max_bytes=5)
    for path in "abc":
        state.record(path, content_hash=path.encode(), content=path.encode() * 2)
    assert [(record.content_hash, record.content) for path in "abc" if (record := state.get(path))] == [
        (b"a", None),
        (b"b", b"bb"),
        (b"c", b"cc"),
    ]
    state.forget("b")
    state.record("d", content=b"ddd")
    assert [record.content for path in "cd" if (record := state.get(path))] == [b"cc", b"ddd"]
    state.record("e", content=b"eeeeee")
    assert [record.content for path in "cde" if (record := state.get(path))] == [None, None, None]
