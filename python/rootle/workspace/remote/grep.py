"""The search of a tree in a sandbox, from its listing to the result."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rootle import limits
from rootle._core import Coverage, GrepResult, PathWarning
from rootle.errors import InvalidCursor, PermissionDenied
from rootle.workspace.local import LocalBackend
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.entries import Entry
from rootle.workspace.remote.excerpt import Excerpt, excerpt, in_whole
from rootle.workspace.remote.names import Held, notices_of
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.search import Candidates, fetch, narrowed
from rootle.workspace.remote.station import Deadline, Station

if TYPE_CHECKING:
    from rootle._core import WalkEntry

__all__ = ["Search"]

_FIRST_FILES = 64
_FIRST_BYTES = 1_000_000
# Time for finding candidates; the rest is for fetching them.
_SHARE = 0.7
_CURSOR = "r1."


class Search:
    """One search.

    Args:
        station: The sandbox.
        held: The tree.
        patterns: The patterns.
        options: What the core's search takes.
        scope: Whatever else tells this search from others; a cursor is good for one search alone.
        deadline: When it must end.
    """

    def __init__(
        self,
        station: Station,
        held: Held,
        patterns: Sequence[str],
        options: dict[str, Any],
        scope: str,
        deadline: Deadline,
    ) -> None:
        self.station = station
        self.held = held
        self.patterns = list(patterns)
        self.options = options
        self.deadline = deadline
        self.digest = hashlib.blake2b(scope.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self.stopped = held.tree.stopped
        self.denied: list[str] = []
        self.left_out: list[PathWarning] = []
        self.too_large = 0
        self.size = 0
        self.excerpts: dict[str, Excerpt] = {}

    def run(self, files: Sequence[WalkEntry], coverage: Coverage, passed_over: Sequence[str] = ()) -> GrepResult:
        """Search the files of a walk; of a few others it is said how many match if none of these does."""
        after, cursor = self._cursor()
        sized = self._sized(files)
        asked = [path for path, _, _ in sized if after is None or _order(path) > _order(after)]
        facts = {path: (size, at) for path, size, at in sized}
        root = self.station.features(self.deadline).root
        with Replica(root) as replica:
            candidates = self._candidates([*asked, *passed_over])
            others = [path for path in candidates.paths if path not in facts]
            candidates.paths = [path for path in candidates.paths if path in facts]
            found = self._collect(replica, candidates, facts, cursor)
        result = self._result(found, candidates, coverage, len(sized))
        if others and result.complete and not result.total_files:
            with Replica(root) as replica:
                hinted = self._count(replica, others)
            result = _with_hint(result, hinted)
        return result

    def _count(self, replica: Replica, paths: list[str]) -> GrepResult:
        """Search files that were passed over, as far as they are small."""
        sizes = {path: known.size for path in paths if (known := self.held.entry(path)) is not None}
        few, taken, _ = self._batch(
            [path for path, size in sizes.items() if size <= _FIRST_BYTES],
            {path: (size, 0) for path, size in sizes.items()},
            _FIRST_FILES,
            _FIRST_BYTES,
        )
        try:
            contents, _ = fetch(self.station, few, self.deadline, taken)
        except Stopped:
            contents = {}
        for path, content in contents.items():
            replica.put(path, content)
        self.options = self.options | {
            "mode": "count",
            "max_matches": None,
            "max_per_file": None,
            "max_text_bytes": None,
        }
        return self._grep(replica, None)

    def _cursor(self) -> tuple[str | None, str | None]:
        """Give the file before which nothing is wanted, and the core's own cursor."""
        text = self.options["cursor"]
        if text is None:
            return None, None
        parts = text.removeprefix(_CURSOR).split(".", 2)
        if not text.startswith(_CURSOR) or len(parts) != 3:
            raise InvalidCursor.of("invalid cursor: it is damaged", cursor=text)
        if parts[0] != self.digest:
            raise InvalidCursor.of("invalid cursor: it belongs to another search", cursor=text)
        try:
            after = os.fsdecode(bytes.fromhex(parts[1]))
        except ValueError:
            raise InvalidCursor.of("invalid cursor: it is damaged", cursor=text) from None
        return after or None, parts[2]

    def _sized(self, files: Sequence[WalkEntry]) -> list[tuple[str, int, int]]:
        """Give path, size and time of each file, in the order of the search, without those that are too large."""
        most = self.options["max_filesize"]
        sized = []
        for file in files:
            known = self.held.entry(file.path) or self._behind(file.path)
            size = 0 if known is None else known.size
            if most is not None and size > most:
                self.too_large += 1
                continue
            sized.append((file.path, size, file.mtime_ns or 0))
            self.size += size
        if self.options["sort"] == "modified":
            sized.sort(key=lambda one: (-one[2], _order(one[0])))
        return sized

    def _behind(self, path: str) -> Entry | None:
        """Give what is known of a file that was reached through links."""
        return self.held.entry(self.held.backend.real_path(path))

    def _candidates(self, asked: list[str]) -> Candidates:
        if not asked:
            return Candidates([], "rootle")
        if self.stopped:
            return Candidates([], "none", stopped=self.stopped)
        try:
            found = narrowed(self.station, asked, self.patterns, self.options, self.deadline.part(_SHARE))
        except Stopped as stopped:
            found = Candidates([], "none", stopped=stopped.reason)
        self.stopped = self.stopped or found.stopped
        self.denied += found.denied
        return found

    def _collect(
        self, replica: Replica, candidates: Candidates, facts: dict[str, tuple[int, int]], cursor: str | None
    ) -> GrepResult:
        """Fetch candidates, in order, until there are as many matches as were asked for."""
        limited = self.options["max_matches"] is not None or self.options["max_text_bytes"] is not None
        waiting = list(candidates.paths)
        files, size = (_FIRST_FILES, _FIRST_BYTES) if limited else (1 << 30, limits.REMOTE_FETCH_BYTES)
        fetched = 0
        found = None
        while waiting:
            batch, taken, waiting = self._batch(waiting, facts, files, size)
            try:
                if taken > limits.REMOTE_WHOLE_BYTES:
                    self._excerpt(replica, candidates, batch[0], facts[batch[0]])
                    continue
            except Stopped as stopped:
                self.stopped = stopped.reason
                break
            fetched += taken
            if fetched > limits.REMOTE_SEARCH_BYTES:
                self._leave(batch[0], "more bytes may match than are fetched for one search")
                break
            try:
                contents, denied = fetch(self.station, batch, self.deadline, taken)
            except Stopped as stopped:
                self.stopped = stopped.reason
                break
            self.denied += denied
            for path in batch:
                if path in contents and replica.put(path, contents[path]):
                    at = facts[path][1]
                    os.utime(replica.where(path), ns=(at, at), follow_symlinks=False)
            files, size = 1 << 30, limits.REMOTE_FETCH_BYTES
            if limited and waiting:
                found = self._grep(replica, cursor)
                if found.stop == "max_matches":
                    return found
        return self._grep(replica, cursor)

    def _excerpt(self, replica: Replica, candidates: Candidates, path: str, facts: tuple[int, int]) -> None:
        """Fetch the lines that may match of a file that is too large to be fetched whole."""
        if not candidates.patterns:
            self.too_large += 1
            self._leave(path, f"it may match, but its {facts[0]:,} bytes are too many to be fetched")
            return
        context = self.options["before"], self.options["after"]
        found = excerpt(self.station, path, candidates.engine, candidates.patterns, context, self.deadline)
        if not found.whole:
            self._leave(path, "more lines may match than are fetched of one file")
        if replica.put(path, found.content):
            self.excerpts[path] = found
            os.utime(replica.where(path), ns=(facts[1], facts[1]), follow_symlinks=False)

    def _batch(
        self, waiting: list[str], facts: dict[str, tuple[int, int]], files: int, size: int
    ) -> tuple[list[str], int, list[str]]:
        batch: list[str] = []
        taken = 0
        for at, path in enumerate(waiting):
            own = facts[path][0]
            if own > limits.REMOTE_WHOLE_BYTES:
                if batch:
                    return batch, taken, waiting[at:]
                return [path], own, waiting[at + 1 :]
            if batch and (len(batch) >= files or taken + own > size):
                return batch, taken, waiting[at:]
            batch.append(path)
            taken += own
        return batch, taken, []

    def _leave(self, path: str, message: str) -> None:
        self.left_out.append(PathWarning(path=path, code="too_large", message=message))

    def _grep(self, replica: Replica, cursor: str | None) -> GrepResult:
        """Search what was fetched. The files were chosen already, so that nothing is passed over."""
        return LocalBackend.on(replica.root).grep(
            self.patterns,
            ["."],
            **(self.options | {"cursor": cursor}),
            hidden=True,
            no_ignore=True,
            skip_dirs=(),
            timeout_s=None,
            cancel=self.deadline.cancel,
        )

    def _result(self, found: GrepResult, candidates: Candidates, walked: Coverage, files: int) -> GrepResult:
        searched = found.coverage
        tree = self.held.tree
        counts = walked.as_dict() | {
            "files": 0 if candidates.engine == "none" else max(0, files - len(self.denied)),
            "bytes": self.size,
            "binary": searched.binary,
            "too_large": self.too_large,
            "lossy": searched.lossy,
            "step_limited": searched.step_limited,
            "long_lines_split": searched.long_lines_split,
            "unreadable": len(self.denied),
        }
        denied = [
            PathWarning(path=path, code="permission_denied", message=f'permission denied to open "{path}"')
            for path in self.denied
        ]
        stop = found.stop or self.stopped
        whole = self.stopped is None and tree.complete and not self.left_out
        return GrepResult(
            matches=in_whole(found.matches, self.excerpts),
            files=found.files,
            total=found.total,
            total_files=found.total_files,
            totals_exact=found.totals_exact and whole and found.stop is None,
            cursor=self._go_on(found),
            engine=candidates.engine if candidates.engine != "none" else "rootle",
            hidden_matches=None,
            hidden_files=None,
            complete=found.complete and whole,
            stop=stop,
            coverage=Coverage(**counts),
            warnings=[*found.warnings, *notices_of(tree), *denied, *self.left_out],
            freshness="scan",
            root=found.root,
        )

    def _go_on(self, found: GrepResult) -> str | None:
        """Give the cursor: the core's, and the last file before which nothing is wanted any more."""
        if found.cursor is None:
            return None
        last = ""
        if self.options["sort"] == "path" and len(found.files) > 1:
            # The last file may have more matches.
            last = os.fsencode(found.files[-2].path).hex()
        return f"{_CURSOR}{self.digest}.{last}.{found.cursor}"


_FIELDS = (
    "matches",
    "files",
    "total",
    "total_files",
    "totals_exact",
    "cursor",
    "engine",
    "complete",
    "stop",
    "coverage",
    "warnings",
    "freshness",
    "root",
)


def _with_hint(result: GrepResult, hinted: GrepResult) -> GrepResult:
    """Say what a search that found nothing passed over."""
    values = {name: getattr(result, name) for name in _FIELDS}
    found = hinted.total_files > 0
    return GrepResult(
        **values,
        hidden_matches=hinted.total if found else None,
        hidden_files=hinted.total_files if found else None,
    )


def _order(path: str) -> list[bytes]:
    return os.fsencode(path).split(b"/")


def refuse_single(denied: Sequence[str], paths: Sequence[str]) -> None:
    """Raise what it means when the only file asked for cannot be read."""
    if len(paths) == 1 and list(denied) == [paths[0]]:
        raise PermissionDenied.of(f'permission denied to open "{paths[0]}"', operation="open", path=paths[0])
