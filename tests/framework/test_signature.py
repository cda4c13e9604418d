"""From signatures to schemas: what is kept, what is injected, what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from rootle.contracts import CallContext
from rootle.errors import InvalidTool
from rootle.framework import base_tool

if TYPE_CHECKING:
    from elsewhere import Missing, Workspace  # type: ignore[import-not-found]


class Pair(BaseModel):
    """A nested model."""

    left: int
    right: int = 2


async def many(
    pattern: str,
    count: Annotated[int, Field(ge=1, le=9, description="How many.")] = 3,
    sort: Literal["path", "size"] = "path",
    names: list[str] | None = None,
    pairs: tuple[Pair, ...] = (),
    *,
    flag: bool = False,
) -> str:
    """Do much."""
    return f"{pattern} {count} {sort} {names} {pairs} {flag}"


def test_signature_becomes_a_schema() -> None:
    """Types, defaults and bounds are the function's."""
    schema = base_tool(many).spec.input_schema
    assert schema["required"] == ["pattern"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["count"] == {
        "default": 3,
        "description": "How many.",
        "maximum": 9,
        "minimum": 1,
        "type": "integer",
    }
    assert schema["properties"]["sort"]["enum"] == ["path", "size"]
    assert schema["properties"]["pairs"]["items"]["properties"]["right"] == {"default": 2, "type": "integer"}
    assert list(schema["properties"]) == ["pattern", "count", "sort", "names", "pairs", "flag"]


async def test_arguments_reach_the_function_as_its_types() -> None:
    """Nested models too."""
    text = await base_tool(many)("x", pairs=[{"left": 1}], names=["n"])
    assert text == "x 3 path ['n'] (Pair(left=1, right=2),) False"


@pytest.mark.parametrize(
    "annotation",
    ["Workspace", "AsyncWorkspace", "rootle.Workspace", "Workspace | None", "None | AsyncWorkspace", "'Workspace'"],
)
async def test_workspace_is_injected_by_the_name_of_its_class(annotation: str) -> None:
    """The name is enough: it need not exist when the tool is declared."""

    async def look(path: str, workspace: Any) -> str:
        return f"{path} {workspace}"

    look.__annotations__["workspace"] = annotation
    tool = base_tool(look)
    assert list(tool.spec.input_schema["properties"]) == ["path"]
    assert list(inspect.signature(tool).parameters) == ["path"]
    assert await tool.invoke({"path": "a"}, workspace="w") == "a w"
    assert await tool("a", workspace="mine") == "a mine"


async def test_real_classes_are_injected_too() -> None:
    """A class, and a class with None."""

    async def look(context: CallContext, workspace: Any = None) -> str:
        return f"{type(context).__name__} {workspace}"

    workspace = type("AsyncWorkspace", (), {})
    look.__annotations__ = {"context": CallContext, "workspace": workspace | None, "return": str}
    assert await base_tool(look).invoke({}, workspace="w") == "CallContext w"


class Workspace(BaseModel):  # type: ignore[no-redef]
    """A model of one's own that happens to have the name."""

    name: str


def test_a_model_of_that_name_is_an_argument() -> None:
    """It can be sent, so it is not injected."""

    async def look(workspace: Any) -> str:
        return ""

    look.__annotations__ = {"workspace": Workspace, "return": str}
    assert list(base_tool(look).spec.input_schema["properties"]) == ["workspace"]


async def test_names_of_pydantic_are_names_like_others() -> None:
    """`copy` and `json` are methods of a model."""

    @base_tool
    async def odd(copy: int, json: str = "j", model_config: int = 1, _private: int = 2) -> str:
        return f"{copy} {json} {model_config} {_private}"

    assert list(odd.spec.input_schema["properties"]) == ["copy", "json", "model_config", "_private"]
    assert await odd.invoke({"copy": "5", "_private": 3}) == "5 j 1 3"


async def test_names_of_the_declaring_function_are_seen() -> None:
    """A tool declared inside a function may use its types."""

    class Local(BaseModel):
        size: int

    @base_tool
    async def look(local: Local) -> str:
        return str(local.size)

    @base_tool(effect="read")
    async def look_again(local: Local) -> str:
        return str(local.size)

    assert await look.invoke({"local": {"size": 3}}) == "3"
    assert await look_again.invoke({"local": {"size": 3}}) == "3"


def sync(path: str) -> str:
    return path


async def unannotated(path) -> str:  # type: ignore[no-untyped-def]
    return str(path)


async def star(*paths: str) -> str:
    return ""


async def stars(**paths: str) -> str:
    return ""


async def positional(path: str, /) -> str:
    return path


async def unknown(path: Missing) -> str:
    return str(path)


async def unknown_result(path: str) -> Missing:
    return path


async def opaque(path: object, thing: threading_lock) -> str:  # type: ignore[name-defined]  # noqa: F821
    return ""


async def aliased(path: Annotated[str, Field(alias="file")]) -> str:
    return path


async def no_schema(call: inspect.Signature) -> str:
    return ""


async def no_result_schema() -> inspect.Signature:
    return inspect.signature(sync)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (sync, 'tool "sync" is not an async function. Declare it with async def'),
        (unannotated, 'parameter "path" has no annotation'),
        (star, 'parameter "paths" takes any number of positional arguments'),
        (stars, 'parameter "paths" takes arguments of any name'),
        (positional, 'parameter "path" is positional-only'),
        (unknown, "annotation of parameter \"path\" cannot be evaluated when the tool is declared: name 'Missing'"),
        (unknown_result, "the return annotation cannot be evaluated"),
        (opaque, 'annotation of parameter "thing" cannot be evaluated'),
        (aliased, 'parameter "path" has an alias of pydantic\'s'),
        (no_schema, "its parameters make no schema"),
        (no_result_schema, "its return annotation makes no schema"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_when_declared(function: Callable[..., Any], reason: str) -> None:
    """With the parameter and the reason."""
    with pytest.raises(InvalidTool) as caught:
        base_tool(function)
    assert reason in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"effect": "reads"}, 'unknown effect "reads"'), ({"aliases": {"p": "nope"}}, 'alias "p" of "nope"')],
)
def test_wrong_options_are_refused_when_declared(options: dict[str, Any], reason: str) -> None:
    """An effect that is none, an alias of nothing."""
    with pytest.raises(InvalidTool, match=reason):
        base_tool(**options)(many)
