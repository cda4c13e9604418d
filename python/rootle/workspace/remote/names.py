"""Operations that look at names only: walk, glob, list_dir. Also the trees that a search goes through."""

from __future__ import annotations

import os
import posixpath
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from rootle import limits
from rootle._core import GlobResult, ListEntry, ListResult, PathWarning
from rootle.workspace.local import LocalBackend
from rootle.workspace.remote.entries import Entry
from rootle.workspace.remote.listing import Tree, Wanted, read_tree, run_listing
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.station import Deadline, Station

__all__ = ["Held", "Trees", "notices_of", "partial_glob", "partial_list", "shown_list"]


class Held:
    """A tree, its replica, and the core's backend on that."""

    def __init__(self, tree: Tree, root: str, unseen: Sequence[str], *, sizes: bool) -> None:
        self.tree = tree
        self.replica = Replica(root)
        self.replica.add(tree.entries, sizes=sizes)
        for path, content in tree.rules.items():
            self.replica.put(path, content)
        for look in tree.starts:
            if look.state != "found" or posixpath.normpath(look.named) != (look.real or "."):
                self.replica.place(look)
        for start in unseen:
            # The listing ended before it came to this one: it is not said that there is nothing.
            with suppress(OSError):
                self.replica.directory(posixpath.normpath(start).removeprefix("."))
        self.backend = LocalBackend.on(self.replica.root)

    def entry(self, path: str) -> Entry | None:
        """Give what is known of a path that the core names: below a start that is a link it is another one."""
        if (known := self.tree.entries.get(path)) is not None:
            return known
        for look in self.tree.starts:
            named = posixpath.normpath(look.named)
            if path == named or path.startswith(f"{named}/"):
                return self.tree.entries.get((look.real + path[len(named) :]).lstrip("/"))
        return None


class Trees:
    """Listings of the sandbox's tree. Each is taken anew; what was made of an equal one before is used again."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._held: OrderedDict[tuple[Any, ...], Held] = OrderedDict()
        self._lock = threading.Lock()

    def take(
        self,
        starts: Sequence[str],
        deadline: Deadline,
        *,
        depth: int = 0,
        rules: bool = True,
        skipped: Sequence[str] = (),
        extra: Sequence[str] = (),
        sizes: bool = False,
    ) -> Held:
        """List a tree.

        Args:
            starts: Where to begin, relative to the root.
            deadline: When to give up.
            depth: Levels; 0 for all.
            rules: Whether ignore files count.
            skipped: Directories that are left out unless something asks for them.
            extra: Texts that may ask for them: globs, ignore rules.
            sizes: Make files as large as they are.
        """
        asked = [text for text in extra if text]
        skipped = tuple(name for name in skipped if not any(name in text for text in asked))
        wanted = Wanted(tuple(starts), depth, rules, skipped)
        held = self._once(wanted, deadline, sizes)
        kept = [name for name in skipped if _asked_for(name, held.tree.rules)]
        if kept:
            # An ignore file brings such a directory back: what is in it counts after all.
            skipped = tuple(name for name in skipped if name not in kept)
            held = self._once(Wanted(wanted.starts, depth, rules, skipped), deadline, sizes)
        return held

    def _once(self, wanted: Wanted, deadline: Deadline, sizes: bool) -> Held:
        output = run_listing(self._station, wanted, deadline)
        features = self._station.features(deadline)
        key = (wanted, sizes, output.data, output.error)
        with self._lock:
            if (held := self._held.get(key)) is not None and output.stopped is None:
                self._held.move_to_end(key)
                return held
        tree = read_tree(output, wanted, features.record)
        held = Held(tree, features.root, wanted.starts[len(tree.starts) :], sizes=sizes)
        if held.tree.complete:
            with self._lock:
                self._held[key] = held
                while len(self._held) > limits.REMOTE_REPLICAS:
                    # Another thread may still work on it: it goes when nobody has it any more.
                    self._held.popitem(last=False)
        return held


def _asked_for(name: str, rules: dict[str, bytes]) -> bool:
    word = os.fsencode(name)
    return any(
        line.lstrip().startswith(b"!") and word in line for content in rules.values() for line in content.splitlines()
    )


def notices_of(tree: Tree) -> list[PathWarning]:
    """Say what of the tree is not there."""
    found = [
        PathWarning(path=path, code="permission_denied", message="the directory cannot be read") for path in tree.unread
    ]
    if tree.cut:
        found.append(
            PathWarning(
                path=".", code="listing_cut", message="the tree is too large to be listed: not all was looked at"
            )
        )
    if tree.changed:
        found.append(
            PathWarning(
                path=".", code="listing_cut", message="files changed while they were listed: not all was looked at"
            )
        )
    return found


def partial_glob(result: GlobResult, tree: Tree) -> GlobResult:
    """Mark what a listing that is not whole gives."""
    if tree.complete and not tree.unread:
        return result
    values = {name: getattr(result, name) for name in _fields(GlobResult)}
    values["warnings"] = [*result.warnings, *notices_of(tree)]
    if not tree.complete:
        values |= {"complete": False, "stop": result.stop or tree.stopped, "total_exact": False, "cursor": None}
    return GlobResult(**values)


def partial_list(result: ListResult, tree: Tree) -> ListResult:
    """Mark what a listing that is not whole gives."""
    if tree.complete and not tree.unread:
        return result
    values = {name: getattr(result, name) for name in _fields(ListResult)}
    values["warnings"] = [*result.warnings, *notices_of(tree)]
    if not tree.complete:
        values |= {"complete": False, "stop": result.stop or tree.stopped}
    return ListResult(**values)


def shown_list(result: ListResult, held: Held) -> ListResult:
    """Put what the sandbox says of each entry in the place of what the replica has."""
    shown = []
    for one in result.entries:
        known = held.entry(one.path)
        if known is None:
            shown.append(one)
            continue
        shown.append(
            ListEntry(
                path=one.path,
                depth=one.depth,
                kind=known.kind,
                size=known.size,
                mtime_ns=known.mtime_ns,
                mode=known.mode,
                link_target=one.link_target,
                broken=one.broken,
                listed=one.listed,
                ignored=one.ignored,
                hidden=one.hidden,
                not_shown=one.not_shown,
            )
        )
    values = {name: getattr(result, name) for name in _fields(ListResult)}
    return ListResult(**(values | {"entries": shown}))


def _fields(record: type) -> tuple[str, ...]:
    return _RESULT_FIELDS[record.__name__]


_SHARED = ("complete", "stop", "coverage", "warnings", "freshness", "root")
_RESULT_FIELDS = {
    "GlobResult": ("paths", "entries", "total", "total_exact", "ignored", "cursor", *_SHARED),
    "ListResult": ("entries", "ignored", "hidden", "not_shown", *_SHARED),
}
