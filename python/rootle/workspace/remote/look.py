"""One path or a few in the sandbox: where they lead, what is there, and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rootle import limits
from rootle.errors import SandboxUnavailable
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.contents import path_of
from rootle.workspace.remote.entries import Entry, Fields, Malformed, from_find, from_stat
from rootle.workspace.remote.station import Deadline, Output, Station, encoded

__all__ = ["Look", "look", "read_look"]

_ATTEMPTS = 4


@dataclass(slots=True)
class Look:
    """What was found at one path.

    Attributes:
        named: The path, relative to the root.
        state: "found"; "missing"; "dangling" for a link to nothing, inside the root; "outside" for what leads out of
            the root; "loop" for links that lead nowhere.
        real: Where it is with every link resolved, relative to the root (empty: the root); of a missing one, where the
            nearest existing directory is.
        rest: What of a missing path comes after that.
        entry: What is there; of a missing path, the nearest thing that is.
        link: The link itself, if the path names one.
        content: What the file holds, if it was wanted and is not too large.
    """

    named: str
    state: str
    real: str
    rest: str
    entry: Entry | None
    link: Entry | None
    content: bytes | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The path under which a replica has it: what `..` means depends on links, which that may not have."""
        if ".." not in self.named.split("/"):
            return self.named
        return "/".join(name for name in (self.real, self.rest) if name) or "."

    @property
    def there(self) -> bool:
        """Whether something is there that can be looked at."""
        return self.state == "found" and self.entry is not None


def look(station: Station, paths: Sequence[str], deadline: Deadline, *, content_bytes: int = 0) -> list[Look]:
    """Look at paths, which are relative to the root, with one command.

    Args:
        station: The sandbox.
        paths: What to look at.
        deadline: When to give up.
        content_bytes: Give the content of files that are not larger, if this is more than 0.

    Raises:
        Stopped: When the time was over.
        SandboxUnavailable: When the sandbox cannot be reached, or its tools do not suffice.
    """
    features = station.features(deadline)
    features.require_looking()
    arguments = [features.record, str(content_bytes), *(encoded("./" + path) for path in paths)]
    cap = limits.REMOTE_FETCH_BYTES + max(content_bytes, 0) * 2 + 100_000
    malformed: Malformed | None = None
    output = Output(b"")
    for _ in range(_ATTEMPTS):
        output = station.run(scripts.LOOK, arguments, deadline=deadline, max_bytes=cap)
        if output.stopped:
            raise Stopped(output.stopped)
        if output.cut:
            raise station.incomplete(output)
        try:
            return _read(output.data, paths, features.record)
        except Malformed as error:
            malformed = error
    raise SandboxUnavailable.of(f"what the sandbox says of files could not be read: {malformed}; {output.error[:200]}")


def _read(data: bytes, paths: Sequence[str], how: str) -> list[Look]:
    fields = Fields(data)
    found: list[Look] = []
    word = fields.next()
    for path in paths:
        if word != b"look":
            raise Malformed("a path was not looked at")
        one = read_look(fields, path, how)
        word = fields.next()
        if word == b"content" and one.entry is not None:
            one.content = fields.take(one.entry.size)
            after = b"" if fields.next() else fields.next()
            if _record(after, one.real, how) != one.entry:
                raise Malformed("the file changed while it was read")
            word = fields.next()
        found.append(one)
    if word != b"end":
        raise Malformed("the end is missing")
    return found


def read_look(fields: Fields, path: str, how: str) -> Look:
    """Read what the script says of one path, after its first field."""
    state, link, real, rest = (fields.text() for _ in range(4))
    real = path_of(real)
    entry = _record(fields.next(), real, how)
    itself = None
    if link == "l":
        itself = _record(fields.next(), path, how, fields.next())
    if state == "found" and entry is None:
        state = "missing"
    return Look(path, state, real, rest.strip("/"), entry, itself)


def _record(text: bytes, path: str, how: str, target: bytes = b"") -> Entry | None:
    text = text.strip(b"\n")
    if not text:
        return None
    return from_find(text, path, target) if how == "find" else from_stat(text, path, target)
