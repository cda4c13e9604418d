"""Each dialect: valid JSON Schema, and in the form that its readers ask for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from pydantic import BaseModel, Field
from rootle.errors import InvalidArgument, InvalidTool
from rootle.framework import DIALECTS, base_tool, tool_schema
from rootle.framework.schema import limits_line, subschemas


class Variable(BaseModel):
    """One variable."""

    name: str
    value: str | None = None
    weight: Annotated[int, Field(ge=0)] = 1


class Tree(BaseModel):
    """A node that holds nodes."""

    title: str
    children: list["Tree"] = []  # noqa: UP037


class Found(BaseModel):
    """A result."""

    total: int
    variables: list[Variable] = []


@base_tool(effect="read")
async def small(path: str, most: Annotated[int, Field(ge=1, le=50)] = 5) -> Found:
    """Look."""
    return Found(total=0)


@base_tool(effect="write")
async def large(
    title: str,
    variable: Variable,
    tree: Tree | None = None,
    sort: Literal["a", "b"] = "a",
    mixed: int | str = 1,
    more: list[Variable] | None = None,
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5,
    names: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=9)] = [],  # noqa: B006
) -> str:
    """Change much."""
    return ""


@base_tool(effect="network")
async def nothing() -> str:
    """Take nothing."""
    return ""


TOOLS = [small, large, nothing]
SCHEMA_OF: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "mcp": lambda made: made["inputSchema"],
    "openai": lambda made: made["function"]["parameters"],
    "openai-responses": lambda made: made["parameters"],
    "openai-strict": lambda made: made["function"]["parameters"],
    "anthropic": lambda made: made["input_schema"],
}
EACH = pytest.mark.parametrize(
    ("dialect", "tool"), [(d, t) for d in SCHEMA_OF for t in TOOLS], ids=lambda value: getattr(value, "name", value)
)


def valid(schema: dict[str, Any], value: Any) -> bool:
    """Ask an implementation that is not ours."""
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


def test_every_dialect_is_tested() -> None:
    """A dialect without a test of its form fails here."""
    assert set(DIALECTS) == {*SCHEMA_OF, "flat"}


@EACH
def test_schema_is_valid_and_closed(dialect: str, tool: Any) -> None:
    """Draft 2020-12, an object at the top, JSON values throughout."""
    made = tool_schema(tool.spec, dialect)
    schema = SCHEMA_OF[dialect](made)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert json.loads(json.dumps(made)) == made
    assert "title" not in schema
    text = made["function"]["description"] if "function" in made else made["description"]
    assert text == tool.spec.text


@pytest.mark.parametrize("dialect", SCHEMA_OF)
@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"title": "t", "variable": {"name": "n"}}, True),
        ({"title": "t", "variable": {"name": "n"}, "tree": {"title": "r", "children": [{"title": "c"}]}}, True),
        ({"title": "t"}, False),
        ({"title": "t", "variable": {"name": "n"}, "other": 1}, False),
        ({"title": "t", "variable": {"name": "n"}, "sort": "c"}, False),
        ({"title": "t", "variable": {"name": 5}}, False),
    ],
)
def test_schema_accepts_what_the_tool_accepts(dialect: str, value: dict[str, Any], accepted: bool) -> None:
    """The strict form wants null for all that is left out."""
    schema = SCHEMA_OF[dialect](tool_schema(large.spec, dialect))
    if dialect == "openai-strict" and accepted:
        value = dict.fromkeys(schema["properties"]) | value
        value["variable"] = {"value": None, "weight": None} | value["variable"]
        if value["tree"]:
            value["tree"] = {"title": "r", "children": [{"title": "c", "children": None}]}
    assert valid(schema, value) is accepted


async def test_null_of_the_strict_form_is_the_default() -> None:
    """What the strict form makes a model send, the tool takes."""
    schema = SCHEMA_OF["openai-strict"](tool_schema(small.spec, "openai-strict"))
    sent = {"path": "a", "most": None}
    assert valid(schema, sent)
    assert (await small.invoke(sent)).data == Found(total=0)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_strict_form_holds_everywhere(tool: Any) -> None:
    """Every object closed, every property required, no keyword that is refused."""
    schema = SCHEMA_OF["openai-strict"](tool_schema(tool.spec, "openai-strict"))
    allowed = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"}
    for inner in subschemas(schema):
        assert set(inner) <= allowed | {"description", "$ref", "$defs"}
        if inner.get("type") == "object":
            assert inner["additionalProperties"] is False
            assert inner["required"] == list(inner["properties"])
        if "$ref" in inner:
            assert set(inner) == {"$ref"}
        assert inner.get("anyOf", []).count({"type": "null"}) <= 1


async def free_keys(env: dict[str, str]) -> str:
    """Take free keys."""
    return ""


async def any_value(value: Any) -> str:
    """Take anything."""
    return ""


async def any_list(values: list) -> str:  # type: ignore[type-arg]
    """Take any list."""
    return ""


async def fixed_tuple(pair: tuple[int, str]) -> str:
    """Take a pair."""
    return ""


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (free_keys, "an object with free keys"),
        (any_value, "a value of any type"),
        (any_list, "a value of any type"),
        (fixed_tuple, "a list of values of any type or a fixed tuple"),
    ],
)
def test_what_has_no_strict_form_is_refused(function: Any, what: str) -> None:
    """By name, instead of a schema that a provider refuses."""
    tool = base_tool(function)
    assert tool_schema(tool.spec, "openai")
    with pytest.raises(InvalidTool, match=f'tool "{tool.name}" has no strict schema: it takes {what}'):
        tool_schema(tool.spec, "openai-strict")


def test_references_are_written_out_unless_recursive() -> None:
    """Many clients do not follow references."""
    schema = large.spec.input_schema
    assert "$ref" not in json.dumps(schema["properties"]["variable"])
    assert list(schema["$defs"]) == ["Tree"]


@pytest.mark.parametrize(
    ("tool", "hints"),
    [(small, (True, False, True, False)), (large, (False, True, False, False)), (nothing, (True, False, True, True))],
)
def test_mcp_says_all_four_hints(tool: Any, hints: tuple[bool, ...]) -> None:
    """Those left out would be taken for the worst."""
    made = tool_schema(tool.spec, "mcp")
    names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert tuple(made["annotations"][name] for name in names) == hints
    assert made["title"] == made["annotations"]["title"] == tool.spec.title


def test_output_schema_describes_the_data() -> None:
    """For tools that give data."""
    made = tool_schema(small.spec, "mcp")
    jsonschema.Draft202012Validator.check_schema(made["outputSchema"])
    assert valid(made["outputSchema"], Found(total=1, variables=[Variable(name="a")]).model_dump(mode="json"))
    assert not valid(made["outputSchema"], {"total": "many"})
    assert "outputSchema" not in tool_schema(large.spec, "mcp")


def test_flat_form_has_one_type_a_parameter() -> None:
    """Choices are put into words; what may be left out is nullable."""
    assert tool_schema(large.spec, "flat")["inputs"] == {
        "title": {"type": "string", "description": ""},
        "variable": {"type": "object", "description": "One variable."},
        "tree": {"type": "any", "description": "", "nullable": True},
        "sort": {"type": "string", "description": "One of: a, b.", "nullable": True},
        "mixed": {"type": "any", "description": "", "nullable": True},
        "more": {"type": "array", "description": "", "nullable": True},
        "ratio": {"type": "number", "description": "", "nullable": True},
        "names": {"type": "array", "description": "", "nullable": True},
    }
    assert tool_schema(nothing.spec, "flat")["inputs"] == {}


def test_schema_given_out_is_the_callers() -> None:
    """Changing it changes nothing here."""
    for dialect, schema_of in SCHEMA_OF.items():
        schema_of(tool_schema(small.spec, dialect))["properties"].clear()
    tool_schema(small.spec, "mcp")["outputSchema"]["properties"].clear()
    assert list(small.spec.input_schema["properties"]) == ["path", "most"]
    assert small.spec.output_schema is not None
    assert small.spec.output_schema["properties"]


def test_unknown_dialect_is_refused_with_near_names() -> None:
    """And with all of them."""
    with pytest.raises(InvalidArgument) as caught:
        tool_schema(small.spec, "openai_strict")
    assert caught.value.suggestions[0] == "openai-strict"
    assert "The dialects are mcp, openai" in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"minimum": 1, "maximum": 5000, "default": 100}, "n 1 to 5000 (default 100)"),
        ({"minimum": 1}, "n at least 1"),
        ({"maximum": 0.5}, "n at most 0.5"),
        ({"exclusiveMinimum": 0, "maximum": 9}, "n above 0, at most 9"),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.5}, "n above 0, below 1 (default 0.5)"),
        ({"minItems": 1, "maxItems": 20}, "n 1 to 20 items"),
        ({"maxLength": 10}, "n at most 10 characters"),
        ({"anyOf": [{"minimum": 1}, {"type": "null"}], "default": None}, "n at least 1"),
        ({"type": "string", "default": "x"}, ""),
    ],
)
def test_limits_line_puts_bounds_into_words(schema: dict[str, Any], words: str) -> None:
    """As a person would say them."""
    assert limits_line({"properties": {"n": schema}}) == (f"Limits: {words}." if words else "")
