"""Operations on trees in a sandbox: walk, glob, list_dir, grep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from rootle import limits
from rootle.errors import InvalidArgument, PathEscapesRoot, PathNotFound
from rootle.workspace.local import LocalBackend
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.grep import Search
from rootle.workspace.remote.names import Held, partial_glob, partial_list, shown_list
from rootle.workspace.remote.paths import RemotePaths
from rootle.workspace.remote.replica import Replica
from rootle.workspace.remote.station import Deadline
from rootle.workspace.remote.walked import PartialWalk

if TYPE_CHECKING:
    from rootle._core import CancelToken
    from rootle.options import PathArg, Texts
    from rootle.results import GlobResult, GrepResult, ListResult, WalkResult

__all__ = ["RemoteSearches"]

T = TypeVar("T")

# Of the time for a search, the part in which the tree may be listed.
_LISTING = 0.5
# Files that were passed over, of which it is looked whether they match when no other one does.
_HINT_FILES = 500


class Rules(TypedDict):
    """Which entries are looked at."""

    hidden: bool
    no_ignore: bool
    skip_dirs: Sequence[str] | None
    extra_ignore: Texts


class RemoteSearches(RemotePaths):
    """Searches and listings."""

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
        cancel: CancelToken | None = None,
    ) -> WalkResult:
        """Find files; see `rootle.walk`."""
        deadline = Deadline(timeout_s, cancel)
        rules = _rules(hidden, no_ignore, skip_dirs, extra_ignore)
        held = self._tree(paths, deadline, rules, follow_links=follow_links, depth=max_depth, sizes=stat)
        found = self._suggesting(
            held,
            deadline,
            lambda backend: backend.walk(
                self._inside(held, paths),
                glob=glob,
                exclude=exclude,
                type=type,
                **rules,
                follow_links=follow_links,
                max_depth=max_depth,
                threads=threads,
                stat=stat,
                cancel=cancel,
            ),
        )
        return found if held.tree.complete and not held.tree.unread else PartialWalk(found, held.tree)  # type: ignore[return-value]

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
        cancel: CancelToken | None = None,
    ) -> GlobResult:
        """Find paths by glob; see `rootle.glob`."""
        deadline = Deadline(timeout_s, cancel)
        rules = _rules(hidden, no_ignore, skip_dirs, extra_ignore)
        held = self._tree(
            [path], deadline, rules, follow_links=follow_links, extra=list(patterns), sizes=sort == "size"
        )
        found = self._suggesting(
            held,
            deadline,
            lambda backend: backend.glob(
                patterns,
                self._inside(held, [path])[0],
                sort=sort,
                kind=kind,
                ignore_case=ignore_case,
                max_results=max_results,
                cursor=cursor,
                **rules,
                follow_links=follow_links,
                max_depth=max_depth,
                threads=threads,
                cancel=cancel,
            ),
        )
        return partial_glob(found, held.tree)

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
        cancel: CancelToken | None = None,
    ) -> ListResult:
        """List a directory as a tree; see `rootle.list_dir`."""
        deadline = Deadline(timeout_s, cancel)
        rules = _rules(hidden, no_ignore, skip_dirs, extra_ignore)
        held = self._tree([path], deadline, rules, depth=depth)
        found = self._suggesting(
            held,
            deadline,
            lambda backend: backend.list_dir(
                self._inside(held, [path])[0], depth=depth, max_entries=max_entries, **rules, cancel=cancel
            ),
        )
        return partial_list(shown_list(found, held), held.tree)

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
        cancel: CancelToken | None = None,
    ) -> GrepResult:
        """Search file contents; see `rootle.grep`."""
        deadline = Deadline(timeout_s, cancel)
        rules = _rules(hidden, no_ignore, skip_dirs, extra_ignore)
        options: dict[str, Any] = {
            "mode": mode,
            "fixed": fixed,
            "word": word,
            "ignore_case": ignore_case,
            "smart_case": smart_case,
            "multiline": multiline,
            "dotall": dotall,
            "invert": invert,
            "only_matching": only_matching,
            "before": before,
            "after": after,
            "max_matches": max_matches,
            "max_per_file": max_per_file,
            "max_filesize": max_filesize,
            "max_line_chars": max_line_chars,
            "max_text_bytes": max_text_bytes,
            "sort": sort,
            "encoding": encoding,
            "guess_encoding": guess_encoding,
            "cursor": cursor,
            "threads": threads,
        }
        given = [patterns] if isinstance(patterns, str) else list(patterns)
        _refuse_early(given, options)
        held = self._tree(paths, _half(deadline), rules, follow_links=follow_links, depth=max_depth)
        filters: dict[str, Any] = {"glob": glob, "exclude": exclude, "type": type}
        walked = self._suggesting(
            held,
            deadline,
            lambda backend: backend.walk(
                self._inside(held, paths),
                **filters,
                **rules,
                follow_links=follow_links,
                max_depth=max_depth,
                stat=True,
                cancel=cancel,
            ),
        )
        scope = repr(([os.fspath(path) for path in paths], filters, rules, follow_links, max_depth))
        search = Search(self._station, held, given, options, scope, deadline)
        passed_over = self._passed_over(held, paths, walked, filters) if explain_empty and not cursor else ()
        return search.run(list(walked), walked.coverage, passed_over)

    def _passed_over(
        self, held: Held, paths: Sequence[PathArg], walked: WalkResult, filters: dict[str, Any]
    ) -> list[str]:
        """Give some of the files that ignore rules and hidden names kept out of a walk."""
        everything = held.backend.walk(self._inside(held, paths), **filters, hidden=True, no_ignore=True)
        seen = set(walked.paths)
        return [path for path in everything.paths if path not in seen][:_HINT_FILES]

    def _tree(
        self,
        paths: Sequence[PathArg],
        deadline: Deadline,
        rules: Rules,
        *,
        follow_links: bool = False,
        depth: int | None = None,
        extra: Sequence[str] = (),
        sizes: bool = False,
    ) -> Held:
        """List what lies below some paths; everything, when links are followed: they may lead anywhere."""
        skipped = rules["skip_dirs"]
        if skipped is None:
            skipped = [".git"] if rules["no_ignore"] else limits.SKIP_DIRS
        extra_ignore = rules["extra_ignore"]
        asked = [extra_ignore] if isinstance(extra_ignore, str) else list(extra_ignore)
        starts = ["."] if follow_links else [self.relative(path) for path in paths]
        if not starts:
            raise InvalidArgument.of("path: at least one path is needed", name="path")
        if depth is not None and depth < 0:
            raise InvalidArgument.of(f"max_depth: {depth} is out of range", name="max_depth")
        try:
            return self._trees.take(
                starts,
                deadline,
                depth=0 if follow_links or depth is None else max(depth, 1),
                rules=not rules["no_ignore"],
                skipped=() if follow_links else skipped,
                extra=[*extra, *asked],
                sizes=sizes,
            )
        except Stopped as stopped:
            raise deadline.error(stopped) from None

    def _inside(self, held: Held, paths: Sequence[PathArg]) -> list[str]:
        """Give paths as the replica has them: what `..` means depends on links, which it may not have."""
        real = {look.named: look.real or "." for look in held.tree.starts if look.there}
        names = [self.relative(path) for path in paths]
        return [real.get(name, name) if ".." in name.split("/") else name for name in names]

    def _suggesting(self, held: Held, deadline: Deadline, ask: Callable[[LocalBackend], T]) -> T:
        """Ask the core; about a path that is not there again on the whole tree, to have its suggestions."""
        try:
            return ask(held.backend)
        except (PathNotFound, PathEscapesRoot):
            missing = [look for look in held.tree.starts if look.state != "found"]
            if not missing:
                raise
            return self._refusing(missing[0], ask)


def _rules(hidden: bool, no_ignore: bool, skip_dirs: Sequence[str] | None, extra_ignore: Texts) -> Rules:
    return {"hidden": hidden, "no_ignore": no_ignore, "skip_dirs": skip_dirs, "extra_ignore": extra_ignore}


def _half(deadline: Deadline) -> Deadline:
    """Leave time for the search itself."""
    try:
        return deadline.part(_LISTING)
    except Stopped:
        return deadline


def _refuse_early(patterns: list[str], options: dict[str, Any]) -> None:
    """Have the core say what is wrong with patterns and options before anything is asked of the sandbox."""
    with Replica("/") as nothing:
        LocalBackend.on(nothing.root).grep(patterns, ["."], **(options | {"cursor": None}))
