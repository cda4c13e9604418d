"""JSON Schema of a tool's arguments and result, as plain as models and clients like it.

pydantic's own schema, with references written out where they are not recursive, without generated titles, and with the
words of the prompt.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel

__all__ = ["Schema", "limits_line", "model_schema", "rewrite", "subschemas"]

Schema = dict[str, Any]

_MAPS = ("properties", "$defs", "patternProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SIZES = (("minimum", "maximum", ""), ("minItems", "maxItems", " items"), ("minLength", "maxLength", " characters"))
_NUMBERS = (
    ("exclusiveMinimum", "above"),
    ("minimum", "at least"),
    ("exclusiveMaximum", "below"),
    ("maximum", "at most"),
)
_SINGLES = ("items", "additionalProperties", "propertyNames", "contains", "not")


def model_schema(
    model: type[BaseModel],
    descriptions: Mapping[str, str] | None = None,
    mode: Literal["validation", "serialization"] = "validation",
) -> Schema:
    """Give the schema of `model`, always an object at the top, with `descriptions` for its properties."""
    schema = model.model_json_schema(mode=mode)
    schema = rewrite(schema, _without_title)
    schema = _inlined(schema)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    for name, words in (descriptions or {}).items():
        if name in schema["properties"]:
            schema["properties"][name] = {**schema["properties"][name], "description": words}
    return schema


def rewrite(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Apply `change` to every schema inside, innermost first, and then to the schema itself."""
    made = dict(schema)
    for key in _MAPS:
        if isinstance(made.get(key), dict):
            made[key] = {name: rewrite(inner, change) for name, inner in made[key].items()}
    for key in _LISTS:
        if isinstance(made.get(key), list):
            made[key] = [rewrite(inner, change) for inner in made[key]]
    for key in _SINGLES:
        if isinstance(made.get(key), dict):
            made[key] = rewrite(made[key], change)
    return change(made)


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Go through the schema and every schema inside it."""
    found: list[Schema] = []

    def note(inner: Schema) -> Schema:
        found.append(inner)
        return inner

    rewrite(schema, note)
    yield from found


def limits_line(schema: Schema) -> str:
    """Say the bounds of every parameter in words, for those who read no schema; empty without any."""
    entries = [f"{name} {bounds}" for name, inner in schema.get("properties", {}).items() if (bounds := _bounds(inner))]
    return f"Limits: {'; '.join(entries)}." if entries else ""


def _without_title(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "title"}


def _inlined(schema: Schema) -> Schema:
    """Write out each reference whose definition does not lead back to itself."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    recursive = {name for name in definitions if name in _reached(name, definitions)}

    def expand(inner: Schema) -> Schema:
        name = inner.get("$ref", "").removeprefix("#/$defs/")
        if name not in definitions or name in recursive:
            return inner
        beside = {key: value for key, value in inner.items() if key != "$ref"}
        return {**rewrite(copy.deepcopy(definitions[name]), expand), **beside}

    made = rewrite({key: value for key, value in schema.items() if key != "$defs"}, expand)
    if recursive:
        made["$defs"] = {name: rewrite(definitions[name], expand) for name in sorted(recursive)}
    return made


def _reached(name: str, definitions: Mapping[str, Schema]) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        for inner in subschemas(definitions[waiting.pop()]):
            target = inner.get("$ref", "").removeprefix("#/$defs/")
            if target in definitions and target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def _bounds(schema: Schema) -> str:
    for one in (schema, *schema.get("anyOf", ())):
        if one.keys() & {"exclusiveMinimum", "exclusiveMaximum"}:
            words = [f"{word} {one[key]:.15g}" for key, word in _NUMBERS if key in one]
            return ", ".join(words) + _default(schema.get("default"))
        for low, high, unit in _SIZES:
            if low in one or high in one:
                return _range(one.get(low), one.get(high)) + unit + _default(schema.get("default"))
    return ""


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:.15g}"
    return f"at least {low:.15g}" if high is None else f"{low:.15g} to {high:.15g}"


def _default(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return f" (default {value:.15g})"
