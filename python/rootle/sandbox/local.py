"""`LocalSandbox`: commands on this machine, supervised."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

import rootle
from rootle import _core, limits
from rootle.contracts import ExecResult
from rootle.options import PathArg
from rootle.sandbox.environment import Environment
from rootle.sandbox.spill import SpillDirectory
from rootle.sandbox.threads import in_own_thread

__all__ = ["HELPER", "LocalSandbox", "Tier", "result_of"]

Tier: TypeAlias = Literal["subreaper", "cgroup", "pid_namespace", "bubblewrap"]
"""What holds a command's processes together; see `rootle.sandbox`."""

HELPER = Path(rootle.__file__).parent / "_bin" / "rootle-exec-helper"
"""The executable that owns a command's processes; it comes with the package."""


class LocalSandbox:
    """A directory of this machine in which commands run: an implementation of `SandboxClient`.

    The command's working directory is resolved beneath the root. What the command itself then opens is not confined:
    that is for a sandbox with a file system of its own.

    Args:
        path: The directory.
        tier: What holds a command's processes together. One that cannot be had makes every command fail with
            SandboxUnavailable.
        environment: The policy for variables.
        keep_survivors: Leave processes alone that outlive their command. By default they are ended.
        memory_bytes: Address space of each process.
        processes: Processes of one command at one time.
        file_bytes: The largest file that a process may write.
        cpu_s: Processor time of each process.

    Raises:
        PathNotFound, NotADirectory, PermissionDenied: When the directory cannot be opened.
    """

    def __init__(
        self,
        path: PathArg,
        *,
        tier: Tier = "subreaper",
        environment: Environment | None = None,
        keep_survivors: bool = False,
        memory_bytes: int | None = None,
        processes: int | None = None,
        file_bytes: int | None = None,
        cpu_s: int | None = None,
    ) -> None:
        self._root = _core.Root(path, resolver="auto", timeout_s=limits.PATH_TIMEOUT_S)
        self.tier = tier
        self.environment = environment or Environment()
        self._supervision = {
            "tier": tier,
            "keep_survivors": keep_survivors,
            "memory_bytes": memory_bytes,
            "processes": processes,
            "file_bytes": file_bytes,
            "cpu_s": cpu_s,
            "grace_s": limits.EXEC_GRACE_S,
            "cancel_grace_s": limits.EXEC_CANCEL_GRACE_S,
            "settle_s": limits.EXEC_SETTLE_S,
            "drain_s": limits.EXEC_DRAIN_S,
            "kill_s": limits.EXEC_KILL_S,
        }

    @property
    def root(self) -> str:
        """The directory's absolute path."""
        return self._root.path

    def run(
        self,
        argv: Sequence[str],
        *,
        script: str | bytes | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        stdin_fd: int | None = None,
        timeout_s: float | None = limits.EXEC_TIMEOUT_S,
        max_output_bytes: int | None = None,
        merge_streams: bool = False,
        spill: SpillDirectory | None = None,
        spill_name: str | None = None,
        spill_from_start: bool = False,
        cancel: _core.CancelToken | None = None,
    ) -> _core.ExecOutcome:
        """Run a command and wait in this thread for the end of its last process.

        Args:
            argv: The program and its arguments; no shell is involved unless the program is one.
            script: A shell's command text, of any length, for an `argv` that is a shell.
            cwd: The directory to run in, beneath the root; the root by default.
            env: Variables on top of the policy's.
            stdin: What it reads. By default it is at its end at once.
            stdin_fd: A descriptor that it reads from instead.
            timeout_s: Seconds until it is ended; None for no limit.
            max_output_bytes: Bytes kept of each stream (default `limits.EXEC_OUTPUT_BYTES`).
            merge_streams: Take standard output and error as one stream, in the order in which they were written.
            spill: Where a file is made for the whole output, when that is more than is kept.
            spill_name: The file's name, from `SpillDirectory.new_name`; needed with `spill`.
            spill_from_start: Make the file in any case, and write it as the output comes.
            cancel: Ends the command when it is set.

        Raises:
            InvalidArgument: For text that no process can be given: a NUL character, a name of a variable with "=".
            SandboxUnavailable: When the helper cannot be run or the tier cannot be had.
            KeyboardInterrupt: When everything that was started is gone.
        """
        return _core.exec_command(
            helper=HELPER,
            root=self._root,
            cwd="." if cwd is None else cwd,
            argv=list(argv),
            script=os.fsencode(script) if script is not None else None,
            env=list(self.environment.build(env).items()),
            stdin=stdin,
            stdin_fd=stdin_fd,
            merge_streams=merge_streams,
            max_output_bytes=limits.EXEC_OUTPUT_BYTES if max_output_bytes is None else max_output_bytes,
            spill_root=None if spill is None else spill.root,
            spill_name=spill_name or "",
            spill_max_bytes=limits.EXEC_SPILL_BYTES,
            spill_from_start=spill_from_start,
            timeout_s=timeout_s,
            cancel=cancel,
            bubblewrap=self._bubblewrap(),
            **self._supervision,  # type: ignore[arg-type]
        )

    def _bubblewrap(self) -> list[str]:
        """Give the command line of the program that makes the sandbox; for the tier "bubblewrap" alone."""
        return []

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

        Cancelling the task ends the program and everything it started before CancelledError goes on. A program that
        does not exist gives exit code 127, one that cannot be executed 126.
        """
        token = _core.CancelToken()
        work = partial(
            self.run,
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            timeout_s=limits.EXEC_TIMEOUT_S if timeout_s is None else timeout_s,
            max_output_bytes=max_output_bytes,
            cancel=token,
        )
        return result_of(argv, await in_own_thread(work, token))

    async def read_file(self, path: str) -> bytes:
        """Give the whole content of a file beneath the root, of at most `limits.EXEC_FILE_BYTES`."""
        token = _core.CancelToken()
        read = partial(
            _core.read_whole,
            root=self._root,
            path=path,
            max_bytes=limits.EXEC_FILE_BYTES,
            timeout_s=limits.EXEC_TIMEOUT_S,
            cancel=token,
        )
        return (await in_own_thread(read, token)).content

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace the content of a file beneath the root at once, making it and its directories where they are missing.

        Refuses what lies in a `.git`, which would have git run it.
        """
        token = _core.CancelToken()
        write = partial(
            _core.write_file,
            root=self._root,
            path=path,
            content=data,
            create_only=False,
            expected_hash=None,
            make_parents=True,
            allow_git_internals=False,
            max_bytes=limits.EXEC_FILE_BYTES,
            journal_dir=None,
            mode=None,
            timeout_s=limits.EXEC_TIMEOUT_S,
            cancel=token,
        )
        await in_own_thread(write, token)


def result_of(argv: Sequence[str], outcome: _core.ExecOutcome) -> ExecResult:
    """Give an outcome in the contract's form."""
    stderr = outcome.stderr.data
    if outcome.start_error is not None:
        stderr += f"{argv[0]}: {os.strerror(outcome.start_error)}\n".encode(errors="surrogateescape")
    timed_out = outcome.ended == "deadline"
    return ExecResult(
        exit_code=None if timed_out else outcome.exit_code,
        signal=outcome.signal,
        stdout=outcome.stdout.data,
        stderr=stderr,
        timed_out=timed_out,
        truncated=outcome.stdout.gap is not None or outcome.stderr.gap is not None,
        duration_s=outcome.duration_s,
        ended=outcome.ended,
        tier=outcome.tier,
        stdout_total=outcome.stdout.total,
        stderr_total=outcome.stderr.total,
        survivors_left=outcome.survivors_left,
    )
