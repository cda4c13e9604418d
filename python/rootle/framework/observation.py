"""`Observation`: what a tool gives back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import Any, Self

from pydantic import BaseModel

from rootle.contracts import ContentPart, TextPart

__all__ = ["Observation"]


class Observation(str):
    """The text that a model reads, with the data that a program reads.

    It is a `str` wherever text is wanted.

    Attributes:
        data: The validated result, where the tool declares one; made on first use where the tool left it for later.
        parts: Text and images in the order in which a model should see them; the text alone unless the tool says more.
        is_error: The text tells of a failure, such as a refusal by the user.
    """

    __slots__ = ("_data", "is_error", "parts")

    _data: BaseModel | Callable[[], BaseModel] | None
    parts: tuple[ContentPart, ...]
    is_error: bool

    def __new__(
        cls,
        text: str = "",
        *,
        data: BaseModel | Callable[[], BaseModel] | None = None,
        parts: Iterable[ContentPart] | None = None,
        is_error: bool = False,
    ) -> Self:
        """Make one; without `parts` the text is the only part."""
        made = super().__new__(cls, text)
        made._data = data
        made.parts = (TextPart(text),) if parts is None else tuple(parts)
        made.is_error = is_error
        return made

    @property
    def data(self) -> Any:
        """The tool's output model, or None."""
        data = self._data
        if data is not None and not isinstance(data, BaseModel):
            # Two threads may both build it; the results are equal and one of them stays.
            data = self._data = data()
        return data

    @property
    def text(self) -> str:
        """The text as a plain `str`."""
        return str.__str__(self)

    def with_text(self, text: str) -> Self:
        """Give the same result with another text; where the text was the only part, it is so again."""
        alone = len(self.parts) == 1 and isinstance(self.parts[0], TextPart)
        added = TextPart(text.removeprefix(self.text).lstrip("\n") if text.startswith(self.text) else text)
        parts = (TextPart(text),) if alone else (*self.parts, added)
        return type(self)(text, data=self._data, parts=parts, is_error=self.is_error)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as values that JSON knows; an image's bytes become base64."""
        return {
            "text": self.text,
            "data": None if self.data is None else self.data.model_dump(mode="json"),
            "parts": [_part(part) for part in self.parts],
            "is_error": self.is_error,
        }

    def __str__(self) -> str:
        """Give the text as a plain `str`."""
        return str.__str__(self)

    def __repr__(self) -> str:
        """Show the text, and which data goes with it."""
        data = "" if self.data is None else f", data={type(self.data).__name__}"
        return f"Observation({str.__repr__(self)}{data}{', is_error=True' if self.is_error else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild with all of its parts."""
        return _rebuild, (type(self), self.text, self.data, self.parts, self.is_error)


def _rebuild(
    cls: type[Observation], text: str, data: BaseModel | None, parts: tuple[ContentPart, ...], is_error: bool
) -> Observation:
    return cls(text, data=data, parts=parts, is_error=is_error)


def _part(part: ContentPart) -> dict[str, str]:
    if isinstance(part, TextPart):
        return {"kind": "text", "text": part.text}
    return {"kind": "image", "mime": part.mime, "data": base64.b64encode(part.data).decode("ascii")}
