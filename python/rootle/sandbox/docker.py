"""`DockerSandbox`: a directory of a container, of Docker or Podman."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from rootle import limits
from rootle._core import CancelToken
from rootle.contracts import ExecResult
from rootle.errors import RootleError, SandboxUnavailable
from rootle.sandbox.distant import beneath, needed, not_started, refusal, variables
from rootle.sandbox.docker_exec import ContainerExec
from rootle.sandbox.docker_files import ContainerFiles
from rootle.sandbox.remote_shell import Refused, end_text, start_text
from rootle.sandbox.threads import in_own_thread

__all__ = ["DockerSandbox"]

TIER = "docker"


class DockerSandbox:
    """A directory of a running container: an implementation of `SandboxClient` on the docker SDK.

    Works on whatever speaks the engine's API, Podman's socket too. The container needs `/bin/sh`, `dd`, `grep` and
    `readlink`, as BusyBox and every distribution have them; nothing is installed there.

    A command's processes are ended at its time limit, on cancelling, and at its normal end if it left any: its process
    group, and whatever carries `ROOTLE_EXEC_ID` in its environment. Weaker than under the helper of `LocalSandbox`: a
    process that leaves the group *and* clears its environment stays until the container ends, and when this process is
    killed outright the command runs to its time limit. The engine gives a signal as exit code 128 + its number, which
    cannot be told from a command that exits with that code: `signal` stays None.

    Args:
        container: The container's name or id.
        root: The directory in it, an absolute path.
        base_url: The engine's address, such as `unix:///run/user/1000/podman/podman.sock`; by default the environment
            says it (`DOCKER_HOST`), as for the `docker` command.
        client: A `docker.DockerClient` of your own instead.
        user: Whom commands run as; by default the container's own user.
        env: Variables for every command, besides the container's and no pager, prompts or colour.
        keep_survivors: Leave processes alone that outlive their command.

    Raises:
        SandboxUnavailable: From every method, when the engine cannot be reached or the container does not run.
    """

    def __init__(
        self,
        container: str,
        root: str = "/",
        *,
        base_url: str | None = None,
        client: Any = None,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
        keep_survivors: bool = False,
    ) -> None:
        if not root.startswith("/"):
            raise ValueError(f"{root!r} is not an absolute path")
        self._sdk = needed("docker", "docker", "DockerSandbox")
        self.container, self.root, self.user = container, root, user
        self.env = dict(env or {})
        self.keep_survivors = keep_survivors
        self._base_url = base_url
        self._client = client
        self._own_client = client is None
        self._started = False

    @classmethod
    async def start(
        cls,
        image: str,
        root: str = "/workspace",
        *,
        base_url: str | None = None,
        client: Any = None,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
        net: bool = False,
        **options: Any,
    ) -> Self:
        """Start a container that `aclose` removes again, and make the directory in it.

        Args:
            image: The image.
            root: The directory.
            base_url: See the class; so `client`, `user` and `env`.
            client: See the class.
            user: See the class.
            env: See the class.
            net: Give it the engine's default network instead of none.
            options: Further arguments for the SDK's `containers.run`: `mem_limit`, `pids_limit`, `volumes`, ...
        """
        box = cls("", root, base_url=base_url, client=client, user=user, env=env)
        settings: dict[str, Any] = {
            # The engine's own first process takes care of orphans.
            "init": True,
            "entrypoint": ["/bin/sh", "-c", "trap exit TERM INT; while :; do sleep 3600 & wait $!; done"],
            "command": [],
            "detach": True,
            **({} if net else {"network_mode": "none"}),
            **options,
        }

        def work() -> None:
            made = box._engine().containers.run(image, **settings)
            box.container, box._started = made.id, True

        await box._threaded(work)
        done = await box._quick(f"mkdir -p -- {shlex.quote(root)}", root="/")
        if done.exit_code != 0:
            await box.aclose()
            raise SandboxUnavailable.of(f"{root} cannot be made: {done.stderr.decode(errors='replace').strip()}")
        return box

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Run a program, without a shell, and wait for its end or for `timeout_s` (default `limits.EXEC_TIMEOUT_S`).

        Cancelling the task ends the program and what it started before CancelledError goes on. A program that does not
        exist gives exit code 127, one that cannot be executed 126.

        Raises:
            PathNotFound, NotADirectory, PathEscapesRoot: For `cwd`.
            InvalidArgument: For text that no process can be given.
        """
        return await self._exec(argv, cwd, env, stdin, timeout_s, max_output_bytes, lambda piece: None)

    async def exec_streaming(
        self,
        argv: Sequence[str],
        *,
        on_output: Callable[[bytes], object],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Do as `exec`, and call `on_output` on the event loop with each piece of either stream."""
        loop = asyncio.get_running_loop()

        def hand_over(piece: bytes) -> None:
            loop.call_soon_threadsafe(on_output, piece)

        result = await self._exec(argv, cwd, env, stdin, timeout_s, max_output_bytes, hand_over)
        await asyncio.sleep(0)  # So that the last piece was handed over.
        return result

    async def read_file(self, path: str) -> bytes:
        """Give the whole content of a file beneath the root, of at most `limits.EXEC_FILE_BYTES`."""
        return await ContainerFiles(self).read(path)

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace the content of a file beneath the root at once, making it and its directories where they are missing.

        Refuses what lies in a `.git`. The new content takes the old one's place by a rename.
        """
        await ContainerFiles(self).write(path, data)

    async def aclose(self) -> None:
        """Let go of the engine, and remove the container if `start` made it."""

        def work() -> None:
            if self._started:
                self._started = False
                self._engine().containers.get(self.container).remove(force=True)
            if self._own_client and self._client is not None:
                self._client.close()
                self._client = None

        await self._threaded(work)

    async def _exec(
        self,
        argv: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str] | None,
        stdin: bytes | None,
        timeout_s: float | None,
        max_output_bytes: int | None,
        on_output: Callable[[bytes], object],
        root: str | None = None,
    ) -> ExecResult:
        limit_s = limits.EXEC_TIMEOUT_S if timeout_s is None else timeout_s
        root = self.root if root is None else root
        nonce = secrets.token_hex(16)
        text = start_text(
            nonce=nonce,
            root=root,
            cwd=beneath(root, "." if cwd is None else cwd),
            env=variables(self.env, env),
            argv=argv,
            limit_s=limit_s + limits.REMOTE_SLACK_S,
        )
        most = limits.EXEC_OUTPUT_BYTES if max_output_bytes is None else max_output_bytes
        token = CancelToken()
        work = partial(self._run, argv, nonce, text, stdin or b"", limit_s, most, on_output, token)
        try:
            result: ExecResult = await self._threaded(work, token)
        except Refused as refused:
            raise refusal(refused, cwd or ".") from None
        return result

    def _run(
        self,
        argv: Sequence[str],
        nonce: str,
        text: bytes,
        stdin: bytes,
        limit_s: float,
        most: int,
        on_output: Callable[[bytes], object],
        token: CancelToken,
    ) -> ExecResult:
        begun = time.monotonic()
        command = self._command(nonce, most, on_output)
        try:
            command.start(text, stdin)
            command.wait(limit_s, token)
            left = self._finish(command)
        finally:
            command.close()
        duration_s = time.monotonic() - begun
        if command.stdout.pid is None and command.ended == "exited":
            said = (command.stdout.before + command.stderr.before).decode(errors="replace").strip()
            raise SandboxUnavailable.of(f"nothing can be run in {self.container}: {said or command.exit_code}")
        try:
            command.stderr.check(command.exit_code)
        except Refused as refused:
            if refused.reason.isdigit():
                return not_started(argv, int(refused.reason), TIER, duration_s)
            raise
        timed_out = command.ended == "deadline"
        return ExecResult(
            exit_code=None if timed_out else command.exit_code,
            stdout=command.stdout.kept.data,
            stderr=command.stderr.kept.data,
            timed_out=timed_out,
            truncated=command.stdout.kept.gap is not None or command.stderr.kept.gap is not None,
            duration_s=duration_s,
            ended=command.ended,
            tier=TIER,
            stdout_total=command.stdout.kept.total,
            stderr_total=command.stderr.kept.total,
            survivors_left=left,
        )

    def _finish(self, command: ContainerExec) -> int:
        """End what is left of a command and take the rest of its output. Gives how many could not be ended."""
        if command.ended == "exited":
            left = 0 if self.keep_survivors else self._end(command, limits.EXEC_GRACE_S, limits.EXEC_SETTLE_S)
        else:
            command.wait_for_mark(limits.EXEC_KILL_S)
            cancelled = command.ended == "cancelled"
            left = self._end(command, limits.EXEC_CANCEL_GRACE_S if cancelled else limits.EXEC_GRACE_S)
        command.drain(limits.EXEC_DRAIN_S if left or self.keep_survivors else limits.EXEC_KILL_S)
        return left

    def _end(self, command: ContainerExec, grace_s: float, settle_s: float = 0.0) -> int:
        text = end_text(
            nonce=command.nonce,
            pid=command.stdout.pid or 0,
            watcher=command.stdout.watcher,
            settle_s=settle_s,
            grace_s=grace_s,
            kill_s=limits.EXEC_KILL_S,
        )
        answer = self._command(command.nonce, 1000, lambda piece: None)
        try:
            answer.start(text.encode(), b"")
            answer.wait(settle_s + grace_s + limits.EXEC_KILL_S + limits.REMOTE_SLACK_S, None)
            answer.drain(limits.EXEC_DRAIN_S)
        finally:
            answer.close()
        words = answer.stdout.before.split()
        return int(words[1]) if len(words) == 2 and words[1].isdigit() else 1

    def _command(self, nonce: str, most: int, on_output: Callable[[bytes], object]) -> ContainerExec:
        return ContainerExec(self._engine().api, self.container, self.user, nonce, most, on_output)

    async def _quick(
        self, script: str, *, root: str | None = None, stdin: bytes | None = None, most: int | None = None
    ) -> ExecResult:
        """Run a script of the sandbox's own."""
        limit_s = limits.DOCKER_QUICK_S
        argv = ["/bin/sh", "-c", script]
        return await self._exec(argv, None, None, stdin, limit_s, most, lambda piece: None, root)

    def _engine(self) -> Any:
        if self._client is None:
            if self._base_url is None:
                self._client = self._sdk.from_env(timeout=limits.DOCKER_ANSWER_S)
            else:
                self._client = self._sdk.DockerClient(base_url=self._base_url, timeout=limits.DOCKER_ANSWER_S)
        return self._client

    async def _threaded(self, work: Callable[[], Any], token: CancelToken | None = None) -> Any:
        try:
            return await in_own_thread(work, token)
        except (RootleError, Refused):
            raise
        except (self._sdk.errors.DockerException, OSError) as error:
            raise SandboxUnavailable.of(f"the engine says: {error}", original_error=error) from error
