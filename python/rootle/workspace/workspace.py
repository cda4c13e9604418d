"""`Workspace`: the typed operations over one tree, for synchronous callers and threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from rootle.contracts import ReadState
from rootle.options import GlobKeywords, GrepKeywords, ListKeywords, PathArg, ReadKeywords, Texts, WalkKeywords
from rootle.workspace.local import LocalBackend

if TYPE_CHECKING:
    from rootle.contracts import AfterEdit, Backend
    from rootle.results import GlobResult, GrepResult, ListResult, Metadata, ReadResult, WalkResult

__all__ = ["Workspace"]


class Workspace:
    """One tree and what is known about it: what was read, what was changed, whom to tell after an edit.

    The methods take the keywords of the functions of the same names in `rootle` and give the same results; paths are
    relative to the root, or absolute inside it. All of them may be called from several threads at once.

    Args:
        path: The root directory; nothing above it is opened.
        backend: Where the tree is, when it is not a local directory.

    Attributes:
        read_state: What `read` has given, with content hashes: the ground of stale checks.
        changed: Paths that were written, in the order of their first change.
        after_edit: Told of each edit after it is on disk.
    """

    def __init__(self, path: PathArg = ".", *, backend: Backend | None = None) -> None:
        self.backend: Backend = LocalBackend(path) if backend is None else backend
        self.read_state = ReadState()
        self.changed: list[str] = []
        self.after_edit: list[AfterEdit] = []

    @property
    def root(self) -> str:
        """The root's absolute path."""
        return self.backend.path

    def relative(self, path: PathArg) -> str:
        """Give `path` relative to the root; raises PathEscapesRoot for one outside."""
        return self.backend.relative(path)

    def stat(self, path: PathArg, *, follow: bool = True) -> Metadata:
        """Look at one path; links are followed only inside the root."""
        return self.backend.stat(path, follow=follow)

    def walk(self, path: PathArg | Sequence[PathArg] = ".", **options: Unpack[WalkKeywords]) -> WalkResult:
        """Find files below `path`."""
        return self.backend.walk(_paths(path), **options)

    def glob(self, pattern: Texts, path: PathArg = ".", **options: Unpack[GlobKeywords]) -> GlobResult:
        """Find paths below `path` that match a glob."""
        return self.backend.glob([pattern] if isinstance(pattern, str) else pattern, path, **options)

    def grep(
        self, pattern: Texts, path: PathArg | Sequence[PathArg] = ".", **options: Unpack[GrepKeywords]
    ) -> GrepResult:
        """Search the contents of the files below `path`."""
        return self.backend.grep([pattern] if isinstance(pattern, str) else pattern, _paths(path), **options)

    def list_dir(self, path: PathArg = ".", **options: Unpack[ListKeywords]) -> ListResult:
        """List a directory as a tree."""
        return self.backend.list_dir(path, **options)

    def read(self, path: PathArg, **options: Unpack[ReadKeywords]) -> ReadResult:
        """Read lines of one file and remember what was read."""
        result = self.backend.read(path, **options)
        self.read_state.record_read(result)
        return result


def _paths(path: PathArg | Sequence[PathArg]) -> Sequence[PathArg]:
    if isinstance(path, Sequence) and not isinstance(path, str):
        return path
    return [path]
