"""Keyword options of the operations, as types.

Each is declared once here and unpacked by every face that passes it on: backends, workspaces, the asynchronous
workspace.
The defaults are those of `rootle.primitives`, which spells every option out with its meaning and unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from rootle._core import CancelToken

__all__ = [
    "DescentKeywords",
    "EditKeywords",
    "FilterKeywords",
    "GlobKeywords",
    "GrepKeywords",
    "LimitKeywords",
    "ListKeywords",
    "PatchKeywords",
    "PathArg",
    "PlaceKeywords",
    "ReadKeywords",
    "RuleKeywords",
    "Texts",
    "WalkKeywords",
    "WriteKeywords",
]

PathArg: TypeAlias = str | PathLike[str]
Texts: TypeAlias = str | Sequence[str]


class LimitKeywords(TypedDict, total=False):
    """When a call must end."""

    timeout_s: float | None
    cancel: CancelToken | None


class RuleKeywords(TypedDict, total=False):
    """Which entries of a directory are looked at."""

    hidden: bool
    no_ignore: bool
    skip_dirs: Sequence[str] | None
    extra_ignore: Texts


class DescentKeywords(RuleKeywords, total=False):
    """How a tree is walked."""

    follow_links: bool
    max_depth: int | None
    threads: int


class FilterKeywords(TypedDict, total=False):
    """Which files of those are wanted."""

    glob: Texts
    exclude: Texts
    type: Texts


class WalkKeywords(LimitKeywords, DescentKeywords, FilterKeywords, total=False):
    """Options of `walk`."""

    stat: bool


class GlobKeywords(LimitKeywords, DescentKeywords, total=False):
    """Options of `glob`."""

    sort: Literal["modified", "path", "size", "depth"]
    kind: Literal["file", "directory", "any"]
    ignore_case: bool
    max_results: int | None
    cursor: str | None


class GrepKeywords(LimitKeywords, DescentKeywords, FilterKeywords, total=False):
    """Options of `grep`."""

    mode: Literal["content", "files", "count"]
    fixed: bool
    word: bool
    ignore_case: bool
    smart_case: bool
    multiline: bool
    dotall: bool
    invert: bool
    only_matching: bool
    before: int
    after: int
    max_matches: int | None
    max_per_file: int | None
    max_filesize: int | None
    max_line_chars: int
    max_text_bytes: int | None
    sort: Literal["path", "modified"]
    encoding: str | None
    guess_encoding: bool
    cursor: str | None
    explain_empty: bool


class ListKeywords(LimitKeywords, RuleKeywords, total=False):
    """Options of `list_dir`."""

    depth: int
    max_entries: int


class ReadKeywords(LimitKeywords, total=False):
    """Options of `read`."""

    start_line: int
    max_lines: int | None
    start_column: int
    max_line_chars: int
    max_chars: int
    encoding: str | None
    keep_bytes: int


class PlaceKeywords(LimitKeywords, total=False):
    """Where an operation that writes may write."""

    allow_git_internals: bool


class WriteKeywords(PlaceKeywords, total=False):
    """Options of `Workspace.write`."""

    create_only: bool
    expected_hash: bytes | None
    make_parents: bool
    keep_form: bool


class EditKeywords(PlaceKeywords, total=False):
    """Options of `Workspace.edit`."""

    expected_hash: bytes | None
    encoding: str | None
    exact_only: bool
    dry_run: bool


class PatchKeywords(PlaceKeywords, total=False):
    """Options of `Workspace.plan_patch`."""

    path: PathArg | None
    allow_partial: bool
