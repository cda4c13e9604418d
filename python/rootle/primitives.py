"""Search and read as plain functions on a path or a `Workspace`.

Given a path that lies in a git work tree, a function takes the work tree as its root, so that the repository's own
ignore rules count as they do in ripgrep; else the path itself is the root. The `path` of each record is relative to
that root, which the result names as `root`. All functions release the GIL, may be called from many threads at once, and
can be interrupted by Ctrl-C.

Options that several functions take:
    hidden: Look at hidden entries (names that start with a dot) too.
    no_ignore: Do not heed `.gitignore`, `.ignore`, `.rootleignore` and `.git/info/exclude`, nor the list of unwanted
        directories but `.git`.
    skip_dirs: Names of directories that are never entered unless an ignore file or the path itself asks for them;
        `None` is the built-in list (`rootle.limits.SKIP_DIRS`), `()` none.
    extra_ignore: More ignore rules, as lines of a `.gitignore` at the root; they come before all files.
    follow_links: Follow symbolic links that stay inside the root, each real directory once.
    max_depth: How many levels below `path` to go; 1 is the directory's own entries.
    timeout_s: Time limit in seconds; what was found until then is given with `complete=False` and `stop="deadline"`.
    threads: How many threads may work; 0 decides by the processors that are there.
    cancel: A `CancelToken`; setting it ends the call within 200 ms, with what was found.

Errors that all of them raise: PathNotFound (with suggestions), PathEscapesRoot, NotADirectory, PermissionDenied,
InvalidArgument.
"""

from __future__ import annotations

import os

from rootle import limits
from rootle.errors import InvalidArgument
from rootle.workspace.local import LocalBackend
from rootle.workspace.roots import enclosing_root

# Not imported from typing: a command-line search must not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from rootle._core import CancelToken
    from rootle.contracts import Backend
    from rootle.options import PathArg, Texts
    from rootle.results import GlobResult, GrepResult, ListResult, ReadResult, WalkResult
    from rootle.workspace import Workspace

__all__ = ["glob", "grep", "list_dir", "read", "walk"]


def grep(
    pattern: Texts,
    path: PathArg | Sequence[PathArg] | Workspace = ".",
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
    cancel: CancelToken | None = None,
) -> GrepResult:
    """Search file contents by regular expression.

    The syntax is that of ripgrep (the `regex` crate), with look-around and back-references by the `fancy-regex` crate
    where a pattern needs
    them, under a bound on steps. `$` also matches before CRLF.

    Args:
        pattern: One pattern, or several of which any may match.
        path: Where to search: a file or directory, several of them, or a `Workspace` (all of it).
        glob: Only files that match one of these globs; one without `/` is compared with the name at any depth.
        exclude: No files that match one of these globs.
        type: Only files of these types (`py`, `rust`, ...: ripgrep's names).
        mode: "content" gives matching lines, "files" the files that match, "count" the count of matching lines of each
            file.
        fixed: Take the pattern literally.
        word: Match whole words only.
        ignore_case: Match without regard to case.
        smart_case: Ignore case unless the pattern has a capital.
        multiline: Let matches span lines.
        dotall: With `multiline`, `.` matches line ends too.
        invert: Give the lines that do not match.
        only_matching: Give each match by itself, not its line.
        before: Lines of context before each match; a line is given once.
        after: Lines of context after each match.
        hidden: See the module.
        no_ignore: See the module.
        skip_dirs: See the module.
        extra_ignore: See the module.
        follow_links: See the module.
        max_depth: See the module.
        max_matches: Stop after this many matches, exactly the first in the order of `sort`; the result's `cursor` goes
            on.
        max_per_file: At most this many matches of one file.
        max_filesize: Leave out files larger than this, in bytes.
        max_line_chars: Longer lines are clipped around the match, in characters.
        max_text_bytes: Stop when the text given, context included, has this many bytes; `cursor` goes on.
        sort: "path" (by names, level by level) or "modified" (newest first, ties by path).
        encoding: Decode every file from this encoding (a WHATWG label) instead of by its byte order mark, else as
            UTF-8.
        guess_encoding: Guess the encoding of files that are not UTF-8.
        cursor: Go on after an earlier result's `cursor`; all other arguments must be the same.
        explain_empty: When nothing matched, look in ignored and hidden files too, briefly, and say how much matches
            there.
        timeout_s: See the module.
        threads: See the module.
        cancel: See the module.

    Raises:
        InvalidPattern, PatternTooLarge, InvalidGlob, UnknownFileType, InvalidCursor: With the reason.
    """
    backend, paths = _open(path)
    return backend.grep(
        [pattern] if isinstance(pattern, str) else pattern,
        paths,
        glob=glob,
        exclude=exclude,
        type=type,
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
        skip_dirs=skip_dirs,
        extra_ignore=extra_ignore,
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
        timeout_s=timeout_s,
        threads=threads,
        cancel=cancel,
    )


def glob(
    pattern: Texts,
    path: PathArg | Workspace = ".",
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
    timeout_s: float | None = None,
    threads: int = 0,
    cancel: CancelToken | None = None,
) -> GlobResult:
    """Find files by glob: `*` and `?` within a name, `**` over levels, `{a,b}`, `[a-z]`.

    A pattern with a `/` is compared with the path below `path`, one without with the name at any depth. A segment that
    starts with a dot finds hidden entries; a pattern whose text is an existing
    path finds just that, ignored or not, so `app/[id].tsx` works.

    Args:
        pattern: One glob, or several of which any may match.
        path: The directory to look in, or a `Workspace` (all of it).
        sort: "modified" (newest first, ties by path), "path", "size" (largest first) or "depth" (nearest first);
            applied before `max_results`.
        kind: "file", "directory" or "any".
        ignore_case: Match without regard to case.
        max_results: Give this many; the result's `cursor` goes on.
        cursor: Go on after an earlier result's `cursor`; all other arguments must be the same.
        hidden: See the module.
        no_ignore: See the module.
        skip_dirs: See the module.
        extra_ignore: See the module.
        follow_links: See the module.
        max_depth: See the module.
        timeout_s: See the module.
        threads: See the module.
        cancel: See the module.

    Raises:
        InvalidGlob, PatternTooLarge, InvalidCursor: With the reason.
    """
    backend, paths = _open(path)
    return backend.glob(
        [pattern] if isinstance(pattern, str) else pattern,
        paths[0],
        sort=sort,
        kind=kind,
        ignore_case=ignore_case,
        max_results=max_results,
        cursor=cursor,
        hidden=hidden,
        no_ignore=no_ignore,
        skip_dirs=skip_dirs,
        extra_ignore=extra_ignore,
        follow_links=follow_links,
        max_depth=max_depth,
        timeout_s=timeout_s,
        threads=threads,
        cancel=cancel,
    )


def walk(
    path: PathArg | Sequence[PathArg] | Workspace = ".",
    *,
    glob: Texts = (),
    exclude: Texts = (),
    type: Texts = (),
    stat: bool = False,
    hidden: bool = False,
    no_ignore: bool = False,
    skip_dirs: Sequence[str] | None = None,
    extra_ignore: Texts = (),
    follow_links: bool = False,
    max_depth: int | None = None,
    timeout_s: float | None = None,
    threads: int = 0,
    cancel: CancelToken | None = None,
) -> WalkResult:
    """Find every file that the ignore rules leave, in path order, as `rg --files` does.

    Args:
        path: Where to look: a directory, several, or a `Workspace` (all of it).
        glob: Only files that match one of these globs; one without `/` is compared with the name at any depth.
        exclude: No files that match one of these globs.
        type: Only files of these types (`py`, `rust`, ...: ripgrep's names).
        stat: Give size and modification time of each file too; one more system call a file.
        hidden: See the module.
        no_ignore: See the module.
        skip_dirs: See the module.
        extra_ignore: See the module.
        follow_links: See the module.
        max_depth: See the module.
        timeout_s: See the module.
        threads: See the module.
        cancel: See the module.

    Raises:
        InvalidGlob, UnknownFileType: With the reason.
    """
    backend, paths = _open(path)
    return backend.walk(
        paths,
        glob=glob,
        exclude=exclude,
        type=type,
        stat=stat,
        hidden=hidden,
        no_ignore=no_ignore,
        skip_dirs=skip_dirs,
        extra_ignore=extra_ignore,
        follow_links=follow_links,
        max_depth=max_depth,
        timeout_s=timeout_s,
        threads=threads,
        cancel=cancel,
    )


def list_dir(
    path: PathArg | Workspace = ".",
    *,
    depth: int = 1,
    max_entries: int = limits.LIST_MAX_ENTRIES,
    hidden: bool = False,
    no_ignore: bool = False,
    skip_dirs: Sequence[str] | None = None,
    extra_ignore: Texts = (),
    timeout_s: float | None = None,
    cancel: CancelToken | None = None,
) -> ListResult:
    """List a directory as a tree, level by level, so that a cut keeps the upper levels.

    Args:
        path: The directory, or a `Workspace` (its root).
        depth: How many levels; 1 is the directory's own entries.
        max_entries: Give at most this many entries.
        hidden: See the module.
        no_ignore: See the module.
        skip_dirs: See the module.
        extra_ignore: See the module.
        timeout_s: See the module.
        cancel: See the module.
    """
    backend, paths = _open(path)
    return backend.list_dir(
        paths[0],
        depth=depth,
        max_entries=max_entries,
        hidden=hidden,
        no_ignore=no_ignore,
        skip_dirs=skip_dirs,
        extra_ignore=extra_ignore,
        timeout_s=timeout_s,
        cancel=cancel,
    )


def read(
    path: PathArg,
    workspace: Workspace | None = None,
    *,
    start_line: int = 1,
    max_lines: int | None = None,
    start_column: int = 1,
    max_line_chars: int = limits.READ_LINE_CHARS,
    max_chars: int = limits.READ_CHARS,
    encoding: str | None = None,
    keep_bytes: int = 0,
    timeout_s: float | None = None,
    cancel: CancelToken | None = None,
) -> ReadResult:
    """Read lines of one regular file; never blocks on a FIFO, and takes no more memory than the lines asked for.

    Lines end at LF alone; a CR before it is not part of the text. The encoding is taken from a byte order mark, else
    UTF-8, else guessed; the result names it, and says whether anything could not be decoded.

    Args:
        path: The file.
        workspace: The workspace that the path belongs to; else the path's own root is found.
        start_line: The first line, from 1; negative counts from the end (-1 is the last line).
        max_lines: Give at most this many lines.
        start_column: The first character of the first line, from 1: goes on in a line that was cut.
        max_line_chars: Cut lines after this many characters; the result's `next_line` and `next_column` go on.
        max_chars: Give at most this many characters in all.
        encoding: Decode from this encoding (a WHATWG label).
        keep_bytes: Give the whole content as bytes too when the file is not larger than this.
        timeout_s: See the module.
        cancel: See the module.

    Raises:
        NotARegularFile, IsADirectory: For anything that is not a plain file, at once.
        DeadlineExceeded: When the time limit passes before the first line.
    """
    backend, paths = _open(path) if workspace is None else (workspace, [path])
    return backend.read(
        paths[0],
        start_line=start_line,
        max_lines=max_lines,
        start_column=start_column,
        max_line_chars=max_line_chars,
        max_chars=max_chars,
        encoding=encoding,
        keep_bytes=keep_bytes,
        timeout_s=timeout_s,
        cancel=cancel,
    )


def _open(path: PathArg | Sequence[PathArg] | Workspace) -> tuple[Backend, Sequence[PathArg]]:
    backend: Backend | None = getattr(path, "backend", None)
    if backend is not None:
        return backend, ["."]
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)  # type: ignore[arg-type]
    if not paths:
        raise InvalidArgument.of("path: at least one path is needed", name="path")
    root, absolute = enclosing_root(paths)
    return LocalBackend(root), absolute
