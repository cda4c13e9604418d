"""Cloning from a server on loopback, which the policy allows by its port."""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox
from rootle.errors import (
    AddressRefused,
    AlreadyExists,
    CloneFailed,
    InvalidPath,
    NotADirectory,
    PathEscapesRoot,
    ProtectedPath,
    RootleError,
)
from rootle.git.policy import GitPolicy, set_policy
from rootle.sandbox import Environment, LocalSandbox
from rootle.web.addresses import AddressGuard

if TYPE_CHECKING:
    from tests.git.conftest import GitServer, Plain, PlainIn

HOSTS = {"repo.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]}


def allow(box: Toolbox, server: GitServer, *, protocols: tuple[str, ...] = ("http",)) -> None:
    """Let the toolbox connect to the server, by its address, under any name of `HOSTS`."""
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"], resolver=lambda host, port: HOSTS[host])
    set_policy(box.workspace, GitPolicy(protocols=protocols, addresses=guard))


@pytest.fixture
def call(box: Toolbox, server: GitServer) -> Any:
    allow(box, server)
    return lambda url, **arguments: box.call("git_clone", {"url": url, **arguments})


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


@pytest.mark.parametrize("path", ["tool.git", "tool.git/"])
def test_clone(call: Any, server: GitServer, root: Path, box: Toolbox, plain: PlainIn, path: str) -> None:
    """The name comes from the URL; commit and branch are said; the copy is a common repository."""
    answer = call(server.url(path))
    tool = plain(root / "tool")
    assert (root / "tool/file.txt").read_text() == "2\n"
    head = tool("rev-parse", "HEAD").strip()
    assert (answer.data.path, answer.data.commit, answer.data.branch) == ("tool", head, "main")
    assert str(answer) == f"Cloned {server.url(path)} to tool. {head} is checked out, branch main."
    assert left(root) == ["tool"]
    assert left(root / "tool") == [".git", "file.txt"]
    assert not (root / "tool/.git/hooks").exists()
    assert tool("config", "remote.origin.url").strip() == server.url(path)
    assert tool("status", "--porcelain") == ""
    assert box.changed == ["tool"]


def test_depth_branch_and_tag(call: Any, server: GitServer, root: Path, plain: PlainIn) -> None:
    url = server.url("tool.git")
    shallow = call(url, dest="a", depth=1)
    assert plain(root / "a")("rev-list", "--count", "HEAD").strip() == "1"
    assert "(History is limited to depth 1.)" in str(shallow)
    assert call(url, dest="deep/er/b", branch="topic").data.branch == "topic"
    assert (root / "deep/er/b/topic.txt").exists()
    tagged = call(url, dest="c", branch="v1")
    assert (tagged.data.branch, len(tagged.data.commit)) == (None, 40)
    assert "on no branch" in str(tagged)


def test_empty_repository(call: Any, server: GitServer, root: Path) -> None:
    answer = call(server.url("empty.git"))
    assert (answer.data.commit, answer.data.branch) == (None, "trunk")
    assert "no commits yet" in str(answer)
    assert left(root) == ["empty"]


def test_destination_that_is_an_empty_directory(call: Any, server: GitServer, root: Path) -> None:
    (root / "empty").mkdir()
    call(server.url("tool.git"), dest="empty")
    assert (root / "empty/file.txt").exists()


@pytest.mark.parametrize(
    ("dest", "error"),
    [
        ("../x", PathEscapesRoot),
        ("a/../../x", PathEscapesRoot),
        ("/tmp/x", PathEscapesRoot),
        ("out/x", PathEscapesRoot),
        ("out", AlreadyExists),
        ("dangling", AlreadyExists),
        ("inside", AlreadyExists),
        ("full", AlreadyExists),
        ("file", AlreadyExists),
        ("file/x", NotADirectory),
        ("dangling/x", NotADirectory),
        (".", InvalidPath),
        ("", InvalidPath),
        ("--config=core.hooksPath=x", InvalidPath),
        ("a/-x", InvalidPath),
        ("new\nline", InvalidPath),
        (".git", ProtectedPath),
        (".git/hooks", ProtectedPath),
        ("a/.GIT/x", ProtectedPath),
        (".g\u200dit/x", ProtectedPath),
        ("git~1/x", ProtectedPath),
        (".git::$INDEX_ALLOCATION", ProtectedPath),
    ],
)
def test_destination_is_refused(
    call: Any, server: GitServer, root: Path, tmp_path: Path, dest: str, error: type[RootleError]
) -> None:
    """At once, with nothing made anywhere (case 112)."""
    (tmp_path / "outside").mkdir()
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "dangling").symlink_to(tmp_path / "planted")
    (root / "full").mkdir()
    (root / "full/x").write_text("x")
    (root / "empty").mkdir()
    (root / "inside").symlink_to("empty")
    (root / "file").write_text("x")
    before = left(root)
    start = time.monotonic()
    with pytest.raises(error):
        call(server.url("tool.git"), dest=dest)
    assert time.monotonic() - start < 5
    assert left(root) == before
    assert left(root / "empty") == []
    assert left(tmp_path / "outside") == []
    assert not (tmp_path / "planted").exists()
    assert not (tmp_path / "x").exists()
    assert not server.asked


OPTIONS = ["--upload-pack=touch {marker}", "-u./x", "-utouch {marker}", "--config=core.gitProxy=x", "-"]
PROTOCOLS = [
    "ext::sh -c touch% {marker}",
    "ext::sh",
    "fd::17",
    "EXT::sh",
    "file:///",
    "file://{source}",
    "{source}",
    "/etc",
    "./source",
    "source",
    "",
    "ssh://-oProxyCommand=touch%20{marker}/x",
    "ssh://example.com/x",
    "git@example.com:x/y",
    "-oProxyCommand=x:y",
    "git://example.com/x",
    "ftp://example.com/x",
    "http://example.com\t/x",
    "http://example.com\\@127.0.0.1/x",
    "http://127.0.0.1:1@evil@example.com/x",
    "http://127.0.0.1/x?y",
    "http://127.0.0.1/x#y",
    "javascript:alert(1)",
    "transport::address",
]


@pytest.mark.parametrize("url", [*OPTIONS, *PROTOCOLS])
def test_url_is_refused(call: Any, root: Path, tmp_path: Path, server: GitServer, url: str) -> None:
    """Options and protocols that run or read something (cases 109 and 110)."""
    marker = tmp_path / "marker"
    start = time.monotonic()
    with pytest.raises(RootleError) as refused:
        call(url.format(marker=marker, source=tmp_path / "source"), dest="x")
    assert time.monotonic() - start < 1
    assert refused.value.code == "invalid_argument"
    assert "refused" in str(refused.value)
    assert left(root) == []
    assert not marker.exists()
    assert not server.asked


@pytest.mark.parametrize("url", ["https://host.test/x", "http://127.0.0.1:{other}/x", "http://unknown.test/x"])
def test_only_what_is_allowed_is_connected_to(box: Toolbox, server: GitServer, root: Path, url: str) -> None:
    """Another host, another port, a name that resolves elsewhere."""
    answers = {"host.test": ["93.184.216.34", "127.0.0.1"], "unknown.test": ["10.0.0.1"]}
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"], resolver=lambda host, port: answers[host])
    set_policy(box.workspace, GitPolicy(protocols=["http", "https"], addresses=guard))
    with pytest.raises(AddressRefused):
        box.call("git_clone", {"url": url.format(other=server.port + 1)})
    assert not server.asked
    assert left(root) == []


def test_git_connects_to_the_checked_address(call: Any, server: GitServer, root: Path) -> None:
    """The name is looked up by the guard alone: no name server knows it. The Host header keeps it."""
    call(server.url("tool.git", host="repo.test"))
    assert {host for host, _, _ in server.asked} == {f"repo.test:{server.port}"}
    assert (root / "tool/file.txt").exists()


def test_proxies_of_the_surroundings_are_not_used(server: GitServer, root: Path) -> None:
    """They would look names up themselves and connect wherever they like."""
    proxy = "http://127.0.0.1:9"
    env = {name: proxy for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
    sandbox = LocalSandbox(root, environment=Environment(source={"PATH": os.environ["PATH"], **env}, keep=["*"]))
    box = Toolbox(root, allow_web=True, sandbox=sandbox)
    allow(box, server)
    box.call("git_clone", {"url": server.url("tool.git", host="repo.test")})
    assert (root / "tool/file.txt").exists()


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/{rest}",
        "http://127.0.0.1/{rest}",
        "http://127.0.0.1:1/{rest}",
        "http://localhost/{rest}",
        "http://[::ffff:7f00:1]/{rest}",
        "http://metadata.test/{rest}",
    ],
)
def test_redirect_to_an_address_that_is_not_public(box: Toolbox, server: GitServer, root: Path, target: str) -> None:
    """Is checked like the first one, and never contacted (case 111)."""
    answers = {**HOSTS, "metadata.test": ["169.254.169.254"]}
    guard = AddressGuard(allow=[f"127.0.0.1:{server.port}"], resolver=lambda host, port: answers[host])
    set_policy(box.workspace, GitPolicy(protocols=["http"], addresses=guard))
    server.redirects["moved"] = target
    with pytest.raises(AddressRefused):
        box.call("git_clone", {"url": server.url("moved/tool.git")})
    assert len(server.asked) == 1
    assert left(root) == []


def test_redirect_is_followed_when_it_is_allowed(call: Any, server: GitServer, root: Path, plain: PlainIn) -> None:
    """Forges redirect renamed repositories, and those without `.git`."""
    server.redirects["moved"] = f"http://other.test:{server.port}/{{rest}}"
    server.redirects["twice"] = "/moved/{rest}"
    answer = call(server.url("twice/tool.git", host="repo.test"))
    final = server.url("tool.git", host="other.test")
    assert answer.data.url == final
    assert f"(The server redirected to {final}.)" in str(answer)
    assert plain(root / "tool")("config", "remote.origin.url").strip() == final


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/circle/{rest}", "more than 5 redirects"),
        ("/login?next=x", "which is no repository"),
        ("ftp://other.test/{rest}", "not an allowed protocol"),
        ("file:///etc/{rest}", "not an allowed protocol"),
        ("ext::sh/{rest}", "stands for a program"),
    ],
)
def test_redirect_that_leads_nowhere(call: Any, server: GitServer, root: Path, target: str, said: str) -> None:
    server.redirects["circle"] = target
    with pytest.raises(RootleError, match=said):
        call(server.url("circle/tool.git"))
    assert left(root) == []
    assert len(server.asked) <= 6


def test_server_that_names_borrowed_objects_elsewhere(
    call: Any, server: GitServer, root: Path, plain: PlainIn, tmp_path: Path
) -> None:
    """A server without git's protocol may send clients to other hosts for objects: not this one."""
    dumb = plain(server.path / "dumb")
    plain(tmp_path / "source")("clone", "--quiet", "--bare", ".", str(dumb.path / "tool.git"))
    inner = plain(dumb.path / "tool.git")
    inner("repack", "-adq")
    inner("update-server-info")
    call(server.url("dumb/tool.git"))
    assert (root / "tool/file.txt").exists()
    for pack in (inner.path / "objects/pack").iterdir():
        pack.unlink()
    (inner.path / "objects/info/packs").unlink()
    elsewhere = f"http://127.0.0.1:{server.port}/elsewhere/objects\n"
    (inner.path / "objects/info/http-alternates").write_text(elsewhere)
    with pytest.raises(CloneFailed):
        call(server.url("dumb/tool.git"), dest="again")
    assert not [path for _, path, _ in server.asked if "elsewhere" in path]
    assert left(root) == ["tool"]


SECRET = "s3cr3t/to ken"
ENCODED = "s3cr3t%2Fto%20ken"


def test_private_repository_fails_fast(call: Any, server: GitServer, root: Path) -> None:
    """Nobody is asked for a password (case 114)."""
    start = time.monotonic()
    with pytest.raises(CloneFailed, match="private") as failed:
        call(server.url("private/tool.git"))
    assert time.monotonic() - start < 5
    assert failed.value.code == "clone_failed"
    assert left(root) == []


@pytest.mark.parametrize("path", ["private/tool.git", "nothing.git", "moved/tool.git"])
def test_token_is_in_no_output(
    box: Toolbox, call: Any, server: GitServer, root: Path, tmp_path: Path, path: str
) -> None:
    """Nor in the configuration of the copy, nor on disk anywhere (case 114)."""
    (server.path / "private").mkdir()
    os.symlink(server.path / "tool.git", server.path / "private/tool.git")
    server.redirects["moved"] = f"http://other.test:{server.port}/nothing/{{rest}}"
    pair = base64.b64encode(f"me:{SECRET}".encode()).decode()
    server.password = f"Basic {pair}"
    url = server.url(path).replace("://", f"://me:{ENCODED}@")
    words = ""
    try:
        answer = call(url)
        words = str(answer) + answer.data.model_dump_json()
        assert path == "private/tool.git"
        assert (root / "tool/file.txt").exists()
    except CloneFailed as error:
        words = f"{error!r} {error} {error.details} {error.__cause__!r} {error.__context__!r}"
        assert path != "private/tool.git"
    else:
        assert server.asked
    for secret in (SECRET, ENCODED, pair, "s3cr3t"):
        assert secret not in words
    for file in [*root.rglob("*"), *Path(tmp_path / "home").rglob("*")]:
        if file.is_file():
            assert b"s3cr3t" not in file.read_bytes()
            assert pair.encode() not in file.read_bytes()
    if path == "private/tool.git":
        assert {authorization for _, _, authorization in server.asked} == {server.password}
    if path == "moved/tool.git":
        assert [authorization for host, _, authorization in server.asked if host.startswith("other")] == [None]


def test_submodules_and_filters_are_left_alone(
    box: Toolbox, call: Any, server: GitServer, root: Path, tmp_path: Path, plain: PlainIn
) -> None:
    """They are named, nothing else (case 113)."""
    marker = tmp_path / "marker"
    source = plain(tmp_path / "source")
    source.write(
        {
            ".gitmodules": '[submodule "x"]\n path = "sub\\r"\n'
            f" url = {server.url('x.git')}\n update = !touch {marker}\n",
            ".gitattributes": "*.bin filter=lfs diff=lfs\n",
            "a.bin": "pointer\n",
        }
    )
    head = source("rev-parse", "HEAD").strip()
    source("update-index", "--add", "--cacheinfo", f"160000,{head},sub\r")
    os.symlink(".git/modules/x/hooks", source.path / "sub")
    source("add", "sub", ".gitmodules", ".gitattributes", "a.bin")
    source("commit", "--quiet", "--message", "x")
    source("push", "--quiet", "--force", str(server.path / "tool.git"), "HEAD:main")
    answer = call(server.url("tool.git"))
    assert "(Submodules were not cloned.)" in str(answer)
    assert "(Files of Git LFS are pointers" in str(answer)
    assert not (root / "tool/.git/modules").exists()
    assert not marker.exists()
    assert len({path.split("/")[1] for _, path, _ in server.asked}) == 1


def test_templates_and_hooks_of_the_user_are_not_used(
    server: GitServer, root: Path, repo: Plain, tmp_path: Path
) -> None:
    """Even in a sandbox that keeps every variable (case 113)."""
    marker = tmp_path / "marker"
    hooks = repo.home / "template/hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    (hooks / "post-checkout").chmod(0o755)
    (repo.home / ".gitconfig").write_text(f"[core]\n hooksPath = {hooks}\n[init]\n templateDir = {hooks.parent}\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(repo.home), "GIT_TEMPLATE_DIR": str(hooks.parent)}
    sandbox = LocalSandbox(root, environment=Environment(source=env, keep=["*"]))
    box = Toolbox(root, allow_web=True, sandbox=sandbox)
    allow(box, server)
    box.call("git_clone", {"url": server.url("tool.git")})
    assert (root / "tool/file.txt").exists()
    assert not (root / "tool/.git/hooks").exists()
    assert not marker.exists()
    repo("clone", "--quiet", server.url("tool.git"), str(tmp_path / "control"))
    assert marker.exists(), "plain git does not run the hook: the test proves nothing"
