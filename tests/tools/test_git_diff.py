"""The `git_diff` tool: what it says. What it refuses is tested under `tests/git`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox, limits, parse_numstat
from rootle.errors import (
    InvalidArgument,
)
from rootle.rendering import escape_name

Git = Callable[..., str]
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "n@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Plain git in the root."""

    def run(*arguments: str, cwd: Path = tmp_path, check: bool = True) -> str:
        done = subprocess.run(["git", *arguments], cwd=cwd, env=ENV, capture_output=True, check=False, timeout=50)
        assert not check or done.returncode == 0, done.stderr
        return os.fsdecode(done.stdout)

    return run


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit."""
    git("init", "--quiet", "--initial-branch=main")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("one\ntwo\nthree\n")
    (tmp_path / "b.txt").write_text("b\n" * 20)
    commit(git)
    return tmp_path


def commit(git: Git, *, cwd: Path | None = None) -> None:
    where = {} if cwd is None else {"cwd": cwd}
    git("add", "--all", **where)
    git("commit", "--quiet", "--allow-empty", "--message=m", **where)


def call(root: Path, **arguments: Any) -> Any:
    return Toolbox(root).call("git_diff", arguments)


def table(answer: Any) -> dict[str, tuple[str, int | None, int | None, str | None]]:
    return {file.path: (file.status, file.additions, file.deletions, file.old_path) for file in answer.data.files}


def test_changes_of_the_work_tree(repo: Path) -> None:
    """Table, then difference; what is untracked is said."""
    (repo / "src/a.py").write_text("one\n2\nthree\nfour\n")
    (repo / "b.txt").unlink()
    (repo / "new.txt").write_text("x\n")
    (repo / "newdir").mkdir()
    (repo / "newdir/x").write_text("x\n")
    answer = call(repo)
    assert str(answer).splitlines()[:6] == [
        "2 changed files, +2 -21",
        "  D b.txt +0 -20",
        "  M src/a.py +2 -1",
        "(2 untracked files or directories, not in the difference: new.txt, newdir/)",
        "",
        "diff --git a/b.txt b/b.txt",
    ]
    assert answer.data.diff == plain_diff(repo)
    assert (answer.data.complete, answer.data.total_untracked) == (True, 2)


def plain_diff(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "diff", *arguments], cwd=root, env=ENV, capture_output=True, check=True)
    return done.stdout.decode()


def test_staged_changes_and_commits(repo: Path, git: Git) -> None:
    """Each comparison is git's own."""
    (repo / "src/a.py").write_text("one\n2\nthree\n")
    git("add", "--all")
    (repo / "src/a.py").write_text("one\n3\nthree\n")
    assert call(repo, staged=True).data.diff == plain_diff(repo, "--cached")
    assert call(repo, base="HEAD").data.diff == plain_diff(repo, "HEAD")
    commit(git)
    git("tag", "-a", "v1", "-m", "v1")
    (repo / "b.txt").write_text("c\n")
    assert call(repo, base="main~1").data.diff == plain_diff(repo, "main~1")
    assert call(repo, base="HEAD^", head="v1").data.diff == plain_diff(repo, "HEAD^", "v1")
    assert call(repo, base="HEAD^", staged=True).data.diff == plain_diff(repo, "--cached", "HEAD^")
    assert call(repo, context_lines=0).data.diff == plain_diff(repo, "-U0")
    assert call(repo, base="main~1", paths=["src"]).data.diff == plain_diff(repo, "main~1", "--", "src")


def test_nothing_left_but_staged_changes(repo: Path, git: Git) -> None:
    """An empty answer says where the changes are."""
    assert str(call(repo)) == "No changes."
    (repo / "b.txt").write_text("x\n")
    git("add", "--all")
    assert str(call(repo)).splitlines() == ["No changes.", "(1 file with staged changes: pass staged=true.)"]


def test_repository_in_a_subdirectory(repo: Path, git: Git) -> None:
    """Paths go in and come out relative to the root, in the difference too."""
    inner = repo / "vendor/lib"
    inner.mkdir(parents=True)
    git("init", "--quiet", cwd=inner)
    (inner / "x.c").write_text("1\n")
    (inner / "y.c").write_text("1\n")
    commit(git, cwd=inner)
    (inner / "x.c").write_text("2\n")
    (inner / "y.c").write_text("2\n")
    answer = call(repo, repository="vendor/lib", paths=["vendor/lib/x.c"])
    assert list(table(answer)) == ["vendor/lib/x.c"]
    assert "--- a/vendor/lib/x.c\n+++ b/vendor/lib/x.c\n" in answer.data.diff
    assert answer.data.repository == "vendor/lib"
    assert len(table(call(repo, repository="vendor/lib", paths=["vendor"]))) == 2
    with pytest.raises(InvalidArgument, match="not in the repository"):
        call(repo, repository="vendor/lib", paths=["src"])


NAMES = ["tab\there", "new\nline", 'quo"te', "back\\slash", "a => b", "{x => y}", "ünï", " lead", "-rf", ":(top)b", "*"]


def test_names_are_exact(repo: Path, git: Git) -> None:
    """Through -z, whatever they hold; counts with them (case 119)."""
    odd = [*NAMES, os.fsdecode(b"\xff\xfe")]
    for name in odd:
        (repo / name).write_text("1\n2\n")
    commit(git)
    for number, name in enumerate(odd):
        (repo / name).write_text("1\n" + "x\n" * number)
    answer = call(repo)
    expected = {escape_name(name): ("modified", number, 1, None) for number, name in enumerate(odd)}
    assert table(answer) == expected
    for name in expected:
        assert list(table(call(repo, paths=[name]))) == [name]


def test_renames_binary_files_and_types(repo: Path, git: Git) -> None:
    """Old names, -1 for both counts, and what else a file can become."""
    (repo / "blob").write_bytes(bytes(range(256)))
    (repo / "link").write_text("x\n")
    (repo / "old").mkdir()
    (repo / "old/deep.txt").write_text("line\n" * 30)
    commit(git)
    (repo / "blob").write_bytes(bytes(range(255)))
    (repo / "link").unlink()
    (repo / "link").symlink_to("b.txt")
    (repo / "old/deep.txt").rename(repo / "deep\tname.txt")
    (repo / "added").write_text("x\n")
    git("add", "--all")
    answer = call(repo, staged=True)
    assert table(answer) == {
        "added": ("added", 1, 0, None),
        "blob": ("modified", -1, -1, None),
        "link": ("type_changed", 1, 1, None),
        "deep\\x09name.txt": ("renamed", 0, 0, "old/deep.txt"),
    }
    assert "  M blob (binary)" in str(answer).splitlines()
    assert "  R old/deep.txt -> deep\\x09name.txt +0 -0" in str(answer).splitlines()
    assert (answer.data.additions, answer.data.deletions) == (2, 1)


def test_unmerged_file(repo: Path, git: Git) -> None:
    """Is there once, with its status."""
    git("checkout", "--quiet", "-b", "topic")
    (repo / "b.txt").write_text("topic\n")
    commit(git)
    git("checkout", "--quiet", "main")
    (repo / "b.txt").write_text("main\n")
    commit(git)
    git("merge", "topic", check=False)
    answer = call(repo)
    assert [(file.path, file.status) for file in answer.data.files] == [("b.txt", "unmerged")]
    assert "<<<<<<<" in answer.data.diff


@pytest.mark.parametrize(("size", "cut"), [(0, False), (100, True), (10_000, False)])
def test_cut_of_a_difference(repo: Path, size: int, cut: bool) -> None:
    """At the end of a line; 0 is the table alone."""
    (repo / "b.txt").write_text("c\n" * 20)
    answer = call(repo, max_bytes=size)
    whole = plain_diff(repo)
    assert whole.startswith(answer.data.diff)
    assert len(answer.data.diff) <= size
    assert ("is cut" in str(answer)) is cut
    assert answer.data.complete is not cut
    assert table(answer) == {"b.txt": ("modified", 20, 20, None)}


def test_many_files(repo: Path, git: Git) -> None:
    """All are counted, the first ones listed."""
    for number in range(limits.DIFF_SHOWN_FILES + 5):
        (repo / f"f{number:04}").write_text("1\n")
    commit(git)
    for number in range(limits.DIFF_SHOWN_FILES + 5):
        (repo / f"f{number:04}").write_text("2\n")
    answer = call(repo, max_bytes=0)
    assert len(answer.data.files) == limits.DIFF_SHOWN_FILES + 5
    assert "  (5 more files)" in str(answer).splitlines()


def test_line_ends_and_control_characters(repo: Path, git: Git) -> None:
    """CR is shown where it is the difference; escape sequences are made harmless."""
    (repo / "crlf").write_bytes(b"a\r\nb\r\n")
    commit(git)
    (repo / "crlf").write_bytes(b"a\r\nc\r\n")
    assert "\r" not in str(call(repo))
    assert "\\x0d" not in str(call(repo))
    (repo / "crlf").write_bytes(b"a\r\nb\n")
    assert "-b\\x0d\n+b" in str(call(repo))
    (repo / "crlf").write_bytes(b"a\x1b[31m\xff\n")
    answer = call(repo)
    assert "\x1b" not in str(answer)
    assert "\\x1b[31m\N{REPLACEMENT CHARACTER}" in str(answer)
    assert "not UTF-8" in str(answer)


def test_filters_that_were_not_run_are_named(repo: Path, git: Git) -> None:
    git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    (repo / "b.txt").write_text("x\n")
    assert "(Filters of the repository were not run (lfs)" in str(call(repo))


@pytest.mark.parametrize("value", ["true", "input"])
def test_settings_of_line_ends_count(repo: Path, git: Git, value: str) -> None:
    """What says how files are stored is taken over: without it every line would differ."""
    git("config", "core.autocrlf", value)
    (repo / "b.txt").write_bytes(b"b\r\n" * 19 + b"c\r\n")
    assert table(call(repo)) == {"b.txt": ("modified", 1, 1, None)}


def test_excluded_files_are_not_untracked(repo: Path) -> None:
    """By the tree's rules and the repository's own."""
    (repo / ".gitignore").write_text("*.o\n")
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/exclude").write_text("*.log\n")
    for name in ("x.o", "x.log", "x.c"):
        (repo / name).write_text("")
    assert call(repo).data.untracked == [".gitignore", "x.c"]


def test_sha256_and_packed_and_split(tmp_path: Path, git: Git) -> None:
    """Other formats of the same thing."""
    git("init", "--quiet", "--object-format=sha256")
    (tmp_path / "a").write_text("1\n")
    commit(git)
    git("gc", "--quiet")
    git("update-index", "--split-index")
    (tmp_path / "a").write_text("2\n")
    assert call(tmp_path, base="HEAD").data.diff == plain_diff(tmp_path, "HEAD")
    assert table(call(tmp_path)) == {"a": ("modified", 1, 1, None)}


def test_parse_numstat_is_public() -> None:
    assert parse_numstat("1\t2\ta\n")[0].path == "a"
