"""The walk of a tree of which not all could be listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rootle.workspace.remote.listing import Tree
from rootle.workspace.remote.names import notices_of

if TYPE_CHECKING:
    from rootle.results import Coverage, PathWarning, WalkEntry, WalkResult

__all__ = ["PartialWalk"]


class PartialWalk:
    """A `WalkResult` that says what is missing of it."""

    def __init__(self, found: WalkResult, tree: Tree) -> None:
        self._found = found
        self.complete = found.complete and tree.complete
        self.stop: str | None = found.stop or tree.stopped
        self.warnings: list[PathWarning] = [*found.warnings, *notices_of(tree)]

    @property
    def paths(self) -> list[str]:
        """The path of each file."""
        return self._found.paths

    @property
    def coverage(self) -> Coverage:
        """What was looked at."""
        return self._found.coverage

    @property
    def freshness(self) -> str:
        """That it was looked at for this call."""
        return self._found.freshness

    @property
    def root(self) -> str:
        """The root's path in the sandbox."""
        return self._found.root

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[WalkEntry]:
        return iter(self._found)

    def __getitem__(self, index: int) -> WalkEntry:
        return self._found[index]
