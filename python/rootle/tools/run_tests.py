"""The `run_tests` tool: the project's tests as counts and failures."""

from __future__ import annotations

import importlib.util
import json
import posixpath
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rootle import limits
from rootle.commands.command import split_variables, variables
from rootle.contracts import CallContext, SandboxClient
from rootle.errors import InvalidArgument, NotADirectory, RootleError
from rootle.framework import base_tool
from rootle.rendering import count_of, escape_lines, escape_name
from rootle.sandbox import LocalSandbox, client_of
from rootle.testruns.run import TestRun
from rootle.testruns.run import run_tests as run
from rootle.testruns.runners import Selection
from rootle.testruns.summary import COUNTS, FailedTest
from rootle.testruns.verdict import Status
from rootle.workspace.aio import AsyncWorkspace
from rootle.workspace.local import LocalBackend

__all__ = ["RunTestsOutput", "TestFailure", "run_tests"]

Runner = Literal["pytest", "jest", "vitest", "cargo", "nextest", "go"]

_NODE_ID = re.compile(r"(.*?\.py)((?:::.*)?)$", re.DOTALL)
_NOUNS = {
    "errors": ("error", "errors"),
    "xfailed": ("expected failure", "expected failures"),
    "xpassed": ("unexpected pass", "unexpected passes"),
}


class TestFailure(BaseModel):
    """A test that failed; `kind` is "error" when its set-up, tear-down, loading or building did."""

    __test__ = False

    model_config = ConfigDict(from_attributes=True)

    name: str
    classname: str | None
    file: str | None
    line: int | None
    message: str
    kind: Literal["failed", "error"]


class RunTestsOutput(BaseModel):
    """How a run of tests ended. A count is None when nothing tells it; `source` is where the counts come from."""

    status: Status
    runner: str | None
    command: str
    exit_code: int | None
    signal: int | None
    timed_out: bool
    source: Literal["report", "text"] | None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    errors: int | None = None
    xfailed: int | None = None
    xpassed: int | None = None
    todo: int | None = None
    complete: bool
    duration_s: float
    failures: list[TestFailure]
    failures_total: int
    output: str
    truncated: bool
    notes: list[str]

    def render(self) -> str:
        """Say the verdict, then the failures, then the end of the output where no report speaks for it."""
        lines = [self._headline(), f"Command: {escape_name(self.command)}", *self.notes]
        lines += self._failures()
        if self._wants_output() and self.output:
            lines += ["", f"Output{', the end of it' if self.truncated else ''}:", self.output]
        return escape_lines("\n".join(lines))

    def _headline(self) -> str:
        counts = [
            count_of(value, *_NOUNS.get(name, (name, name)))
            for name in ("failed", "errors", "passed", "skipped", "xfailed", "xpassed", "todo")
            if (value := getattr(self, name)) is not None and (value or name == "passed")
        ]
        told = ", ".join(counts) or "no counts"
        if not self.complete and counts:
            told += " (not the whole run)"
        by = f" ({self.runner})" if self.runner else ""
        return f"{self.status.replace('_', ' ').upper()}: {told} in {self.duration_s:.2f} s{by}"

    def _wants_output(self) -> bool:
        if self.status in ("timeout", "error", "runner_missing", "unknown") or self.source is None:
            return True
        return self.source == "text" and self.status not in ("passed", "no_tests")

    def _failures(self) -> list[str]:
        lines: list[str] = []
        budget = limits.TESTS_MESSAGES_CHARS
        for failure in self.failures:
            place = "" if failure.file is None else escape_name(failure.file)
            if failure.line is not None:
                place += f":{failure.line}"
            lines += [
                "",
                f"{place} {escape_name(failure.name)}".strip() + (" [error]" if failure.kind == "error" else ""),
            ]
            message = failure.message[: max(0, budget)]
            budget -= len(message)
            lines += [f"    {line}" for line in message.split("\n") if line]
        left = self.failures_total - len(self.failures)
        return [*lines, "", f"{count_of(left, 'more failure')}."] if left > 0 and self.failures else lines


def _output(done: TestRun, cwd: str, workspace: AsyncWorkspace) -> RunTestsOutput:
    summary = done.summary
    places: dict[str, str] = {}
    failures = [_failure(test, done, cwd, workspace, places) for test in summary.failures[: limits.TESTS_FAILURES]]
    notes = list(dict.fromkeys(done.notes))
    if done.choice is not None:
        name = done.choice.runner or "The test script"
        notes.insert(0, f"{name} was chosen: {done.choice.why}.")
        if done.choice.others:
            notes[0] += f" Also here: {', '.join(done.choice.others)}."
    return RunTestsOutput(
        status=done.status,
        runner=summary.runner or (done.choice.runner if done.choice else None),
        command=done.command,
        exit_code=done.done.exit_code,
        signal=done.done.signal,
        timed_out=done.done.timed_out,
        source=done.source,
        **{name: getattr(summary, name) for name in COUNTS},
        complete=summary.complete,
        duration_s=round(done.done.duration_s if summary.duration_s is None else summary.duration_s, 3),
        failures=failures,
        failures_total=summary.failures_total,
        output=escape_lines(done.output),
        truncated=done.truncated,
        notes=notes,
    )


def _failure(
    test: FailedTest, done: TestRun, cwd: str, workspace: AsyncWorkspace, places: dict[str, str]
) -> TestFailure:
    made = TestFailure.model_validate(test)
    made.message = _clipped(test.message)
    if test.file is not None:
        if test.file not in places:
            places[test.file] = _place(test.file, done, cwd, workspace)
        made.file = escape_name(places[test.file])
        if test.name == test.file:
            made.name = made.file
        if test.classname == test.file:
            made.classname = made.file
    made.name = escape_lines(made.name)
    return made


def _clipped(message: str) -> str:
    text = escape_lines(message.strip("\n").rstrip())
    most = limits.TESTS_MESSAGE_CHARS
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most:,} more characters)"


def _place(file: str, done: TestRun, cwd: str, workspace: AsyncWorkspace) -> str:
    """Give a file relative to the root where it lies in it, else as the runner gave it.

    A runner names files relative to where it ran, or to a directory above that holds its project.
    """
    if file.startswith("/"):
        above = done.base.removesuffix(f"/{cwd}") if cwd != "." else done.base
        return file.removeprefix(above.rstrip("/") + "/") if file.startswith(above.rstrip("/") + "/") else file
    if done.folder is None:
        return file
    inside = posixpath.normpath(posixpath.join(cwd, done.folder, file))
    if not _is_local(workspace):
        return inside if not inside.startswith("..") else file
    folder = posixpath.normpath(posixpath.join(cwd, done.folder))
    while True:
        candidate = posixpath.normpath(posixpath.join(folder, file))
        if not candidate.startswith("..") and _exists(workspace, candidate):
            return candidate
        if folder in (".", "") or folder.startswith(".."):
            return file
        folder = posixpath.dirname(folder) or "."


def _is_local(workspace: AsyncWorkspace) -> bool:
    return isinstance(getattr(getattr(workspace, "sync", workspace), "backend", None), LocalBackend)


def _is_remote(workspace: AsyncWorkspace) -> bool:
    return getattr(workspace.sync.backend, "client", None) is not None


def _exists(workspace: AsyncWorkspace, path: str) -> bool:
    try:
        workspace.sync.stat(path)
    except RootleError:
        return False
    return True


async def _selected(paths: Sequence[str], cwd: str, workspace: AsyncWorkspace) -> tuple[str, ...]:
    """Give the paths relative to `cwd`; each must be there, but for patterns of packages such as `./...`."""
    found = []
    for path in paths:
        match = _NODE_ID.match(path)
        name, test = (match[1], match[2]) if match else (path, "")
        name = workspace.named(name)
        inside = workspace.relative(name) if name.startswith("/") else posixpath.normpath(posixpath.join(cwd, name))
        pattern = name.endswith("...")
        workspace.relative(inside.removesuffix("...") or ".")
        if not pattern:
            if _below(name, cwd) and not await _is_there(workspace, inside) and await _is_there(workspace, name):
                inside = posixpath.normpath(name)
            await workspace.stat(inside)
        relative = posixpath.relpath(inside, cwd)
        found.append((f"./{relative}" if relative.startswith("-") else relative) + test)
    return tuple(found)


async def _is_there(workspace: AsyncWorkspace, path: str) -> bool:
    try:
        await workspace.stat(path)
    except RootleError:
        return False
    return True


def _below(path: str, cwd: str) -> bool:
    return posixpath.normpath(path).startswith(cwd + "/")


def _command(command: str | list[str] | None) -> str | list[str] | None:
    """Take a list that was sent as JSON text for what it is, and refuse an empty command."""
    if isinstance(command, str) and command.lstrip().startswith("["):
        try:
            parsed = json.loads(command)
        except ValueError:
            parsed = None
        if isinstance(parsed, list) and all(isinstance(word, str) for word in parsed):
            command = parsed
    if command is not None and not (command.strip() if isinstance(command, str) else command):
        raise InvalidArgument.of("the command is empty", name="command")
    return command


def _own_python(client: SandboxClient) -> str | None:
    """Give the interpreter of this process, where commands see its files and it has pytest."""
    here = isinstance(client, LocalSandbox) and importlib.util.find_spec("pytest") is not None
    return sys.executable if here and sys.executable else None


@base_tool(effect="run")
async def run_tests(
    command: str | list[str] | None = None,
    paths: list[str] | None = None,
    filter: str | None = None,
    runner: Runner | None = None,
    cwd: str = ".",
    env: Annotated[list[str], BeforeValidator(variables)] | None = None,
    timeout_s: Annotated[float, Field(gt=0, le=limits.EXEC_MAX_TIMEOUT_S)] = limits.TESTS_TIMEOUT_S,
    *,
    workspace: AsyncWorkspace,
    context: CallContext,
) -> RunTestsOutput:
    """Run the project's tests."""
    given = _command(command)
    if given is not None and (paths or filter):
        raise InvalidArgument.of(
            "a command says itself which tests run",
            name="paths" if paths else "filter",
            hint="Leave command out, or put the selection into it.",
        )
    if filter is not None and filter.startswith("-"):
        raise InvalidArgument.of("a filter does not start with a dash", name="filter")
    await workspace.ready()
    folder = workspace.relative(workspace.named(cwd)) or "."
    if (await workspace.stat(folder)).kind != "directory":
        raise NotADirectory.of(f'"{cwd}" is not a directory', path=cwd)
    client = client_of(workspace)
    depth = 0 if folder == "." else folder.count("/") + 1
    options: dict[str, Any] = {}
    if given is None:
        options["selection"] = Selection(await _selected(paths or (), folder, workspace), filter)
        options["own_python"] = _own_python(client)
    done = await run(
        client,
        command=given,
        runner=runner,
        # A tree in a sandbox need not lie where its client's commands start.
        cwd=posixpath.normpath(posixpath.join(workspace.root, folder)) if _is_remote(workspace) else folder,
        above=["/".join([".."] * up) for up in range(1, depth + 1)],
        env=split_variables(env),
        timeout_s=context.remaining_s(timeout_s) or limits.ABORT_POLL_S,
        **options,
    )
    return _output(done, folder, workspace)
