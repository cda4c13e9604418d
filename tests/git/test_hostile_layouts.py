"""Where the parts of a repository may lie: inside the root, unless it is allowed (case 117 of the faults)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from rootle import Toolbox
from rootle.errors import NotARepository, RepositoryRefused
from rootle.git.policy import GitPolicy, set_policy

if TYPE_CHECKING:
    from tests.git.conftest import Plain, PlainIn

Layout: TypeAlias = "Callable[[Plain, Plain], None]"
LAYOUTS: dict[str, tuple[str, Layout]] = {}


def layout(reason: str) -> Callable[[Layout], Layout]:
    def add(made: Layout) -> Layout:
        LAYOUTS[made.__name__] = (reason, made)
        return made

    return add


@layout("gitdir_outside")
def file_with_gitdir(inside: Plain, outside: Plain) -> None:
    inside.write({".git": f"gitdir: {outside.path}/.git\n"})


@layout("gitdir_outside")
def file_with_relative_gitdir(inside: Plain, outside: Plain) -> None:
    inside.write({".git": "gitdir: ../outside/.git\n"})


@layout("gitdir_outside")
def file_with_gitdir_through_a_link(inside: Plain, outside: Plain) -> None:
    (inside.path / "via").symlink_to(outside.path)
    inside.write({".git": "gitdir: via/.git\n"})


@layout("link")
def link_to_the_repository(inside: Plain, outside: Plain) -> None:
    (inside.path / ".git").symlink_to(outside.path / ".git")


@layout("link")
def link_that_stays_inside(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git").rename(inside.path / "hidden")
    (inside.path / ".git").symlink_to("hidden")


@layout("commondir_outside")
def common_directory(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    inside.write({".git/commondir": f"{outside.path}/.git\n"})


@layout("gitdir_outside")
def linked_work_tree(inside: Plain, outside: Plain) -> None:
    inside.path.rmdir()
    outside("worktree", "add", "--quiet", str(inside.path))


@layout("objects_outside")
def link_to_objects(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/objects").rename(inside.path / "moved")
    (inside.path / ".git/objects").symlink_to(outside.path / ".git/objects")


@layout("refs_outside")
def link_to_refs(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/refs").rename(inside.path / "moved")
    (inside.path / ".git/refs").symlink_to(outside.path / ".git/refs")


@layout("link")
def link_to_a_pack_directory(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/objects/pack").rmdir()
    (inside.path / ".git/objects/pack").symlink_to(outside.path / ".git/objects/pack")


@layout("link")
def link_to_one_ref(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/refs/heads/x").symlink_to(outside.path / ".git/refs/heads/main")


@layout("link")
def link_to_an_index(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/index").symlink_to(outside.path / ".git/index")


@layout("link")
def link_to_a_head(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/HEAD").unlink()
    (inside.path / ".git/HEAD").symlink_to(outside.path / ".git/HEAD")


@layout("link")
def link_to_a_configuration(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/config").unlink()
    (inside.path / ".git/config").symlink_to(outside.path / ".git/config")


@layout("alternates_outside")
def borrowed_objects(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    inside.write({".git/objects/info/alternates": f"{outside.path}/.git/objects\n"})


@layout("alternates_outside")
def borrowed_objects_of_borrowed_ones(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    inside("init", "--quiet", "--bare", "lender")
    inside.write(
        {
            ".git/objects/info/alternates": "../../lender/objects\n",
            "lender/objects/info/alternates": f"# a comment\n{outside.path}/.git/objects\n",
        }
    )


@layout("special")
def fifo_as_a_head(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    (inside.path / ".git/HEAD").unlink()
    os.mkfifo(inside.path / ".git/HEAD")


@layout("special")
def fifo_as_a_repository(inside: Plain, outside: Plain) -> None:
    os.mkfifo(inside.path / ".git")


@layout("link")
def fifo_as_a_pack(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    os.mkfifo(inside.path / ".git/objects/pack/pack-1.idx")


@layout("work_tree")
def other_work_tree(inside: Plain, outside: Plain) -> None:
    inside("init", "--quiet")
    inside("config", "core.worktree", str(outside.path))


@pytest.mark.parametrize("name", LAYOUTS)
def test_part_outside_is_refused(tmp_path: Path, plain: PlainIn, name: str) -> None:
    """At once, and without a word of what is out there."""
    reason, make = LAYOUTS[name]
    outside = plain(tmp_path / "outside")
    outside("init", "--quiet", "--initial-branch=main")
    outside.commit({"secret.txt": "hidden treasure\n"})
    inside = plain(tmp_path / "root")
    make(inside, outside)
    start = time.monotonic()
    with pytest.raises(RepositoryRefused) as refused:
        Toolbox(inside.path).call("git_diff", {"base": "HEAD"})
    assert time.monotonic() - start < 5
    assert refused.value.details["reason"] == reason
    assert refused.value.code == "repository_refused"
    assert isinstance(refused.value, PermissionError)
    assert "treasure" not in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["linked_work_tree", "file_with_gitdir", "link_to_the_repository", "borrowed_objects"])
def test_part_outside_can_be_allowed(tmp_path: Path, plain: PlainIn, name: str) -> None:
    """By the policy, for a place and no other."""
    outside = plain(tmp_path / "outside")
    outside("init", "--quiet", "--initial-branch=main")
    commit = outside.commit({"file.txt": "one\n"})
    inside = plain(tmp_path / "root")
    LAYOUTS[name][1](inside, outside)
    inside.write({"file.txt": "two\n"})
    box = Toolbox(inside.path)
    set_policy(box.workspace, GitPolicy(outside=[str(tmp_path / "elsewhere")]))
    with pytest.raises(RepositoryRefused):
        box.call("git_diff", {})
    set_policy(box.workspace, GitPolicy(outside=[str(tmp_path / "outside")]))
    assert "-one\n" in str(box.call("git_diff", {"base": commit}))


def test_linked_work_tree_inside_the_root(repo: Plain, box: Toolbox) -> None:
    """Both are inside: there is nothing to refuse, and each has its own HEAD and index."""
    repo("worktree", "add", "--quiet", "-b", "topic", "tree")
    tree = type(repo)(repo.path / "tree", repo.home)
    tree.commit({"file.txt": "one\nstill\n"})
    tree.write({"file.txt": "one\nmore\n"})
    assert "-still\n+more" in str(box.call("git_diff", {"repository": "tree"}))
    assert "-two\n+still" in str(box.call("git_diff", {"repository": "tree", "base": "main", "head": "topic"}))


def test_repository_above_the_root_is_not_seen(repo: Plain) -> None:
    """The root is where looking ends."""
    repo.write({"deep/er/a": "1\n"})
    with pytest.raises(NotARepository) as none:
        Toolbox(repo.path / "deep").call("git_diff", {"repository": "er"})
    assert none.value.details["reason"] == "none"
    assert "er" in str(Toolbox(repo.path).call("git_diff", {"repository": "deep/er"}))


def test_alternates_that_turn_in_a_circle(repo: Plain, box: Toolbox) -> None:
    """End after a few steps."""
    (repo.path / ".git/objects/info").mkdir(exist_ok=True)
    (repo.path / ".git/objects/info/alternates").write_text(".\n", encoding="utf-8")
    start = time.monotonic()
    with pytest.raises(RepositoryRefused) as refused:
        box.call("git_diff", {})
    assert refused.value.details["reason"] == "alternates_deep"
    assert time.monotonic() - start < 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
@pytest.mark.parametrize("part", [".", ".git"])
def test_repository_of_another_user(repo: Plain, box: Toolbox, part: str) -> None:
    """Is refused, as git refuses it, unless the policy says otherwise."""
    os.chown(repo.path / part, 12345, 12345)
    repo.write({"file.txt": "one\nthree\n"})
    with pytest.raises(RepositoryRefused, match="belongs to another user") as refused:
        box.call("git_diff", {})
    assert refused.value.details["reason"] == "owner"
    set_policy(box.workspace, GitPolicy(any_owner=True))
    assert "+three" in str(box.call("git_diff", {}))
