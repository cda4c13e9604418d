"""What models send, what the tool gets, and what they are told when it cannot."""

from __future__ import annotations

import contextlib
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from rootle.errors import InvalidArgument
from rootle.framework import base_tool
from rootle.framework.arguments import near_names, validate_arguments


class Variable(BaseModel):
    """A nested object."""

    name: str
    value: str | None = None
    priority: int = 1


@base_tool(aliases={"file_path": "path"})
async def anything(
    path: str = ".",
    max_results: Annotated[int, Field(ge=1, le=1000)] = 100,
    ratio: float = 0.5,
    flag: bool = False,
    sort: Literal["modified", "path"] = "path",
    globs: list[str] | None = None,
    numbers: tuple[int, ...] = (),
    either: str | list[str] = "x",
    env: dict[str, str] | None = None,
    variables: list[Variable] | None = None,
    variable: Variable | None = None,
    limit: int | None = None,
) -> str:
    """Take anything."""
    return ""


MODEL, ALIASES = anything.spec.input_model, anything.spec.aliases


def taken(arguments: Any) -> dict[str, Any]:
    """Give what was set."""
    return validate_arguments(MODEL, arguments, ALIASES).model_dump(exclude_unset=True)


A = {"name": "A", "value": None, "priority": 1}


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        (None, {}),
        ({}, {}),
        ("", {}),
        ('{"path": "a"}', {"path": "a"}),
        ({"max_results": "5"}, {"max_results": 5}),
        ({"max_results": 5.0}, {"max_results": 5}),
        ({"max_results": " 5 "}, {"max_results": 5}),
        ({"max_results": None}, {}),
        ({"max_results": "null"}, {}),
        ({"max_results": ""}, {}),
        ({"limit": None}, {"limit": None}),
        ({"limit": "None"}, {}),
        ({"ratio": "0.25"}, {"ratio": 0.25}),
        ({"flag": "true"}, {"flag": True}),
        ({"flag": "False"}, {"flag": False}),
        ({"flag": 1}, {"flag": True}),
        ({"path": 5}, {"path": "5"}),
        ({"path": None}, {}),
        ({"path": "null"}, {"path": "null"}),
        ({"sort": "Modified"}, {"sort": "modified"}),
        ({"sort": " PATH "}, {"sort": "path"}),
        ({"globs": "*.py"}, {"globs": ["*.py"]}),
        ({"globs": '["*.py", "*.md"]'}, {"globs": ["*.py", "*.md"]}),
        ({"globs": "[ab].py"}, {"globs": ["[ab].py"]}),
        ({"globs": ("*.py",)}, {"globs": ["*.py"]}),
        ({"numbers": "[1, 2]"}, {"numbers": (1, 2)}),
        ({"numbers": 1}, {"numbers": (1,)}),
        ({"numbers": '["1", "2"]'}, {"numbers": (1, 2)}),
        ({"either": "x"}, {"either": "x"}),
        ({"either": '["x", "y"]'}, {"either": ["x", "y"]}),
        ({"either": "[xy]"}, {"either": "[xy]"}),
        ({"either": '["x"'}, {"either": '["x"'}),
        ({"env": '{"A": "1"}'}, {"env": {"A": "1"}}),
        ({"env": {"A": 1}}, {"env": {"A": "1"}}),
        ({"variable": '{"name": "A"}'}, {"variable": A}),
        ({"variables": {"name": "A"}}, {"variables": [A]}),
        ({"variables": '[{"name": "A", "priority": null}]'}, {"variables": [A]}),
        ({"variables": ['{"name": "A"}']}, {"variables": [A]}),
        ({"file_path": "a"}, {"path": "a"}),
        ({"maxResults": 3}, {"max_results": 3}),
        ({"max-results": "3"}, {"max_results": 3}),
        ({"MaxResults": "3", "file_path": "a", "globs": "x"}, {"max_results": 3, "path": "a", "globs": ["x"]}),
    ],
)
def test_arguments_are_taken_for_what_they_mean(sent: Any, got: dict[str, Any]) -> None:
    """Where only one meaning is possible."""
    result = taken(sent)
    dumped = {key: value for key, value in result.items() if key in got}
    for name in ("variable", "variables"):
        if name in got:
            dumped[name] = validate_arguments(MODEL, sent, ALIASES).model_dump()[name]
    assert dumped == got
    assert set(result) == set(got)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"max_results": 0}, 'invalid "max_results": input should be greater than or equal to 1, got 0'),
        ({"max_results": "99999"}, "less than or equal to 1000, got '99999'"),
        ({"max_results": "many"}, 'invalid "max_results": input should be a valid integer'),
        ({"max_results": 5.5}, "fractional part, got 5.5"),
        ({"sort": "size"}, "input should be 'modified' or 'path', got 'size'"),
        ({"pth": "a"}, 'there is no parameter "pth". Did you mean "path"? The parameters are path, max_results'),
        ({"zzz": "a"}, 'there is no parameter "zzz". The parameters are'),
        ({"path": "a", "file_path": "b"}, 'there is no parameter "file_path"'),
        ({"path": {"a": 1}}, 'invalid "path": input should be a valid string'),
        ({"globs": [{}]}, 'invalid "globs.0": input should be a valid string'),
        ({"variables": [{"nme": "A"}]}, "variables.0"),
        ({"env": "A=1"}, 'invalid "env": input should be a valid dictionary'),
        ({"path": ["a"] * 1000}, "got ['a', 'a', "),
        ("[1]", "the arguments must be an object with one entry a parameter, not list"),
        ("{", "the arguments are not valid JSON"),
        (5, "not int"),
    ],
)
def test_refusal_names_the_parameter_and_the_bound(sent: Any, said: str) -> None:
    """In words from which a model can call again."""
    with pytest.raises(InvalidArgument) as caught:
        taken(sent)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_refusal_names_what_is_missing() -> None:
    """And carries the parameter as data."""

    @base_tool
    async def need(pattern: str) -> str:
        return pattern

    with pytest.raises(InvalidArgument, match='parameter "pattern" is missing') as caught:
        validate_arguments(need.spec.input_model, {}, {})
    assert caught.value.details["name"] == "pattern"


def test_required_parameter_takes_no_null() -> None:
    """Null is "not given", and it must be given."""

    @base_tool
    async def need(pattern: str) -> str:
        return pattern

    with pytest.raises(InvalidArgument, match="pattern"):
        validate_arguments(need.spec.input_model, {"pattern": None}, {})


def test_the_callers_arguments_are_left_as_they_are() -> None:
    """Corrections are made in a copy."""
    sent = {"variables": [{"name": "A", "priority": None}], "globs": "x", "file_path": "a"}
    before = json.dumps(sent)
    taken(sent)
    assert json.dumps(sent) == before


def test_near_names_disregard_the_writing() -> None:
    """Case, dashes and underscores."""
    assert near_names("MaxResult", ["path", "max_results"]) == ["max_results"]
    assert near_names("zzz", ["path"]) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
NAMES = st.sampled_from([*MODEL.model_fields, "file_path", "other"])


# The first text that hypothesis makes is slow: it builds its table of characters.
@settings(deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAMES, JSON, max_size=4))
def test_any_json_is_taken_or_refused(sent: dict[str, Any]) -> None:
    """Whatever a model sends, there is no other error."""
    with contextlib.suppress(InvalidArgument):
        assert isinstance(validate_arguments(MODEL, sent, ALIASES), MODEL)
