"""The backend for a directory of this machine: every call is one call into the Rust core."""

from __future__ import annotations

import os

from rootle import _core, limits
from rootle.errors import InvalidArgument
from rootle.workspace.local_edits import LocalEdits

# Not imported from typing: a command-line search must not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, ParamSpec, TypeVar

    from rootle.options import PathArg, Texts
    from rootle.results import GlobResult, GrepResult, ListResult, Metadata, ReadResult, WalkResult

    P = ParamSpec("P")
    T = TypeVar("T")

__all__ = ["LocalBackend"]


class LocalBackend(LocalEdits):
    """One directory, opened once; every path is resolved beneath it by the kernel.

    Args:
        path: The directory.
        resolver: How paths are confined: "auto" (openat2, else "components"), "openat2" or "components" (one name at a
            time, for kernels without openat2).

    Raises:
        PathNotFound, NotADirectory, PermissionDenied: When the directory cannot be opened.
        DeadlineExceeded: When its file system does not answer.
    """

    def __init__(self, path: PathArg, *, resolver: Literal["auto", "openat2", "components"] = "auto") -> None:
        self._root = _core.Root(path, resolver=resolver, timeout_s=limits.PATH_TIMEOUT_S)

    @classmethod
    def on(cls, root: _core.Root) -> LocalBackend:
        """Give the backend for a root that is open."""
        backend = cls.__new__(cls)
        backend._root = root
        return backend

    @property
    def path(self) -> str:
        """The root's absolute path with every link resolved."""
        return self._root.path

    def relative(self, path: PathArg) -> str:
        """Give `path` relative to the root by its text alone; raises PathEscapesRoot for one outside."""
        return self._root.relative(path)

    def stat(self, path: PathArg, *, follow: bool = True) -> Metadata:
        """Look at one path; links are followed only inside the root."""
        return self._root.stat(self.relative(path), follow=follow, timeout_s=limits.PATH_TIMEOUT_S)

    def real_path(
        self, path: PathArg, *, timeout_s: float | None = None, cancel: _core.CancelToken | None = None
    ) -> str:
        """Give `path` relative to the root with every link resolved."""
        limit_s = limits.PATH_TIMEOUT_S if timeout_s is None else min(timeout_s, limits.PATH_TIMEOUT_S)
        return self._root.real_path(self.relative(path), timeout_s=limit_s, cancel=cancel)

    def walk(
        self,
        paths: Sequence[PathArg],
        *,
        glob: Texts = (),
        exclude: Texts = (),
        type: Texts = (),
        hidden: bool = False,
        no_ignore: bool = False,
        skip_dirs: Sequence[str] | None = None,
        extra_ignore: Texts = (),
        follow_links: bool = False,
        max_depth: int | None = None,
        threads: int = 0,
        stat: bool = False,
        timeout_s: float | None = None,
        cancel: _core.CancelToken | None = None,
    ) -> WalkResult:
        """Find files; see `rootle.walk`."""
        return _checked(
            _core.walk,
            root=self._root,
            paths=[os.fspath(path) for path in paths],
            glob=_texts(glob),
            exclude=_texts(exclude),
            type=_texts(type),
            hidden=hidden,
            no_ignore=no_ignore,
            skip_dirs=_skipped(skip_dirs, no_ignore),
            extra_ignore=_texts(extra_ignore),
            follow_links=follow_links,
            max_depth=max_depth,
            threads=threads,
            max_ignore_file_bytes=limits.IGNORE_FILE_BYTES,
            stat=stat,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def glob(
        self,
        patterns: Sequence[str],
        path: PathArg = ".",
        *,
        sort: Literal["modified", "path", "size", "depth"] = "modified",
        kind: Literal["file", "directory", "any"] = "file",
        ignore_case: bool = False,
        max_results: int | None = None,
        cursor: str | None = None,
        hidden: bool = False,
        no_ignore: bool = False,
        skip_dirs: Sequence[str] | None = None,
        extra_ignore: Texts = (),
        follow_links: bool = False,
        max_depth: int | None = None,
        threads: int = 0,
        timeout_s: float | None = None,
        cancel: _core.CancelToken | None = None,
    ) -> GlobResult:
        """Find paths by glob; see `rootle.glob`."""
        return _checked(
            _core.glob,
            root=self._root,
            patterns=_texts(patterns),
            path=os.fspath(path),
            sort=sort,
            kind=kind,
            ignore_case=ignore_case,
            max_results=max_results,
            cursor=cursor,
            hidden=hidden,
            no_ignore=no_ignore,
            skip_dirs=_skipped(skip_dirs, no_ignore),
            extra_ignore=_texts(extra_ignore),
            follow_links=follow_links,
            max_depth=max_depth,
            threads=threads,
            max_ignore_file_bytes=limits.IGNORE_FILE_BYTES,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def grep(
        self,
        patterns: Sequence[str],
        paths: Sequence[PathArg],
        *,
        glob: Texts = (),
        exclude: Texts = (),
        type: Texts = (),
        mode: Literal["content", "files", "count"] = "content",
        fixed: bool = False,
        word: bool = False,
        ignore_case: bool = False,
        smart_case: bool = False,
        multiline: bool = False,
        dotall: bool = False,
        invert: bool = False,
        only_matching: bool = False,
        before: int = 0,
        after: int = 0,
        hidden: bool = False,
        no_ignore: bool = False,
        skip_dirs: Sequence[str] | None = None,
        extra_ignore: Texts = (),
        follow_links: bool = False,
        max_depth: int | None = None,
        max_matches: int | None = None,
        max_per_file: int | None = None,
        max_filesize: int | None = None,
        max_line_chars: int = limits.LINE_CHARS,
        max_text_bytes: int | None = None,
        sort: Literal["path", "modified"] = "path",
        encoding: str | None = None,
        guess_encoding: bool = False,
        cursor: str | None = None,
        explain_empty: bool = False,
        timeout_s: float | None = None,
        threads: int = 0,
        cancel: _core.CancelToken | None = None,
    ) -> GrepResult:
        """Search file contents; see `rootle.grep`."""
        return _checked(
            _core.grep,
            root=self._root,
            patterns=_texts(patterns),
            paths=[os.fspath(path) for path in paths],
            glob=_texts(glob),
            exclude=_texts(exclude),
            type=_texts(type),
            mode=mode,
            fixed=fixed,
            word=word,
            ignore_case=ignore_case,
            smart_case=smart_case,
            multiline=multiline,
            dotall=dotall,
            invert=invert,
            only_matching=only_matching,
            before=before,
            after=after,
            hidden=hidden,
            no_ignore=no_ignore,
            skip_dirs=_skipped(skip_dirs, no_ignore),
            extra_ignore=_texts(extra_ignore),
            follow_links=follow_links,
            max_depth=max_depth,
            max_matches=max_matches,
            max_per_file=max_per_file,
            max_filesize=max_filesize,
            max_line_chars=max_line_chars,
            max_text_bytes=max_text_bytes,
            sort=sort,
            encoding=encoding,
            guess_encoding=guess_encoding,
            cursor=cursor,
            explain_empty=explain_empty,
            step_limit=limits.REGEX_STEPS,
            size_limit=limits.REGEX_BYTES,
            max_ignore_file_bytes=limits.IGNORE_FILE_BYTES,
            threads=threads,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def list_dir(
        self,
        path: PathArg = ".",
        *,
        depth: int = 1,
        max_entries: int = limits.LIST_MAX_ENTRIES,
        hidden: bool = False,
        no_ignore: bool = False,
        skip_dirs: Sequence[str] | None = None,
        extra_ignore: Texts = (),
        timeout_s: float | None = None,
        cancel: _core.CancelToken | None = None,
    ) -> ListResult:
        """List a directory as a tree; see `rootle.list_dir`."""
        return _checked(
            _core.list_dir,
            root=self._root,
            path=os.fspath(path),
            depth=depth,
            max_entries=max_entries,
            hidden=hidden,
            no_ignore=no_ignore,
            skip_dirs=_skipped(skip_dirs, no_ignore),
            extra_ignore=_texts(extra_ignore),
            max_ignore_file_bytes=limits.IGNORE_FILE_BYTES,
            timeout_s=timeout_s,
            cancel=cancel,
        )

    def read(
        self,
        path: PathArg,
        *,
        start_line: int = 1,
        max_lines: int | None = None,
        start_column: int = 1,
        max_line_chars: int = limits.READ_LINE_CHARS,
        max_chars: int = limits.READ_CHARS,
        encoding: str | None = None,
        keep_bytes: int = 0,
        timeout_s: float | None = None,
        cancel: _core.CancelToken | None = None,
    ) -> ReadResult:
        """Read lines of one file; see `rootle.read`."""
        return _checked(
            _core.read,
            root=self._root,
            path=os.fspath(path),
            start_line=start_line,
            max_lines=max_lines,
            start_column=start_column,
            max_line_chars=max_line_chars,
            max_chars=max_chars,
            encoding=encoding,
            guess_encoding=True,
            max_hash_bytes=limits.HASH_BYTES,
            max_count_bytes=limits.COUNT_BYTES,
            keep_bytes=keep_bytes,
            timeout_s=timeout_s,
            cancel=cancel,
        )


def _checked(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the core; a number that it cannot hold (a negative count, more than 64 bits) is the caller's mistake."""
    try:
        return function(*args, **kwargs)
    except OverflowError:
        numbers = {name: value for name, value in kwargs.items() if isinstance(value, int)}
        least = {"start_line": -1 << 63}
        fits = {name: least.get(name, 0) <= value < 1 << 63 for name, value in numbers.items()}
        wrong = next((name for name, fit in fits.items() if not fit), "a number")
        raise InvalidArgument.of(f"{wrong}: {numbers.get(wrong)} is out of range", name=wrong) from None


def _texts(value: Texts) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _skipped(skip_dirs: Sequence[str] | None, no_ignore: bool) -> list[str]:
    """Without a list of the caller's own, `no_ignore` opens every unwanted directory but git's."""
    if skip_dirs is None:
        return [".git"] if no_ignore else list(limits.SKIP_DIRS)
    return list(skip_dirs)
