"""The writing half of the local backend: each call is one call into the Rust core."""

from __future__ import annotations

import os

from rootle import _core, limits

# Not imported from typing: a command-line search must not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rootle._core import CancelToken, FileChange, FileEdit, PatchPlan, Root, WholeFile, Written
    from rootle.contracts import Replacement, Undoable
    from rootle.options import PathArg

__all__ = ["LocalEdits"]


class LocalEdits:
    """Edits, whole writings and diffs beneath one root."""

    _root: Root

    def read_whole(
        self,
        path: PathArg,
        *,
        max_bytes: int = limits.EDIT_FILE_BYTES,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> WholeFile:
        """Read a file as bytes of one version, with their hash."""
        return _core.read_whole(
            root=self._root, path=os.fspath(path), max_bytes=max_bytes, timeout_s=timeout_s, cancel=cancel
        )

    def edit(
        self,
        path: PathArg,
        edits: Sequence[Replacement],
        *,
        expected_hash: bytes | None = None,
        encoding: str | None = None,
        exact_only: bool = False,
        dry_run: bool = False,
        allow_git_internals: bool = False,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> FileEdit:
        """Replace pieces of one file; see `Workspace.edit`."""
        return _core.edit_file(
            root=self._root,
            path=os.fspath(path),
            edits=[edit.for_core() for edit in edits],
            expected_hash=expected_hash,
            encoding=encoding,
            exact_only=exact_only,
            allow_placeholders=False,
            dry_run=dry_run,
            allow_git_internals=allow_git_internals,
            budget=limits.EDIT_WORK,
            max_bytes=limits.EDIT_FILE_BYTES,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def write(
        self,
        path: PathArg,
        content: str | bytes,
        *,
        create_only: bool = False,
        expected_hash: bytes | None = None,
        make_parents: bool = True,
        keep_form: bool = True,
        allow_git_internals: bool = False,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> FileEdit:
        """Give one file its whole content; see `Workspace.write`."""
        if not isinstance(content, bytes):
            from rootle.contracts.edits import check_text

            check_text("content", content)
        return _core.write_content(
            root=self._root,
            path=os.fspath(path),
            content=content,
            create_only=create_only,
            expected_hash=expected_hash,
            make_parents=make_parents,
            keep_form=keep_form,
            allow_git_internals=allow_git_internals,
            max_bytes=limits.EDIT_FILE_BYTES,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def plan_patch(
        self,
        diff: str,
        *,
        path: PathArg | None = None,
        allow_partial: bool = False,
        allow_git_internals: bool = False,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> PatchPlan:
        """Work out what a diff does; see `Workspace.plan_patch`."""
        return _core.plan_patch(
            root=self._root,
            diff=diff,
            path=None if path is None else os.fspath(path),
            allow_partial=allow_partial,
            allow_placeholders=False,
            allow_git_internals=allow_git_internals,
            budget=limits.EDIT_WORK,
            max_bytes=limits.EDIT_FILE_BYTES,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def commit(
        self,
        changes: Sequence[FileChange],
        *,
        allow_git_internals: bool = False,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> list[Written]:
        """Write several files, all of them or none."""
        return _core.commit(
            root=self._root,
            changes=list(changes),
            make_parents=True,
            allow_git_internals=allow_git_internals,
            max_bytes=limits.EDIT_FILE_BYTES,
            journal_dir=None,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def remove_empty_dirs(self, paths: Sequence[str]) -> list[str]:
        """Remove directories that are empty, in the order given; the others stay."""
        return _core.remove_empty_dirs(
            root=self._root, paths=paths, allow_git_internals=True, timeout_s=limits.PATH_TIMEOUT_S, cancel=None
        )

    def change_back(self, change: Undoable) -> FileChange:
        """Give the change that takes another one back, if the file is still as that left it."""
        return _core.FileChange(
            kind="remove" if change.before is None else "write",
            path=change.path,
            to=None,
            content=change.before,
            create_only=change.after_hash is None,
            expected_hash=change.after_hash,
            mode=change.mode,
        )
