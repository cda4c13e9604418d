"""What the writing tools say about one file: the same words and the same data in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from rootle.rendering import escape_name, escape_text, frame_tag

if TYPE_CHECKING:
    from rootle._core import EditOutcome, ReadLine

__all__ = [
    "EditReport",
    "EditWarning",
    "LineSpan",
    "SnippetLine",
    "edit_reports",
    "line_count",
    "lines_text",
    "snippet",
]


class LineSpan(BaseModel):
    """A stretch of lines, both ends counted; an empty one ends before it begins."""

    first: int
    last: int


class EditWarning(BaseModel):
    """Something about an edit that its writer should know, such as an adapted indentation."""

    model_config = ConfigDict(from_attributes=True)

    code: str
    text: str


class EditReport(BaseModel):
    """What became of one edit.

    `tier` says how `old` was found: exact, or with what difference; `before` and `after` are its lines in the old and
    the new content.
    """

    status: Literal["applied", "already_applied"]
    tier: str
    score: float
    replacements: int
    before: list[LineSpan]
    after: list[LineSpan]
    warnings: list[EditWarning] = []


class SnippetLine(BaseModel):
    """A line of the new content."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    text: str


def edit_reports(outcomes: Iterable[EditOutcome]) -> list[EditReport]:
    """Give what became of each edit."""
    return [
        EditReport(
            status=one.status,
            tier=one.tier,
            score=one.score,
            replacements=one.replacements,
            before=[LineSpan(first=first, last=last) for first, last in one.before],
            after=[LineSpan(first=first, last=last) for first, last in one.after],
            warnings=[EditWarning.model_validate(warning) for warning in one.warnings],
        )
        for one in outcomes
    ]


def snippet(lines: Iterable[ReadLine]) -> list[SnippetLine]:
    """Give the lines around the changes."""
    return [SnippetLine.model_validate(line) for line in lines]


def lines_text(path: str, lines: Sequence[SnippetLine]) -> str:
    """Write lines with their numbers inside a frame that no content can close; gaps are marked."""
    if not lines:
        return ""
    rows: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None and line.number != before.number + 1:
            rows.append("   ...")
        rows.append(f"{line.number:>6}\t{escape_text(line.text)}")
    body = "\n".join(rows)
    name = escape_name(path).replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    tag = frame_tag("lines", body)
    return f'<{tag} path="{name}">\n{body}\n</{tag}>'


def line_count(content: bytes, encoding: str) -> int:
    """Count the lines of a file; a last one without an end counts too."""
    feed = "\n".encode(encoding if encoding.startswith(("utf-16", "utf-32")) else "ascii")
    return content.count(feed) + (bool(content) and not content.endswith(feed))
