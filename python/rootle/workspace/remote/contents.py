"""Contents of files, several with one command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from rootle.workspace.remote.entries import Fields, Malformed

__all__ = ["path_of", "read_files", "stdin_of"]


def path_of(text: str) -> str:
    """Give a path that a script printed, relative to the root: `./a` and `.//a` are `a`."""
    return text.removeprefix(".").lstrip("/").replace("//", "/")


def stdin_of(paths: Sequence[str]) -> bytes:
    """Write paths relative to the root for `xargs -0`."""
    return b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)


def read_files(fields: Fields) -> Iterator[tuple[str, bytes]]:
    """Read one sending, after its first field: paths and contents.

    Raises Malformed when sizes before and after differ, so that it is not known where one content ends.
    """
    count = fields.number()
    paths = [fields.text() for _ in range(count)]
    before = _sizes(fields.next(), count)
    start = fields.at
    fields.take(sum(before))
    if fields.take(1) != b"\0" or _sizes(fields.next(), count) != before:
        raise Malformed("files changed while they were read")
    for path, size in zip(paths, before, strict=True):
        yield path_of(path), fields.data[start : start + size]
        start += size


def _sizes(text: bytes, count: int) -> list[int]:
    """Read what `wc -c` says: a line a file, and one for all together if there are several."""
    try:
        sizes = [int(line.split(maxsplit=1)[0]) for line in text.split(b"\n") if line.strip()]
    except ValueError as error:
        raise Malformed(str(error)) from None
    if count > 1 and len(sizes) == count + 1:
        sizes.pop()
    if len(sizes) != count:
        raise Malformed("files came or went")
    return sizes
