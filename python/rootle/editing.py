r"""Edits as plain functions on text: where a piece stands, and the text with another piece in its place.

Nothing is opened and nothing is written. `str` goes in as UTF-8 and comes out as `str`; `bytes` are taken as a file has
them: byte order mark, encoding and line ends are found out and kept, and what no edit touches stays byte for byte. What
cannot be done with certainty is refused, and the error says what would be right.

    >>> apply_edit("def f():\n    return 1\n", "return 1", "return 2").content
    'def f():\n    return 2\n'
    >>> locate("a = 1\nb = 2\n", "b = 2").first_line
    2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from rootle import _core, limits
from rootle.contracts import Replacement, as_replacements
from rootle.errors import InvalidArgument, InvalidPatch

if TYPE_CHECKING:
    from rootle.results import EditOutcome, FilePatch, LocatedText

__all__ = ["Edited", "Patched", "Replacement", "apply_edit", "apply_edits", "apply_patch", "locate"]

AnyText = TypeVar("AnyText", str, bytes)


class Edited(NamedTuple, Generic[AnyText]):
    """A text after its edits, its encoding as it was found out, and what each edit did."""

    content: AnyText
    encoding: str
    outcomes: list[EditOutcome]


class Patched(NamedTuple, Generic[AnyText]):
    """What a diff makes of files.

    Attributes:
        changed: The new content of each file that changes, by its path; None for one that goes.
        complete: Whether everything of the diff is in the files now.
        files: What became of each file's hunks.
    """

    changed: dict[str, AnyText | None]
    complete: bool
    files: list[FilePatch]


def locate(
    content: str | bytes,
    old: str,
    new: str = "",
    *,
    near_line: int | None = None,
    encoding: str | None = None,
    exact_only: bool = False,
) -> LocatedText:
    """Find the one place that `old` means.

    Args:
        content: The text, or a file's bytes.
        old: What is looked for. It may differ from the text where that cannot matter: white space, indentation, the
            form of quotes, some words of lines that the edit does not change.
        new: What is to stand there. It tells which lines of `old` the edit changes; those must be sure.
        near_line: Of equal places, the one nearest to this line (from 1).
        encoding: The encoding of bytes (a WHATWG label), when it should not be found out.
        exact_only: Find `old` only as it stands.

    Raises:
        TextNotFound, AmbiguousMatch, UnsafeEdit: With the nearest places in the details.
        InvalidEdit, NotEditable: When nothing can be looked for.
    """
    return _core.locate_bytes(
        content=_given(content),
        edit=Replacement(old, new, near_line=near_line).for_core(),
        encoding=_encoding(content, encoding),
        exact_only=exact_only,
        allow_placeholders=True,
        budget=limits.EDIT_WORK,
        max_bytes=limits.EDIT_FILE_BYTES,
    )


def apply_edit(
    content: AnyText,
    old: str,
    new: str,
    *,
    replace_all: bool = False,
    expected_count: int | None = None,
    near_line: int | None = None,
    encoding: str | None = None,
    exact_only: bool = False,
    allow_placeholders: bool = False,
) -> Edited[AnyText]:
    """Replace `old` by `new`; see `locate` for how `old` is found and for what is raised.

    Args:
        content: The text, or a file's bytes.
        old: What is replaced.
        new: What stands there afterwards; only its difference to `old` is written, the text's own lines are kept.
        replace_all: Replace every place where `old` stands exactly or as whole lines.
        expected_count: Refuse unless there are so many places, and replace them all.
        near_line: As in `locate`.
        encoding: As in `locate`.
        exact_only: As in `locate`.
        allow_placeholders: Take a `new` in which words like "rest of the code unchanged" stand for code.
    """
    edit = Replacement(old, new, replace_all, expected_count, near_line)
    return apply_edits(content, [edit], encoding=encoding, exact_only=exact_only, allow_placeholders=allow_placeholders)


def apply_edits(
    content: AnyText,
    edits: Sequence[Replacement],
    *,
    encoding: str | None = None,
    exact_only: bool = False,
    allow_placeholders: bool = False,
) -> Edited[AnyText]:
    """Make several edits, all of them or none; each is located in the text as it is given.

    Raises:
        InvalidEdit: When two edits overlap, and in the cases of `apply_edit`; the details say which edit, from 0.
        InvalidArgument: When an edit is no Replacement.
    """
    done = _core.edit_bytes(
        content=_given(content),
        edits=[one.for_core() for one in as_replacements(edits)],
        encoding=_encoding(content, encoding),
        exact_only=exact_only,
        allow_placeholders=allow_placeholders,
        budget=limits.EDIT_WORK,
        max_bytes=limits.EDIT_FILE_BYTES,
    )
    result: Any = done.content
    if isinstance(content, str) and isinstance(result, bytes):
        result = _text(result)
    return Edited(result, done.encoding, done.outcomes)


def apply_patch(
    files: Mapping[str, AnyText],
    diff: str,
    *,
    path: str | None = None,
    allow_partial: bool = False,
    allow_placeholders: bool = False,
) -> Patched[AnyText]:
    """Apply a diff to files that are given as text or as bytes, by their paths.

    Args:
        files: The files that the diff may mean; those of one call are all `str` or all `bytes`.
        diff: A unified or git diff, a `*** Begin Patch` text, or SEARCH/REPLACE blocks.
        path: The file that is meant where the diff names none.
        allow_partial: Apply the hunks that fit even when others do not; else no file is changed then.
        allow_placeholders: As in `apply_edit`.

    Raises:
        InvalidPatch: When the text is no diff, contradicts itself, or would write over a file by a rename or copy.
    """
    plan = _core.patch_bytes(
        files={name: _bytes(content) for name, content in files.items()},
        diff=diff,
        path=path,
        allow_partial=allow_partial,
        allow_placeholders=allow_placeholders,
        budget=limits.EDIT_WORK,
        max_bytes=limits.EDIT_FILE_BYTES,
    )
    as_text = any(isinstance(content, str) for content in files.values()) or not files
    done = [file for file in plan.files if file.changed]
    gone = {file.path for file in done if file.operation in ("rename", "delete")}
    changed: dict[str, Any] = dict.fromkeys(gone)
    for file in done:
        if file.operation == "delete":
            continue
        target = file.new_path or file.path
        # What a rename, a copy or a new file would cover must itself go in the same diff.
        covers = file.new_path is not None and target in files and target not in gone
        if covers or changed.get(target) is not None:
            raise InvalidPatch.of(f'"{target}" exists already, or is written twice', path=target)
        changed[target] = file.after if file.after is None or not as_text else _text(file.after)
    return Patched(changed, plan.conflicts == 0, plan.files)


def _given(content: str | bytes) -> str | bytes:
    """Give a text to the core: ASCII as it is, which saves copies of it."""
    return content if isinstance(content, str) and content.isascii() else _bytes(content)


def _bytes(content: str | bytes) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8", "surrogatepass")
    if not isinstance(content, bytes | bytearray | memoryview):
        raise InvalidArgument.of(f"content: it is {type(content).__name__}, not text or bytes", name="content")
    return bytes(content)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


def _encoding(content: str | bytes, encoding: str | None) -> str | None:
    return "utf-8" if isinstance(content, str) else encoding
