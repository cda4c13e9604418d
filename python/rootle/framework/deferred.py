"""`Deferred`: a result whose text is ready and whose data is made when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import BaseModel

__all__ = ["Deferred"]

M = TypeVar("M", bound=BaseModel)


class Deferred(Generic[M]):
    """What a tool may return instead of its model, when building the model costs more than the work did.

    Most calls are read by a model alone; their data is never looked at. `build` runs at most once, on the first use of
    the Observation's `data`, and must depend on nothing that can change meanwhile.

    Args:
        text: What the model reads.
        build: Makes the validated data.
        failed: Whether the text tells of a failure, as a model's `failed` does.
    """

    __slots__ = ("build", "failed", "text")

    def __init__(self, text: str, build: Callable[[], M], *, failed: bool = False) -> None:
        self.text = text
        self.build = build
        self.failed = failed
