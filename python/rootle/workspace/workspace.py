"""`Workspace`: the typed operations over one tree, for synchronous callers and threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Never, Unpack

from rootle import limits
from rootle.contracts import ReadState, Replacement, as_replacements
from rootle.options import (
    EditKeywords,
    GlobKeywords,
    GrepKeywords,
    ListKeywords,
    PatchKeywords,
    PathArg,
    PlaceKeywords,
    ReadKeywords,
    Texts,
    WalkKeywords,
    WriteKeywords,
)
from rootle.workspace.editing import Editor
from rootle.workspace.local import LocalBackend
from rootle.workspace.refusals import nothing_fits

if TYPE_CHECKING:
    from rootle.contracts import AfterEdit, Backend, SandboxClient
    from rootle.results import (
        FileEdit,
        GlobResult,
        GrepResult,
        ListResult,
        Metadata,
        PatchPlan,
        ReadResult,
        WalkResult,
        Written,
    )

__all__ = ["Workspace"]


class Workspace:
    """One tree and what is known about it: what was read, what was changed, whom to tell after an edit.

    The methods take the keywords of the functions of the same names in `rootle` and give the same results; paths are
    relative to the root, or absolute inside it. All of them may be called from several threads at once.

    Args:
        path: The root directory; nothing above it is opened.
        backend: Where the tree is, when it is not a local directory.

    Attributes:
        read_state: What `read` has given and what was written, with content hashes: the ground of stale checks.
        changed: Paths that were written, in the order of their first change.
        jobs: Commands that run in the background; None until something needs them, see `rootle.commands.jobs_of`.
        editor: Through which everything is written.
        after_edit: Told of each edit after it is on disk.
        client: Where the commands of tools run: the sandbox that the tree is in; else None until something needs one,
            see `rootle.sandbox.client_of`.
    """

    def __init__(self, path: PathArg = ".", *, backend: Backend | None = None) -> None:
        self.backend: Backend = LocalBackend(path) if backend is None else backend
        self.read_state = ReadState()
        self.jobs: Any = None
        self.changed: list[str] = []
        self.after_edit: list[AfterEdit] = []
        self.client: SandboxClient | None = getattr(self.backend, "client", None)
        self.editor = Editor(self.backend, self.read_state, self.changed)

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
        options.setdefault("keep_bytes", limits.READ_STATE_FILE_BYTES)
        result = self.backend.read(path, **options)
        self.read_state.record_read(result)
        return result

    def write(self, path: PathArg, content: str | bytes, **options: Unpack[WriteKeywords]) -> FileEdit:
        """Give a file its whole content, at once or not at all; missing directories are made.

        Args:
            path: The file; a symbolic link stays one, and what it leads to is written.
            content: Text, or bytes that are written as they are.
            **options: As below, by name.

        Options:
            create_only: Refuse when the file exists.
            expected_hash: Refuse unless the file has this content hash; by default the one it had when it was last read
                or written here, if it was.
            make_parents: Make missing directories (default True).
            keep_form: Give text the encoding, byte order mark and line ends of the file that it replaces (default
                True); a new file is UTF-8 with the line ends that the text has.
            allow_git_internals: Write below `.git` too (default False).
            timeout_s, cancel: End the call before it has written anything.

        Raises:
            StaleFile: When somebody else changed the file since it was read.
            AlreadyExists, NotARegularFile, ProtectedPath, PathEscapesRoot, UnencodableText: With nothing changed.
            PermissionDenied, IoFailed: With the old content in place.
        """
        return self.editor.write(path, content, **options)

    def edit(
        self, path: PathArg, edits: Replacement | Sequence[Replacement], *more: Never, **options: Unpack[EditKeywords]
    ) -> FileEdit:
        """Replace pieces of a file: all of them or none; all are located in the file as it is before.

        Args:
            path: The file.
            edits: What is replaced by what.
            *more: Nothing: several edits are given as a list.
            **options: As below, by name.

        Options:
            expected_hash: As in `write`.
            encoding: The file's encoding (a WHATWG label), when it should not be found out.
            exact_only: Find `old` only as it stands, byte for byte.
            dry_run: Work out the result and write nothing.
            allow_git_internals, timeout_s, cancel: As in `write`.

        Raises:
            TextNotFound, AmbiguousMatch, UnsafeEdit, InvalidEdit, NotEditable, UnencodableText: With nothing changed;
                the details name the nearest places and what would be right.
            InvalidArgument: When an edit is no Replacement.
            StaleFile and others: As in `write`.
        """
        return self.editor.edit(path, as_replacements(edits, *more), **options)

    def plan_patch(self, diff: str, **options: Unpack[PatchKeywords]) -> PatchPlan:
        """Work out what a diff does to each of its files, without writing; `apply_plan` writes it.

        Args:
            diff: A unified or git diff, a `*** Begin Patch` text, or SEARCH/REPLACE blocks.
            **options: As below, by name.

        Options:
            path: The file that is meant where the diff names none.
            allow_partial: Leave out the hunks that do not fit, and apply the others.
            allow_git_internals, timeout_s, cancel: As in `write`.

        Raises:
            InvalidPatch: When the text is no diff.
            StaleFile, PathEscapesRoot, NotARegularFile: As in `write`, for the whole diff.
        """
        return self.editor.plan(diff, **options)

    def apply_plan(self, plan: PatchPlan, **options: Unpack[PlaceKeywords]) -> list[Written]:
        """Write what `plan_patch` worked out: all files or none.

        Options:
            allow_git_internals, timeout_s, cancel: As in `write`.

        Raises:
            InvalidPatch: When hunks do not fit and there is nothing to write.
            StaleFile: When a file has changed since the plan was made.
            AlreadyExists, ProtectedPath and others: As in `write`, for all files.
        """
        if plan.conflicts and not plan.changes:
            raise nothing_fits(plan)
        return self.editor.commit(plan.changes, **options)

    def undo(self) -> list[Written]:
        """Take the last edit back, byte for byte; again to take back the one before.

        Raises:
            NothingToUndo: When nothing was written, or it was too large to remember.
            StaleFile: When a file of it has changed since; nothing is changed then.
        """
        return self.editor.undo()


def _paths(path: PathArg | Sequence[PathArg]) -> Sequence[PathArg]:
    if isinstance(path, Sequence) and not isinstance(path, str):
        return path
    return [path]
