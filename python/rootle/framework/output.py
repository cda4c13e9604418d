"""From what a tool's function returns to its Observation."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from rootle.errors import InvalidTool
from rootle.framework.deferred import Deferred
from rootle.framework.observation import Observation

__all__ = ["Output"]


class Output:
    """What one tool declares to return, and how that becomes an Observation.

    A model is rendered by its `render()`, a `Deferred` has its text, text is taken as it is, anything else becomes
    JSON. A model whose `failed` is true tells of a failure. A tool without a return annotation may return anything.
    """

    def __init__(self, annotation: Any, tool: str) -> None:
        self.model: type[BaseModel] | None = None
        self._validate: Callable[[Any], Any] | None = None
        self._deferred = False
        if annotation in (inspect.Parameter.empty, Any, Observation):
            return
        self._deferred = get_origin(annotation) is Deferred
        if self._deferred:
            (annotation,) = get_args(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            self.model = annotation
        try:
            self._validate = TypeAdapter(annotation).validate_python
        except (PydanticSchemaGenerationError, PydanticUserError) as error:
            raise InvalidTool.of(
                f'tool "{tool}": its return annotation makes no schema: {str(error).splitlines()[0]}', name="return"
            ) from error

    def observation(self, result: Any) -> Observation:
        """Validate `result` and put it into text; an Observation that the tool made itself passes."""
        if isinstance(result, Observation):
            return result
        if self._deferred and isinstance(result, Deferred):
            return Observation(result.text, data=result.build, is_error=result.failed)
        if self._validate is not None:
            try:
                result = self._validate(result)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                place = ".".join(str(part) for part in first["loc"]) or "the result"
                raise TypeError(f"it returned something else than it declares: {place}: {first['msg']}") from error
        if isinstance(result, BaseModel):
            failed = getattr(result, "failed", False) is True
            return Observation(_rendered(result), data=result, is_error=failed)
        if isinstance(result, str):
            return Observation(result)
        return Observation("" if result is None else _json(result))


def _rendered(result: BaseModel) -> str:
    render = getattr(result, "render", None)
    return str(render()) if callable(render) else _json(result.model_dump(mode="json"))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
