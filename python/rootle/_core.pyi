"""The native half of rootle: conversion to and from the Rust core.

Every function takes keyword-only arguments without defaults; defaults live in `rootle.workspace` and
`rootle.primitives`.
Long calls release the GIL, answer Ctrl-C within 200 ms and end at `timeout_s` (seconds) or when `cancel` is set.
A path is a `str` with lone surrogates for bytes that are not UTF-8, relative to the root, with `/` between names.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Literal, TypeAlias, final

__all__ = [
    "CancelToken",
    "ContextLine",
    "Coverage",
    "EditOutcome",
    "EditWarning",
    "EditedBytes",
    "ExecOutcome",
    "ExecStream",
    "FileChange",
    "FileEdit",
    "FilePatch",
    "GlobEntry",
    "GlobResult",
    "GrepFile",
    "GrepMatch",
    "GrepResult",
    "HiddenCharacter",
    "ListEntry",
    "ListResult",
    "LocatedText",
    "Metadata",
    "NearText",
    "PatchConflict",
    "PatchHunk",
    "PatchPlan",
    "PathWarning",
    "ReadLine",
    "ReadResult",
    "RecoveredFile",
    "Root",
    "WalkEntry",
    "WalkResult",
    "WholeFile",
    "WriteNotice",
    "Written",
    "_provoke_panic",
    "commit",
    "edit_bytes",
    "edit_file",
    "exec_command",
    "file_types",
    "glob",
    "grep",
    "list_dir",
    "locate_bytes",
    "outside_patterns",
    "patch_bytes",
    "patch_paths",
    "plan_patch",
    "read",
    "read_whole",
    "recover",
    "remove_empty_dirs",
    "unified_diff",
    "walk",
    "write_content",
    "write_file",
]

@final
class CancelToken:
    """A flag that ends every call it was given to; may be set from any thread."""

    def __new__(cls) -> CancelToken: ...
    def cancel(self) -> None:
        """Ask every call that holds this token to stop."""

    @property
    def cancelled(self) -> bool:
        """Whether the token was set."""

@final
class Metadata:
    """What the system says of one path; times in nanoseconds since the epoch."""

    def __new__(
        cls,
        *,
        kind: str,
        size: int,
        mtime_ns: int,
        ctime_ns: int,
        mode: int,
        inode: int,
        device: int,
        links: int,
    ) -> Metadata: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def ctime_ns(self) -> int: ...
    @property
    def mode(self) -> int: ...
    @property
    def inode(self) -> int: ...
    @property
    def device(self) -> int: ...
    @property
    def links(self) -> int: ...

@final
class Root:
    """A directory opened once; every path is resolved beneath its descriptor.

    `resolver` is "auto", "openat2" or "components" (the fallback, for systems without openat2). `timeout_s` is for a
    file system that does not answer.
    """

    def __new__(cls, path: str | bytes | PathLike[str], *, resolver: str, timeout_s: float) -> Root: ...
    @property
    def path(self) -> str: ...
    def standing_for(self, path: str) -> Root:
        """Give the same directory as a root that stands for the one at `path` on another machine."""

    def relative(self, path: str | PathLike[str]) -> str:
        """Give `path` relative to the root, by its text alone; an absolute path must lie inside."""

    def stat(self, path: str, *, follow: bool, timeout_s: float) -> Metadata:
        """Look at one path; links are followed only inside the root."""

    def real_path(self, path: str, *, timeout_s: float, cancel: CancelToken | None) -> str:
        """Give the path with every link resolved, relative to the root."""

@final
class PathWarning:
    """Something that went wrong on one path while the call went on."""

    def __new__(cls, *, path: str, code: str, message: str) -> PathWarning: ...
    @property
    def path(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...

@final
class Coverage:
    """What a call looked at (`files`, `bytes`, `directories`) and what it left out, by reason."""

    def __new__(
        cls,
        *,
        files: int = 0,
        bytes: int = 0,
        directories: int = 0,
        ignored: int = 0,
        hidden: int = 0,
        skipped_dirs: int = 0,
        filtered: int = 0,
        special: int = 0,
        links: int = 0,
        binary: int = 0,
        too_large: int = 0,
        lossy: int = 0,
        unreadable: int = 0,
        step_limited: int = 0,
        long_lines_split: int = 0,
    ) -> Coverage: ...
    @property
    def files(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def directories(self) -> int: ...
    @property
    def ignored(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def skipped_dirs(self) -> int: ...
    @property
    def filtered(self) -> int: ...
    @property
    def special(self) -> int: ...
    @property
    def links(self) -> int: ...
    @property
    def binary(self) -> int: ...
    @property
    def too_large(self) -> int: ...
    @property
    def lossy(self) -> int: ...
    @property
    def unreadable(self) -> int: ...
    @property
    def step_limited(self) -> int: ...
    @property
    def long_lines_split(self) -> int: ...
    def as_dict(self) -> dict[str, int]:
        """Give the counts by name, in the order of the fields."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ContextLine:
    """A line before or after a match."""

    def __new__(
        cls,
        *,
        line: int,
        text: str,
    ) -> ContextLine: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...

@final
class GrepMatch:
    """A matching line, or a match of its own with `only_matching`.

    `line`, `end_line` and `column` count from 1, the column in bytes of the decoded line; `byte_offset` is that of the
    line in the file. `text` is without its line end and may be clipped around the match; `spans` are the matches in it
    as (start, end) in characters. A value is made when it is read, from the line as it was found; `column` and `spans`
    may search that line again.
    """

    def __new__(
        cls,
        *,
        path: str,
        line: int,
        end_line: int,
        column: int,
        byte_offset: int,
        text: str,
        spans: tuple[tuple[int, int], ...],
        clipped: bool,
        lossy: bool,
        before: tuple[ContextLine, ...],
        after: tuple[ContextLine, ...],
    ) -> GrepMatch: ...
    @property
    def path(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def byte_offset(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def spans(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def clipped(self) -> bool: ...
    @property
    def lossy(self) -> bool: ...
    @property
    def before(self) -> tuple[ContextLine, ...]: ...
    @property
    def after(self) -> tuple[ContextLine, ...]: ...

@final
class GrepFile:
    """A file with matches; `more` says that it has more than were given."""

    def __new__(
        cls,
        *,
        path: str,
        count: int,
        binary: bool,
        encoding: str,
        lossy: bool,
        more: bool,
        mtime_ns: int | None,
    ) -> GrepFile: ...
    @property
    def path(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def binary(self) -> bool: ...
    @property
    def encoding(self) -> str: ...
    @property
    def lossy(self) -> bool: ...
    @property
    def more(self) -> bool: ...
    @property
    def mtime_ns(self) -> int | None: ...

@final
class GrepResult:
    """What a search found: `total` and `total_files` are of all that was searched, exact when `totals_exact`.

    `stop` is None, "deadline", "cancelled" or "max_matches"; `engine` is "regex" or "fancy-regex".
    `hidden_matches` and `hidden_files` are lower bounds: a look at what was left out is brief.
    `matches` and `files` are made when they are first read, and are then always the same lists.
    """

    def __new__(
        cls,
        *,
        matches: list[GrepMatch],
        files: list[GrepFile],
        total: int,
        total_files: int,
        totals_exact: bool,
        cursor: str | None,
        engine: str,
        hidden_matches: int | None,
        hidden_files: int | None,
        complete: bool,
        stop: str | None,
        coverage: Coverage,
        warnings: list[PathWarning],
        freshness: str,
        root: str,
    ) -> GrepResult: ...
    @property
    def matches(self) -> list[GrepMatch]: ...
    @property
    def files(self) -> list[GrepFile]: ...
    @property
    def total(self) -> int: ...
    @property
    def total_files(self) -> int: ...
    @property
    def totals_exact(self) -> bool: ...
    @property
    def cursor(self) -> str | None: ...
    @property
    def engine(self) -> str: ...
    @property
    def hidden_matches(self) -> int | None: ...
    @property
    def hidden_files(self) -> int | None: ...
    @property
    def complete(self) -> bool: ...
    @property
    def stop(self) -> str | None: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def warnings(self) -> list[PathWarning]: ...
    @property
    def freshness(self) -> str: ...
    @property
    def root(self) -> str: ...

@final
class GlobEntry:
    """A path that matches; size and time are given where they were asked of the system."""

    def __new__(
        cls,
        *,
        path: str,
        kind: str,
        size: int | None,
        mtime_ns: int | None,
    ) -> GlobEntry: ...
    @property
    def path(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int | None: ...
    @property
    def mtime_ns(self) -> int | None: ...

@final
class GlobResult:
    """Paths that match, in the order asked for; `total` is of all when `complete`."""

    def __new__(
        cls,
        *,
        paths: list[str],
        entries: list[GlobEntry],
        total: int,
        total_exact: bool,
        ignored: int,
        cursor: str | None,
        complete: bool,
        stop: str | None,
        coverage: Coverage,
        warnings: list[PathWarning],
        freshness: str,
        root: str,
    ) -> GlobResult: ...
    @property
    def paths(self) -> list[str]: ...
    @property
    def entries(self) -> list[GlobEntry]: ...
    @property
    def total(self) -> int: ...
    @property
    def total_exact(self) -> bool: ...
    @property
    def ignored(self) -> int: ...
    @property
    def cursor(self) -> str | None: ...
    @property
    def complete(self) -> bool: ...
    @property
    def stop(self) -> str | None: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def warnings(self) -> list[PathWarning]: ...
    @property
    def freshness(self) -> str: ...
    @property
    def root(self) -> str: ...

@final
class WalkEntry:
    """One file of a walk."""

    def __new__(
        cls,
        *,
        path: str,
        kind: str,
        size: int | None,
        mtime_ns: int | None,
    ) -> WalkEntry: ...
    @property
    def path(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int | None: ...
    @property
    def mtime_ns(self) -> int | None: ...

@final
class ListResult:
    """A tree in reading order; the counts are of the listed directory's own entries that are not given."""

    def __new__(
        cls,
        *,
        entries: list[ListEntry],
        ignored: int,
        hidden: int,
        not_shown: int,
        complete: bool,
        stop: str | None,
        coverage: Coverage,
        warnings: list[PathWarning],
        freshness: str,
        root: str,
    ) -> ListResult: ...
    @property
    def entries(self) -> list[ListEntry]: ...
    @property
    def ignored(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def not_shown(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    @property
    def stop(self) -> str | None: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def warnings(self) -> list[PathWarning]: ...
    @property
    def freshness(self) -> str: ...
    @property
    def root(self) -> str: ...

@final
class ListEntry:
    """One entry of a tree; the last three are counts of a directory's own entries that are not given."""

    def __new__(
        cls,
        *,
        path: str,
        depth: int,
        kind: str,
        size: int,
        mtime_ns: int,
        mode: int,
        link_target: str | None,
        broken: bool,
        listed: bool,
        ignored: int,
        hidden: int,
        not_shown: int,
    ) -> ListEntry: ...
    @property
    def path(self) -> str: ...
    @property
    def depth(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def mode(self) -> int: ...
    @property
    def link_target(self) -> str | None: ...
    @property
    def broken(self) -> bool: ...
    @property
    def listed(self) -> bool: ...
    @property
    def ignored(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def not_shown(self) -> int: ...

@final
class HiddenCharacter:
    """An invisible or direction-changing character and where it stands, from 1."""

    def __new__(
        cls,
        *,
        line: int,
        column: int,
        code_point: str,
    ) -> HiddenCharacter: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def code_point(self) -> str: ...

@final
class ReadLine:
    """A line without its end, from character `column` on; `total_chars` is of the whole line."""

    def __new__(
        cls,
        *,
        number: int,
        text: str,
        column: int,
        total_chars: int | None,
        cut: bool,
    ) -> ReadLine: ...
    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def column(self) -> int: ...
    @property
    def total_chars(self) -> int | None: ...
    @property
    def cut(self) -> bool: ...

@final
class ReadResult:
    """Lines of one file and what the file is."""

    def __new__(
        cls,
        *,
        path: str,
        lines: list[ReadLine],
        metadata: Metadata,
        total_lines: int | None,
        size: int,
        encoding: str,
        bom: bool,
        lossy: bool,
        binary: bool,
        line_ends: str,
        final_newline: bool | None,
        next_line: int | None,
        next_column: int | None,
        hash: bytes | None,
        content: bytes | None,
        changed_while_reading: bool,
        hidden_unicode: list[HiddenCharacter],
        root: str,
    ) -> ReadResult: ...
    @property
    def path(self) -> str: ...
    @property
    def lines(self) -> list[ReadLine]: ...
    @property
    def metadata(self) -> Metadata: ...
    @property
    def total_lines(self) -> int | None: ...
    @property
    def size(self) -> int: ...
    @property
    def encoding(self) -> str: ...
    @property
    def bom(self) -> bool: ...
    @property
    def lossy(self) -> bool: ...
    @property
    def binary(self) -> bool: ...
    @property
    def line_ends(self) -> str: ...
    @property
    def final_newline(self) -> bool | None: ...
    @property
    def next_line(self) -> int | None: ...
    @property
    def next_column(self) -> int | None: ...
    @property
    def hash(self) -> bytes | None: ...
    @property
    def content(self) -> bytes | None: ...
    @property
    def changed_while_reading(self) -> bool: ...
    @property
    def hidden_unicode(self) -> list[HiddenCharacter]: ...
    @property
    def root(self) -> str: ...

@final
class EditWarning:
    """Something about an edit that its writer should know."""

    def __new__(
        cls,
        *,
        code: str,
        text: str,
    ) -> EditWarning: ...
    @property
    def code(self) -> str: ...
    @property
    def text(self) -> str: ...

@final
class EditOutcome:
    """What one edit did; the pairs are first and last lines, from 1."""

    def __new__(
        cls,
        *,
        status: Literal["applied", "already_applied"],
        tier: str,
        score: float,
        replacements: int,
        before: list[tuple[int, int]],
        after: list[tuple[int, int]],
        warnings: list[EditWarning],
        repairs: list[str],
    ) -> EditOutcome: ...
    @property
    def status(self) -> Literal["applied", "already_applied"]: ...
    @property
    def tier(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def replacements(self) -> int: ...
    @property
    def before(self) -> list[tuple[int, int]]: ...
    @property
    def after(self) -> list[tuple[int, int]]: ...
    @property
    def warnings(self) -> list[EditWarning]: ...
    @property
    def repairs(self) -> list[str]: ...

@final
class EditedBytes:
    """A text after its edits: `str` if it was given as that, else `bytes`."""

    def __new__(
        cls,
        *,
        content: str | bytes,
        encoding: str,
        outcomes: list[EditOutcome],
    ) -> EditedBytes: ...
    @property
    def content(self) -> str | bytes: ...
    @property
    def encoding(self) -> str: ...
    @property
    def outcomes(self) -> list[EditOutcome]: ...

@final
class LocatedText:
    """Where an edit goes: bytes, and lines from 1; `line_map` has the file's line for each line of `old`."""

    def __new__(
        cls,
        *,
        start: int,
        end: int,
        first_line: int,
        last_line: int,
        tier: str,
        score: float,
        line_map: list[int | None],
        repairs: list[str],
        places: list[tuple[int, int]],
    ) -> LocatedText: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def first_line(self) -> int: ...
    @property
    def last_line(self) -> int: ...
    @property
    def tier(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def line_map(self) -> list[int | None]: ...
    @property
    def repairs(self) -> list[str]: ...
    @property
    def places(self) -> list[tuple[int, int]]: ...

@final
class FileEdit:
    """A file before and after a call; contents and hashes are None where there is no file."""

    def __new__(
        cls,
        *,
        path: str,
        before: bytes | None,
        after: bytes | None,
        before_hash: bytes | None,
        hash: bytes | None,
        mode: int | None,
        created: bool,
        changed: bool,
        encoding: str,
        outcomes: list[EditOutcome],
        made_dirs: list[str],
        notices: list[str],
        metadata: Metadata | None,
    ) -> FileEdit: ...
    @property
    def path(self) -> str: ...
    @property
    def before(self) -> bytes | None: ...
    @property
    def after(self) -> bytes | None: ...
    @property
    def before_hash(self) -> bytes | None: ...
    @property
    def hash(self) -> bytes | None: ...
    @property
    def mode(self) -> int | None: ...
    @property
    def created(self) -> bool: ...
    @property
    def changed(self) -> bool: ...
    @property
    def encoding(self) -> str: ...
    @property
    def made_dirs(self) -> list[str]: ...
    @property
    def outcomes(self) -> list[EditOutcome]: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def metadata(self) -> Metadata | None: ...
    def diff(self, *, context: int, max_lines: int) -> str:
        """Give the change as a unified diff."""

    def snippet(self, *, context: int, max_lines: int) -> list[ReadLine]:
        """Give the lines around the changes as they are now."""

@final
class PatchHunk:
    """A hunk that is in the content now; `index` counts the file's hunks from 1."""

    def __new__(
        cls,
        *,
        index: int,
        header: str,
        outcome: EditOutcome,
    ) -> PatchHunk: ...
    @property
    def index(self) -> int: ...
    @property
    def header(self) -> str: ...
    @property
    def outcome(self) -> EditOutcome: ...

@final
class NearText:
    """A place that comes near a hunk."""

    def __new__(
        cls,
        *,
        first: int,
        last: int,
        score: float,
        text: str,
        symbol: str | None,
    ) -> NearText: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def score(self) -> float: ...
    @property
    def text(self) -> str: ...
    @property
    def symbol(self) -> str | None: ...

@final
class PatchConflict:
    """What does not fit; `index` is None where the file as a whole is meant, `line` is the diff's own."""

    def __new__(
        cls,
        *,
        index: int | None,
        header: str,
        line: int,
        reason: str,
        message: str,
        candidates: list[NearText],
        suggested_hunk: str | None,
    ) -> PatchConflict: ...
    @property
    def index(self) -> int | None: ...
    @property
    def header(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def candidates(self) -> list[NearText]: ...
    @property
    def suggested_hunk(self) -> str | None: ...

@final
class FilePatch:
    """What a diff makes of one file; contents and hashes are None where there is no file."""

    @property
    def path(self) -> str: ...
    @property
    def new_path(self) -> str | None: ...
    @property
    def operation(self) -> Literal["update", "add", "delete", "rename", "copy"]: ...
    @property
    def changed(self) -> bool: ...
    @property
    def before(self) -> bytes | None: ...
    @property
    def after(self) -> bytes | None: ...
    @property
    def before_hash(self) -> bytes | None: ...
    @property
    def hash(self) -> bytes | None: ...
    @property
    def applied(self) -> list[PatchHunk]: ...
    @property
    def already_applied(self) -> list[PatchHunk]: ...
    @property
    def conflicts(self) -> list[PatchConflict]: ...
    def snippet(self, *, context: int, max_lines: int) -> list[ReadLine]:
        """Give the lines around the changes as they will be."""

@final
class PatchPlan:
    """What a diff does, file by file; `changes` is what is to be written, empty if nothing is."""

    def __new__(
        cls,
        *,
        dialect: str,
        files: list[FilePatch],
        changes: list[FileChange],
        conflicts: int,
    ) -> PatchPlan: ...
    @property
    def dialect(self) -> str: ...
    @property
    def files(self) -> list[FilePatch]: ...
    @property
    def changes(self) -> list[FileChange]: ...
    @property
    def conflicts(self) -> int: ...

@final
class WalkResult:
    """The files that a walk found, in path order, held as one compact table.

    `paths` and iteration make their objects on demand.
    """

    @property
    def paths(self) -> list[str]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def stop(self) -> str | None: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def warnings(self) -> list[PathWarning]: ...
    @property
    def freshness(self) -> str: ...
    @property
    def root(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[WalkEntry]: ...
    def __getitem__(self, index: int, /) -> WalkEntry: ...

_EditTuple: TypeAlias = tuple[str, str, bool, int | None, int | None]

def edit_bytes(
    *,
    content: str | bytes,
    edits: Sequence[_EditTuple],
    encoding: str | None,
    exact_only: bool,
    allow_placeholders: bool,
    budget: int,
    max_bytes: int,
) -> EditedBytes:
    """Replace pieces of a text, each given as old, new, replace_all, expected_count, near_line."""

def edit_file(
    *,
    root: Root,
    path: str,
    edits: Sequence[_EditTuple],
    expected_hash: bytes | None,
    encoding: str | None,
    exact_only: bool,
    allow_placeholders: bool,
    dry_run: bool,
    allow_git_internals: bool,
    budget: int,
    max_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> FileEdit:
    """Replace pieces of one file; see `rootle.Workspace.edit`."""

def write_content(
    *,
    root: Root,
    path: str,
    content: str | bytes,
    create_only: bool,
    expected_hash: bytes | None,
    make_parents: bool,
    keep_form: bool,
    allow_git_internals: bool,
    max_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> FileEdit:
    """Give one file its whole content; see `rootle.Workspace.write`."""

def plan_patch(
    *,
    root: Root,
    diff: str,
    path: str | None,
    allow_partial: bool,
    allow_placeholders: bool,
    allow_git_internals: bool,
    budget: int,
    max_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> PatchPlan:
    """Work out what a diff does to the files beneath a root; see `rootle.Workspace.plan_patch`."""

def patch_bytes(
    *,
    files: dict[str, bytes],
    diff: str,
    path: str | None,
    allow_partial: bool,
    allow_placeholders: bool,
    budget: int,
    max_bytes: int,
) -> PatchPlan:
    """Work out what a diff does to files that are given as bytes by their paths."""

def patch_paths(*, diff: str, path: str | None) -> list[str]:
    """Give every path that a diff may mean, each reading of each name."""

def locate_bytes(
    *,
    content: str | bytes,
    edit: _EditTuple,
    encoding: str | None,
    exact_only: bool,
    allow_placeholders: bool,
    budget: int,
    max_bytes: int,
) -> LocatedText:
    """Find the place of an edit."""

def file_types() -> list[tuple[str, list[str]]]:
    """Give the file types that filters know, each with its globs."""

def unified_diff(*, old: bytes, new: bytes, path: str, context: int, max_lines: int) -> str:
    """Give the difference of two contents of one file as a unified diff of at most `max_lines` lines."""

def walk(
    *,
    root: Root,
    paths: Sequence[str],
    glob: Sequence[str],
    exclude: Sequence[str],
    type: Sequence[str],
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Sequence[str],
    extra_ignore: Sequence[str],
    follow_links: bool,
    max_depth: int | None,
    threads: int,
    max_ignore_file_bytes: int,
    stat: bool,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> WalkResult:
    """Find files; see `rootle.walk`."""

def glob(
    *,
    root: Root,
    patterns: Sequence[str],
    path: str,
    sort: str,
    kind: str,
    ignore_case: bool,
    max_results: int | None,
    cursor: str | None,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Sequence[str],
    extra_ignore: Sequence[str],
    follow_links: bool,
    max_depth: int | None,
    threads: int,
    max_ignore_file_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> GlobResult:
    """Find paths by glob; see `rootle.glob`."""

def grep(
    *,
    root: Root,
    patterns: Sequence[str],
    paths: Sequence[str],
    glob: Sequence[str],
    exclude: Sequence[str],
    type: Sequence[str],
    mode: str,
    fixed: bool,
    word: bool,
    ignore_case: bool,
    smart_case: bool,
    multiline: bool,
    dotall: bool,
    invert: bool,
    only_matching: bool,
    before: int,
    after: int,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Sequence[str],
    extra_ignore: Sequence[str],
    follow_links: bool,
    max_depth: int | None,
    max_matches: int | None,
    max_per_file: int | None,
    max_filesize: int | None,
    max_line_chars: int,
    max_text_bytes: int | None,
    sort: str,
    encoding: str | None,
    guess_encoding: bool,
    cursor: str | None,
    explain_empty: bool,
    step_limit: int,
    size_limit: int,
    max_ignore_file_bytes: int,
    threads: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> GrepResult:
    """Search file contents; see `rootle.grep`."""

def outside_patterns(
    *,
    patterns: Sequence[str],
    fixed: bool,
    ignore_case: bool,
    smart_case: bool,
    multiline: bool,
    dotall: bool,
    step_limit: int,
    size_limit: int,
) -> tuple[list[str], str | None]:
    """Give what other programs are to look for, to find every line in which a pattern matches, and maybe more.

    The first are patterns in ripgrep's syntax, of which any may match; none when only every line will do. The second is
    an extended regular expression for a `grep -E` that takes text as bytes (`LC_ALL=C`); None when it would be every
    line, or the search is multiline.
    """

def list_dir(
    *,
    root: Root,
    path: str,
    depth: int,
    max_entries: int,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Sequence[str],
    extra_ignore: Sequence[str],
    max_ignore_file_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> ListResult:
    """List a directory as a tree; see `rootle.list_dir`."""

def read(
    *,
    root: Root,
    path: str,
    start_line: int,
    max_lines: int | None,
    start_column: int,
    max_line_chars: int,
    max_chars: int,
    encoding: str | None,
    guess_encoding: bool,
    max_hash_bytes: int,
    max_count_bytes: int,
    keep_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> ReadResult:
    """Read lines of one file; see `rootle.read`."""

def _provoke_panic() -> None:
    """Panic inside the core, so that a test can see what becomes of it."""

@final
class WriteNotice:
    """Something about a writing that its caller may want to know.

    `code` is one of hard_link_broken, written_in_place, unchanged, owner_changed, attributes_lost, not_synced,
    not_locked, not_journalled, recovered.
    """

    def __new__(
        cls,
        *,
        code: str,
        message: str,
    ) -> WriteNotice: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...

@final
class Written:
    """A file that was written, moved or removed.

    `path` is real, every link resolved; `from_path` is where a renamed file was. `hash` is the BLAKE3 of the content,
    None of a removed file. `before` is the content before, None of a new file. `made_dirs` are the directories that
    were made for it, outermost first.
    """

    def __new__(
        cls,
        *,
        path: str,
        from_path: str | None,
        hash: bytes | None,
        created: bool,
        before: bytes | None,
        before_mode: int | None,
        in_place: bool,
        hard_link_broken: bool,
        made_dirs: list[str],
        notices: list[WriteNotice],
        metadata: Metadata,
    ) -> Written: ...
    @property
    def path(self) -> str: ...
    @property
    def from_path(self) -> str | None: ...
    @property
    def hash(self) -> bytes | None: ...
    @property
    def created(self) -> bool: ...
    @property
    def before(self) -> bytes | None: ...
    @property
    def before_mode(self) -> int | None: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def hard_link_broken(self) -> bool: ...
    @property
    def made_dirs(self) -> list[str]: ...
    @property
    def notices(self) -> list[WriteNotice]: ...
    @property
    def metadata(self) -> Metadata: ...

@final
class FileChange:
    """One change of a commit.

    `kind` is "write" (with `content`), "remove", or "rename" (with `to`, and `content` if it changes as well).
    `create_only` and `expected_hash` say what must be true of `path`; `mode` is that of a written file.
    """

    def __new__(
        cls,
        *,
        kind: str,
        path: str,
        to: str | None,
        content: bytes | None,
        create_only: bool,
        expected_hash: bytes | None,
        mode: int | None,
    ) -> FileChange: ...
    @property
    def kind(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def to(self) -> str | None: ...
    @property
    def content(self) -> bytes | None: ...
    @property
    def create_only(self) -> bool: ...
    @property
    def expected_hash(self) -> bytes | None: ...
    @property
    def mode(self) -> int | None: ...

@final
class RecoveredFile:
    """A file whose writing a dead process had left half done.

    `action` is "completed", "restored", or "changed" for one that someone has written since.
    """

    def __new__(
        cls,
        *,
        path: str,
        action: str,
    ) -> RecoveredFile: ...
    @property
    def path(self) -> str: ...
    @property
    def action(self) -> str: ...

@final
class WholeFile:
    """All bytes of a file and their BLAKE3 hash."""

    def __new__(
        cls,
        *,
        content: bytes,
        hash: bytes,
        metadata: Metadata,
    ) -> WholeFile: ...
    @property
    def content(self) -> bytes: ...
    @property
    def hash(self) -> bytes: ...
    @property
    def metadata(self) -> Metadata: ...

def write_file(
    *,
    root: Root,
    path: str | bytes | PathLike[str],
    content: bytes,
    create_only: bool,
    expected_hash: bytes | None,
    make_parents: bool,
    allow_git_internals: bool,
    max_bytes: int,
    journal_dir: str | bytes | PathLike[str] | None,
    mode: int | None,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> Written:
    """Write the whole content of a file, new or old, so that it has the old or the new content whatever happens.

    Links inside the root are followed and stay links. `create_only` refuses a file that exists, `expected_hash` one
    whose content has another BLAKE3. Missing directories are made with `make_parents`. `mode` is that of a new file,
    before the umask; None for 0666. `journal_dir` is None for the user's own state directory.
    """

def commit(
    *,
    root: Root,
    changes: Sequence[FileChange],
    make_parents: bool,
    allow_git_internals: bool,
    max_bytes: int,
    journal_dir: str | bytes | PathLike[str] | None,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> list[Written]:
    """Change several files: all or none; the results stand in the order of the changes.

    After a crash in the middle the next writing call on the root completes the rest.
    """

def remove_empty_dirs(
    *,
    root: Root,
    paths: Sequence[str],
    allow_git_internals: bool,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> list[str]:
    """Remove directories that are empty, in the order given; the others stay. Gives those that are gone."""

def recover(
    *,
    root: Root,
    journal_dir: str | bytes | PathLike[str] | None,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> list[RecoveredFile]:
    """Finish what processes that died left half done beneath the root."""

def read_whole(
    *,
    root: Root,
    path: str | bytes | PathLike[str],
    max_bytes: int,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> WholeFile:
    """Read all bytes of a file of one version."""

@final
class ExecStream:
    """What was kept of one stream."""

    def __new__(cls, *, data: bytes, gap: int | None, total: int) -> ExecStream: ...
    @property
    def data(self) -> bytes: ...
    @property
    def gap(self) -> int | None:
        """Where in `data` bytes are missing; None when all are there. No UTF-8 character is cut there."""

    @property
    def total(self) -> int:
        """Bytes that were written in all."""

@final
class ExecOutcome:
    """How a command ended and what it printed."""

    def __new__(
        cls,
        *,
        ended: str,
        exit_code: int | None,
        signal: int | None,
        start_error: int | None,
        stdout: ExecStream,
        stderr: ExecStream,
        output: ExecStream,
        spilled_bytes: int | None,
        spill_complete: bool,
        drained: bool,
        tier: str,
        survivors_killed: int,
        survivors_left: int,
        duration_s: float,
    ) -> ExecOutcome: ...
    @property
    def ended(self) -> str:
        """One of "exited", "not_started", "deadline", "cancelled", "process_limit", "supervisor_lost"."""

    @property
    def exit_code(self) -> int | None: ...
    @property
    def signal(self) -> int | None: ...
    @property
    def start_error(self) -> int | None:
        """The system's error number for a program that could not be started."""

    @property
    def stdout(self) -> ExecStream: ...
    @property
    def stderr(self) -> ExecStream: ...
    @property
    def output(self) -> ExecStream:
        """Both in the order in which they arrived; exact when the streams were merged, which leaves the two empty."""

    @property
    def spilled_bytes(self) -> int | None:
        """Bytes in the file of the whole output; None if none was made."""

    @property
    def spill_complete(self) -> bool: ...
    @property
    def drained(self) -> bool:
        """False when a process that was left held the streams open beyond `drain_s`."""

    @property
    def tier(self) -> str: ...
    @property
    def survivors_killed(self) -> int:
        """Processes that outlived the command's own and were ended."""

    @property
    def survivors_left(self) -> int: ...
    @property
    def duration_s(self) -> float: ...

def exec_command(
    *,
    helper: str | bytes | PathLike[str],
    root: Root,
    cwd: str | PathLike[str],
    argv: Sequence[str],
    script: bytes | None,
    env: Sequence[tuple[str, str]],
    stdin: bytes | None,
    stdin_fd: int | None,
    merge_streams: bool,
    max_output_bytes: int,
    spill_root: Root | None,
    spill_name: str,
    spill_max_bytes: int,
    spill_from_start: bool,
    tier: str,
    bubblewrap: Sequence[str],
    keep_survivors: bool,
    memory_bytes: int | None,
    processes: int | None,
    file_bytes: int | None,
    cpu_s: int | None,
    grace_s: float,
    cancel_grace_s: float,
    settle_s: float,
    drain_s: float,
    kill_s: float,
    timeout_s: float | None,
    cancel: CancelToken | None,
) -> ExecOutcome:
    """Run a command to the end of its last process.

    Raises InvalidArgument, SandboxUnavailable, what `Root` raises for `cwd`, and KeyboardInterrupt when everything that
    was started is gone.
    """
