"""What `git_diff` refuses, and what it does when it cannot do all (cases 118 and 120 of the faults)."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox, limits
from rootle.contracts import ExecResult
from rootle.errors import (
    DeadlineExceeded,
    GitFailed,
    InvalidArgument,
    NotARepository,
    PathEscapesRoot,
    PathNotFound,
)
from rootle.sandbox import LocalSandbox

if TYPE_CHECKING:
    from tests.git.conftest import Plain, PlainIn


@pytest.fixture
def git(plain: PlainIn, root: Path) -> Plain:
    """Plain git in the root."""
    return plain(root)


@pytest.fixture
def repo(git: Plain) -> Path:
    """A repository with one commit."""
    git("init", "--quiet", "--initial-branch=main")
    git.commit({"src/a.py": "one\ntwo\nthree\n", "b.txt": "b\n" * 20})
    return git.path


def call(root: Path, **arguments: Any) -> Any:
    return Toolbox(root).call("git_diff", arguments)


def table(answer: Any) -> dict[str, tuple[str, int | None, int | None]]:
    return {file.path: (file.status, file.additions, file.deletions) for file in answer.data.files}


@pytest.mark.parametrize(
    "path",
    [
        "--output={outside}",
        "-o{outside}",
        "--no-index",
        "--ext-diff",
        ":(top)b.txt",
        ":/b.txt",
        ":!src",
        ":(exclude)src",
        ":(glob)**",
        "*.txt",
        "[b].txt",
        "HEAD",
        "--",
    ],
)
def test_paths_are_literal(repo: Path, tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    """Neither options, nor magic, nor patterns, nor commits: names of files that are not there (case 118)."""
    outside = tmp_path_factory.mktemp("outside") / "written"
    (repo / "b.txt").write_text("x\n")
    named = path.format(outside=outside)
    answer = call(repo, paths=[named])
    assert answer.data.total_files == 0
    assert "does not exist" in str(answer)
    assert not outside.exists()
    assert sorted(path.name for path in repo.iterdir()) == [".git", "b.txt", "src"]


@pytest.mark.parametrize(
    "paths", [["/etc/passwd"], ["../x"], ["src/../../x"], ["--no-index", "/dev/null", "/etc/passwd"]]
)
def test_paths_outside_are_refused(repo: Path, paths: list[str]) -> None:
    """With none of their content."""
    with pytest.raises(PathEscapesRoot):
        call(repo, paths=paths)


@pytest.mark.parametrize("repository", ["..", "/", "/etc", "src/../.."])
def test_repository_outside_is_refused(repo: Path, repository: str) -> None:
    with pytest.raises(PathEscapesRoot):
        call(repo, repository=repository)


def test_repository_behind_a_link_is_refused(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (repo / "away").symlink_to(tmp_path_factory.mktemp("outside"))
    with pytest.raises(PathEscapesRoot):
        call(repo, repository="away")


@pytest.mark.parametrize(
    "name",
    ["--output=x", "-p", "--", "", "main..HEAD", "main...HEAD", "nothing", "main:src/a.py", "HEAD^{tree}", "HEAD\n"],
)
def test_what_is_no_commit_is_refused(repo: Path, name: str) -> None:
    """Before it gets near a place where options are read."""
    with pytest.raises(InvalidArgument, match="no commit"):
        call(repo, base=name)
    assert sorted(path.name for path in repo.iterdir()) == [".git", "b.txt", "src"]


@pytest.mark.parametrize("arguments", [{"head": "HEAD"}, {"base": "HEAD", "head": "HEAD", "staged": True}])
def test_arguments_that_do_not_go_together(repo: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="head goes with base"):
        call(repo, **arguments)


def test_no_commit_yet(root: Path, git: Plain) -> None:
    """Staged files are all new; there is no HEAD to compare with (case 120)."""
    git("init", "--quiet")
    assert str(call(root)) == "No changes."
    (root / "a").write_text("1\n")
    git("add", "a")
    (root / "a").write_text("2\n")
    assert table(call(root)) == {"a": ("modified", 1, 1)}
    assert table(call(root, staged=True)) == {"a": ("added", 1, 0)}
    with pytest.raises(InvalidArgument, match="There may be no commit yet"):
        call(root, base="HEAD")


@pytest.mark.parametrize("how", ["in_place", "by_configuration"])
def test_bare_repository(root: Path, git: Plain, how: str) -> None:
    """Has no work tree (case 120)."""
    git("init", "--quiet", *(["--bare"] if how == "in_place" else []))
    git("config", "core.bare", "true")
    start = time.monotonic()
    with pytest.raises(NotARepository, match="bare") as bare:
        call(root)
    assert (bare.value.code, bare.value.details["reason"]) == ("not_a_repository", "bare")
    assert time.monotonic() - start < 5


def test_no_repository(root: Path) -> None:
    """Is told apart from one without changes, and from a directory that is not there (case 120)."""
    (root / ".git").mkdir()
    with pytest.raises(NotARepository) as none:
        call(root)
    assert none.value.details["reason"] == "none"
    with pytest.raises(PathNotFound):
        call(root, repository="nowhere")


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (".git/HEAD", b""),
        (".git/HEAD", b"ref: ../../x\n"),
        (".git/HEAD", b"\xff\x00"),
        (".git/index", b"DIRC\0\0\0\x02garbage"),
        (".git/config", b"[core\n"),
        (".git/config", b"[a]\nb = " + b"x" * 3_000_000),
        (".git/config", b"[core]\nrepositoryformatversion = 99\n"),
        (".git/config", b"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = md5\n"),
        (".git/packed-refs", b"garbage\n"),
    ],
)
def test_damaged_repository(repo: Path, part: str, content: bytes) -> None:
    """Is git's failure, with its words, at once."""
    (repo / part).write_bytes(content)
    start = time.monotonic()
    with pytest.raises((GitFailed, InvalidArgument)) as failed:
        call(repo, base="main")
    assert time.monotonic() - start < 5
    assert failed.value.code in ("git_failed", "invalid_argument")


def test_missing_object(repo: Path, git: Plain) -> None:
    blob = git("rev-parse", "HEAD:b.txt").strip()
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repo / "b.txt").write_text("x\n")
    with pytest.raises(GitFailed, match=blob):
        call(repo)


@pytest.mark.timeout(300)
def test_huge_difference_is_cut(repo: Path, git: Plain) -> None:
    """A gigabyte of it costs this process next to nothing, and the table is whole (case 120)."""
    line = "x" * 1023 + "\n"
    for number in range(10):
        (repo / f"big{number}").write_text("0\n")
    git.commit({})
    for number in range(10):
        with (repo / f"big{number}").open("w") as file:
            for _ in range(100):
                file.write(line * 1024)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = call(repo, timeout_s=55)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
    assert not answer.data.complete
    assert len(answer.data.diff) <= limits.DIFF_BYTES
    assert answer.data.diff.endswith("\n")
    assert answer.data.total_files == 10
    assert 'in "big0". Name paths, or pass a larger max_bytes.)' in str(answer)
    if answer.data.additions is not None:
        assert answer.data.additions == 1024 * 1000


class Slow:
    """A client on which one part of the comparing takes for ever."""

    def __init__(self, root: Path, part: str) -> None:
        self._inner = LocalSandbox(root)
        self._part = part
        self.read_file = self._inner.read_file
        self.write_file = self._inner.write_file

    async def exec(self, argv: Sequence[str], **options: Any) -> ExecResult:
        return await self._inner.exec(["sleep", "100"] if self._part in argv else argv, **options)


@pytest.mark.parametrize("part", ["--numstat", "--patch", "ls-files"])
def test_time_limit_keeps_what_came(repo: Path, part: str) -> None:
    """What is not there in time is left out, not zero, and said."""
    (repo / "b.txt").write_text("x\n")
    (repo / "new").write_text("x\n")
    start = time.monotonic()
    answer = Toolbox(repo, sandbox=Slow(repo, part)).call("git_diff", {"timeout_s": 5})
    assert time.monotonic() - start < 5 + 2 * limits.DEADLINE_GRACE_S
    assert "INCOMPLETE" in str(answer)
    assert not answer.data.complete
    counted = part != "--numstat"
    assert table(answer) == {"b.txt": ("modified", 1 if counted else None, 20 if counted else None)}
    assert answer.data.additions == (1 if counted else None)
    assert ("+x" in answer.data.diff) is (part != "--patch")
    assert answer.data.total_untracked == (None if part == "ls-files" else 1)


def test_time_limit_before_the_names_came(repo: Path) -> None:
    with pytest.raises(DeadlineExceeded) as over:
        Toolbox(repo, sandbox=Slow(repo, "--raw")).call("git_diff", {"timeout_s": 2})
    assert over.value.code == "deadline_exceeded"


@pytest.mark.parametrize("timeout_s", [30.0, 0.3])
def test_nothing_is_left_beside_the_repository(
    repo: Path, git: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout_s: float
) -> None:
    """Neither when it ends by itself nor at the time limit; what was left by one that was killed is swept in time."""
    for name in ("rootle-git.old", "rootle-git.new", "other"):
        (tmp_path / "tmp" / name).mkdir(parents=True)
    os.utime(tmp_path / "tmp/rootle-git.old", (1, 1))
    os.utime(tmp_path / "tmp/other", (1, 1))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    git.write({"b.txt": "".join(f"{i * 7919 % 104729}\n" for i in range(1_000_000))})
    with contextlib.suppress(DeadlineExceeded):
        call(repo, timeout_s=timeout_s)
    left = {path.name for path in (tmp_path / "tmp").iterdir()}
    assert left - {"rootle-git.old"} == {"rootle-git.new", "other"}
    if timeout_s > 1:
        assert "rootle-git.old" not in left


def test_no_time_at_all(repo: Path) -> None:
    with pytest.raises(DeadlineExceeded):
        call(repo, timeout_s=0.001)
