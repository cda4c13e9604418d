"""`Toolbox`: select, validate, dispatch.

from rootle import Toolbox

box = Toolbox("/path/to/repository", read_only=True)
print(box.call("grep", {"pattern": "def main", "glob": "*.py"}))
box.tools_for("openai")
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rootle.contracts import AbortSignal, CallContext, Confirm, Progress, SandboxClient
from rootle.errors import InvalidArgument, UnknownTool
from rootle.framework import Invocation, Observation, Tool, ToolSpec, tool_schema
from rootle.framework.arguments import near_names
from rootle.toolbox import loop
from rootle.toolbox.policy import Policy, bind

if TYPE_CHECKING:
    from rootle.commands import Jobs
    from rootle.contracts import AfterEdit
    from rootle.git.policy import GitPolicy
    from rootle.workspace import Workspace
    from rootle.workspace.aio import AsyncWorkspace

__all__ = ["Toolbox"]


class Toolbox:
    """Tools bound to one root, with a policy.

    Args:
        root: The directory to which every path is confined, or a workspace on one, or a sandbox: then files and
            commands are there, in its client's working directory.
        read_only: Leave out every tool that writes or runs, or does not say what it does.
        allow_web: Offer the tools that use the network.
        confirm: Asked with an `Action` before an existing file that is not temporary is overwritten or edited; when it
            gives false, the tool does nothing and its result says so.
        prompts: A folder, or several with the first one first, of XML files whose words replace the tools' own.
        overwrite: Which existing files a tool may overwrite whole: "known" ones, whose present content was read or
            written through this toolbox, or "any".
        tools: Tools of your own besides the built-in ones; one of the same name takes the built-in one's place.
        builtin: The built-in tools; `rootle.tools.BUILTIN` by default.
        sandbox: Where the commands of tools run, when that is not simply this machine: it must show the root's files
            at the root's own path.
        git: What git may do besides the defaults: other hosts, protocols and places.

    Raises:
        PathNotFound, NotADirectory, PermissionDenied: When the root cannot be opened.
        InvalidArgument: When `overwrite` is none of the two.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | Workspace | AsyncWorkspace | SandboxClient = ".",
        read_only: bool = False,
        allow_web: bool = False,
        confirm: Confirm | None = None,
        prompts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        tools: Iterable[Tool] | None = None,
        *,
        overwrite: Literal["known", "any"] = "known",
        builtin: Iterable[Tool] | None = None,
        sandbox: SandboxClient | None = None,
        git: GitPolicy | None = None,
    ) -> None:
        if overwrite not in ("known", "any"):
            raise InvalidArgument.of(f'overwrite must be "known" or "any", not {overwrite!r}', name="overwrite")
        self.workspace = _workspace(root)
        self.policy = Policy(read_only, allow_web)
        self.confirm = confirm
        self.overwrite: Literal["known", "any"] = overwrite
        every = [*(_builtin() if builtin is None else builtin), *(tools or ())]
        self._tools, self._left_out = bind(every, self.policy, _folders(prompts))
        self._inline: bool = getattr(self.workspace, "inline", False)
        self._state: Any = getattr(self.workspace, "sync", self.workspace)
        state = self._state
        self.changed: list[str] = getattr(state, "changed", [])
        """Paths that were changed, relative to the root, in the order of their first change."""
        self.after_edit: list[AfterEdit] = getattr(state, "after_edit", [])
        """Told of each edit; what they say is added to the tool's text."""
        if sandbox is not None:
            state.client = sandbox
        if git is not None:
            _set_git_policy(self.workspace, git)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools on offer."""
        return tuple(self._tools)

    def __contains__(self, name: object) -> bool:
        """Tell whether a tool of that name is on offer."""
        return name in self._tools

    def __repr__(self) -> str:
        """Show the tools on offer."""
        return f"Toolbox({', '.join(self._tools)})"

    def spec(self, name: str) -> ToolSpec:
        """Give what is known of one tool; raises UnknownTool."""
        return self._tool(name).spec

    def tools_for(self, dialect: str) -> list[dict[str, Any]]:
        """Give every tool in the words of `dialect`, one of `rootle.framework.DIALECTS`."""
        return [tool_schema(tool.spec, dialect) for tool in self._tools.values()]

    def call(
        self,
        name: str,
        args: object = None,
        *,
        abort: AbortSignal | None = None,
        progress: Progress | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Call a tool and wait for its result, with or without a running event loop in this thread.

        Ctrl-C ends the tool and is raised as KeyboardInterrupt.

        Args:
            name: The tool.
            args: A mapping of arguments, or a JSON object as text.
            abort: A `threading.Event`, `asyncio.Event` or `rootle.CancelToken` that ends the call when it is set.
            progress: Called with how much is done, of how much, and a word on it, from another thread.
            timeout_s: Seconds after which the whole call must be over.

        Raises:
            ToolRetryError: When another call may succeed; UnknownTool and InvalidArgument are kinds of it.
            ToolExecutionError, FileOperationError: When the tool failed for good.
            UserAbortError: When `abort` was set.
        """
        tool = self._tool(name)
        context = self._context(abort, progress, timeout_s)
        call = tool(args, context=context, workspace=self.workspace)
        if tool.spec.inline and self._inline and not loop.has_loop():
            context.inline = True
            return self._with_news(loop.run_inline(call))
        return self._with_news(loop.run(call))

    async def acall(
        self,
        name: str,
        args: object = None,
        *,
        abort: AbortSignal | None = None,
        progress: Progress | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Call a tool from a coroutine, on its own loop; see `call`. Cancelling the task ends the tool."""
        tool = self._tool(name)
        context = self._context(abort, progress, timeout_s)
        return self._with_news(await tool(args, context=context, workspace=self.workspace))

    @property
    def jobs(self) -> Jobs:
        """The commands that run in the background; append to `jobs.on_end` to be called when one has ended."""
        from rootle.commands import jobs_of

        return jobs_of(self.workspace)

    def close(self) -> None:
        """End the commands that run in the background, with everything they started; they also end with this process.

        They are those of the workspace, which several toolboxes may share. The toolbox can still be used.
        """
        jobs = getattr(self._state, "jobs", None)
        if jobs is not None:
            jobs.close()

    def __enter__(self) -> Toolbox:
        """Give the toolbox itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    async def __aenter__(self) -> Toolbox:
        """Give the toolbox itself."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close it, without holding up the loop."""
        await asyncio.to_thread(self.close)

    def _with_news(self, answer: Observation) -> Observation:
        """Add to an answer which background commands have ended since the last one."""
        jobs = getattr(self._state, "jobs", None)
        if jobs is None or not jobs.unheard or "bash_output" not in self._tools:
            return answer
        from rootle.commands.endings import news

        return answer.with_text("\n".join([answer.text, *(news(job) for job in jobs.take_unheard())]))

    def _context(self, abort: AbortSignal | None, progress: Progress | None, timeout_s: float | None) -> CallContext:
        return CallContext(
            abort=abort,
            progress=progress,
            timeout_s=timeout_s,
            confirm=self.confirm,
            changed=self.changed,
            after_edit=self.after_edit,
            overwrite=self.overwrite,
        )

    def _tool(self, name: str) -> Invocation:
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        reason = self._left_out.get(name)
        if reason is not None:
            raise UnknownTool.of(f'tool "{name}" is not available: {reason}', name=name)
        raise UnknownTool.of(
            f'there is no tool "{name}"',
            name=name,
            suggestions=near_names(name, self.names),
            hint=f"The tools are {', '.join(self._tools)}.",
        )


def _builtin() -> Iterable[Tool]:
    from rootle.tools import BUILTIN

    return BUILTIN


def _set_git_policy(workspace: Any, policy: GitPolicy) -> None:
    from rootle.git.policy import set_policy

    set_policy(workspace, policy)


def _workspace(root: Any) -> Any:
    """Open a path or a sandbox, wrap a synchronous workspace, and take anything else as an asynchronous one."""
    if isinstance(root, SandboxClient):
        from rootle.workspace.aio import AsyncWorkspace

        return AsyncWorkspace.over(root)
    if not isinstance(root, str | os.PathLike) and not any(base.__name__ == "Workspace" for base in type(root).__mro__):
        return root
    from rootle.workspace.aio import AsyncWorkspace

    return AsyncWorkspace(root)


def _folders(prompts: Any) -> list[str]:
    if prompts is None:
        return []
    if isinstance(prompts, str | os.PathLike):
        prompts = [prompts]
    return [os.fspath(folder) for folder in prompts]
