"""A decorated function: what it gives, what it raises, and how it is ended."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import threading
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from rootle import limits
from rootle.contracts import Action, CallContext, TextPart, current_context
from rootle.errors import (
    DeadlineExceeded,
    FileOperationError,
    InvalidArgument,
    IoFailed,
    IsADirectory,
    NotADirectory,
    PathNotFound,
    PermissionDenied,
    RootleError,
    ToolExecutionError,
    ToolRetryError,
    UserAbortError,
)
from rootle.framework import Observation, base_tool, file_tool, is_tool


class Count(BaseModel):
    """A result with words of its own."""

    lines: Annotated[int, Field(ge=0)]

    def render(self) -> str:
        return f"{self.lines} lines"


class Bare(BaseModel):
    """A result without."""

    name: str


@base_tool
async def count(path: str, extra: int = 0) -> Count:
    """Count."""
    return Count(lines=len(path) + extra)


async def test_tool_is_still_an_async_function() -> None:
    """For callers, for frameworks that look at it, for pickle."""
    assert inspect.iscoroutinefunction(count)
    assert count.name == count.__name__ == "count"
    assert await count.__wrapped__("abc") == Count(lines=3)
    assert str(inspect.signature(count)).startswith("(path: 'str', extra: 'int' = 0)")
    assert pickle.loads(pickle.dumps(count)) is count
    assert is_tool(count)
    assert not is_tool(count.__wrapped__)


async def test_tool_is_called_like_its_function() -> None:
    """By name, by position, by both; arguments are validated all the same."""
    assert await count("abc") == "3 lines"
    assert await count("abc", 1) == "4 lines"
    assert await count("abc", extra="2") == "5 lines"
    for args, kwargs, said in [(("a", 1, 2), {}, "at most 2"), (("a",), {"path": "b"}, '"path" is given twice')]:
        with pytest.raises(InvalidArgument, match=said):
            await count(*args, **kwargs)


def test_decorator_takes_facts() -> None:
    """Bare, a tool may do anything; said, it is what was said."""
    assert (count.spec.effect, count.spec.read_only, count.spec.destructive, count.spec.open_world) == (
        "run",
        False,
        True,
        True,
    )
    spec = base_tool(name="tally", title="Tally", effect="write", destructive=False, idempotent=True)(
        count.__wrapped__
    ).spec
    assert (spec.name, spec.title, spec.destructive, spec.idempotent, spec.open_world) == (
        "tally",
        "Tally",
        False,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("annotation", "result", "text", "data"),
    [
        (Count, Count(lines=3), "3 lines", Count(lines=3)),
        (Count, {"lines": "3"}, "3 lines", Count(lines=3)),
        (Bare, Bare(name="é"), '{"name": "é"}', Bare(name="é")),
        (Bare, Bare(name="\udcff"), '{"name": "\udcff"}', Bare(name="\udcff")),
        (str, "text", "text", None),
        (None, None, "", None),
        (int, 5, "5", None),
        (list[int], [1, 2], "[1, 2]", None),
        (Count | str, Count(lines=1), "1 lines", Count(lines=1)),
        (inspect.Parameter.empty, {"a": Path("b")}, '{"a": "b"}', None),
        (Any, "x", "x", None),
    ],
)
async def test_result_becomes_an_observation(annotation: Any, result: Any, text: str, data: Any) -> None:
    """Through `render`, as text, or as JSON."""

    async def give() -> Any:
        return result

    give.__annotations__ = {} if annotation is inspect.Parameter.empty else {"return": annotation}
    observation = await base_tool(give)()
    assert type(observation) is Observation
    assert (observation, observation.data, observation.is_error) == (text, data, False)


async def test_observation_of_the_tools_own_passes() -> None:
    """With its parts."""
    own = Observation("x", parts=[TextPart("y")], is_error=True)

    @base_tool
    async def give() -> Observation:
        return own

    assert await give() is own


@pytest.mark.parametrize(
    ("annotation", "result", "said"),
    [
        (Count, {"lines": -1}, "lines: Input should be greater than or equal to 0"),
        (Count, "3", "the result: Input should be a valid dictionary or instance of Count"),
        (str, 5.5, "the result: Input should be a valid string"),
    ],
)
async def test_result_that_is_not_as_declared_is_a_failure(annotation: Any, result: Any, said: str) -> None:
    """The model cannot mend it."""

    async def give() -> Any:
        return result

    give.__annotations__["return"] = annotation
    with pytest.raises(ToolExecutionError) as caught:
        await base_tool(give)()
    assert f"give failed: it returned something else than it declares: {said}" in str(caught.value)


def raising(error: BaseException) -> Any:
    """Make a tool's function that raises."""

    async def fail(other: int = 1, path: str = "a.py") -> str:
        raise error

    return fail


UNDECODABLE = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


@pytest.mark.parametrize(
    "error",
    [
        ToolRetryError("again"),
        PathNotFound.of("gone", path="x"),
        ToolExecutionError("other", "failed"),
        FileOperationError("read", "x", "failed"),
        UserAbortError("stop"),
    ],
)
@pytest.mark.parametrize("decorate", [base_tool, file_tool])
async def test_rootles_own_errors_pass(decorate: Any, error: RootleError) -> None:
    """As they are."""
    with pytest.raises(RootleError) as caught:
        await decorate(raising(error))()
    assert caught.value is error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad"), "bad"),
        (ValueError(), "ValueError"),
        (FileNotFoundError(2, "none", "x"), "[Errno 2] none: 'x'"),
        (TimeoutError("slow"), "slow"),
        (SystemExit(3), "3"),
    ],
)
async def test_any_other_error_is_wrapped(error: BaseException, said: str) -> None:
    """A tool that exits ends itself, not the host."""
    with pytest.raises(ToolExecutionError) as caught:
        await base_tool(raising(error))()
    assert (caught.value.tool_name, caught.value.message, caught.value.original_error) == ("fail", said, error)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("error", "kind", "operation"),
    [
        (FileNotFoundError(2, "none", "/abs/a.py"), PathNotFound, None),
        (IsADirectoryError(21, "is"), IsADirectory, None),
        (NotADirectoryError(20, "not"), NotADirectory, None),
        (PermissionError(13, "Permission denied"), PermissionDenied, "access"),
        (UNDECODABLE, FileOperationError, "decode"),
        (OSError(5, "Input/output error"), IoFailed, "read/write"),
        (OSError("odd"), IoFailed, "read/write"),
        (ValueError("bad"), ToolExecutionError, None),
    ],
)
async def test_file_tool_maps_the_errors_of_files(
    error: Exception, kind: type[Exception], operation: str | None
) -> None:
    """What another path mends is for the model; the path is as the caller wrote it."""
    with pytest.raises(kind) as caught:
        await file_tool(raising(error))(path="src/a.py")
    assert isinstance(caught.value, RootleError)
    assert caught.value.__cause__ is error
    if kind is not ToolExecutionError:
        assert caught.value.details["path"] == "src/a.py"
    if operation is not None:
        assert isinstance(caught.value, FileOperationError)
        assert (caught.value.operation, caught.value.path) == (operation, "src/a.py")


async def test_cancellation_passes() -> None:
    """The task ends as cancelled."""
    begun = asyncio.Event()

    @base_tool
    async def wait() -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    task = asyncio.create_task(wait())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_set_abort_signal_keeps_the_tool_from_starting() -> None:
    """It is looked at first."""
    event, ran = threading.Event(), []

    @base_tool
    async def run() -> str:
        ran.append(1)
        return ""

    event.set()
    with pytest.raises(UserAbortError):
        await run.invoke({}, context=CallContext(abort=event))
    assert ran == []


@pytest.mark.parametrize("error", [None, ValueError("broken by the abort")])
async def test_abort_while_the_tool_runs_is_an_abort(error: Exception | None) -> None:
    """Whatever the tool made of it."""
    event = threading.Event()

    @base_tool
    async def run() -> str:
        event.set()
        if error:
            raise error
        return "partial"

    with pytest.raises(UserAbortError):
        await run.invoke({}, context=CallContext(abort=event))


async def test_deadline_ends_a_tool_that_does_not_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a grace in which it may hand over what it has."""
    monkeypatch.setattr(limits, "DEADLINE_GRACE_S", 0.05)

    @base_tool
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    @base_tool
    async def fail() -> str:
        raise TimeoutError("its own")

    assert await wait.invoke({"seconds": 0.04}, context=CallContext(timeout_s=0.02)) == "done"
    with pytest.raises(DeadlineExceeded, match=r"time limit of 0\.02 s"):
        await wait.invoke({"seconds": 60}, context=CallContext(timeout_s=0.02))
    with pytest.raises(ToolExecutionError, match="its own"):
        await fail.invoke({}, context=CallContext(timeout_s=5))


async def test_context_is_the_current_one_and_reaches_nested_tools() -> None:
    """A tool that calls a tool hands it on."""
    seen: list[Any] = []

    @base_tool
    async def inner() -> str:
        seen.append(current_context())
        return ""

    @base_tool
    async def outer() -> str:
        seen.append(current_context())
        return await inner()

    context = CallContext()
    await outer.invoke({}, context=context)
    assert seen == [context, context]
    assert current_context() is None


async def test_refused_action_is_a_result() -> None:
    """Not an exception; and nothing after it is done."""

    @base_tool(effect="write")
    async def write(path: str) -> str:
        context = current_context()
        assert context is not None
        await context.require(Action(tool="write", path=path, kind="overwrite", existing=True))
        return "written"

    refused = await write.invoke({"path": "a.py"}, context=CallContext(confirm=lambda _: False))
    assert refused == "The user refused to let write overwrite a.py. Nothing was changed."
    assert refused.is_error
    assert await write.invoke({"path": "a.py"}, context=CallContext(confirm=lambda _: True)) == "written"


async def test_method_can_be_a_tool() -> None:
    """Bound, it has no `self`."""

    class Shop:
        async def price(self, item: str) -> str:
            """Give a price."""
            return f"{item}: 5"

    tool = base_tool(Shop().price)
    assert list(tool.spec.input_schema["properties"]) == ["item"]
    assert await tool("tea") == "tea: 5"


async def test_arguments_may_be_json_text() -> None:
    """As they come from a provider."""
    assert await count.invoke(json.dumps({"path": "abc"})) == "3 lines"
