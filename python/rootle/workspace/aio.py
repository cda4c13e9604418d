"""`AsyncWorkspace`: the operations of a `Workspace`, awaited.

Each call runs on a worker thread of its own; cancelling the task, or the abort signal of the tool call, ends the work
in the core within 200 ms. What writes is waited for in any case: it ends as fast, and only it knows whether it came to
write.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar, Unpack

from rootle._core import CancelToken
from rootle.contracts import Replacement, current_context
from rootle.errors import RootleError, UserAbortError
from rootle.options import (
    EditKeywords,
    GlobKeywords,
    GrepKeywords,
    LimitKeywords,
    ListKeywords,
    PatchKeywords,
    PathArg,
    PlaceKeywords,
    ReadKeywords,
    Texts,
    WalkKeywords,
    WriteKeywords,
)
from rootle.rendering import unescape_name
from rootle.workspace.workspace import Workspace

if TYPE_CHECKING:
    from rootle.contracts import SandboxClient
    from rootle.results import (
        FileEdit,
        GlobResult,
        GrepResult,
        ListResult,
        Metadata,
        PatchPlan,
        ReadResult,
        WalkResult,
        Written,
    )

__all__ = ["AsyncWorkspace"]

T = TypeVar("T")

_Awaits: TypeAlias = Callable[[asyncio.AbstractEventLoop, CancelToken, Callable[[], Any]], Callable[[], Any]]

_THREADS = 32


def _new_executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="rootle")


_executor = _new_executor()


def _after_fork() -> None:
    # A child has the executor's state but none of its threads: work given to it would never run.
    global _executor
    _executor = _new_executor()


os.register_at_fork(after_in_child=_after_fork)


class AsyncWorkspace:
    """A `Workspace` for coroutines: same operations, same keywords, same results.

    Args:
        workspace: What to work on; a path opens a workspace of its own.
    """

    def __init__(self, workspace: Workspace | PathArg) -> None:
        self.sync = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self._awaits: _Awaits | None = getattr(self.sync.backend, "for_loop", None)

    @classmethod
    def over(cls, client: SandboxClient, root: str = ".") -> AsyncWorkspace:
        """Give the workspace in a sandbox: everything goes through the three methods of its client.

        The client's coroutines run on the loop that awaits the operation.

        Args:
            client: The sandbox.
            root: The root's path there, absolute or relative to the client's working directory.
        """
        from rootle.workspace.remote import SandboxBackend

        return cls(Workspace(backend=SandboxBackend(client, root)))

    @property
    def inline(self) -> bool:
        """Whether an operation may be done in place where no loop runs: only one that awaits nothing."""
        return self._awaits is None

    async def ready(self) -> None:
        """Ask a sandbox what it has, once, so that what is not awaited (`root`, `relative`) need not ask it."""
        backend: Any = self.sync.backend
        if self._awaits is not None and not backend.prepared:
            await self._do(backend.prepare)

    @property
    def root(self) -> str:
        """The root's absolute path."""
        return self.sync.root

    def relative(self, path: PathArg) -> str:
        """Give `path` relative to the root; raises PathEscapesRoot for one outside."""
        return self.sync.relative(path)

    def named(self, text: str) -> str:
        """Give the path that a tool wrote as `text`, where unusual characters of names stand as escapes.

        A name that really holds such an escape is taken as it stands when nothing has the unescaped name, but not in a
        sandbox.
        """
        name = unescape_name(text)
        if name == text or self._awaits is not None:
            # Asking a sandbox would have to be awaited.
            return name
        try:
            self.sync.stat(name, follow=False)
        except RootleError:
            return text
        return name

    async def stat(self, path: PathArg, *, follow: bool = True) -> Metadata:
        """Look at one path; links are followed only inside the root."""
        return await self._do(partial(self.sync.stat, path, follow=follow))

    async def walk(self, path: PathArg | Sequence[PathArg] = ".", **options: Unpack[WalkKeywords]) -> WalkResult:
        """Find files below `path`."""
        token = _limits(options)
        return await self._do(partial(self.sync.walk, path, **options), token)

    async def glob(self, pattern: Texts, path: PathArg = ".", **options: Unpack[GlobKeywords]) -> GlobResult:
        """Find paths below `path` that match a glob."""
        token = _limits(options)
        return await self._do(partial(self.sync.glob, pattern, path, **options), token)

    async def grep(
        self, pattern: Texts, path: PathArg | Sequence[PathArg] = ".", **options: Unpack[GrepKeywords]
    ) -> GrepResult:
        """Search the contents of the files below `path`."""
        token = _limits(options)
        return await self._do(partial(self.sync.grep, pattern, path, **options), token)

    async def list_dir(self, path: PathArg = ".", **options: Unpack[ListKeywords]) -> ListResult:
        """List a directory as a tree."""
        token = _limits(options)
        return await self._do(partial(self.sync.list_dir, path, **options), token)

    async def read(self, path: PathArg, **options: Unpack[ReadKeywords]) -> ReadResult:
        """Read lines of one file and remember what was read."""
        token = _limits(options)
        return await self._do(partial(self.sync.read, path, **options), token)

    async def write(self, path: PathArg, content: str | bytes, **options: Unpack[WriteKeywords]) -> FileEdit:
        """Give a file its whole content; see `Workspace.write`."""
        token = _limits(options)
        return await self._write(partial(self.sync.write, path, content, **options), token)

    async def edit(
        self, path: PathArg, edits: Replacement | Sequence[Replacement], *more: Never, **options: Unpack[EditKeywords]
    ) -> FileEdit:
        """Replace pieces of a file; see `Workspace.edit`."""
        token = _limits(options)
        return await self._write(partial(self.sync.edit, path, edits, *more, **options), token)

    async def plan_patch(self, diff: str, **options: Unpack[PatchKeywords]) -> PatchPlan:
        """Work out what a diff does; see `Workspace.plan_patch`."""
        token = _limits(options)
        return await self._do(partial(self.sync.plan_patch, diff, **options), token)

    async def apply_plan(self, plan: PatchPlan, **options: Unpack[PlaceKeywords]) -> list[Written]:
        """Write what `plan_patch` worked out; see `Workspace.apply_plan`."""
        token = _limits(options)
        return await self._write(partial(self.sync.apply_plan, plan, **options), token)

    async def known_hash(self, path: PathArg, **options: Unpack[LimitKeywords]) -> bytes | None:
        """Give the hash of the content with which `path` was last read or written here."""
        token = _limits(options)
        return await self._do(partial(self.sync.editor.known_hash, path, **options), token)

    async def undo(self) -> list[Written]:
        """Take the last edit back; see `Workspace.undo`."""
        return await self._write(self.sync.undo)

    async def _do(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        token = token or CancelToken()
        return await _in_thread(self._bound(work, token), token)

    async def _write(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        token = token or CancelToken()
        return _told(await _settled(self._bound(work, token), token))

    def _bound(self, work: Callable[[], T], token: CancelToken) -> Callable[[], T]:
        return work if self._awaits is None else self._awaits(asyncio.get_running_loop(), token, work)


async def _in_thread(work: Callable[[], T], token: CancelToken | None = None) -> T:
    """Run `work` on a thread; cancelling the task, or its call context, sets the token so that the thread ends too.

    In a call that has a thread to itself (no event loop runs in it) the work is done in place: the core watches for
    Ctrl-C there.
    """
    context = current_context()
    release = context.on_abort(token.cancel) if context is not None and token is not None else None
    try:
        if context is not None and context.inline:
            return work()
        return await asyncio.get_running_loop().run_in_executor(_executor, work)
    except asyncio.CancelledError:
        if token is not None:
            token.cancel()
        raise
    finally:
        if release is not None:
            release()


async def _settled(work: Callable[[], T], token: CancelToken | None = None) -> T:
    """As `_in_thread`, for work that writes: when it is too late to stop it, its result counts.

    The end of the call's own time then gives the result. Cancelling the task stays a cancellation, but comes after the
    end of the work, and the call context knows what was written.
    """
    context = current_context()
    if context is not None and context.inline:
        return await _in_thread(work, token)
    release = context.on_abort(token.cancel) if context is not None and token is not None else None
    running = _executor.submit(work)
    outcome = asyncio.wrap_future(running)
    try:
        return await asyncio.shield(outcome)
    except asyncio.CancelledError:
        if token is not None:
            token.cancel()
        if running.cancel():
            raise
        while not outcome.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait((outcome,))
        error = outcome.exception()
        if error is None:
            _told(outcome.result())
        if context is None or not context.timed_out or isinstance(error, UserAbortError):
            raise
        return outcome.result()
    finally:
        if release is not None:
            release()


def _told(done: T) -> T:
    """Tell the call context what a call has written."""
    context = current_context()
    if context is not None:
        files: Any = done if isinstance(done, list) else [done]
        context.note_written(file.path for file in files if getattr(file, "changed", True))
    return done


def _limits(options: LimitKeywords) -> CancelToken:
    """Give the call a token, and no more time than its call context has left."""
    context = current_context()
    if context is not None:
        options["timeout_s"] = context.remaining_s(options.get("timeout_s"))
    token = options.get("cancel") or CancelToken()
    options["cancel"] = token
    return token
