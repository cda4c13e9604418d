"""The git tools over clients that have nothing but the three methods, and over other shells than this machine's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox
from rootle.contracts import ExecResult
from rootle.errors import AlreadyExists, NotARepository, RepositoryRefused, SandboxUnavailable
from rootle.git.policy import GitPolicy, set_policy
from rootle.sandbox import Environment, LocalSandbox
from rootle.sandbox.bubblewrap import BubblewrapSandbox
from rootle.web.addresses import AddressGuard

if TYPE_CHECKING:
    from tests.git.conftest import GitServer, Plain


class Elsewhere:
    """A sandbox with a shell of its own, and no more than the contract."""

    def __init__(self, root: Path, shell: list[str], path: str) -> None:
        self._inner = LocalSandbox(root, environment=Environment(source={"PATH": path, "TMPDIR": str(root)}))
        self._shell = shell
        self.most = 0

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
        result = await self._inner.exec(
            [*self._shell, *argv[1:]] if argv[0] == "/bin/sh" else argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            timeout_s=timeout_s,
            max_output_bytes=max_output_bytes,
        )
        self.most = max(self.most, len(result.stdout))
        return result

    async def read_file(self, path: str) -> bytes:
        return await self._inner.read_file(path)

    async def write_file(self, path: str, data: bytes) -> None:
        await self._inner.write_file(path, data)


@pytest.fixture(params=["sh", "bash", "busybox"])
def client(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Elsewhere:
    """A client whose scripts run in each of the shells; with busybox every program but git is its own."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    if request.param != "busybox":
        return Elsewhere(root, [program], os.environ["PATH"])
    tools = tmp_path / "tools"
    tools.mkdir()
    # Without flock, which Debian's busybox has not.
    needed = "cat cp env find grep head id ln ls mkdir mktemp mv rm rmdir sed tail tr"
    for name in needed.split():
        (tools / name).symlink_to(program)
    git = shutil.which("git")
    assert git is not None
    (tools / "git").symlink_to(git)
    return Elsewhere(root, [program, "sh"], str(tools))


def test_diff(client: Elsewhere, repo: Plain, root: Path) -> None:
    """What is found and what is refused is the same everywhere."""
    box = Toolbox(root, sandbox=client)
    repo.write({"file.txt": "one\nthree\n", "new\tname": "x"})
    answer = box.call("git_diff", {"base": "main"})
    assert "-two\n+three" in answer.data.diff
    assert (answer.data.additions, answer.data.untracked) == (1, ["new\\x09name"])
    assert sorted(path.name for path in root.iterdir()) == [".git", "file.txt", "new\tname"]
    repo("worktree", "add", "--quiet", "tree")
    assert str(box.call("git_diff", {"repository": "tree"})) == "No changes."
    (root / ".git/objects/info/alternates").write_text("/elsewhere\n/usr\n")
    with pytest.raises(RepositoryRefused) as refused:
        box.call("git_diff", {})
    assert refused.value.details["reason"] == "alternates_outside"
    shutil.rmtree(root / ".git")
    with pytest.raises(NotARepository):
        box.call("git_diff", {})


def test_diff_that_is_cut(client: Elsewhere, repo: Plain, root: Path) -> None:
    """Where it is made: a client may keep all that is printed."""
    repo.write({"file.txt": "x\n" * 500_000})
    answer = Toolbox(root, sandbox=client).call("git_diff", {"max_bytes": 1000})
    assert 900 < len(answer.data.diff) <= 1000
    assert (answer.data.additions, answer.data.complete) == (500_000, False)
    assert client.most == 1001


def test_clone(client: Elsewhere, server: GitServer, root: Path) -> None:
    box = Toolbox(root, allow_web=True, sandbox=client)
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"], resolver=lambda host, port: ["127.0.0.1"])
    set_policy(box.workspace, GitPolicy(protocols=["http"], addresses=guard))
    (root / ".rootle-clone-dead").mkdir()
    os.utime(root / ".rootle-clone-dead", (1, 1))
    server.redirects["moved"] = "/{rest}"
    url = server.url("moved/tool.git", host="repo.test").replace("://", "://me:secret@")
    answer = box.call("git_clone", {"url": url, "dest": "a/b", "branch": "topic", "depth": 1})
    assert (answer.data.branch, answer.data.path) == ("topic", "a/b")
    assert (root / "a/b/topic.txt").exists()
    with pytest.raises(AlreadyExists):
        box.call("git_clone", {"url": url, "dest": "a/b"})
    box.call("git_clone", {"url": url})
    assert sorted(path.name for path in root.iterdir()) == ["a", "tool"]
    assert sorted(path.name for path in (root / "a").iterdir()) == ["b"]


def test_files_and_commands_both_in_a_client(repo: Plain, root: Path) -> None:
    """A toolbox that has nothing but a client."""
    repo.write({"file.txt": "one\nthree\n"})
    box = Toolbox(Elsewhere(root, ["/bin/sh"], os.environ["PATH"]))
    assert "-two\n+three" in box.call("git_diff", {"base": "HEAD", "paths": ["file.txt"]}).data.diff
    assert '("nowhere" does not exist' in str(box.call("git_diff", {"paths": ["nowhere"]}))


def test_in_bubblewrap(server: GitServer, repo: Plain, root: Path) -> None:
    """Where commands see little of this machine."""
    try:
        sandbox = BubblewrapSandbox(root, net=True)
        sandbox.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"], resolver=lambda host, port: ["127.0.0.1"])
    policy = GitPolicy(protocols=["http"], addresses=guard)
    box = Toolbox(root, allow_web=True, sandbox=sandbox, git=policy)
    repo.write({"file.txt": "one\nthree\n"})
    assert "-two\n+three" in box.call("git_diff", {}).data.diff
    box.call("git_clone", {"url": server.url("tool.git", host="repo.test")})
    assert str(box.call("git_diff", {"repository": "tool"})) == "No changes."
