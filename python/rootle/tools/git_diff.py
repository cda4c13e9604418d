"""The `git_diff` tool: what was changed in a repository."""

from __future__ import annotations

import posixpath
from typing import Annotated

from pydantic import BaseModel, Field

from rootle import limits
from rootle.errors import InvalidArgument, PathEscapesRoot, PathNotFound, RootleError
from rootle.framework import base_tool
from rootle.git.diff import Compared, Difference, compare, compared_commits
from rootle.git.policy import policy_of
from rootle.git.raw import RawChange, Status
from rootle.git.repository import Repository, open_repository
from rootle.git.running import Clock
from rootle.rendering import count_of, escape_lines, escape_name
from rootle.sandbox import client_of
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["ChangedFile", "GitDiffOutput", "git_diff"]

_LETTERS = {
    "added": "A",
    "copied": "C",
    "deleted": "D",
    "modified": "M",
    "renamed": "R",
    "type_changed": "T",
    "unmerged": "U",
}


class ChangedFile(BaseModel):
    """One file; counts are -1 for a binary file, and None when there was no time to count."""

    path: str
    old_path: str | None
    status: Status
    additions: int | None
    deletions: int | None


class GitDiffOutput(BaseModel):
    """What differs. `additions` and `deletions` are sums over text files; `diff` is as git writes it."""

    repository: str
    files: list[ChangedFile]
    total_files: int
    additions: int | None
    deletions: int | None
    untracked: list[str]
    total_untracked: int | None
    diff: str
    complete: bool
    notices: list[str]

    def render(self) -> str:
        """Write the table, what is not in it, and the difference."""
        head = count_of(self.total_files, "changed file")
        if self.additions is not None and self.total_files:
            head += f", +{self.additions:,} -{self.deletions:,}"
        rows = [head if self.total_files else "No changes."]
        rows += [_row(file) for file in self.files[: limits.DIFF_SHOWN_FILES]]
        if (more := self.total_files - limits.DIFF_SHOWN_FILES) > 0:
            rows.append(f"  ({count_of(more, 'more file')})")
        rows += self.notices
        return "\n".join([*rows, "", escape_lines(_line_ends(self.diff))] if self.diff else rows)


def _row(file: ChangedFile) -> str:
    if file.additions is None:
        counts = ""
    elif file.additions < 0:
        counts = " (binary)"
    else:
        counts = f" +{file.additions:,} -{file.deletions:,}"
    name = file.path if file.old_path is None else f"{file.old_path} -> {file.path}"
    return f"  {_LETTERS[file.status]} {name}{counts}"


def _line_ends(diff: str) -> str:
    """Leave CR out where every line has one: where some have, it may be the difference."""
    lines = [line for line in diff.split("\n") if line[:1] in "+- " and line[:4] not in ("+++ ", "--- ") and line]
    if lines and all(line.endswith("\r") for line in lines):
        return diff.replace("\r\n", "\n")
    return diff


@base_tool(
    effect="read",
    aliases={"repo": "repository", "files": "paths", "cached": "staged", "context": "context_lines"},
)
async def git_diff(
    paths: Annotated[list[str], Field(max_length=limits.DIFF_PATHS)] | None = None,
    staged: bool = False,
    base: str | None = None,
    head: str | None = None,
    repository: str = ".",
    context_lines: Annotated[int, Field(ge=0, le=limits.DIFF_MAX_CONTEXT_LINES)] = limits.DIFF_CONTEXT_LINES,
    max_bytes: Annotated[int, Field(ge=0, le=limits.DIFF_MAX_BYTES)] = limits.DIFF_BYTES,
    timeout_s: Annotated[float, Field(gt=0, le=limits.GIT_MAX_TIMEOUT_S)] = limits.GIT_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
) -> GitDiffOutput:
    """Show what was changed."""
    if head is not None and (staged or base is None):
        raise InvalidArgument.of("head goes with base, and not with staged", name="head")
    clock = Clock(timeout_s)
    client = client_of(workspace)
    directory = workspace.relative(workspace.named(repository))
    opened = await open_repository(client, workspace, directory, policy_of(workspace), clock)
    first, second = await compared_commits(client, opened, [base, head], clock)
    named = [workspace.relative(workspace.named(path)) for path in paths or ()]
    what = Compared(staged=staged, base=first, head=second, paths=tuple(_inside(opened, path) for path in named))
    found = await compare(client, opened, what, context_lines=context_lines, max_bytes=max_bytes, clock=clock)
    notices = _notices(opened, what, found)
    if not found.changes:
        notices += await _missing(workspace, named)
        if what.with_work_tree and first is None:
            notices += await _staged(client, opened, what, clock)
    return _output(opened, what, found, notices)


def _inside(repository: Repository, path: str) -> str:
    """Give a path that is relative to the root as one relative to the work tree, by its text, as git reads paths."""
    normal = posixpath.normpath(path)
    if normal.split("/")[0] == "..":
        raise PathEscapesRoot.of(f'"{escape_name(path)}" leads outside of the root', path=path)
    inner = posixpath.relpath(f"/{normal}", f"/{repository.prefix}")
    if inner.split("/")[0] != "..":
        return inner
    if normal == "." or repository.prefix.startswith(f"{normal}/"):
        return "."
    raise InvalidArgument.of(
        f'"{escape_name(path)}" is not in the repository at "{repository.name}"',
        name="paths",
        hint="Paths are relative to the root; name another repository.",
    )


def _output(repository: Repository, what: Compared, found: Difference, notices: list[str]) -> GitDiffOutput:
    files = [_file(repository, change, found) for change in found.changes]
    known = [file for file in files if file.additions is not None and file.additions >= 0]
    counted = found.counts is not None
    untracked = found.untracked or []
    return GitDiffOutput(
        repository=repository.name,
        files=files[: limits.DIFF_FILES],
        total_files=len(files),
        additions=sum(file.additions or 0 for file in known) if counted else None,
        deletions=sum(file.deletions or 0 for file in known) if counted else None,
        untracked=[escape_name(repository.prefix + name) for name in untracked[: limits.DIFF_FILES]],
        total_untracked=None if found.untracked is None else len(untracked),
        diff=(found.diff or b"").decode("utf-8", "replace"),
        complete=counted
        and found.diff is not None
        and not (found.diff_cut or found.more_changes or found.more_untracked)
        and (found.untracked is not None or not what.with_work_tree),
        notices=notices,
    )


def _file(repository: Repository, change: RawChange, found: Difference) -> ChangedFile:
    count = None if found.counts is None else found.counts.get(change.path)
    old = change.old_path
    return ChangedFile(
        path=escape_name(repository.prefix + change.path),
        old_path=None if old is None else escape_name(repository.prefix + old),
        status=change.status,
        additions=None if count is None else count.additions,
        deletions=None if count is None else count.deletions,
    )


def _notices(repository: Repository, what: Compared, found: Difference) -> list[str]:
    rows = []
    if found.untracked:
        names = [escape_name(repository.prefix + name) for name in found.untracked[: limits.UNTRACKED_SHOWN]]
        more = ", ..." if len(found.untracked) > len(names) else ""
        count = count_of(len(found.untracked), "untracked file or directory", "untracked files or directories")
        least = "at least " if found.more_untracked else ""
        rows.append(f"({least}{count}, not in the difference: {', '.join(names)}{more})")
    if found.untracked is None and what.with_work_tree:
        rows.append("(INCOMPLETE: the time limit was reached before untracked files were listed.)")
    if found.more_changes:
        rows.append("(INCOMPLETE: there are more changed files than are listed or counted. Name paths.)")
    elif found.counts is None:
        rows.append("(INCOMPLETE: the time limit was reached before all lines were counted.)")
    if found.diff_cut:
        rows.append(_where_cut(repository, found))
    if found.diff is not None and b"\n" in found.diff and not _is_utf8(found.diff):
        rows.append("(Some bytes of the difference are not UTF-8 and are shown as a replacement character.)")
    if what.with_work_tree and repository.filters:
        filters = ", ".join(escape_name(name) for name in repository.filters)
        rows.append(
            f"(Filters of the repository were not run ({filters}): their files are compared as they are on disk.)"
        )
    return rows


def _where_cut(repository: Repository, found: Difference) -> str:
    if found.diff is None:
        return "(INCOMPLETE: the time limit was reached before the difference came.)"
    begun = sum(line.startswith(b"diff --") for line in found.diff.split(b"\n"))
    at = ""
    if 0 < begun <= len(found.changes):
        at = f' in "{escape_name(repository.prefix + found.changes[begun - 1].path)}"'
    return f"(The difference is cut after {len(found.diff):,} bytes{at}. Name paths, or pass a larger max_bytes.)"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


async def _missing(workspace: AsyncWorkspace, paths: list[str]) -> list[str]:
    """Say which of the named paths are not there: no change may mean a wrong name."""
    rows = []
    for path in paths:
        try:
            await workspace.stat(path, follow=False)
        except PathNotFound as error:
            rows.append(f"({error})")
        except RootleError:
            continue  # It is there in some way; that it has no changes was said.
    return rows


async def _staged(client: object, repository: Repository, what: Compared, clock: Clock) -> list[str]:
    """Say that changes are staged when none are left that are not."""
    staged = Compared(staged=True, paths=what.paths)
    result = await repository.git(
        client,  # type: ignore[arg-type]
        *staged.arguments("--name-only", "-z"),
        clock=clock,
        max_bytes=limits.UNTRACKED_BYTES,
    )
    count = result.stdout.count(b"\0") if result.ok else 0
    return [f"({count_of(count, 'file')} with staged changes: pass staged=true.)"] if count else []
