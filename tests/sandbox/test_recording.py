"""What was recorded is answered again, exactly, without the sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rootle.contracts import SandboxClient
from rootle.errors import PathEscapesRoot
from rootle.sandbox import LocalSandbox, RecordingSandbox, ReplayMismatch


async def session(box: SandboxClient) -> list[object]:
    """Use a sandbox, and give what it said."""
    said: list[object] = []
    await box.write_file("a.bin", bytes(range(256)))
    said.append(await box.read_file("a.bin"))
    done = await box.exec(["sh", "-c", "cat; echo e >&2; exit 3"], stdin=b"\x00\xff", env={"A": "b"}, timeout_s=10)
    said += [done.stdout, done.stderr, done.exit_code, done.tier, done.stdout_total]
    slow = await box.exec(["sleep", "60"], timeout_s=0.1)
    said += [slow.timed_out, slow.signal]
    for path in ("none", "..", "a.bin/x"):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the class is compared below
            await box.read_file(path)
        said += [type(caught.value), str(caught.value)]
    return said


async def test_replay_answers_as_the_sandbox_did(tmp_path: Path) -> None:
    """From the calls and from a file: bytes, results and errors of the same classes."""
    box = RecordingSandbox(LocalSandbox(tmp_path))
    assert isinstance(box, SandboxClient)
    said = await session(box)
    assert [call.method for call in box.calls] == ["write_file", "read_file", "exec", "exec"] + ["read_file"] * 3
    assert PathEscapesRoot in said
    box.save(tmp_path / "calls.json")
    for source in (box.calls, tmp_path / "calls.json"):
        again = RecordingSandbox.replay(source)
        assert await session(again) == said
        assert again.left == []
        assert [call.arguments for call in again.calls] == [call.arguments for call in box.calls]


async def test_anything_else_is_a_mismatch(tmp_path: Path) -> None:
    """Other arguments, another order, one call too many; no error that a tool would explain away."""
    box = RecordingSandbox(LocalSandbox(tmp_path))
    await box.exec(["true"])
    await box.exec(["false"])
    again = RecordingSandbox.replay(box.calls)
    with pytest.raises(ReplayMismatch, match=r"not recorded: exec .*false.*expected exec .*true"):
        await again.exec(["false"])
    loose = RecordingSandbox.replay(box.calls, ordered=False)
    assert (await loose.exec(["false"])).exit_code == 1
    assert (await loose.exec(["true"])).exit_code == 0
    with pytest.raises(ReplayMismatch, match="nothing is left"):
        await loose.exec(["true"])
    assert not issubclass(ReplayMismatch, OSError)


async def test_a_cancelled_call_has_no_answer(tmp_path: Path) -> None:
    """And is not recorded."""
    box = RecordingSandbox(LocalSandbox(tmp_path))
    task = asyncio.create_task(box.exec(["sleep", "60"]))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert box.calls == []
