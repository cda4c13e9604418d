"""Sentences that say what a search did not see: shared by every tool whose answer may be partial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rootle.rendering import count_of, escape_name, escape_text

if TYPE_CHECKING:
    from rootle.results import Coverage, PathWarning

__all__ = ["left_out", "stopped", "warned"]

_SHOWN_WARNINGS = 5


def stopped(stop: str | None, coverage: Coverage, cursor: str | None) -> list[str]:
    """Say that a call ended before everything was seen, and how to go on."""
    go_on = " Search again with a longer timeout_s or a narrower path."
    if cursor:
        go_on = f' Pass cursor="{cursor}" to go on; some of what was found may come again.'
    if stop == "deadline":
        return [f"INCOMPLETE: the time limit was reached after {count_of(coverage.files, 'file')}.{go_on}"]
    if stop == "cancelled":
        return [f"INCOMPLETE: cancelled after {count_of(coverage.files, 'file')}."]
    return []


def left_out(coverage: Coverage) -> list[str]:
    """Say which files were passed over for what they are, by reason."""
    reasons = [
        (coverage.binary, "binary from the first NUL byte on"),
        (coverage.too_large, "too large"),
        (coverage.unreadable, "unreadable"),
        (coverage.special, "no regular files"),
        (coverage.step_limited, "given up at the step limit of the pattern"),
    ]
    parts = [f"{count:,} {reason}" for count, reason in reasons if count]
    return [f"Not searched in full: {', '.join(parts)}."] if parts else []


def warned(warnings: Sequence[PathWarning]) -> list[str]:
    """Name the first few paths on which something went wrong."""
    lines = [f"Warning: {escape_name(item.path)}: {escape_text(item.message)}" for item in warnings[:_SHOWN_WARNINGS]]
    if len(warnings) > _SHOWN_WARNINGS:
        lines.append(f"({count_of(len(warnings) - _SHOWN_WARNINGS, 'more warning')})")
    return lines
