"""`Backend`: where a workspace's tree is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Unpack, runtime_checkable

if TYPE_CHECKING:
    from rootle.options import GlobKeywords, GrepKeywords, ListKeywords, PathArg, ReadKeywords, WalkKeywords
    from rootle.results import GlobResult, GrepResult, ListResult, Metadata, ReadResult, WalkResult

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
