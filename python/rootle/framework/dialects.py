"""A tool in the words of each protocol and provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rootle.errors import InvalidArgument
from rootle.framework.arguments import near_names
from rootle.framework.schema import Schema
from rootle.framework.spec import ToolSpec
from rootle.framework.strict import strict_schema

__all__ = ["DIALECTS", "tool_schema"]


def tool_schema(spec: ToolSpec, dialect: str) -> Schema:
    """Give the object that `dialect` wants for a tool; the caller may change it."""
    make = DIALECTS.get(dialect)
    if make is None:
        raise InvalidArgument.of(
            f'unknown dialect "{dialect}"',
            name="dialect",
            suggestions=near_names(dialect, list(DIALECTS)),
            hint=f"The dialects are {', '.join(DIALECTS)}.",
        )
    return make(spec)


def _mcp(spec: ToolSpec) -> Schema:
    made: Schema = {
        "name": spec.name,
        "title": spec.title,
        "description": spec.text,
        "inputSchema": _copy(spec.input_schema),
        "annotations": {
            "title": spec.title,
            "readOnlyHint": spec.read_only,
            "destructiveHint": spec.destructive,
            "idempotentHint": spec.idempotent,
            "openWorldHint": spec.open_world,
        },
    }
    if spec.output_schema is not None:
        made["outputSchema"] = _copy(spec.output_schema)
    return made


def _openai(spec: ToolSpec) -> Schema:
    function = {"name": spec.name, "description": spec.text, "parameters": _copy(spec.input_schema)}
    return {"type": "function", "function": function}


def _openai_strict(spec: ToolSpec) -> Schema:
    parameters = strict_schema(spec.input_schema, spec.name)
    function = {"name": spec.name, "description": spec.text, "strict": True, "parameters": parameters}
    return {"type": "function", "function": function}


def _openai_responses(spec: ToolSpec) -> Schema:
    return {"type": "function", "strict": False, **_openai(spec)["function"]}


def _anthropic(spec: ToolSpec) -> Schema:
    return {"name": spec.name, "description": spec.text, "input_schema": _copy(spec.input_schema)}


def _flat(spec: ToolSpec) -> Schema:
    required = spec.input_schema.get("required", ())
    inputs = {
        name: {**_flat_parameter(schema), **({} if name in required else {"nullable": True})}
        for name, schema in spec.input_schema["properties"].items()
    }
    return {"name": spec.name, "description": spec.text, "inputs": inputs, "output_type": "string"}


def _flat_parameter(schema: Schema) -> Schema:
    """One type name and a description; a choice, which has no place of its own, is put into words."""
    alternatives = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    kinds = {one.get("type", "string" if "enum" in one else "any") for one in alternatives}
    kind = kinds.pop() if len(kinds) == 1 else "any"
    words = schema.get("description", "")
    choices = [str(value) for one in alternatives for value in one.get("enum", ())]
    if choices:
        words = f"{words} One of: {', '.join(choices)}.".strip()
    return {"type": kind if isinstance(kind, str) else "any", "description": words}


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


DIALECTS: dict[str, Callable[[ToolSpec], Schema]] = {
    "mcp": _mcp,
    "openai": _openai,
    "openai-responses": _openai_responses,
    "openai-strict": _openai_strict,
    "anthropic": _anthropic,
    "flat": _flat,
}
"""What each dialect makes of a tool, by the dialect's name."""
