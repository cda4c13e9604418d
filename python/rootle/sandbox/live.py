"""Output while it comes, from whatever client there is."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from rootle import _core, limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.sandbox.local import LocalSandbox, result_of
from rootle.sandbox.spill import SpillDirectory
from rootle.sandbox.threads import in_own_thread

__all__ = ["run_live"]

TICK_S = 0.05


async def run_live(
    client: SandboxClient, argv: Sequence[str], on_output: Callable[[bytes], object], options: Mapping[str, Any]
) -> ExecResult:
    """Run a command and hand over its output: early from clients that can, at the end from others."""
    streaming = getattr(client, "exec_streaming", None)
    if streaming is not None:
        result: ExecResult = await streaming(argv, on_output=on_output, **options)
        return result
    if isinstance(client, LocalSandbox):
        return await _from_file(client, argv, on_output, options)
    result = await client.exec(argv, **options)
    for data in (result.stdout, result.stderr):
        if data:
            on_output(data)
    return result


async def _from_file(
    client: LocalSandbox, argv: Sequence[str], on_output: Callable[[bytes], object], options: Mapping[str, Any]
) -> ExecResult:
    """Follow the file that a local command's output is written to."""
    token = _core.CancelToken()
    with tempfile.TemporaryDirectory(prefix="rootle-live-") as directory:
        spill = SpillDirectory(directory)
        name = spill.new_name()
        work = partial(client.run, argv, **options, spill=spill, spill_name=name, spill_from_start=True, cancel=token)
        path = os.path.join(directory, name)
        task = asyncio.ensure_future(in_own_thread(work, token))
        at = 0
        try:
            while not task.done():
                await asyncio.wait([task], timeout=TICK_S)
                at = _more(path, at, on_output)
        finally:
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task
        return result_of(argv, task.result())


def _more(path: str, at: int, on_output: Callable[[bytes], object]) -> int:
    with suppress(FileNotFoundError), open(path, "rb") as file:
        file.seek(at)
        while data := file.read(limits.HTTP_LIVE_BYTES):
            on_output(data)
            at += len(data)
    return at
