"""`Backend`: where a workspace's tree is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Unpack, runtime_checkable

if TYPE_CHECKING:
    from rootle.contracts.edits import Replacement, Undoable
    from rootle.options import (
        EditKeywords,
        GlobKeywords,
        GrepKeywords,
        LimitKeywords,
        ListKeywords,
        PatchKeywords,
        PathArg,
        PlaceKeywords,
        ReadKeywords,
        WalkKeywords,
        WriteKeywords,
    )
    from rootle.results import (
        FileChange,
        FileEdit,
        GlobResult,
        GrepResult,
        ListResult,
        Metadata,
        PatchPlan,
        ReadResult,
        WalkResult,
        WholeFile,
        Written,
    )

__all__ = ["Backend"]


@runtime_checkable
class Backend(Protocol):
    """One tree and the operations on it.

    Paths go in relative to the root, or absolute inside it, and come out relative to the root with `/` between names.
    Every method may be called from several threads at once, raises the errors of `rootle.errors`, ends at its
    `timeout_s` with what it has, and ends early when its `cancel` token is set.
    """

    @property
    def path(self) -> str:
        """The root's absolute path, where the tree is."""
        ...

    def relative(self, path: PathArg) -> str:
        """Give `path` relative to the root by its text alone; raises PathEscapesRoot for one outside."""
        ...

    def stat(self, path: PathArg, *, follow: bool = True) -> Metadata:
        """Look at one path; links are followed only inside the root."""
        ...

    def walk(self, paths: Sequence[PathArg], **options: Unpack[WalkKeywords]) -> WalkResult:
        """Find files below `paths`."""
        ...

    def glob(self, patterns: Sequence[str], path: PathArg = ".", **options: Unpack[GlobKeywords]) -> GlobResult:
        """Find paths below `path` that match one of `patterns`."""
        ...

    def grep(self, patterns: Sequence[str], paths: Sequence[PathArg], **options: Unpack[GrepKeywords]) -> GrepResult:
        """Search the contents of the files below `paths`."""
        ...

    def list_dir(self, path: PathArg = ".", **options: Unpack[ListKeywords]) -> ListResult:
        """List a directory as a tree."""
        ...

    def read(self, path: PathArg, **options: Unpack[ReadKeywords]) -> ReadResult:
        """Read lines of one file."""
        ...

    def real_path(self, path: PathArg, **options: Unpack[LimitKeywords]) -> str:
        """Give `path` relative to the root with every link resolved; raises PathNotFound."""
        ...

    def read_whole(self, path: PathArg, *, max_bytes: int) -> WholeFile:
        """Read a file as bytes of one version, with their hash."""
        ...

    def write(self, path: PathArg, content: str | bytes, **options: Unpack[WriteKeywords]) -> FileEdit:
        """Give one file its whole content, at once or not at all."""
        ...

    def edit(self, path: PathArg, edits: Sequence[Replacement], **options: Unpack[EditKeywords]) -> FileEdit:
        """Replace pieces of one file, all of them or none."""
        ...

    def plan_patch(self, diff: str, **options: Unpack[PatchKeywords]) -> PatchPlan:
        """Work out what a diff does, without writing."""
        ...

    def commit(self, changes: Sequence[FileChange], **options: Unpack[PlaceKeywords]) -> list[Written]:
        """Write several files, all of them or none."""
        ...

    def remove_empty_dirs(self, paths: Sequence[str]) -> list[str]:
        """Remove directories that are empty, in the order given, and give those that are gone; the others stay."""
        ...

    def change_back(self, change: Undoable) -> FileChange:
        """Give the change that takes another one back, if the file is still as that left it."""
        ...
