"""An abort or the end of a call's time that comes when a file is written already: the call tells that it is."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Replacement, Toolbox, Workspace, limits
from rootle.contracts import CallContext
from rootle.errors import DeadlineExceeded, UserAbortError
from rootle.framework import base_tool
from rootle.workspace.aio import AsyncWorkspace

if TYPE_CHECKING:
    from rootle.contracts import Edit

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("update_file", {"path": "f", "old": "one", "new": "two"}),
    ("write_file", {"path": "f", "content": "two\n"}),
    ("apply_diff", {"diff": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n"}),
]


@base_tool(effect="write")
async def twice(*, workspace: AsyncWorkspace, context: CallContext) -> str:
    """Write two files, of which the second comes too late."""
    await workspace.write("first", "1")
    while not context.aborted and context.remaining_s(1.0):
        await asyncio.sleep(0.01)
    await workspace.write("second", "2")
    return "done"


def slow(workspace: Workspace, seconds: float, begun: threading.Event) -> None:
    """Make writing take longer, after the file is on disk."""
    edit = workspace.edit

    def edit_slowly(*args: Any, **options: Any) -> Any:
        done = edit(*args, **options)
        begun.set()
        time.sleep(seconds)
        return done

    workspace.edit = edit_slowly  # type: ignore[method-assign]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_abort_after_the_writing_gives_the_result(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    """A signal that is set when the file has its new content is too late."""
    (tmp_path / "f").write_text("one\n", encoding="ascii")
    stop = threading.Event()
    box = Toolbox(tmp_path, overwrite="any")

    async def set_it(edit: Edit) -> str | None:
        stop.set()
        return None

    box.after_edit.append(set_it)
    answer = box.call(name, arguments, abort=stop)
    assert not answer.is_error
    assert (tmp_path / "f").read_text(encoding="ascii") == "two\n"
    assert box.changed == ["f"]


@pytest.mark.parametrize("how", ["abort", "time"])
def test_an_end_between_two_writings_names_the_first(tmp_path: Path, how: str) -> None:
    """The error says which files stay."""
    box = Toolbox(tmp_path, tools=[twice])
    stop = threading.Event()
    if how == "abort":
        threading.Timer(0.2, stop.set).start()
    expected: type[Exception] = UserAbortError if how == "abort" else DeadlineExceeded
    with pytest.raises(expected) as caught:
        box.call("twice", abort=stop, timeout_s=0.3 if how == "time" else None)
    assert "written before that: first" in str(caught.value)
    assert caught.value.details["written"] == ["first"]  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_time_that_ends_after_the_writing_gives_the_result(tmp_path: Path) -> None:
    """The call waits for a writing that is under way, and gives what it did."""
    (tmp_path / "f").write_text("one\n", encoding="ascii")
    box = Toolbox(tmp_path)
    slow(box.workspace.sync, limits.DEADLINE_GRACE_S + 0.6, threading.Event())
    begun = time.monotonic()
    answer = box.call("update_file", {"path": "f", "old": "one", "new": "two"}, timeout_s=0.2)
    assert "Updated f" in answer.text
    assert time.monotonic() - begun > limits.DEADLINE_GRACE_S + 0.2
    assert (tmp_path / "f").read_text(encoding="ascii") == "two\n"


async def test_cancelled_task_ends_after_its_writing(tmp_path: Path) -> None:
    """Cancelling stays a cancellation; when it is raised, nothing is written any more and what was is known."""
    (tmp_path / "f").write_text("one\n", encoding="ascii")
    workspace = AsyncWorkspace(tmp_path)
    begun = threading.Event()
    slow(workspace.sync, 0.4, begun)
    context = CallContext()
    with context.active():
        task = asyncio.create_task(workspace.edit("f", Replacement("one", "two")))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert time.monotonic() - started > 0.2
    assert (context.written, workspace.sync.changed) == (["f"], ["f"])
