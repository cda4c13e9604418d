"""The strict form of a schema, for providers that hold a model to it while it writes.

Every property is required and every object closed; what was optional may be null, which the tool takes as "not given".
Keywords that such providers refuse are left out: the bounds stay in the description's "Limits:" line and are checked on
call.
"""

from __future__ import annotations

from typing import Any

from rootle.errors import InvalidTool
from rootle.framework.schema import Schema, rewrite

__all__ = ["strict_schema"]

_KEPT = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items", "properties", "type"}
)


def strict_schema(schema: Schema, tool: str) -> Schema:
    """Give the strict form of `schema`; raises InvalidTool naming what has none, such as an object with free keys."""
    made = rewrite(schema, lambda inner: _strict(inner, tool))
    made.pop("description", None)
    return made


def _strict(schema: Schema, tool: str) -> Schema:
    made = dict(schema)
    if "oneOf" in made:
        made["anyOf"] = made.pop("oneOf")
    if len(made.get("allOf", ())) == 1:
        made = {**made.pop("allOf")[0], **made}
    if made.get("type") == "object":
        made = _closed(made, frozenset(schema.get("required", ())), tool)
    elif not made.keys() & {"$ref", "anyOf", "const", "enum", "type"}:
        raise _no_form(tool, "a value of any type")
    if made.get("type") == "array" and "items" not in made:
        raise _no_form(tool, "a list of values of any type or a fixed tuple")
    required = made.get("required")
    made = {key: value for key, value in made.items() if key in _KEPT}
    if "$ref" in made and len(made) > 1:
        made = {"anyOf": [{"$ref": made.pop("$ref")}], **made}
    if required is not None:
        made["required"] = required
    return made


def _closed(schema: Schema, required: frozenset[str], tool: str) -> Schema:
    if schema.get("additionalProperties", False) is not False or "patternProperties" in schema:
        raise _no_form(tool, "an object with free keys", "Take a list of {name, value} objects instead.")
    if "properties" not in schema and schema.get("additionalProperties") is not False:
        raise _no_form(tool, "an object with free keys", "Take a list of {name, value} objects instead.")
    properties: dict[str, Any] = schema.get("properties", {})
    return {
        **schema,
        "properties": {key: inner if key in required else _nullable(inner) for key, inner in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _nullable(schema: Schema) -> Schema:
    null = {"type": "null"}
    if null in schema.get("anyOf", ()):
        return schema
    outer = {key: schema[key] for key in ("description",) if key in schema}
    inner = {key: value for key, value in schema.items() if key not in outer}
    alternatives = inner["anyOf"] if inner.keys() == {"anyOf"} else [inner]
    return {"anyOf": [*alternatives, null], **outer}


def _no_form(tool: str, what: str, hint: str | None = None) -> InvalidTool:
    return InvalidTool.of(f'tool "{tool}" has no strict schema: it takes {what}', name=tool, hint=hint)
