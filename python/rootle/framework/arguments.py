"""Validation of what a model sends, with the corrections that models commonly need.

Arguments that are valid as sent cost one validation and no copy. Others are corrected where only one meaning is
possible: a JSON text for a list or an object, one value for a list of them, null for an optional parameter, a declared
alias or another way of writing a parameter's name (`maxResults`), another case of a choice. What is left is one
InvalidArgument that names each parameter, its bound and what may have been meant.
"""

from __future__ import annotations

import copy
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from rootle import limits
from rootle.errors import InvalidArgument

__all__ = ["near_names", "validate_arguments"]

_LISTS = frozenset({"list_type", "tuple_type", "set_type", "frozen_set_type"})
_OBJECTS = frozenset({"dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"})
_CHOICES = frozenset({"enum", "literal_error"})
_NOTHING = frozenset({"", "none", "null"})
# Another measure of the same thing: the value cannot be taken over, but the way out can be told.
_OTHER_MEASURE = {
    name: ("max_lines", "give the number of lines as")
    for name in ("end_line", "endLine", "end", "last_line", "to_line", "stop_line")
} | dict.fromkeys(("timeout_ms", "timeoutMs", "timeout_millis"), ("timeout_s", "give the time in seconds as"))
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")
_USERINFO = re.compile(r"(?<=://)[^\s/'\"]*@")


def validate_arguments(model: type[BaseModel], arguments: object, aliases: Mapping[str, str]) -> BaseModel:
    """Give the model made from `arguments`: a mapping, a JSON object as text, or None for no arguments at all."""
    given = _mapping(arguments)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        failure = error
    data = copy.deepcopy(given)
    parameters = _parameters(model)
    for _ in range(limits.ARGUMENT_REPAIRS):
        if not any([_repair(data, detail, parameters, aliases) for detail in failure.errors(include_url=False)]):
            break
        try:
            return model.model_validate(data)
        except ValidationError as error:
            failure = error
    raise _refusal(failure.errors(include_url=False), parameters) from None


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """Give the known names that `name` may stand for, best first."""
    plain = {_plain(one): one for one in known}
    found = difflib.get_close_matches(_plain(name), plain, n=limits.NEAR_NAMES, cutoff=0.6)
    return [plain[one] for one in found]


def _mapping(arguments: object) -> dict[str, Any]:
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise InvalidArgument.of(f"the arguments are not valid JSON: {error}", name="arguments") from None
    if not isinstance(arguments, Mapping):
        raise InvalidArgument.of(
            f"the arguments must be an object with one entry a parameter, not {type(arguments).__name__}",
            name="arguments",
        )
    return {str(key): value for key, value in arguments.items()}


def _parameters(model: type[BaseModel]) -> dict[str, bool]:
    """Give each parameter and whether it must be given."""
    return {info.alias or field: info.is_required() for field, info in model.model_fields.items()}


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _repair(
    data: dict[str, Any], detail: ErrorDetails, parameters: Mapping[str, bool], aliases: Mapping[str, str]
) -> bool:
    """Correct what one error complains of, in place; False when there is nothing to correct."""
    if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
        return _rename(data, str(detail["loc"][0]), parameters, aliases)
    place = _locate(data, detail["loc"])
    if place is None:
        return False
    container, key = place
    value = container[key]
    required = parameters.get(key, False) if container is data else False
    if isinstance(container, dict) and not required and _stands_for_nothing(value, detail["type"]):
        del container[key]
        return True
    better = _better(value, detail)
    if better is None:
        return False
    container[key] = better
    return True


def _rename(data: dict[str, Any], name: str, parameters: Mapping[str, bool], aliases: Mapping[str, str]) -> bool:
    written = {_plain(parameter): parameter for parameter in parameters}
    meant = aliases.get(name) or written.get(_plain(name))
    if meant is None or meant in data or name not in data:
        return False
    data[meant] = data.pop(name)
    return True


def _locate(data: dict[str, Any], location: tuple[int | str, ...]) -> tuple[Any, Any] | None:
    """Find the container and key of an error; names of union members, which are in no data, are passed over."""
    container: Any = data
    place: tuple[Any, Any] | None = None
    for part in location:
        inside = part in container if isinstance(container, dict) else _is_index(container, part)
        if inside:
            place = (container, part)
            container = container[part]
    return place


def _is_index(container: object, part: object) -> bool:
    return isinstance(container, list) and isinstance(part, int) and part < len(container)


def _stands_for_nothing(value: object, kind: str) -> bool:
    if value is None:
        return True
    return isinstance(value, str) and kind.endswith("_parsing") and value.strip().lower() in _NOTHING


def _better(value: Any, detail: ErrorDetails) -> Any:
    kind = detail["type"]
    if kind in _CHOICES:
        return _choice(value, str(detail.get("ctx", {}).get("expected", "")))
    if kind not in _LISTS and kind not in _OBJECTS:
        return None
    if isinstance(value, str):
        parsed = _parsed(value)
        if isinstance(parsed, list) if kind in _LISTS else isinstance(parsed, dict):
            return parsed
    if kind in _LISTS and not isinstance(value, list | tuple | set | None):
        return [value]
    return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _choice(value: object, expected: str) -> str | None:
    wanted = str(value).strip().lower()
    return next((one for one in _QUOTED.findall(expected) if one.lower() == wanted and one != value), None)


def _refusal(details: Sequence[ErrorDetails], parameters: Mapping[str, bool]) -> InvalidArgument:
    names = list(parameters)
    sentences: list[str] = []
    suggestions: list[str] = []
    for detail in details:
        name = str(detail["loc"][0]) if detail["loc"] else "arguments"
        if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
            meant, how = _OTHER_MEASURE.get(name, ("", ""))
            if meant in parameters:
                sentences.append(f'there is no parameter "{name}": {how} "{meant}"')
                continue
            sentences.append(f'there is no parameter "{name}"')
            suggestions += [near for near in near_names(name, names) if near not in suggestions]
        elif detail["type"] == "missing" and len(detail["loc"]) == 1:
            sentences.append(f'parameter "{name}" is missing')
        else:
            path = ".".join(str(part) for part in detail["loc"])
            said = detail["msg"][:1].lower() + detail["msg"][1:]
            sentences.append(f'invalid "{path}": {said}, got {_shown(detail["input"])}')
    by_name = any(detail["type"] in ("extra_forbidden", "missing") for detail in details)
    known = f"The parameters are {', '.join(names)}." if names else "The tool takes no parameters."
    first = str(details[0]["loc"][0]) if details[0]["loc"] else "arguments"
    return InvalidArgument.of(
        "; ".join(dict.fromkeys(sentences)),
        name=first,
        suggestions=suggestions[: limits.NEAR_NAMES],
        hint=known if by_name else None,
    )


def _shown(value: object) -> str:
    # A password in a URL is not repeated, whatever parameter it was given as.
    text = _USERINFO.sub("", repr(value))
    return text if len(text) <= limits.ARGUMENT_SHOWN_CHARS else text[: limits.ARGUMENT_SHOWN_CHARS] + "..."
