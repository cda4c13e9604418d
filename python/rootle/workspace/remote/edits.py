"""The writing half of the backend over a client.

The files that are meant are fetched into a replica; the core edits that as any tree, and so finds, refuses and checks
the same. What became different is then put in its place in the sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from rootle import _core, limits
from rootle._core import FileChange, FileEdit, WholeFile, WriteNotice, Written
from rootle.contracts import Replacement, Undoable
from rootle.errors import PathNotFound, SandboxUnavailable, StaleFile
from rootle.workspace.local import LocalBackend
from rootle.workspace.local_edits import LocalEdits
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.commit import Change, Moved, Placed, put_in_place
from rootle.workspace.remote.entries import Fields, Malformed
from rootle.workspace.remote.look import Look, look
from rootle.workspace.remote.paths import RemotePaths
from rootle.workspace.remote.reading import whole_content
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.station import Deadline, encoded

if TYPE_CHECKING:
    from rootle._core import CancelToken, PatchPlan
    from rootle.options import PathArg

__all__ = ["RemoteEdits"]


NOTICE = WriteNotice(
    code="no_compare_and_swap",
    message=(
        "written in a sandbox: checked right before the rename, but without a lock; "
        "what somebody else wrote in between would be lost"
    ),
)


class RemoteEdits(RemotePaths):
    """Edits, whole writings and diffs in a sandbox."""

    def read_whole(
        self,
        path: PathArg,
        *,
        max_bytes: int = limits.EDIT_FILE_BYTES,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> WholeFile:
        """Read a file as bytes, with their hash."""
        deadline = Deadline(timeout_s, cancel)
        found = self._gather([self.relative(path)], deadline, max_bytes)[0]
        with Replica(self._station.features().root) as replica:
            replica.place(found)
            edits = _Edits(replica.root)
            whole = edits.read_whole(found.name, max_bytes=max_bytes)
        metadata = found.entry.metadata() if found.entry else whole.metadata
        return WholeFile(content=whole.content, hash=whole.hash, metadata=metadata)

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

        def work(local: LocalEdits, name: str) -> FileEdit:
            return local.edit(
                name,
                edits,
                expected_hash=expected_hash,
                encoding=encoding,
                exact_only=exact_only,
                dry_run=dry_run,
                allow_git_internals=allow_git_internals,
            )

        return self._one(path, work, Deadline(timeout_s, cancel))

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

        def work(local: LocalEdits, name: str) -> FileEdit:
            return local.write(
                name,
                content,
                create_only=create_only,
                expected_hash=expected_hash,
                make_parents=make_parents,
                keep_form=keep_form,
                allow_git_internals=allow_git_internals,
            )

        return self._one(path, work, Deadline(timeout_s, cancel))

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
        deadline = Deadline(timeout_s, cancel)
        named = None if path is None else self.relative(path)
        meant = _core.patch_paths(diff=diff, path=named)
        names = [name for text in meant if (name := self._relative_or_none(text)) is not None]
        found = self._gather(names, deadline, limits.EDIT_FILE_BYTES)
        with Replica(self._station.features().root) as replica:
            for one in found:
                replica.place(one)
            return _Edits(replica.root).plan_patch(
                diff, path=named, allow_partial=allow_partial, allow_git_internals=allow_git_internals
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
        deadline = Deadline(timeout_s, cancel)
        if not changes:
            return []
        names = [self.relative(path) for one in changes for path in (one.path, one.to) if path is not None]
        for left in reversed(range(limits.EDIT_RETRIES)):
            found = self._gather(list(dict.fromkeys(names)), deadline, limits.EDIT_FILE_BYTES)
            with Replica(self._station.features().root) as replica:
                for one in found:
                    replica.place(one)
                written = _core.commit(
                    root=replica.own,
                    changes=[_renamed(one, self.relative) for one in changes],
                    make_parents=True,
                    allow_git_internals=allow_git_internals,
                    max_bytes=limits.EDIT_FILE_BYTES,
                    journal_dir=replica.journal,
                    timeout_s=None,
                    cancel=cancel,
                )
            pairs = list(zip(changes, written, strict=True))
            self._forget_names()
            try:
                placed = put_in_place(self._station, [_change(*pair) for pair in pairs], deadline)
            except Stopped as stopped:
                raise deadline.error(stopped) from None
            except Moved as moved:
                if not left:
                    raise _stale(str(moved)) from None
                continue
            missing = {one.named: _missing_dirs(one) for one in found}
            return [
                _told(done, there, missing[self.relative(asked.to or asked.path)])
                for asked, done, there in zip(changes, written, placed, strict=True)
            ]
        raise AssertionError("the loop ends by itself")

    def remove_empty_dirs(self, paths: Sequence[str]) -> list[str]:
        """Remove directories that are empty, in the order given; the others stay."""
        gone: list[str] = []
        arguments = [encoded("./" + path) for path in paths]
        # What cannot be removed now stays: the files are back already.
        with suppress(Stopped, Malformed, SandboxUnavailable):
            said = self._station.run(scripts.REMOVE_EMPTY, arguments, deadline=Deadline(limits.PATH_TIMEOUT_S))
            fields = Fields(said.data)
            while fields.next() != b"end":
                gone.append(paths[fields.number()])
        self._forget_names()
        return gone

    def change_back(self, change: Undoable) -> FileChange:
        """Give the change that takes another one back, if the file is still as that left it."""
        return LocalEdits.change_back(_NOWHERE, change)

    def _one(self, path: PathArg, work: Callable[[LocalEdits, str], FileEdit], deadline: Deadline) -> FileEdit:
        """Do something to one file in a replica, and put what comes of it in its place."""
        name = self.relative(path)
        for left in reversed(range(limits.EDIT_RETRIES)):
            found = self._gather([name], deadline, limits.EDIT_FILE_BYTES)[0]
            with Replica(self._station.features().root) as replica:
                replica.place(found)
                try:
                    done = work(_Edits(replica.own), found.name)
                except PathNotFound:
                    # The whole tree tells what may have been meant.
                    if found.state == "missing":
                        self._refusing(found, partial(_stat, found.name))
                    raise
            if not done.changed:
                return done
            change = Change(
                "create" if done.before is None else "write",
                done.path,
                before=done.before,
                content=done.after,
                mode=None if done.before is None else done.mode if found.entry is None else found.entry.mode,
            )
            self._forget_names()
            try:
                placed = put_in_place(self._station, [change], deadline)[0]
            except Stopped as stopped:
                raise deadline.error(stopped) from None
            except Moved:
                if not left:
                    raise _stale(name) from None
                continue
            return _edited(done, placed, found)
        raise AssertionError("the loop ends by itself")

    def _gather(self, names: Sequence[str], deadline: Deadline, most: int) -> list[Look]:
        """Look at paths and fetch what is there: small files with the same command, others one by one."""
        if not names:
            return []
        try:
            found = look(self._station, names, deadline, content_bytes=min(limits.REMOTE_INLINE_BYTES, most))
            for one in found:
                self._remember(one)
                entry = one.entry
                if (
                    one.there
                    and entry is not None
                    and entry.kind == "file"
                    and one.content is None
                    and entry.size <= most
                ):
                    one.content = whole_content(self._station, one, deadline)
        except Stopped as stopped:
            raise deadline.error(stopped) from None
        return found

    def _relative_or_none(self, text: str) -> str | None:
        """Give a path of a diff relative to the root; None where that is refused, which the core says better."""
        try:
            name = self.relative(text)
        except (ValueError, PermissionError):
            return None
        return name if name != "." else None


def _stat(name: str, backend: LocalBackend) -> object:
    return backend.stat(name)


class _Edits(LocalEdits):
    """The core's edits on a replica."""

    def __init__(self, root: _core.Root) -> None:
        self._root = root


_NOWHERE = LocalEdits()


def _renamed(change: FileChange, relative: Callable[[PathArg], str]) -> FileChange:
    """Give a change with its paths relative to the root: the replica has another one."""
    return FileChange(
        kind=change.kind,
        path=relative(change.path),
        to=None if change.to is None else relative(change.to),
        content=change.content,
        create_only=change.create_only,
        expected_hash=change.expected_hash,
        mode=change.mode,
    )


def _change(asked: FileChange, done: Written) -> Change:
    """Give what is to be done in the sandbox for what was done in the replica."""
    if asked.kind == "remove":
        return Change("remove", done.path, before=done.before)
    if asked.kind == "rename":
        mode = done.before_mode if asked.content is not None else None
        return Change(
            "rename", done.from_path or asked.path, to=done.path, before=done.before, content=asked.content, mode=mode
        )
    if done.before is None:
        return Change("create", done.path, content=asked.content, mode=_new_mode(asked))
    return Change(
        "write",
        done.path,
        before=done.before,
        content=asked.content,
        mode=done.metadata.mode if asked.mode is None else asked.mode,
    )


def _new_mode(asked: FileChange) -> int | None:
    """Give the mode of a new file when the change names one that is not simply a new file's."""
    if asked.mode is None or asked.mode & 0o7777 == 0o666:
        return None
    return 0o755 if asked.mode & 0o7777 == 0o777 else asked.mode


def _missing_dirs(look: Look) -> list[str]:
    """Give the directories that have to be made for a path that is missing, outermost first."""
    names = look.rest.split("/")[:-1] if look.state == "missing" else []
    above = [look.real] if look.real else []
    return ["/".join([*above, *names[:end]]) for end in range(1, len(names) + 1)]


def _told(written: Written, placed: Placed, made_dirs: list[str]) -> Written:
    """Give what was done in the sandbox, with what it says of the file."""
    return Written(
        path=written.path,
        from_path=written.from_path,
        hash=written.hash,
        created=written.created,
        before=written.before,
        before_mode=written.before_mode,
        in_place=False,
        hard_link_broken=written.hard_link_broken,
        made_dirs=made_dirs,
        notices=[NOTICE, *(WriteNotice(code="owner_changed", message=text) for text in placed.notices)],
        metadata=written.metadata if placed.entry is None else placed.entry.metadata(),
    )


def _edited(done: FileEdit, placed: Placed, found: Look) -> FileEdit:
    notices = [NOTICE.message, *placed.notices]
    if found.entry is not None and found.there and found.entry.links > 1:
        notices.append("the file had other names (hard links): they keep the old content")
    return FileEdit(
        path=done.path,
        before=done.before,
        after=done.after,
        before_hash=done.before_hash,
        hash=done.hash,
        mode=done.mode,
        created=done.created,
        changed=True,
        encoding=done.encoding,
        outcomes=done.outcomes,
        made_dirs=_missing_dirs(found),
        notices=notices,
        metadata=done.metadata if placed.entry is None else placed.entry.metadata(),
    )


def _stale(path: str) -> StaleFile:
    return StaleFile.of(f'"{path}" changes all the time: nothing was written', path=path)
