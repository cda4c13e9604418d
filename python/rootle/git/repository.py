"""Finding a repository below the root, and checking where its parts lie before git is shown them."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import GitFailed, NotARepository, PathEscapesRoot, PathNotFound, RepositoryRefused, RootleError
from rootle.git.policy import GitPolicy
from rootle.git.running import Clock, failure, run_script
from rootle.git.settings import parse_config, settings_for
from rootle.rendering import escape_name
from rootle.workspace import LocalBackend

__all__ = ["Repository", "open_repository"]

_HEAD = re.compile(r"ref: refs/[^\x00-\x20\x7f]+|[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_VERSION = re.compile(r"git version (\d+)\.(\d+)", re.ASCII)
_OLDEST = (2, 31)
_FIELDS = 8
_BAD_CONFIG = 98

_REASONS = {
    "link": "is a symbolic link, which git never makes there",
    "special": "is no regular file",
    "unreadable": "cannot be read",
    "owner": "belongs to another user",
    "gitdir_missing": "does not lead to a repository",
    "gitdir_outside": "is outside of the root",
    "commondir_missing": "does not lead to a repository",
    "commondir_outside": "leads outside of the root",
    "objects_missing": "is missing",
    "objects_outside": "leads outside of the root",
    "refs_missing": "is missing",
    "refs_outside": "leads outside of the root",
    "alternates_outside": "holds borrowed objects and is outside of the root",
    "alternates_deep": "borrows objects over too many steps",
    "work_tree": "names another work tree",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository whose parts lie where they may. Paths are absolute, without links, on the client's machine.

    Attributes:
        prefix: The work tree relative to the root, empty or with a slash at its end.
        settings: The configuration that git is given.
        filters: Names of the filters that the repository's own configuration has, which are not run.
    """

    root: str
    work_tree: str
    git_dir: str
    common_dir: str
    objects: str
    refs: str
    head: str
    prefix: str
    settings: str
    filters: tuple[str, ...]

    @property
    def name(self) -> str:
        """The work tree as it is named to a model."""
        return escape_name(self.prefix.rstrip("/") or ".")

    async def git(self, client: SandboxClient, *arguments: str, clock: Clock, max_bytes: int) -> ExecResult:
        """Run git on the repository, and keep the first `max_bytes` of its output; whatever its end is given."""
        return await run_script(
            client,
            "run",
            self.work_tree,
            self.git_dir,
            self.common_dir,
            self.objects,
            self.refs,
            self.head,
            self.settings,
            str(max_bytes),
            *arguments,
            timeout_s=clock.left_s,
            # The script ends the output at its first bytes; clients may keep others of what is too much for them.
            max_output_bytes=max_bytes + limits.GIT_FACTS_BYTES,
        )


async def open_repository(
    client: SandboxClient, workspace: Any, directory: str, policy: GitPolicy, clock: Clock
) -> Repository:
    """Find the repository of a directory, relative to the root; nothing above the root is looked at.

    Raises:
        NotARepository: When there is none, or one without a work tree.
        RepositoryRefused: When a part of it lies outside the root, is a link or belongs to another user, and the policy
            does not allow it; `details["reason"]` says which.
        GitFailed: When it is damaged.
    """
    owners = "any" if policy.any_owner else "own"
    result = await run_script(
        client,
        "inspect",
        directory,
        owners,
        *policy.outside,
        timeout_s=clock.left_s,
        max_output_bytes=2 * limits.GIT_FACTS_BYTES,
    )
    if result.timed_out:
        raise clock.out_of_time("looking for the repository")
    if result.exit_code == _BAD_CONFIG:
        raise failure(result, "the repository's configuration cannot be read")
    if not result.ok:
        raise failure(result, "the repository cannot be looked at")
    if result.truncated or len(result.stdout) > limits.GIT_FACTS_BYTES:
        raise GitFailed.of("the repository's configuration is too large", tool_name="git")
    repository = _repository(result.stdout, directory)
    _check_descriptors(workspace, repository)
    return repository


def _repository(said: bytes, directory: str) -> Repository:
    kind, *fields = said.decode("utf-8", "surrogateescape").split("\0")
    shown = escape_name(directory)
    if kind == "none":
        raise NotARepository.of(
            f'there is no git repository at "{shown}" or above it up to the root',
            path=directory,
            reason="none",
            hint="Name the directory of one, relative to the root.",
        )
    if kind == "bare":
        raise _bare(shown, directory)
    if kind == "refused":
        raise _refused(fields[0], fields[1], directory)
    if kind != "repository" or len(fields) <= _FIELDS:
        raise GitFailed.of("the repository cannot be looked at: the answer is incomplete", tool_name="git")
    root, work_tree, git_dir, common_dir, objects, refs, head, version = fields[:_FIELDS]
    number = _VERSION.match(version)
    if number is None or (int(number[1]), int(number[2])) < _OLDEST:
        raise GitFailed.of(f'"{version}" is too old: {_OLDEST[0]}.{_OLDEST[1]} is needed', tool_name="git")
    if not _HEAD.fullmatch(head):
        raise GitFailed.of(f'the repository at "{shown}" is damaged: its HEAD names nothing', tool_name="git")
    config = parse_config("\0".join(fields[_FIELDS:]).encode("utf-8", "surrogateescape"))
    if config.get("core.bare", "").lower() in ("true", "yes", "on", "1"):
        raise _bare(shown, directory)
    other = config.get("core.worktree")
    if other is not None and posixpath.normpath(posixpath.join(git_dir, other)) != work_tree:
        raise _refused("work_tree", posixpath.join(common_dir, "config"), directory)
    prefix = posixpath.relpath(work_tree, root)
    return Repository(
        root=root,
        work_tree=work_tree,
        git_dir=git_dir,
        common_dir=common_dir,
        objects=objects,
        refs=refs,
        head=head,
        prefix="" if prefix == "." else f"{prefix}/",
        settings=settings_for(config),
        filters=tuple(sorted({_filter(key) for key in config} - {""})),
    )


def _filter(key: str) -> str:
    """Give the name of a filter that a key sets a program for."""
    if key.startswith("filter.") and key.endswith((".clean", ".process")):
        return key.removeprefix("filter.").rpartition(".")[0]
    return ""


def _check_descriptors(workspace: Any, repository: Repository) -> None:
    """Have the kernel say of a local root, too, that what was found lies beneath it: not by text, by descriptors."""
    backend = getattr(workspace, "sync", workspace).backend
    if not isinstance(backend, LocalBackend) or backend.path != repository.root:
        return
    for part in (repository.work_tree, repository.git_dir, repository.common_dir, repository.objects, repository.refs):
        if posixpath.commonpath([part, repository.root]) != repository.root:
            continue  # It is outside, and the policy allowed it.
        relative = posixpath.relpath(part, repository.root)
        try:
            same = backend.real_path(relative) == relative
        except RootleError:
            same = False
        if not same:
            raise _refused("link", part, repository.prefix or ".")


def _bare(shown: str, directory: str) -> NotARepository:
    return NotARepository.of(
        f'the repository at "{shown}" is bare: it has no work tree to compare', path=directory, reason="bare"
    )


def _refused(reason: str, part: str, directory: str) -> RootleError:
    if reason == "start_missing":
        return PathNotFound.of(f'"{escape_name(directory)}" is no directory', path=directory)
    if reason == "start_outside":
        return PathEscapesRoot.of(f'"{escape_name(directory)}" leads outside of the root', path=directory)
    return RepositoryRefused.of(
        f'the repository of "{escape_name(directory)}" is refused: "{escape_name(part)}" {_REASONS[reason]}',
        path=directory,
        reason=reason,
        part=part,
    )
