"""A tree in the sandbox: the entries below a few starts, and the ignore files that count there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from rootle import limits
from rootle.workspace.remote import scripts
from rootle.workspace.remote.contents import path_of, read_files
from rootle.workspace.remote.entries import Entry, Fields, Malformed, from_find, from_stat
from rootle.workspace.remote.look import Look, read_look
from rootle.workspace.remote.station import Deadline, Output, Station, encoded

__all__ = ["Tree", "Wanted", "read_tree", "run_listing"]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+-]+")
_UNREAD = re.compile(r"find: .(?P<path>\./.*).: Permission denied")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be listed.

    Attributes:
        starts: Directories or files, relative to the root.
        depth: Levels below the starts; 0 for all.
        rules: Whether ignore files count.
        skipped: Names of directories that are listed, but not entered.
    """

    starts: tuple[str, ...]
    depth: int = 0
    rules: bool = True
    skipped: tuple[str, ...] = ()

    def conditions(self, root: str) -> str:
        """Write the names as conditions of find; those that a shell would not leave alone are not among them."""
        plain = [f"-name {name}" for name in self.skipped if _PLAIN_NAME.fullmatch(name)]
        # The kernel's own file systems have no end.
        kernel = ["-path ./proc", "-path ./sys", "-path ./dev"] if root == "/" else []
        return " -o ".join(plain + kernel) or "-name /"


@dataclass(slots=True)
class Tree:
    """What was listed.

    Attributes:
        starts: What was found at the starts.
        entries: By path, each real place once.
        rules: Contents of ignore files by path.
        unread: Directories that could not be listed.
        stopped: "deadline" or "cancelled" when that was the end of it.
        cut: Some of it is missing, since there was too much.
        changed: Some of it is missing, since files changed meanwhile.
    """

    starts: list[Look] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    rules: dict[str, bytes] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    stopped: str | None = None
    cut: bool = False
    changed: bool = False

    @property
    def complete(self) -> bool:
        """Whether all of it is there."""
        return self.stopped is None and not self.cut and not self.changed


def run_listing(station: Station, wanted: Wanted, deadline: Deadline) -> Output:
    """List in the sandbox, with one command."""
    features = station.features(deadline)
    features.require_listing()
    if wanted.rules:
        features.require("reading ignore files", "xargs -0", "wc", "cat")
    arguments = [
        features.record,
        str(limits.REMOTE_LISTING_BYTES),
        str(wanted.depth),
        "yes" if wanted.rules else "no",
        str(limits.IGNORE_FILE_BYTES + 1),
        scripts.RECORD_EACH,
        scripts.SEND_RULES,
        wanted.conditions(features.root),
        *(encoded("./" + start) for start in wanted.starts),
    ]
    output = station.run(scripts.LIST, arguments, deadline=deadline, max_bytes=limits.REMOTE_LISTING_BYTES + 1000)
    if output.cut:
        raise station.incomplete(output)
    return output


def read_tree(output: Output, wanted: Wanted, how: str) -> Tree:
    """Read what the listing printed; of one without its end, what can be understood."""
    tree = Tree(stopped=output.stopped)
    tree.unread = sorted({path_of(match["path"]) for match in _UNREAD.finditer(output.error)})
    fields = Fields(output.data)
    try:
        for start in wanted.starts:
            if fields.next() != b"look":
                raise Malformed("a start was not looked at")
            found = read_look(fields, start, how)
            tree.starts.append(found)
            if found.entry is not None:
                tree.entries[found.real] = found.entry
            if found.there and found.entry is not None and found.entry.kind == "directory":
                _below(tree, fields, found.real, how)
                if wanted.rules:
                    _rules(tree, fields)
        if fields.next() != b"end":
            raise Malformed("there is more")
    except Malformed:
        tree.cut = output.stopped is None and len(output.data) >= limits.REMOTE_LISTING_BYTES
        tree.changed = output.stopped is None and not tree.cut
    return tree


def _below(tree: Tree, fields: Fields, top: str, how: str) -> None:
    prefix = top + "/" if top else ""
    entries = tree.entries
    if how == "find":
        while (text := fields.next()) != b"over":
            target = fields.next()
            parts = text.split(b" ", 8)
            path = prefix + os.fsdecode(parts[-1])
            _check(path)
            entries[path] = from_find(b" ".join(parts[:8]), path, target)
        fields.next()
        return
    while (word := fields.next()) != b"over":
        if word != b"batch":
            raise Malformed("a batch of names was expected")
        names = [path_of(fields.text()) for _ in range(fields.number())]
        records = [line for line in fields.next().split(b"\n") if line]
        if len(records) != len(names):
            raise Malformed("files came or went")
        for path, record in zip(names, records, strict=True):
            _check(path)
            entry = from_stat(record, path)
            if entry.kind == "symlink":
                if fields.next() != b"link":
                    raise Malformed("a link was expected")
                leads_to = fields.text()
                entry = from_stat(record, path, fields.next(), leads_to)
            entries[path] = entry
    fields.next()


def _rules(tree: Tree, fields: Fields) -> None:
    while fields.data.startswith(b"files\0", fields.at):
        fields.next()
        tree.rules.update(read_files(fields))


def _check(path: str) -> None:
    """Refuse what is no path below the root, whoever says it."""
    if any(name in ("", ".", "..") for name in path.split("/")):
        raise Malformed(f"{path!r} is no path")
