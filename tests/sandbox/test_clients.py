"""What every client does the same way."""

from __future__ import annotations

import asyncio
import time

import pytest
from rootle.contracts import SandboxClient
from rootle.errors import InvalidArgument, InvalidPath, PathEscapesRoot, ProtectedPath

from .conftest import Place

# What is added to the time of a command where another process or machine is asked.
SLACK_S = {"ssh": 6.0, "docker": 8.0, "http": 4.0}


async def test_it_is_a_client(place: Place) -> None:
    """Arguments are literal, streams apart, and the directory is the root."""
    assert isinstance(place.client, SandboxClient)
    done = await place.client.exec(["printf", "%s|", "a b", "$HOME", "*", "", "'\"\\", "ä€😀", "x\ny"])
    assert (done.stdout.decode(), done.stderr) == ("a b|$HOME|*||'\"\\|ä€😀|x\ny|", b"")
    assert (done.exit_code, done.signal, done.ok, done.timed_out, done.truncated) == (0, None, True, False, False)
    assert done.ended == "exited"
    assert done.tier
    assert 0 < done.duration_s < 30
    assert (await place.client.exec(["pwd"])).stdout.decode().strip() == place.root


ENDINGS: tuple[tuple[str, int | None, int | None], ...] = (
    ("exit 0", 0, None),
    ("exit 1", 1, None),
    ("exit 125", 125, None),
    ("exit 137", 137, None),
    ("exit 300", 44, None),
    ("kill -KILL $$", None, 9),
    ("kill -TERM $$", None, 15),
    ("kill -SEGV $$", None, 11),
    ("kill -USR1 $$", None, 10),
)


async def test_endings(place: Place) -> None:
    """An exit code is an exit code and a signal a signal, also where both look alike."""
    for script, exit_code, signal in ENDINGS:
        done = await place.shell(f"echo out; echo err >&2; {script}")
        if place.name == "docker" and signal is not None:
            # The engine itself makes a code of it.
            assert (done.exit_code, done.signal) == (128 + signal, None), script
        else:
            assert (done.exit_code, done.signal) == (exit_code, signal), script
        assert (done.stdout, done.stderr, done.ended) == (b"out\n", b"err\n", "exited"), script


async def test_programs_that_cannot_be_started(place: Place) -> None:
    """Missing: 127. Not executable, or a directory: 126. And nothing on standard output."""
    await place.client.write_file("data", b"text")
    for program, code, reason in (
        ("no-such-program", 127, "No such file"),
        ("./none", 127, "No such file"),
        ("./data", 126, "Permission denied"),
        ("/tmp", 126, "Permission denied"),
    ):
        done = await place.client.exec([program, "x"])
        assert (done.exit_code, done.ended, done.stdout) == (code, "not_started", b""), program
        assert done.stderr.decode().startswith(f"{program}: {reason}"), program
        assert not done.ok


async def test_input(place: Place) -> None:
    """At its end when there is none; all bytes otherwise; also when nobody reads it."""
    assert (await place.client.exec(["cat"], timeout_s=20)).stdout == b""
    data = bytes(range(256)) * 4000
    done = await place.client.exec(["cat"], stdin=data, max_output_bytes=len(data))
    assert (done.stdout == data, done.truncated) == (True, False)
    done = await place.client.exec(["head", "-c", "3"], stdin=data)
    assert (done.stdout, done.exit_code) == (data[:3], 0)
    assert (await place.client.exec(["true"], stdin=data)).exit_code == 0
    assert (await place.client.exec(["cat"], stdin=b"")).stdout == b""


async def test_variables(place: Place) -> None:
    """Values of any text, on top of no pager and no prompt; names that no process can have are refused."""
    env = {"A": "x y'z\"\n$HOME", "EMPTY": "", "PAGER": "own", "UNI": "ä😀", "MY_TOKEN": "given"}
    script = 'printf "%s|" "$A" "$EMPTY" "$PAGER" "$UNI" "$MY_TOKEN" "$GIT_TERMINAL_PROMPT"'
    done = await place.client.exec(["sh", "-c", script], env=env)
    assert done.stdout.decode() == "x y'z\"\n$HOME||own|ä😀|given|0|"
    for name in ("", "A=B", "A\0"):
        with pytest.raises(InvalidArgument):
            await place.client.exec(["true"], env={name: "x"})
    for argv in ([], [""], ["a\0b"]):
        with pytest.raises(InvalidArgument):
            await place.client.exec(argv)


async def test_working_directory(place: Place) -> None:
    """Relative to the root or absolute in it; outside, also by a link, it is refused, and so is what is none."""
    await place.client.write_file("a b/ü/f", b"")
    for cwd in ("a b/ü", f"{place.root}/a b/ü", "./a b/../a b/ü"):
        assert (await place.client.exec(["pwd"], cwd=cwd)).stdout.decode().strip() == f"{place.root}/a b/ü"
    await place.client.exec(["ln", "-s", "/usr", "out"])
    for cwd in ("..", "/", "out", f"{place.root}x"):
        with pytest.raises(PathEscapesRoot):
            await place.client.exec(["pwd"], cwd=cwd)
    with pytest.raises(FileNotFoundError):
        await place.client.exec(["pwd"], cwd="none")
    with pytest.raises(NotADirectoryError):
        await place.client.exec(["pwd"], cwd="a b/ü/f")


async def test_time_limit(place: Place) -> None:
    """What was printed is kept, everything that was started is gone."""
    begun = time.monotonic()
    script = "trap '' HUP; echo partial; echo err >&2; sleep 600 & (setsid sleep 600 &); sleep 600 | cat"
    done = await place.shell(script, timeout_s=1.5)
    took = time.monotonic() - begun
    assert (done.timed_out, done.exit_code, done.ended, done.ok) == (True, None, "deadline", False)
    assert (done.stdout, done.stderr) == (b"partial\n", b"err\n")
    assert (done.survivors_left, place.living()) == (0, [])
    assert 1.5 <= took < 3 + SLACK_S.get(place.name, 0)


async def test_deaf_commands_end_too(place: Place) -> None:
    """SIGTERM is a question; SIGKILL is not."""
    done = await place.shell("trap '' TERM HUP INT; echo x; while :; do sleep 1; done", timeout_s=1)
    assert (done.timed_out, done.stdout, place.living()) == (True, b"x\n", [])


async def test_cancelling_ends_everything_first(place: Place) -> None:
    """Before CancelledError goes on."""
    script = "echo begun > begun; (setsid sleep 600 &); sleep 600"
    task = asyncio.create_task(place.shell(script, timeout_s=100))
    for _ in range(1000):
        await asyncio.sleep(0.02)
        if len(place.living()) >= 2:
            break
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert place.living() == []
    assert time.monotonic() - begun < 1.5 + SLACK_S.get(place.name, 0)
    assert (await place.client.read_file("begun")) == b"begun\n"


async def test_what_is_left_at_the_end_is_ended(place: Place) -> None:
    """With its own session, and holding the output open or not; the result does not wait for it."""
    begun = time.monotonic()
    done = await place.shell("(setsid sleep 600 &); sleep 600 >/dev/null 2>&1 & echo done; exit 3")
    assert (done.stdout, done.exit_code, done.timed_out) == (b"done\n", 3, False)
    assert time.monotonic() - begun < 4 + SLACK_S.get(place.name, 0)
    assert await place.gone(0.5)


async def test_output_is_bounded_and_counted(place: Place) -> None:
    """The first quarter and the end of it, and how much there was."""
    done = await place.shell("seq 1300000; echo err >&2", max_output_bytes=1000, timeout_s=50)
    total = sum(len(str(number)) + 1 for number in range(1, 1300001))
    assert total > 9_000_000
    assert (done.truncated, done.stdout_total, len(done.stdout), done.stderr) == (True, total, 1000, b"err\n")
    assert done.stdout.startswith(b"1\n2\n3\n")
    assert done.stdout.endswith(b"1299999\n1300000\n")
    done = await place.client.exec(["printf", "ä" * 400], max_output_bytes=101)
    done.stdout.decode()
    assert (done.truncated, done.stdout_total) == (True, 800)


async def test_binary_output(place: Place) -> None:
    """Every byte, on both streams."""
    await place.client.write_file("all", bytes(range(256)))
    done = await place.client.exec(["sh", "-c", "cat all all; cat all >&2"])
    assert (done.stdout, done.stderr) == (bytes(range(256)) * 2, bytes(range(256)))


async def test_commands_run_side_by_side(place: Place) -> None:
    """Each with its own output."""
    done = await asyncio.gather(*(place.client.exec(["echo", str(number)]) for number in range(12)))
    assert [one.stdout for one in done] == [b"%d\n" % number for number in range(12)]


NAMES = ["plain", "with space", "ünï-😀", "a'b\"c", "-dash", "new\nline", "$HOME", "back\\slash", "*", "a/b/c/d", ".h"]
NAMES.append("x" * 200)


async def test_files_of_any_name(place: Place) -> None:
    """Written with their directories, read by path and by commands, replaced whole."""
    data = bytes(range(256)) * 40

    async def one(name: str) -> None:
        await place.client.write_file(name, data)
        assert await place.client.read_file(name) == data
        assert await place.client.read_file(f"{place.root}/{name}") == data
        assert (await place.client.exec(["cat", f"./{name}"])).stdout == data
        await place.client.write_file(name, b"")
        assert await place.client.read_file(name) == b""

    await asyncio.gather(*map(one, NAMES))


async def test_large_files(place: Place) -> None:
    """Whole, and byte for byte."""
    data = bytes(range(251)) * 80_000
    await place.client.write_file("deep/large", data)
    assert await place.client.read_file("deep/large") == data
    done = await place.client.exec(["sh", "-c", "wc -c < deep/large"])
    assert int(done.stdout) == len(data)


async def test_files_that_cannot_be_had(place: Place) -> None:
    """With the builtin errors of the contract, and nothing is made outside."""
    await place.client.write_file("dir/file", b"x")
    links = "ln -s /etc out; ln -s none dangling; ln -s dir/file link; mkdir -p .git; ln -s .git g"
    await place.client.exec(["sh", "-c", links])
    read = place.client.read_file
    for path, error in (
        ("none", FileNotFoundError),
        ("none/none", FileNotFoundError),
        ("dangling", FileNotFoundError),
        ("dir", IsADirectoryError),
        (".", IsADirectoryError),
        ("dir/file/x", NotADirectoryError),
        ("..", PathEscapesRoot),
        ("/etc/passwd", PathEscapesRoot),
        ("out/passwd", PathEscapesRoot),
    ):
        with pytest.raises(error):
            await read(path)
    assert await read("link") == b"x"
    refused: tuple[tuple[str, type[Exception]], ...] = (
        ("dir", IsADirectoryError),
        (".", IsADirectoryError),
        ("dir/file/x", NotADirectoryError),
        ("../x", PathEscapesRoot),
        ("out/x", PathEscapesRoot),
        ("/etc/x", PathEscapesRoot),
        (".git/config", ProtectedPath),
        ("g/config", ProtectedPath),
    )
    for path, kind in refused:
        with pytest.raises(kind):
            await place.client.write_file(path, b"x")
    for path in ("", "a\0b"):
        with pytest.raises((InvalidPath, InvalidArgument)):
            await read(path)


async def test_writing_keeps_links_and_modes(place: Place) -> None:
    """A link stays one, its target is written; an executable stays one; nothing else is left in the directory."""
    await place.client.write_file("dir/tool", b"#!/bin/sh\necho one\n")
    await place.client.exec(["sh", "-c", "chmod 755 dir/tool; ln -s dir/tool link"])
    await place.client.write_file("link", b"#!/bin/sh\necho two\n")
    done = await place.client.exec(["sh", "-c", "readlink link; dir/tool; ls -A dir"])
    assert done.stdout == b"dir/tool\ntwo\ntool\n"
