"""The loop behind `Toolbox.call`: what reaches it, what ends it, and what does not."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, cast

import pytest
from rootle.errors import ToolExecutionError
from rootle.framework import Tool, base_tool
from rootle.toolbox import Toolbox


@base_tool(effect="read")
async def look(path: str = ".") -> str:
    """Look at a path."""
    return path


@base_tool(effect="read")
async def wait(seconds: float = 60) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


def box(*tools: Tool) -> Toolbox:
    """Make a toolbox of these tools and the two above."""
    return Toolbox(cast("Any", object()), builtin=(look, wait, *tools))


def test_context_variables_of_the_caller_reach_the_tool() -> None:
    """Tracing and the like."""
    variable = contextvars.ContextVar("variable", default="unset")

    @base_tool(effect="read")
    async def read_variable() -> str:
        return variable.get()

    variable.set("set")
    assert box(read_variable).call("read_variable") == "set"


def test_call_inside_a_tool_is_refused() -> None:
    """It would wait for itself."""
    made = box()

    @base_tool
    async def nested() -> str:
        return made.call("look")

    with pytest.raises(ToolExecutionError, match=r"Await acall\(\) instead"):
        box(nested).call("nested")


def test_tool_that_exits_or_interrupts_does_not_end_the_loop() -> None:
    """The next call works."""

    @base_tool
    async def leave() -> str:
        sys.exit(3)

    @base_tool
    async def interrupt() -> str:
        raise KeyboardInterrupt

    made = box(leave, interrupt)
    with pytest.raises(ToolExecutionError):
        made.call("leave")
    with pytest.raises(KeyboardInterrupt):
        made.call("interrupt")
    assert made.call("look") == "."


def run_script(body: str) -> subprocess.Popen[str]:
    """Run a script that has the tools of this file."""
    script = f"import os, sys, threading; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom test_loop import *\n"
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script + textwrap.dedent(body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_interrupt_ends_the_tool_and_reaches_the_caller() -> None:
    """Ctrl-C in the thread that waits."""
    process = run_script("""
        made = box()
        ended = []
        @base_tool
        async def linger() -> str:
            print("begun", flush=True)
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(True)
        try:
            box(linger).call("linger")
        except KeyboardInterrupt:
            print("interrupted", ended, made.call("look"))
    """)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.05)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("interrupted [True] .\n", "")
    assert time.monotonic() - start < 3


def test_process_ends_while_a_call_of_another_thread_waits() -> None:
    """The loop's thread keeps nothing alive."""
    process = run_script("""
        threading.Thread(target=box().call, args=("wait",), daemon=True).start()
        time.sleep(0.1)
        print("over")
    """)
    assert process.communicate(timeout=20)[0] == "over\n"


def test_forked_child_calls_on_a_loop_of_its_own() -> None:
    """Also when the parent was in a call."""
    process = run_script("""
        import warnings
        warnings.simplefilter("ignore")
        made = box()
        made.call("look")
        threading.Thread(target=made.call, args=("wait",), daemon=True).start()
        time.sleep(0.1)
        child = os.fork()
        if not child:
            print("child", made.call("look"), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print("parent", made.call("look"))
    """)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("child .\nparent .\n", "")


def test_child_forked_by_a_tool_calls_on_a_loop_of_its_own() -> None:
    """There the thread that forked, the loop's own, is the only one."""
    process = run_script("""
        import warnings
        warnings.simplefilter("ignore")
        @base_tool
        async def fork() -> str:
            child = os.fork()
            if not child:
                print("child", made.call("look"), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            return "parent"
        made = box(fork)
        print(made.call("fork"))
    """)
    assert process.communicate(timeout=20) == ("child .\nparent\n", "")
