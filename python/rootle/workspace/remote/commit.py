"""Putting files in their places in the sandbox: all are prepared and checked before the first one changes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from rootle import limits
from rootle.errors import (
    AlreadyExists,
    CommitIncomplete,
    IoFailed,
    PathEscapesRoot,
    PermissionDenied,
    RootleError,
    SandboxUnavailable,
    Unwritable,
)
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.entries import Entry, Fields, Malformed, from_find, from_stat
from rootle.workspace.remote.station import Deadline, Output, Station, encoded

__all__ = ["Change", "Moved", "put_in_place"]


class Moved(Exception):
    """A file is not what it was when it was looked at. Never reaches a caller."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one file; paths are real, relative to the root.

    Attributes:
        kind: "create", "write", "remove" or "rename".
        path: The file.
        to: Where a rename leads.
        before: The content that it must have.
        content: The content that it gets; None for none, or as it is.
        mode: The permission bits that it gets; None for a new file's own.
    """

    kind: str
    path: str
    to: str | None = None
    before: bytes | None = None
    content: bytes | None = None
    mode: int | None = None


@dataclass(slots=True)
class Placed:
    """What is there after a change, and what could not be kept."""

    entry: Entry | None
    notices: list[str] = field(default_factory=list)


def put_in_place(station: Station, changes: Sequence[Change], deadline: Deadline) -> list[Placed]:
    """Make changes, all or none, with one command; contents that are large go by the client's own method before it.

    Raises:
        Moved: When a file has another content than `before`, or came or went; nothing is changed then.
        AlreadyExists, PermissionDenied, Unwritable, PathEscapesRoot: With nothing changed.
        CommitIncomplete: When it failed in the middle and not everything could be put back, or its end was not seen.
        Stopped: When the time was over before anything was begun.
    """
    features = station.features(deadline)
    features.require("writing", "sha256sum", "mv", "ln", "chmod", "mkdir", "rm", "wc", "cat")
    nonce = secrets.token_hex(8)
    contents = [change for change in changes if change.content is not None]
    small = len(contents) == 1 and len(contents[0].content or b"") <= limits.REMOTE_INLINE_BYTES
    arguments = [features.record, nonce, "yes" if len(changes) > 1 else "no"]
    for change in changes:
        arguments += _arguments(change, small)
    sent: list[str] = []
    try:
        for at, change in enumerate(changes):
            if change.content is not None and not small:
                sent.append(_temporary(change, f"{nonce}-{at}"))
                _send(station, change, sent[-1], deadline)
        deadline.left()
    except BaseException:
        _remove(station, sent)
        raise
    return _placed(_run(station, arguments, contents[0].content if small else None, changes), changes, features.record)


def _run(station: Station, arguments: list[str], stdin: bytes | None, changes: Sequence[Change]) -> Output:
    """Run the script to its end, whoever wants to end it: once begun, its end must be seen."""
    deadline = Deadline(limits.EXEC_TIMEOUT_S)
    try:
        return station.run(
            scripts.COMMIT, arguments, deadline=deadline, stdin=stdin, max_bytes=1_000_000, shielded=True
        )
    except SandboxUnavailable as error:
        raise _unseen(changes, str(error)) from error


def _unseen(changes: Sequence[Change], why: str) -> CommitIncomplete:
    paths = ", ".join(change.path for change in changes)
    return CommitIncomplete.of(
        f"writing {paths} in the sandbox was not seen to its end ({why}): look at what is there",
        operation="write",
        path=changes[0].path,
        written=[change.path for change in changes],
    )


def _arguments(change: Change, small: bool) -> list[str]:
    source = "none" if change.content is None else "input" if small else "file"
    expect = "-" if change.before is None else hashlib.sha256(change.before).hexdigest()
    return [
        change.kind,
        encoded("./" + change.path),
        encoded("./" + (change.to or change.path)),
        expect,
        "-" if change.mode is None else f"{change.mode & 0o7777:o}",
        source,
        str(len(change.content or b"")),
    ]


def _temporary(change: Change, name: str) -> str:
    """Give the path of the temporary file of a change, relative to the root."""
    directory, slash, _ = (change.to or change.path).rpartition("/")
    return f"{directory}{slash}.rootle-remote-{name}.tmp"


def _remove(station: Station, temporaries: Sequence[str]) -> None:
    """Remove temporary files, as far as that can be done now."""
    if temporaries:
        with suppress(RootleError, Stopped):
            paths = [encoded("./" + path) for path in temporaries]
            station.run(scripts.REMOVE, paths, deadline=Deadline(limits.PATH_TIMEOUT_S), shielded=True)


def _send(station: Station, change: Change, temporary: str, deadline: Deadline) -> None:
    """Write a content beside its place by the client's own method."""
    root = station.features(deadline).root.rstrip("/")
    content = change.content or b""
    try:
        station.awaited(lambda: station.client.write_file(f"{root}/{temporary}", content), deadline)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if isinstance(error, RootleError):
            raise
        raise Unwritable.of(
            f'"{change.path}" cannot be written: {error}', operation="write", path=change.path, original_error=error
        ) from error


def _placed(output: Output, changes: Sequence[Change], how: str) -> list[Placed]:
    answer = Answer(changes, how)
    try:
        answer.read(Fields(output.data))
    except (Malformed, IndexError) as error:
        why = "its time was over" if output.stopped else "its answer was cut" if output.cut else str(error)
        raise _unseen(changes, why) from None
    if answer.failed is not None:
        why, at = answer.failed
        raise _failure(changes[min(at, len(changes) - 1)], why, answer.left, output.error)
    return answer.placed


class Answer:
    """What the script says it did."""

    def __init__(self, changes: Sequence[Change], how: str) -> None:
        self.placed = [Placed(None) for _ in changes]
        self.failed: tuple[str, int] | None = None
        self.left: list[str] = []
        self._changes = changes
        self._record = from_find if how == "find" else from_stat

    def read(self, fields: Fields) -> None:
        """Read it to its end; raises Malformed when that is missing."""
        while (word := fields.next()) != b"end":
            if word == b"notice":
                _, at = fields.text(), fields.number()
                self.placed[at].notices.append("the file's owner could not be kept")
            elif word == b"failed":
                self.failed = fields.text(), fields.number()
            elif word == b"left":
                self.left.append(self._changes[fields.number()].path)
            elif word == b"done":
                self._done(fields)
            else:
                raise Malformed(f"{word[:40]!r} was not expected")

    def _done(self, fields: Fields) -> None:
        for change, one in zip(self._changes, self.placed, strict=True):
            record = fields.next().strip(b"\n")
            one.entry = self._record(record, change.to or change.path) if record else None


def _failure(change: Change, why: str, left: list[str], said: str) -> Exception:
    path = change.path
    if left:
        return CommitIncomplete.of(
            f'writing failed at "{path}" ({why}), and {", ".join(left)} could not be put back',
            operation="write",
            path=path,
            written=left,
        )
    if why == "stale":
        return Moved(path)
    if why == "exists":
        there = change.to if change.kind == "rename" and change.to else path
        return AlreadyExists.of(f'"{there}" exists already', path=there)
    if why == "denied":
        return PermissionDenied.of(f'permission denied to write "{path}"', operation="write", path=path)
    if why == "outside":
        return PathEscapesRoot.of(f'"{path}" leads outside the root', path=path)
    if why == "size":
        return IoFailed.of(f'"{path}" could not be written: not all bytes arrived', operation="write", path=path)
    return Unwritable.of(
        f'"{path}" cannot be written in the sandbox ({why}): {said[:200]}', operation="write", path=path
    )
