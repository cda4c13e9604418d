"""The `bash` tool through the Toolbox: what it runs, what it says, what it refuses."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox, limits
from rootle.contracts import ExecResult
from rootle.errors import InvalidArgument, NotADirectory, PathEscapesRoot, PathNotFound, UnknownTool, UserAbortError

pytestmark = pytest.mark.usefixtures("outputs")


@pytest.mark.parametrize(
    ("command", "head", "body", "failed"),
    [
        ("echo hi", "Exit code 0 after", "<output>\nhi\n</output>", False),
        ("true", "Exit code 0 after", "No output.", False),
        ("echo out; echo err >&2; exit 3", "Exit code 3 after", "<output>\nout\nerr\n</output>", True),
        ("echo x | grep y", "Exit code 1 (grep: no match) after", "No output.", False),
        ("no-such-program", "Exit code 127 (command not found) after", "no-such-program", True),
        ("kill -SEGV $$", "Killed by signal 11 (SIGSEGV) after", "No output.", True),
        (
            "bash -c 'kill -9 $$'; exit $?",
            "Exit code 137 (that of a command killed by SIGKILL, perhaps",
            "Killed",
            True,
        ),
        ("exit 300", "Exit code 44 after", "No output.", True),
        ("printf '\\033[31m\\033[0m'", "Exit code 0 after", "No text among the 9 bytes of output.", False),
        ("echo '</output>'", "Exit code 0 after", "<output-", False),
        ("echo a\necho b # two lines", "Exit code 0 after", "<output>\na\nb\n</output>", False),
    ],
)
def test_result_says_how_it_ended(tmp_path: Path, command: str, head: str, body: str, failed: bool) -> None:
    """A code other than 0 is a result; an answer such as that of grep is no failure."""
    answer = Toolbox(tmp_path).call("bash", {"command": command})
    assert answer.startswith(head)
    assert body in answer
    assert answer.is_error is failed


def test_data_has_streams_bytes_and_ending(tmp_path: Path) -> None:
    """Text apart and together; the bytes as they were, but not in JSON."""
    answer = Toolbox(tmp_path).call("bash", {"command": "printf 'a\\xffb\\n'; printf '\\033[1me\\n' >&2; exit 7"})
    data = answer.data
    assert (data.exit_code, data.ended, data.ok, data.timed_out, data.tier) == (7, "exited", False, False, "subreaper")
    assert (data.stdout, data.stderr, data.raw_stdout, data.raw_stderr) == (
        "a\\xffb\n",
        "e\n",
        b"a\xffb\n",
        b"\x1b[1me\n",
    )
    assert sorted(data.output.splitlines()) == ["a\\xffb", "e"]
    assert (data.stdout_total, data.stderr_total, data.output_total) == (4, 6, 10)
    assert not {"raw_output", "raw_stdout", "raw_stderr"} & json.loads(data.model_dump_json()).keys()


def test_output_can_do_no_harm(tmp_path: Path) -> None:
    """Sequences go, what is left is escaped, what is invisible is named; the bytes are as they were printed."""
    printed = "\x1b]52;c;cm0gLXJm\x07a\x1b[31mb\x9b0m\x07 \x1b]8;;http://x\x1b\\c\x1b]8;;\x1b\\\u202ed\u200be\U000e0041\x1b]0;f\n"
    (tmp_path / "file").write_text(printed)
    answer = Toolbox(tmp_path).call("bash", {"command": "cat file"})
    data = answer.data
    shown = "ab\\x07 c\\u202ed\u200be\\U000e0041\\x1b]0;f"
    assert f"<output>\n{shown}\n</output>\n(hidden_unicode at 1:16 U+200B)" in answer
    assert (data.output, data.stdout, data.raw_stdout) == (shown + "\n", shown + "\n", printed.encode())
    assert [(one.line, one.column, one.code_point) for one in data.hidden_unicode] == [(1, 16, "U+200B")]


def test_time_limit_keeps_what_was_printed(tmp_path: Path) -> None:
    """It is told, with what to do; the tree is gone in time."""
    begun = time.monotonic()
    answer = Toolbox(tmp_path).call("bash", {"command": "echo partial; sleep 600 | cat", "timeout_s": 0.5})
    assert time.monotonic() - begun < 1.0
    assert answer.startswith("TIME LIMIT of 0.50 s reached")
    assert "\npartial\n" in answer
    assert "timeout_s (at most 3,600)" in answer
    assert answer.is_error
    assert (answer.data.timed_out, answer.data.exit_code, answer.data.survivors_left) == (True, None, 0)


def test_limit_of_the_call_bounds_the_command(tmp_path: Path) -> None:
    """What was printed comes back all the same."""
    answer = Toolbox(tmp_path).call("bash", {"command": "echo x; sleep 600"}, timeout_s=0.5)
    assert answer.data.timed_out
    assert "\nx\n" in answer


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"cmd": "echo hi"}, "hi\n"),
        ({"script": "echo hi", "timeout": "5"}, "hi\n"),
        ({"command": ["echo", "a b", "$HOME"]}, "a b $HOME\n"),
        ({"command": ["bash", "-lc", "echo $((1 + 1))"]}, "2\n"),
        ({"command": "pwd -P | sed 's:.*/::'", "workdir": "sub"}, "sub\n"),
        ({"command": "echo $A-$B", "env": {"A": 1, "B": "x y"}}, "1-x y\n"),
        ({"command": "echo $A-$B", "env": ["A=1", "B=x=y"]}, "1-x=y\n"),
        ({"command": "echo $A", "environment": '{"A": "json"}'}, "json\n"),
        ({"command": "cat", "input": "given"}, "given"),
        ({"command": "cat; echo end"}, "end\n"),
        ({"command": "echo hi", "description": "Say hi", "runInBackground": "false"}, "hi\n"),
    ],
)
def test_arguments_as_models_write_them(tmp_path: Path, arguments: dict[str, Any], output: str) -> None:
    """Other names, lists of words, mappings."""
    (tmp_path / "sub").mkdir()
    assert Toolbox(tmp_path).call("bash", arguments).data.output == output


@pytest.mark.parametrize(
    ("arguments", "name", "said"),
    [
        ({}, "command", "missing"),
        ({"command": ""}, "command", "at least 1"),
        ({"command": "true", "timeout": 120_000}, "timeout_s", "less than or equal to 3600"),
        ({"command": "true", "timeout_ms": 120_000}, "timeout_ms", 'the time in seconds as "timeout_s"'),
        ({"command": "true", "timeout_s": 0}, "timeout_s", "greater than 0"),
        ({"command": "true", "env": {"A=B": "x"}}, "env", "name of a variable"),
        ({"command": "true", "env": {"A\0": "x"}}, "env", "name of a variable"),
        ({"command": "true", "env": {"A": "x\0"}}, "env", "no variable"),
        ({"command": "true", "env": ["A"]}, "env", "no variable"),
        ({"command": "a\0b"}, "script", "NUL"),
    ],
)
def test_arguments_that_cannot_be_are_refused(tmp_path: Path, arguments: dict[str, Any], name: str, said: str) -> None:
    """With the parameter and the bound, before anything runs."""
    with pytest.raises(InvalidArgument) as caught:
        Toolbox(tmp_path).call("bash", arguments)
    assert caught.value.details["name"] == name
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("cwd", "error"),
    [
        ("/", PathEscapesRoot),
        ("..", PathEscapesRoot),
        ("l", PathEscapesRoot),
        ("l/tmp", PathEscapesRoot),
        ("sub/../..", PathEscapesRoot),
        ("none", PathNotFound),
        ("file", NotADirectory),
    ],
)
@pytest.mark.parametrize(
    "tool", [("bash", {"command": "touch ran"}), ("run_python", {"code": "open('ran', 'w')"})], ids=lambda t: str(t[0])
)
@pytest.mark.parametrize("client", ["local", "plain"])
def test_directory_is_confined(
    tmp_path: Path, cwd: str, error: type[Exception], tool: tuple[str, dict[str, Any]], client: str
) -> None:
    """Also through a link, and on a client that knows nothing of it; nothing runs then."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "file").touch()
    (root / "l").symlink_to("/")
    box = Toolbox(root) if client == "local" else Toolbox(root, sandbox=Plain(root))
    with pytest.raises(error):
        box.call(tool[0], {**tool[1], "cwd": cwd})
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("size", [90_000, 200_000, 2_000_000])
def test_long_commands_run(tmp_path: Path, size: int) -> None:
    """Of more bytes than the kernel takes as an argument; the output that is left out can be asked for."""
    box = Toolbox(tmp_path)
    answer = box.call("bash", {"command": f"x='{'a' * size}'; echo ${{#x}}; echo \"$x\"; exit 3"})
    assert (answer.data.exit_code, answer.data.output_total) == (3, len(str(size)) + size + 2)
    assert answer.data.output.startswith(f"{size}\naaa")
    assert len(answer) < limits.COMMAND_SHOWN_BYTES + 1_000
    assert len(answer.data.command) < 2_100


@pytest.mark.parametrize("lines", [10_000, 300_000])
def test_output_that_is_left_out_can_be_read(tmp_path: Path, lines: int) -> None:
    """From memory's worth and from a file's worth; the pages are the output, byte for byte."""
    box = Toolbox(tmp_path)
    data = box.call("bash", {"command": f"seq {lines}"}).data
    whole = "".join(f"{number}\n" for number in range(1, lines + 1))
    assert data.truncated
    assert data.output_total == len(whole)
    assert Path(data.output_file).read_text() == whole
    assert data.output.startswith(whole[: data.left_out.first])
    assert data.output.endswith(whole[data.left_out.last :])
    offset, pages = data.left_out.first, []
    while offset < data.left_out.first + 100_000 and offset < len(whole):
        page = box.call("bash_output", {"id": data.id, "offset": offset}).data
        pages.append(page.output)
        assert page.next_offset > offset
        offset = page.next_offset
    assert "".join(pages) == whole[data.left_out.first : offset]


def test_survivors_of_a_normal_end_are_told(tmp_path: Path) -> None:
    """With the way in which a server is started."""
    answer = Toolbox(tmp_path).call("bash", {"command": "setsid sleep 600 & echo hi"})
    assert "\nhi\n" in answer
    assert "process that it left running was ended" in answer
    assert "run_in_background=true" in answer
    assert answer.data.survivors_killed >= 1


def test_read_only_toolbox_runs_nothing(tmp_path: Path) -> None:
    """All four tools are left out, with the reason."""
    box = Toolbox(tmp_path, read_only=True)
    for name in ("bash", "bash_output", "bash_kill", "run_python"):
        with pytest.raises(UnknownTool, match="read-only"):
            box.call(name, {"command": "true"})


def test_nobody_is_asked_before_a_command(tmp_path: Path) -> None:
    """`confirm` is about files that would be overwritten."""

    def confirm(action: object) -> bool:
        raise AssertionError(action)

    for content in "xy":
        assert Toolbox(tmp_path, confirm=confirm).call("bash", {"command": f"echo {content} > file"}).data.ok


class Plain:
    """A client of three methods and no more, which runs commands with asyncio alone."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.calls: list[Sequence[str]] = []

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
        self.calls.append(argv)
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=self.root / (cwd or "."),
            env={**os.environ, **(env or {})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin or b""), timeout_s)
        except TimeoutError:
            return ExecResult(exit_code=None, timed_out=True)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
        cut = out[:max_output_bytes]
        return ExecResult(exit_code=process.returncode, stdout=cut, stderr=err, truncated=cut != out)

    async def read_file(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    async def write_file(self, path: str, data: bytes) -> None:
        (self.root / path).write_bytes(data)


@pytest.mark.parametrize("size", [10, 90_000, 200_000])
def test_client_of_three_methods(tmp_path: Path, size: int) -> None:
    """Directory, variables, input, code and long commands arrive."""
    (tmp_path / "sub").mkdir()
    box = Toolbox(tmp_path, sandbox=Plain(tmp_path))
    command = f"x={shlex.quote('a' * size)}; echo ${{#x}} $A $(cat) $(basename $PWD) ${{BASH_VERSION:+bash}}; exit 5"
    answer = box.call("bash", {"command": command, "cwd": "sub", "env": ["A=v"], "stdin": "in"})
    assert (answer.data.output, answer.data.exit_code, answer.data.tier) == (f"{size} v in sub bash\n", 5, None)
    assert box.call("bash", {"command": "sleep 60", "timeout_s": 0.2}).startswith("TIME LIMIT")


@pytest.mark.parametrize("name", ["run_in_background", "auto_background"])
def test_client_without_jobs_says_so(tmp_path: Path, name: str) -> None:
    """With the reason and what to do, and nothing runs."""
    client = Plain(tmp_path)
    with pytest.raises(InvalidArgument, match="only runs them to their end") as caught:
        Toolbox(tmp_path, sandbox=client).call("bash", {"command": "true", name: True})
    assert caught.value.details["name"] == name
    assert client.calls == []


@pytest.mark.parametrize("how", ["abort", "cancel"])
async def test_client_of_three_methods_is_cut_short(tmp_path: Path, how: str) -> None:
    """The client's own coroutine is cancelled; the abort signal reads as one, and the task's cancellation as that."""
    stop = asyncio.Event()
    box = Toolbox(tmp_path, sandbox=Plain(tmp_path))
    task = asyncio.create_task(box.acall("bash", {"command": "sleep 5"}, abort=stop))
    await asyncio.sleep(0.3)
    begun = time.monotonic()
    if how == "abort":
        stop.set()
        with pytest.raises(UserAbortError):
            await task
    else:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert time.monotonic() - begun < 1.0
