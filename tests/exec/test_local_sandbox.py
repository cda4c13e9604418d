"""`LocalSandbox` as a `SandboxClient`."""

from __future__ import annotations

from pathlib import Path

import pytest
from rootle.contracts import SandboxClient
from rootle.errors import PathEscapesRoot, ProtectedPath
from rootle.sandbox import LocalSandbox


@pytest.fixture
def box(tmp_path: Path) -> LocalSandbox:
    """A sandbox in an empty directory."""
    return LocalSandbox(tmp_path)


async def test_exec_gives_the_contract_s_result(box: LocalSandbox) -> None:
    """Arguments are literal, streams apart, the directory is the root."""
    assert isinstance(box, SandboxClient)
    done = await box.exec(["printf", "%s|", "a b", "$HOME", "*", ""])
    assert (done.stdout, done.stderr, done.exit_code, done.ok, done.tier) == (
        b"a b|$HOME|*||",
        b"",
        0,
        True,
        "subreaper",
    )
    assert (await box.exec(["pwd"])).stdout.decode().strip() == box.root
    done = await box.exec(["sh", "-c", "cat; echo e >&2; exit 3"], stdin=b"in", env={"X": "1"})
    assert (done.stdout, done.stderr, done.exit_code, done.ok) == (b"in", b"e\n", 3, False)


async def test_exec_says_how_it_ended(box: LocalSandbox) -> None:
    """A time limit, a signal, a missing program, and more output than is kept."""
    slow = await box.exec(["sh", "-c", "echo x; sleep 600"], timeout_s=0.3)
    assert (slow.timed_out, slow.exit_code, slow.stdout, slow.ok) == (True, None, b"x\n", False)
    killed = await box.exec(["sh", "-c", "kill -9 $$"])
    assert (killed.exit_code, killed.signal, killed.ended) == (None, 9, "exited")
    missing = await box.exec(["no-such-program"])
    assert (missing.exit_code, missing.ended) == (127, "not_started")
    assert missing.stderr == b"no-such-program: No such file or directory\n"
    much = await box.exec(["seq", "100000"], max_output_bytes=1000)
    assert (much.truncated, len(much.stdout), much.stdout_total) == (True, 1000, 588895)


async def test_files_are_read_and_written_as_bytes(box: LocalSandbox, tmp_path: Path) -> None:
    """Directories are made; what is there is replaced."""
    data = bytes(range(256)) * 100
    await box.write_file("a/b/c.bin", data)
    assert (tmp_path / "a/b/c.bin").read_bytes() == data
    assert await box.read_file("a/b/c.bin") == data
    await box.write_file("a/b/c.bin", b"")
    assert await box.read_file(str(tmp_path / "a/b/c.bin")) == b""


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("none", FileNotFoundError),
        ("dir", IsADirectoryError),
        ("file/x", NotADirectoryError),
        ("../x", PathEscapesRoot),
    ],
)
async def test_files_that_cannot_be_read(box: LocalSandbox, tmp_path: Path, path: str, error: type[Exception]) -> None:
    """With the builtin errors of the contract."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(error):
        await box.read_file(path)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("dir", IsADirectoryError),
        ("file/x", NotADirectoryError),
        ("out/x", PathEscapesRoot),
        (".git/config", ProtectedPath),
    ],
)
async def test_files_that_cannot_be_written(
    box: LocalSandbox, tmp_path: Path, path: str, error: type[Exception]
) -> None:
    """Nothing is made outside."""
    (tmp_path / "dir").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "out").symlink_to("/tmp")
    with pytest.raises(error):
        await box.write_file(path, b"x")
