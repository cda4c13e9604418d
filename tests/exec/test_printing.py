"""What is kept of what commands print."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from rootle.sandbox import LocalSandbox, SpillDirectory

from .conftest import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell of the first tier: output is the same under all of them."""
    return Shell(tmp_path, "subreaper")


@pytest.mark.parametrize("command", ["yes", "cat /dev/zero"])
def test_much_output_is_bounded_and_counted(tmp_path: Path, command: str) -> None:
    """The ends are kept, the total is exact, and memory hardly grows; measured in a process of its own."""
    size = 500_000_000
    source = f"""
        import json, sys
        from pathlib import Path
        from rootle.sandbox import LocalSandbox
        def memory(field):
            return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) * 1024
        box = LocalSandbox(sys.argv[1])
        box.run(["true"])
        Path("/proc/self/clear_refs").write_text("5")
        before = memory("VmRSS")
        script = "{command} | head -c {size}; echo end"
        done = box.run(["sh"], script=script, timeout_s=50, max_output_bytes=100_000)
        out = done.stdout
        growth = memory("VmHWM") - before
        print(json.dumps([done.ended, out.total, out.gap, len(out.data), out.data[-6:].hex(), growth]))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source), str(tmp_path)], capture_output=True, text=True, check=True
    )
    ended, total, gap, kept, last, growth = json.loads(run.stdout)
    assert (ended, total) == ("exited", size + 4)
    assert (gap, kept) == (25_000, 100_000)
    assert bytes.fromhex(last) == (b"\0\0" if "zero" in command else b"y\n") + b"end\n"
    assert growth < 64 * 2**20


@pytest.mark.parametrize("size", range(96, 112))
def test_characters_are_not_cut(shell: Shell, size: int) -> None:
    """Wherever the limit falls, both parts are whole characters of the text; written in pieces of odd sizes."""
    text = "aä€😀" * 500
    script = "import sys,os\nb='aä€😀'.encode()*500\nfor i in range(0,len(b),7): os.write(1,b[i:i+7])"
    done = shell.sandbox.run([sys.executable, "-c", script], max_output_bytes=size, timeout_s=10)
    out = done.stdout
    assert out.gap is not None
    head, tail = out.data[: out.gap].decode(), out.data[out.gap :].decode()
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(tail.encode()) > len(head.encode())
    assert size - 6 <= len(out.data) <= size
    assert out.total == len(text.encode())


def test_bytes_that_are_no_text_are_kept(shell: Shell) -> None:
    """Both streams, and the exit code, whatever the bytes."""
    noise = bytes(range(256)) * 3
    script = "import sys,os\nb=bytes(range(256))*3\nos.write(1,b)\nos.write(2,b[::-1])\nos._exit(9)"
    done = shell.sandbox.run([sys.executable, "-c", script], timeout_s=10)
    assert (done.stdout.data, done.stderr.data, done.exit_code) == (noise, noise[::-1], 9)
    assert done.stdout.gap is None


def test_streams_apart_and_together(shell: Shell) -> None:
    """Apart each is whole, and `output` has both; merged, the order is that of writing."""
    script = "for i in 1 2 3; do echo out$i; echo err$i >&2; done"
    apart = shell(script)
    assert apart.stdout.data == b"out1\nout2\nout3\n"
    assert apart.stderr.data == b"err1\nerr2\nerr3\n"
    assert sorted(apart.output.data.split()) == sorted((apart.stdout.data + apart.stderr.data).split())
    merged = shell(script, merge_streams=True)
    assert merged.output.data == b"out1\nerr1\nout2\nerr2\nout3\nerr3\n"
    assert (merged.stdout.data, merged.stderr.data) == (b"", b"")


def test_long_output_goes_to_a_file(shell: Shell, tmp_path: Path) -> None:
    """The file is made only when it is needed, holds everything, and is nobody else's."""
    spill = SpillDirectory(tmp_path / "spill")
    name = spill.new_name()
    short = shell("seq 10", spill=spill, spill_name=name, max_output_bytes=1000)
    assert short.spilled_bytes is None
    assert list(Path(spill.path).iterdir()) == []
    long = shell("seq 100000; echo oops >&2", spill=spill, spill_name=name, max_output_bytes=1000)
    file = Path(spill.path, name)
    assert (long.spilled_bytes, long.spill_complete) == (file.stat().st_size, True)
    assert file.stat().st_mode & 0o777 == 0o600
    lines = file.read_bytes().splitlines()
    assert b"oops" in lines
    lines.remove(b"oops")
    assert lines == [b"%d" % number for number in range(1, 100001)]
    # A name that is there already is not overwritten; the command runs all the same.
    again = shell("seq 100000", spill=spill, spill_name=name, max_output_bytes=1000)
    assert (again.exit_code, again.spilled_bytes, again.spill_complete) == (0, 0, False)


def test_file_can_be_followed_from_the_start(shell: Shell, tmp_path: Path) -> None:
    """What a command that is ended had printed is in the file."""
    spill = SpillDirectory(tmp_path / "spill")
    name = spill.new_name()
    done = shell("echo one; sleep 600", spill=spill, spill_name=name, spill_from_start=True, timeout_s=0.5)
    assert (done.ended, Path(spill.path, name).read_bytes()) == ("deadline", b"one\n")


def test_old_files_are_swept(tmp_path: Path) -> None:
    """Only files of the directory's own naming, and only when they are old."""
    import os

    spill = SpillDirectory(tmp_path)
    old, fresh, other = tmp_path / spill.new_name(), tmp_path / spill.new_name(), tmp_path / "notes.txt"
    for file in (old, fresh, other):
        file.write_text("x")
    for file in (old, other):
        os.utime(file, (1, 1))
    assert spill.sweep() == 1
    assert sorted(tmp_path.iterdir()) == sorted([fresh, other])


def test_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    """Somebody could read or replace what a command printed."""
    tmp_path.chmod(0o777)
    with pytest.raises(PermissionError):
        SpillDirectory(tmp_path)


def test_progress_of_a_large_script(tmp_path: Path) -> None:
    """A command of 200 KB is no argument that the kernel takes; it runs all the same."""
    box = LocalSandbox(tmp_path)
    for size in (90_000, 200_000, 2_000_000):
        done = box.run(["bash"], script=f"x='{'a' * size}'; echo ${{#x}}; echo $0; exit 3", timeout_s=20)
        assert (done.stdout.data, done.exit_code) == (f"{size}\nbash\n".encode(), 3)
