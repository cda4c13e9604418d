r"""Changed files with their statuses, as `git diff --raw -z` writes them.

>>> parse_raw(b":100644 100644 1f 2e R090\0old\0new\0:100644 000000 1f 00 D\0gone\0")
[RawChange(path='new', status='renamed', old_path='old'), RawChange(path='gone', status='deleted', old_path=None)]
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

__all__ = ["RawChange", "Status", "parse_raw", "whole_records"]

Status: TypeAlias = Literal["added", "copied", "deleted", "modified", "renamed", "type_changed", "unmerged"]

_STATUS: dict[str, Status] = {
    "A": "added",
    "C": "copied",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type_changed",
    "U": "unmerged",
}


class RawChange(NamedTuple):
    """One file that differs; names as in `Numstat`."""

    path: str
    status: Status
    old_path: str | None


def parse_raw(data: bytes) -> list[RawChange]:
    """Read the records; of a file that has several (one that is unmerged has) the first counts.

    Raises:
        ValueError: When a record is none.
    """
    found: dict[str, RawChange] = {}
    fields = iter(data.split(b"\0"))
    for field in fields:
        if not field:
            continue
        letter = field.rpartition(b" ")[2][:1].decode("ascii", "replace")
        status = _STATUS.get(letter)
        if not field.startswith(b":") or status is None:
            raise ValueError(f"not a record of git diff --raw: {field[:80]!r}")
        name = next(fields, b"").decode("utf-8", "surrogateescape")
        old = name if letter in "RC" else None
        if old is not None:
            name = next(fields, b"").decode("utf-8", "surrogateescape")
        found.setdefault(name, RawChange(name, status, old))
    return list(found.values())


def whole_records(data: bytes, most: int) -> tuple[bytes, bool]:
    """Give what is whole of output that may have been cut at `most` bytes, and whether it was.

    A record of a rename has three fields: an incomplete one at the end is left out.
    """
    if len(data) < most:
        return data, False
    start = data.rfind(b"\0:", 0, len(data))
    return (data[: start + 1] if start >= 0 else b""), True
