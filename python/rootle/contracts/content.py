"""`ContentPart`: a piece of a tool's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ContentPart", "ImagePart", "TextPart"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text, as the model reads it."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image, as its file's bytes and their media type, such as `image/png`."""

    data: bytes
    mime: str
    kind: Literal["image"] = "image"


ContentPart: TypeAlias = TextPart | ImagePart
