"""From an async function's signature to the pydantic model of its arguments.

A parameter whose annotation is named `AsyncWorkspace`, `Workspace` or `CallContext` is injected: it is no argument, and
its annotation is never evaluated, so that a tool may import the class for type checkers only.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, ForwardRef

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from rootle.errors import InvalidTool

__all__ = ["INJECTED", "ToolSignature", "read_signature"]

INJECTED = frozenset({"AsyncWorkspace", "CallContext", "Workspace"})
"""Names of the classes that are injected."""

_CONFIG = ConfigDict(extra="forbid", coerce_numbers_to_str=True, protected_namespaces=(), validate_by_name=True)
_DOTTED = re.compile(r"(?:\w+\.)*(\w+)")
_REFUSED_KINDS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "takes any number of positional arguments",
    inspect.Parameter.VAR_KEYWORD: "takes arguments of any name",
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only",
}


@dataclass(frozen=True)
class ToolSignature:
    """What a function takes and gives.

    Attributes:
        fields: Field of `model` by parameter; they differ where a parameter has the name of a pydantic method.
        injected: Class name by injected parameter.
        public: The signature without what is injected.
        returns: The return annotation; `inspect.Parameter.empty` without one.
    """

    model: type[BaseModel]
    fields: dict[str, str]
    injected: dict[str, str]
    public: inspect.Signature
    returns: Any


def read_signature(function: Callable[..., Any], name: str, local_names: Mapping[str, Any]) -> ToolSignature:
    """Read a function's signature; `local_names` are what its annotations may use besides its module's names."""
    signature = _signature(function)
    injected: dict[str, str] = {}
    annotations: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if reason := _REFUSED_KINDS.get(parameter.kind):
            raise InvalidTool.of(f'tool "{name}": parameter "{parameter.name}" {reason}', name=parameter.name)
        if parameter.annotation is parameter.empty:
            raise InvalidTool.of(f'tool "{name}": parameter "{parameter.name}" has no annotation', name=parameter.name)
        if class_name := _injected_class(parameter.annotation):
            injected[parameter.name] = class_name
        else:
            annotations[parameter.name] = parameter.annotation
    if signature.return_annotation is not signature.empty:
        annotations["return"] = signature.return_annotation
    resolved = {key: _resolve(function, name, key, value, local_names) for key, value in annotations.items()}
    returns = resolved.pop("return", inspect.Parameter.empty)
    fields = {key: f"field_{key}" if hasattr(BaseModel, key) or key.startswith("_") else key for key in resolved}
    public = signature.replace(
        parameters=[p for p in signature.parameters.values() if p.name not in injected],
    )
    model = _model(name, resolved, fields, public)
    return ToolSignature(model, fields, injected, public, returns)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        import annotationlib

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _injected_class(annotation: Any) -> str | None:
    """Give the name of the class to inject, for the class, its name as text, and either with `| None`."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        names = [part.strip() for part in annotation.strip("'\" ").split("|")]
        found = [match.group(1) for part in names if part != "None" and (match := _DOTTED.fullmatch(part))]
        return found[0] if len(found) == 1 and found[0] in INJECTED else None
    if isinstance(annotation, type):
        own_model = issubclass(annotation, BaseModel)
        return annotation.__name__ if annotation.__name__ in INJECTED and not own_model else None
    members = [member for member in typing.get_args(annotation) if member is not type(None)]
    return _injected_class(members[0]) if len(members) == 1 and type(None) in typing.get_args(annotation) else None


def _resolve(function: Callable[..., Any], tool: str, key: str, value: Any, local_names: Mapping[str, Any]) -> Any:
    holder = SimpleNamespace(__annotations__={key: value})
    unwrapped = inspect.unwrap(function)
    try:
        return typing.get_type_hints(
            holder, getattr(unwrapped, "__globals__", {}), dict(local_names), include_extras=True
        )[key]
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        what = "return annotation" if key == "return" else f'annotation of parameter "{key}"'
        raise InvalidTool.of(
            f'tool "{tool}": the {what} cannot be evaluated when the tool is declared: {error}',
            name=key,
            hint="Import its names at run time, above the tool.",
        ) from error


def _list_from_text(value: Any) -> Any:
    """Take a JSON list of texts for what it is where text would do as well: models write lists so."""
    if isinstance(value, str) and value.startswith('["') and value.endswith('"]'):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _model(name: str, types: dict[str, Any], fields: dict[str, str], public: inspect.Signature) -> type[BaseModel]:
    definitions: dict[str, Any] = {}
    for key, annotation in types.items():
        default = public.parameters[key].default
        if default is inspect.Parameter.empty:
            default = ...
        if {str, list} <= {typing.get_origin(member) or member for member in typing.get_args(annotation)}:
            annotation = Annotated[annotation, BeforeValidator(_list_from_text)]
        if fields[key] != key:
            default = Field(default=default, alias=key)
        definitions[fields[key]] = (annotation, default)
    title = "".join(part.capitalize() for part in name.split("_")) + "Arguments"
    try:
        model: type[BaseModel] = create_model(title, __config__=_CONFIG, **definitions)
    except (PydanticSchemaGenerationError, PydanticUserError, TypeError) as error:
        raise InvalidTool.of(f'tool "{name}": its parameters make no schema: {str(error).splitlines()[0]}') from error
    for key, field in fields.items():
        info = model.model_fields[field]
        if field == key and (info.alias or info.validation_alias):
            raise InvalidTool.of(
                f'tool "{name}": parameter "{key}" has an alias of pydantic\'s',
                name=key,
                hint='Declare it as aliases={"other": "parameter"} of the decorator, or in the prompt file.',
            )
    return model
