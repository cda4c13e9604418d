"""What differs in a repository: names, statuses, counts and the difference itself, each asked for in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import GitFailed, InvalidArgument
from rootle.git.numstat import Numstat, parse_numstat
from rootle.git.raw import RawChange, parse_raw, whole_records
from rootle.git.repository import Repository
from rootle.git.running import Clock, failure
from rootle.rendering import escape_text

__all__ = ["Compared", "Difference", "compare", "compared_commits"]

_CUT = (None, 0, 141)
"""Ends of git when the output was cut: killed, its own, or by SIGPIPE as a shell has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What is compared with what.

    Attributes:
        staged: The index instead of the work tree.
        base: A commit instead of the index (or, when staged, of HEAD).
        head: A commit instead of the work tree.
        paths: Relative to the work tree; taken literally. All when there are none.
    """

    staged: bool = False
    base: str | None = None
    head: str | None = None
    paths: tuple[str, ...] = ()

    @property
    def with_work_tree(self) -> bool:
        """Whether files on disk are compared."""
        return not self.staged and self.head is None

    def arguments(self, *options: str) -> list[str]:
        """Give the arguments for `git diff`."""
        return [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--find-renames",
            # To look into a submodule's work tree git would run there, under the submodule's own configuration.
            f"--ignore-submodules={'all' if self.with_work_tree else 'dirty'}",
            "--submodule=short",
            *options,
            *(["--cached"] if self.staged else []),
            *(commit for commit in (self.base, self.head) if commit is not None),
            "--",
            *self.paths,
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What `compare` found.

    Attributes:
        changes: In the order of the difference.
        counts: By path; None when the time was over before they were complete.
        more_changes: The list of changes was too long and ends early.
        diff: The first bytes of the difference, whole lines; None when the time was over before any came.
        diff_cut: There is more of it.
        untracked: Files and directories that git does not know; None when they were not looked for, or not in time.
        more_untracked: There are more of them.
    """

    changes: list[RawChange]
    counts: dict[str, Numstat] | None
    more_changes: bool
    diff: bytes | None
    diff_cut: bool
    untracked: list[str] | None
    more_untracked: bool


async def compared_commits(
    client: SandboxClient, repository: Repository, names: Sequence[str | None], clock: Clock
) -> list[str | None]:
    """Give the commits that are named as full object names, which no option and no path can be taken for.

    Raises:
        InvalidArgument: For a name of no commit.
    """
    for name in names:
        if name is not None and (not name or name.startswith("-") or ".." in name or not name.isprintable()):
            raise _no_commit(name, "It is a branch, a tag, or an object name, such as `main`, `v1.2` or `HEAD~3`.")
    results = await asyncio.gather(
        *(
            repository.git(
                client,
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{name}^{{commit}}",
                clock=clock,
                max_bytes=200,
            )
            for name in names
            if name is not None
        )
    )
    found = iter(results)
    commits: list[str | None] = []
    for name in names:
        if name is None:
            commits.append(None)
            continue
        result = next(found)
        if result.timed_out:
            raise clock.out_of_time("looking up the commit")
        commit = result.stdout.decode("ascii", "replace").strip()
        if not result.ok or not commit.isalnum():
            raise _no_commit(name, None if not name.upper().startswith("HEAD") else "There may be no commit yet.")
        commits.append(commit)
    return commits


async def compare(
    client: SandboxClient,
    repository: Repository,
    what: Compared,
    *,
    context_lines: int,
    max_bytes: int,
    clock: Clock,
) -> Difference:
    """Ask git for names, counts and difference at the same time.

    Raises:
        DeadlineExceeded: When not even the names came in time.
        GitFailed: When git fails.
    """
    prefixes = [f"--src-prefix=a/{repository.prefix}", f"--dst-prefix=b/{repository.prefix}"]
    table = limits.DIFF_TABLE_BYTES

    def run(arguments: list[str], most: int) -> asyncio.Task[ExecResult]:
        return group.create_task(repository.git(client, *arguments, clock=clock, max_bytes=most))

    try:
        async with asyncio.TaskGroup() as group:
            raw = run(what.arguments("--raw", "--abbrev=8", "-z"), table)
            counts = run(what.arguments("--numstat", "-z"), table)
            # One byte more than is wanted tells that there is more.
            wanted = what.arguments("--patch", f"--unified={context_lines}", *prefixes)
            patch = run(wanted, max_bytes + 1) if max_bytes else None
            others = run(_untracked(what), limits.UNTRACKED_BYTES) if what.with_work_tree else None
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None

    listed = raw.result()
    if listed.timed_out:
        raise clock.out_of_time("comparing")
    _check(listed, table)
    names, more = whole_records(listed.stdout, table)
    try:
        changes = parse_raw(names)
    except ValueError as error:
        raise GitFailed.of(str(error), tool_name="git") from None
    diff, cut = (b"", False) if patch is None else _difference(patch.result(), max_bytes)
    untracked, more_untracked = _names(None if others is None else others.result())
    return Difference(
        changes=changes,
        counts=_counts(counts.result(), table, more),
        more_changes=more,
        diff=diff,
        diff_cut=cut,
        untracked=untracked,
        more_untracked=more_untracked,
    )


def _untracked(what: Compared) -> list[str]:
    return [
        "ls-files",
        "--others",
        "--exclude-standard",
        "--directory",
        "--no-empty-directory",
        "-z",
        "--",
        *what.paths,
    ]


def _check(result: ExecResult, most: int) -> None:
    if result.ok or (len(result.stdout) >= most and result.exit_code in _CUT):
        return
    raise failure(result, "git could not compare")


def _counts(result: ExecResult, most: int, more: bool) -> dict[str, Numstat] | None:
    if result.timed_out:
        return None
    _check(result, most)
    data = result.stdout
    if len(data) >= most or more:
        # Records of numstat have no mark at their start: the last whole one cannot be told where it was cut.
        return None
    return {entry.path: entry for entry in parse_numstat(data)}


def _difference(result: ExecResult, max_bytes: int) -> tuple[bytes | None, bool]:
    data = result.stdout
    if not result.timed_out:
        _check(result, max_bytes + 1)
        if len(data) <= max_bytes:
            return data, False
    kept = data[:max_bytes]
    kept = kept[: kept.rfind(b"\n") + 1]
    return (kept or None if result.timed_out else kept), True


def _names(result: ExecResult | None) -> tuple[list[str] | None, bool]:
    if result is None or result.timed_out:
        return None, False
    most = limits.UNTRACKED_BYTES
    _check(result, most)
    data = result.stdout
    cut = len(data) >= most
    names = data[: data.rfind(b"\0") + 1].split(b"\0")
    return [name.decode("utf-8", "surrogateescape") for name in names if name], cut


def _no_commit(name: str, hint: str | None) -> InvalidArgument:
    return InvalidArgument.of(f'there is no commit "{escape_text(name)}" here', name="base", hint=hint)
