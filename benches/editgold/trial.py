"""A trial: what a tool is given, what the file must be afterwards, and how it may answer."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Edit", "Expect", "Trial"]

Expect = Literal["apply", "refuse", "choose", "either"]
"""`apply`: gold. `choose`: gold among look-alikes. `refuse`: the file stays. `either`: gold or refused."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement as a model gives it; `near_line` counts from 1."""

    old: str
    new: str
    near_line: int | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """One call. Either `edits` or `patch` is set; `block` is the range of the true place in bytes of `file`."""

    id: str
    perturbation: str
    variant: str
    group: str
    expect: Expect
    source: str
    path: str
    file: bytes
    gold: bytes
    edits: tuple[Edit, ...] = ()
    patch: str | None = None
    block: tuple[int, int] = (0, 0)
    codec: str = "utf-8"
    notes: dict[str, str] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """Give the trial as JSON values; contents in base64."""
        return {
            "id": self.id,
            "perturbation": self.perturbation,
            "variant": self.variant,
            "group": self.group,
            "expect": self.expect,
            "source": self.source,
            "path": self.path,
            "file": base64.b64encode(self.file).decode(),
            "gold": base64.b64encode(self.gold).decode(),
            "edits": [{"old": edit.old, "new": edit.new, "near_line": edit.near_line} for edit in self.edits],
            "patch": self.patch,
            "block": list(self.block),
            "codec": self.codec,
        }
