"""Writing through a backend: one edit at a time on a file, never over what somebody else changed, each taken back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar, Unpack

from rootle import limits
from rootle.contracts import Backend, Fingerprint, ReadState, Replacement, Undoable
from rootle.errors import NothingToUndo, PathNotFound, RootleError, StaleFile, ToolRetryError
from rootle.workspace.journal import UndoJournal
from rootle.workspace.patience import Patience
from rootle.workspace.refusals import changed_since_edit, changed_since_read, of_which_edit, other_hash

if TYPE_CHECKING:
    from rootle._core import CancelToken
    from rootle.options import EditKeywords, PatchKeywords, PathArg, PlaceKeywords, WriteKeywords
    from rootle.results import FileChange, FileEdit, Metadata, PatchPlan, Written

__all__ = ["Editor"]

T = TypeVar("T")


class Side(NamedTuple):
    """What happened to one path, and what is to be remembered of it."""

    path: str
    before: bytes | None
    mode: int | None
    after: bytes | None
    hash: bytes | None
    metadata: Metadata | None
    made_dirs: tuple[str, ...] = ()


def _mode_to_restore(side: Side) -> int | None:
    """Give the permission bits that taking the edit back must set: those of a file that went, or that the edit changed.

    Otherwise the file keeps what it has by then: somebody may have closed it meanwhile.
    """
    if side.hash is None or side.metadata is None or side.mode != side.metadata.mode:
        return side.mode
    return None


def _side(done: FileEdit) -> Side:
    return Side(done.path, done.before, done.mode, done.after, done.hash, done.metadata, tuple(done.made_dirs))


def _sides(change: FileChange, done: Written) -> list[Side]:
    """Give what a change did to each path: a rename ends one file and begins another."""
    mode, made = done.before_mode, tuple(done.made_dirs)
    after = None if done.hash is None else done.before if change.content is None else change.content
    if done.from_path is None:
        return [Side(done.path, done.before, mode, after, done.hash, done.metadata, made)]
    return [
        Side(done.from_path, done.before, mode, None, None, None),
        Side(done.path, None, None, after, done.hash, done.metadata, made),
    ]


def _by_path(changes: Sequence[FileChange], written: Sequence[Written]) -> list[Side]:
    """Give what several changes did, each path once: where one file left and another came, both are one side."""
    sides: dict[str, Side] = {}
    for side in (side for pair in zip(changes, written, strict=True) for side in _sides(*pair)):
        other = sides.get(side.path)
        if other is not None:
            came = side if side.hash is not None else other
            left = other if came is side else side
            side = came._replace(before=left.before, mode=left.mode)
        sides[side.path] = side
    return list(sides.values())


class Editor:
    """What a workspace needs to write: who holds a file, what is known of it, what can be taken back.

    A file that was read through the workspace, or written by it, must still have that content: else StaleFile. Equal
    content is enough; time stamps do not count.
    """

    def __init__(self, backend: Backend, read_state: ReadState, changed: list[str]) -> None:
        self.journal = UndoJournal()
        self._backend = backend
        self._read_state = read_state
        self._changed = changed
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    def edit(self, path: PathArg, edits: Sequence[Replacement], **options: Unpack[EditKeywords]) -> FileEdit:
        """Replace pieces of one file; see `Workspace.edit`."""
        patience = Patience(options.get("timeout_s"), options.get("cancel"))
        names = self._names(path, patience)
        given = options.get("expected_hash")

        def call(expect: bytes | None) -> FileEdit:
            options["expected_hash"] = expect
            options["timeout_s"] = patience.left_s()
            try:
                return self._backend.edit(path, edits, **options)
            except ToolRetryError as error:
                told = of_which_edit(error, edits)
                if told is error:
                    raise
                raise told from None

        with self._holding(names[-1], patience):
            expect = given if given is not None else self._known(names, shown=True)
            done = self._unless_stale(names, expect, given is not None, call)
            if done.changed:
                self._note([_side(done)], names)
            return done

    def write(self, path: PathArg, content: str | bytes, **options: Unpack[WriteKeywords]) -> FileEdit:
        """Give one file its whole content; see `Workspace.write`."""
        patience = Patience(options.get("timeout_s"), options.get("cancel"))
        names = self._names(path, patience)
        given = options.get("expected_hash")

        def call(expect: bytes | None) -> FileEdit:
            options["expected_hash"] = expect
            options["timeout_s"] = patience.left_s()
            return self._backend.write(path, content, **options)

        with self._holding(names[-1], patience):
            expect = given if given is not None or options.get("create_only") else self._known(names)
            written = self._unless_stale(names, expect, given is not None, call)
            if written.changed:
                self._note([_side(written)], names)
            return written

    def plan(self, diff: str, **options: Unpack[PatchKeywords]) -> PatchPlan:
        """Work out what a diff does; see `Workspace.plan_patch`."""
        patience = Patience(options.get("timeout_s"), options.get("cancel"))
        plan = self._backend.plan_patch(diff, **options)
        for file in plan.files:
            if file.before_hash is not None:
                self._refuse_stale(self._names(file.path, patience), file.before_hash)
        return plan

    def commit(self, changes: Sequence[FileChange], **options: Unpack[PlaceKeywords]) -> list[Written]:
        """Write several files, all of them or none, and remember them as one edit."""
        written = self._backend.commit(changes, **options)
        self._note(_by_path(changes, written), ())
        return written

    def undo(self) -> list[Written]:
        """Take the last edit back; see `Workspace.undo`."""
        entry = self.journal.last()
        if entry is None:
            raise NothingToUndo.of("there is no edit to take back")
        changes = [self._backend.change_back(change) for change in reversed(entry.changes)]
        try:
            written = self._backend.commit(changes, allow_git_internals=True)
        except StaleFile as error:
            raise changed_since_edit(error) from None
        self.journal.pop(entry)
        self._note(_by_path(changes, written), (), undoable=False)
        made = [path for change in entry.changes for path in change.made_dirs]
        if made:
            # The innermost first; what has got something else by now stays.
            self._backend.remove_empty_dirs(sorted(made, key=lambda path: -path.count("/")))
        return written

    def known_hash(
        self, path: PathArg, *, timeout_s: float | None = None, cancel: CancelToken | None = None
    ) -> bytes | None:
        """Give the hash of the content with which `path` was last read or written here."""
        return self._known(self._names(path, Patience(timeout_s, cancel)))

    def _names(self, path: PathArg, patience: Patience) -> tuple[str, str]:
        """Give the path as named, and with every link resolved, where it can be."""
        name = self._backend.relative(path)
        try:
            return name, self._backend.real_path(path, timeout_s=patience.left_s(), cancel=patience.cancel)
        except PathNotFound:
            return name, name

    def _known(self, names: Sequence[str], *, shown: bool = False) -> bytes | None:
        """Give the last known hash; with `shown` only that of a file that somebody was shown."""
        for name in names:
            record = self._read_state.get(name)
            if record is not None and record.content_hash is not None and (record.read or not shown):
                return record.content_hash
        return None

    def _unless_stale(
        self, names: Sequence[str], expect: bytes | None, by_caller: bool, call: Callable[[bytes | None], T]
    ) -> T:
        """Call with the hash that the file must have, and explain it when it has another."""
        try:
            return call(expect)
        except StaleFile as error:
            current = error.details.get("current_hash")
            # The file may have been edited here under its other name.
            if not by_caller and current is not None and self._is_own(names, current):
                return call(current)
            known = expect is None or any(
                (record := self._read_state.get(name)) and record.content_hash == expect for name in names
            )
            raise (self._explained(names, error) if known else other_hash(names[0], error)) from None

    def _refuse_stale(self, names: Sequence[str], current: bytes) -> None:
        known = self._known(names, shown=True)
        if known is None or known == current or self._is_own(names, current):
            return
        raise self._explained(
            names, StaleFile.of(f'"{names[0]}" has changed since it was read', path=names[0], current_hash=current)
        )

    def _is_own(self, names: Sequence[str], current: bytes) -> bool:
        return any((record := self._read_state.get(name)) and record.content_hash == current for name in names)

    def _explained(self, names: Sequence[str], error: StaleFile) -> StaleFile:
        """Add what changed, where the content that was read is still known."""
        from rootle._core import unified_diff

        record = next((found for name in names if (found := self._read_state.get(name))), None)
        if record is None or record.content is None:
            return error
        try:
            now = self._backend.read_whole(names[0], max_bytes=limits.READ_STATE_FILE_BYTES)
        except RootleError:
            return error
        diff = unified_diff(
            old=record.content, new=now.content, path=names[0], context=2, max_lines=limits.STALE_DIFF_LINES
        )
        if diff:
            return changed_since_read(error, diff)
        return other_hash(names[0], error) if error.details.get("expected_hash") else error

    def _note(self, written: Sequence[Side], names: Sequence[str], *, undoable: bool = True) -> None:
        """Remember what is on disk now."""
        for one in written:
            for name in {*names, one.path}:
                if one.hash is None:
                    self._read_state.forget(name)
                else:
                    keep = one.after if one.after and len(one.after) <= limits.READ_STATE_FILE_BYTES else None
                    self._read_state.record(
                        name,
                        content_hash=one.hash,
                        fingerprint=None if one.metadata is None else Fingerprint.of(one.metadata),
                        content=keep,
                    )
        if undoable:
            self.journal.push(
                [Undoable(one.path, one.before, _mode_to_restore(one), one.hash, one.made_dirs) for one in written]
            )
        with self._lock:
            for name in [*names[:1], *(one.path for one in written if not names)]:
                if name not in self._changed:
                    self._changed.append(name)

    @contextmanager
    def _holding(self, name: str, patience: Patience) -> Iterator[None]:
        """Let one thread of this workspace at a time write the file, so that no own edit looks like somebody else's."""
        with self._lock:
            lock, users = self._held.get(name, (threading.Lock(), 0))
            self._held[name] = (lock, users + 1)
        try:
            with patience.holding(lock):
                yield
        finally:
            with self._lock:
                lock, users = self._held[name]
                if users == 1:
                    del self._held[name]
                else:
                    self._held[name] = (lock, users - 1)
