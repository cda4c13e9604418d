"""The `git_clone` tool: a repository copied into the root."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from rootle import limits
from rootle.contracts import CallContext
from rootle.errors import InvalidArgument
from rootle.framework import base_tool
from rootle.git.clone import clone
from rootle.git.destination import checked_branch, checked_destination
from rootle.git.policy import policy_of
from rootle.git.running import Clock
from rootle.git.urls import parse_clone_url
from rootle.rendering import escape_name, escape_text
from rootle.sandbox import client_of
from rootle.workspace.aio import AsyncWorkspace

__all__ = ["GitCloneOutput", "git_clone"]


class GitCloneOutput(BaseModel):
    """The copy. `commit` is None when the repository is empty, `branch` when a tag or commit is checked out."""

    path: str
    url: str
    commit: str | None
    branch: str | None
    depth: int | None
    notices: list[str]

    def render(self) -> str:
        """Say where it is and what is checked out."""
        if self.commit is None:
            what = "It has no commits yet."
        else:
            what = f"{self.commit} is checked out, {f'branch {self.branch}' if self.branch else 'on no branch'}."
        return "\n".join([f"Cloned {self.url} to {self.path}. {what}", *self.notices])


@base_tool(
    effect="write",
    destructive=False,
    open_world=True,
    aliases={
        **dict.fromkeys(("repo", "repo_url", "repository"), "url"),
        **dict.fromkeys(("path", "directory", "destination", "target_dir", "dir"), "dest"),
        "ref": "branch",
    },
)
async def git_clone(
    url: str,
    dest: str | None = None,
    depth: Annotated[int, Field(ge=1, le=limits.CLONE_DEPTH)] | None = None,
    branch: str | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.CLONE_MAX_TIMEOUT_S)] = limits.CLONE_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> GitCloneOutput:
    """Copy a repository into the root."""
    policy = policy_of(workspace)
    source = parse_clone_url(url, policy.protocols)
    if dest is None and not source.name:
        raise InvalidArgument.of("the URL has no name for a directory in it: give dest", name="dest")
    given = source.name if dest is None else dest
    target = checked_destination(workspace.relative(given if dest is None else workspace.named(given)), given)
    made = await clone(
        client_of(workspace),
        url,
        target,
        policy,
        Clock(timeout_s),
        depth=depth,
        branch=None if branch is None else checked_branch(branch),
    )
    if target not in context.changed:
        context.changed.append(target)
    notices = []
    if made.redirected:
        notices.append(f"(The server redirected to {escape_text(made.url)}.)")
    if depth is not None:
        notices.append(f"(History is limited to depth {depth}.)")
    if made.submodules:
        notices.append("(Submodules were not cloned.)")
    if made.large_files:
        notices.append("(Files of Git LFS are pointers: their content was not fetched.)")
    return GitCloneOutput(
        path=escape_name(target),
        url=escape_text(made.url),
        commit=made.commit,
        branch=made.branch,
        depth=depth,
        notices=notices,
    )
