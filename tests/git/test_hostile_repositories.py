"""Nothing that a repository brought is run or believed (case 115 of the faults).

Each trap is first sprung by plain git, which proves that it works; then the tool is called, and it must not be.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from rootle import Toolbox
from rootle.errors import GitFailed, RootleError, SandboxUnavailable
from rootle.git import repository as repository_module
from rootle.sandbox import Environment, LocalSandbox

if TYPE_CHECKING:
    from tests.git.conftest import Plain

Trap: TypeAlias = "Callable[[Plain, Path], None]"
TRAPS: dict[str, Trap] = {}


def trap(made: Trap) -> Trap:
    TRAPS[made.__name__] = made
    return made


def script(repo: Plain, marker: Path, *, gives: str = "cat") -> Path:
    """Make a program that leaves a mark."""
    path = repo.home / "program"
    path.write_text(f"#!/bin/sh\ntouch '{marker}'\n{gives}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@trap
def fsmonitor(repo: Plain, marker: Path) -> None:
    repo("config", "core.fsmonitor", str(script(repo, marker, gives="printf 'token\\0/\\0'")))


@trap
def external_diff(repo: Plain, marker: Path) -> None:
    repo("config", "diff.external", str(script(repo, marker)))


@trap
def driver_command(repo: Plain, marker: Path) -> None:
    repo("config", "diff.x.command", str(script(repo, marker)))
    repo.write({".gitattributes": "* diff=x\n"})


@trap
def driver_textconv(repo: Plain, marker: Path) -> None:
    repo("config", "diff.x.textconv", str(script(repo, marker, gives='cat "$1"')))
    repo.write({".gitattributes": "* diff=x\n"})


@trap
def filter_clean(repo: Plain, marker: Path) -> None:
    repo("config", "filter.x.clean", str(script(repo, marker)))
    repo.write({".gitattributes": "* filter=x\n"})


@trap
def filter_process(repo: Plain, marker: Path) -> None:
    repo("config", "filter.x.process", str(script(repo, marker, gives="exit 1")))
    repo.write({".gitattributes": "* filter=x\n"})


@trap
def attributes_file(repo: Plain, marker: Path) -> None:
    repo("config", "filter.x.clean", str(script(repo, marker)))
    (repo.home / "attributes").write_text("* filter=x\n", encoding="utf-8")
    repo("config", "core.attributesFile", str(repo.home / "attributes"))


@trap
def info_attributes(repo: Plain, marker: Path) -> None:
    repo("config", "filter.x.clean", str(script(repo, marker)))
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("* filter=x\n", encoding="utf-8")


@trap
def index_hook(repo: Plain, marker: Path) -> None:
    hooks = repo.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    script(repo, marker).rename(hooks / "post-index-change")
    touched_files(repo)


@trap
def hooks_path(repo: Plain, marker: Path) -> None:
    hooks = repo.home / "hooks"
    hooks.mkdir()
    script(repo, marker).rename(hooks / "post-index-change")
    repo("config", "core.hooksPath", str(hooks))
    touched_files(repo)


@trap
def included_file(repo: Plain, marker: Path) -> None:
    (repo.path / "settings").write_text(f"[diff]\n external = {script(repo, marker)}\n", encoding="utf-8")
    repo("config", "include.path", "../settings")


@trap
def included_if(repo: Plain, marker: Path) -> None:
    (repo.path / "settings").write_text(f"[diff]\n external = {script(repo, marker)}\n", encoding="utf-8")
    repo("config", "includeIf.gitdir:**.path", "../settings")


@trap
def work_tree_settings(repo: Plain, marker: Path) -> None:
    repo("config", "extensions.worktreeConfig", "true")
    (repo.path / ".git/config.worktree").write_text(f"[diff]\n external = {script(repo, marker)}\n", encoding="utf-8")


@trap
def missing_object_fetched(repo: Plain, marker: Path) -> None:
    """A partial clone asks its remote for missing objects, and the remote may be a program."""
    blob = repo("rev-parse", "HEAD:file.txt").strip()
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    repo("config", "core.repositoryFormatVersion", "1")
    repo("config", "extensions.partialClone", "origin")
    repo("config", "remote.origin.promisor", "true")
    repo("config", "remote.origin.url", f"ext::{script(repo, marker, gives='exit 1')}")
    repo("config", "protocol.ext.allow", "always")


@trap
def submodule_settings(repo: Plain, marker: Path) -> None:
    """To see whether a submodule is dirty, git runs in it."""
    inner = type(repo)(repo.path / "sub", repo.home)
    inner("init", "--quiet")
    inner.commit({"a": "1\n"})
    repo("-c", "advice.addEmbeddedRepo=false", "add", "sub")
    repo("commit", "--quiet", "--message", "sub")
    inner("config", "core.fsmonitor", str(script(repo, marker, gives="printf 'token\\0/\\0'")))
    inner.write({"a": "2\n"})


def touched_files(repo: Plain) -> None:
    """Make the index out of date, so that git writes it."""
    os.utime(repo.path / "file.txt", (1, 1))


@pytest.mark.parametrize("name", TRAPS)
def test_trap_is_not_sprung(repo: Plain, box: Toolbox, tmp_path: Path, name: str) -> None:
    """By the tool, in any of its ways; plain git springs it."""
    marker = tmp_path / "marker"
    if name not in ("index_hook", "hooks_path"):
        repo.write({"file.txt": "one\nthree\n"})
    TRAPS[name](repo, marker)
    before = snapshot(repo.path)
    start = time.monotonic()
    for arguments in ({}, {"staged": True}, {"base": "HEAD"}, {"base": "HEAD", "head": "HEAD"}):
        # An object that is missing is git's failure, and nothing else here is one.
        with contextlib.suppress(*([GitFailed] if name == "missing_object_fetched" else [])):
            answer = box.call("git_diff", arguments)
            if name != "submodule_settings" and not {"staged", "head"} & set(arguments) and "hook" not in name:
                assert "file.txt" in str(answer)
    assert time.monotonic() - start < 20
    assert not marker.exists()
    assert snapshot(repo.path) == before
    repo("diff", check=False)
    assert marker.exists(), "plain git does not spring the trap: the test proves nothing"


def snapshot(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


CONFIGURED = sorted(
    set(TRAPS)
    - {"index_hook", "work_tree_settings", "submodule_settings", "missing_object_fetched"}
    # An include is relative to the file that names it, and that is another one here.
    - {"included_file", "included_if"}
)


@pytest.mark.parametrize("name", CONFIGURED)
def test_traps_are_sprung_without_the_guard(
    repo: Plain, box: Toolbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """With the repository's own configuration in place of rootle's, the tool would run the programs."""
    from rootle.git import diff as diff_module

    marker = tmp_path / "marker"
    if name != "hooks_path":
        repo.write({"file.txt": "one\nthree\n"})
    TRAPS[name](repo, marker)
    own = (repo.path / ".git/config").read_text(encoding="utf-8")
    monkeypatch.setattr(repository_module, "settings_for", lambda config: own)
    arguments = diff_module.Compared.arguments

    def unguarded(self: diff_module.Compared, *options: str) -> list[str]:
        kept = [text for text in arguments(self, *options) if text not in ("--no-ext-diff", "--no-textconv")]
        return kept

    monkeypatch.setattr(diff_module.Compared, "arguments", unguarded)
    with contextlib.suppress(RootleError):
        box.call("git_diff", {})
    assert marker.exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_EXTERNAL_DIFF": "{program}"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.external", "GIT_CONFIG_VALUE_0": "{program}"},
        {"GIT_CONFIG_PARAMETERS": "'diff.external={program}'"},
        {"GIT_CONFIG_GLOBAL": "{settings}"},
        {"HOME": "{home}"},
        {"XDG_CONFIG_HOME": "{home}/xdg"},
        {"GIT_TRACE": "{marker}"},
        {"GIT_EXEC_PATH": "{home}/exec"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_surroundings_count_for_nothing(repo: Plain, tmp_path: Path, variables: dict[str, str]) -> None:
    """Neither variables, nor files of the user's, even in a sandbox that keeps them."""
    marker = tmp_path / "marker"
    program = script(repo, marker)
    settings = f"[diff]\n external = {program}\n"
    for name in (".gitconfig", "xdg/git/config", "settings"):
        (repo.home / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.home / name).write_text(settings, encoding="utf-8")
    (repo.home / "exec").mkdir()
    facts = {"program": program, "home": repo.home, "marker": marker, "settings": repo.home / "settings"}
    env = {name: value.format(**facts) for name, value in variables.items()}
    keeping = LocalSandbox(repo.path, environment=Environment(source={"PATH": os.environ["PATH"], **env}, keep=["*"]))
    repo.write({"file.txt": "one\nthree\n"})
    assert "+three" in str(Toolbox(repo.path, sandbox=keeping).call("git_diff", {}))
    assert not marker.exists()
    if "GIT_EXEC_PATH" not in env:
        type(repo)(repo.path, tmp_path / "nobody")("diff", check=False, **env)
        assert marker.exists()


@pytest.mark.parametrize("place", ["{root}/bin", "bin", ".", ""])
def test_a_git_of_the_repository_is_not_run(repo: Plain, tmp_path: Path, place: str) -> None:
    """When the search path leads into the root, or is relative to it."""
    marker = tmp_path / "marker"
    for folder in ("bin", "."):
        target = repo.path / folder / "git"
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
        target.chmod(0o755)
    path = f"{place.format(root=repo.path)}:{os.environ['PATH']}"
    sandbox = LocalSandbox(repo.path, environment=Environment(source={"PATH": path}))
    repo.write({"file.txt": "one\nthree\n"})
    assert "+three" in str(Toolbox(repo.path, sandbox=sandbox).call("git_diff", {}))
    assert not marker.exists()
    sandbox.run(["sh"], script="git diff")
    assert marker.exists()


def test_no_git_at_all(repo: Plain, tmp_path: Path) -> None:
    """Is said as what it is."""
    sandbox = LocalSandbox(repo.path, environment=Environment(source={"PATH": str(tmp_path)}))
    with pytest.raises(SandboxUnavailable, match="git is not installed"):
        Toolbox(repo.path, sandbox=sandbox).call("git_diff", {})
