"""How git connects, protocol by protocol: to the checked address, under the name that was given."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox
from rootle.errors import AddressRefused, CloneFailed, InvalidArgument
from rootle.git.policy import GitPolicy
from rootle.sandbox import Environment, LocalSandbox
from rootle.web.addresses import AddressGuard

if TYPE_CHECKING:
    from tests.git.conftest import GitServer, Plain, PlainIn


def toolbox(root: Path, port: int | str, *protocols: str, **env: str) -> Toolbox:
    """Make a toolbox that may connect to loopback under every name, with variables in its commands' environment."""
    guard = AddressGuard(allow=[f"127.0.0.1:{port}"], resolver=lambda host, port: ["127.0.0.1"])
    environment = Environment(source={"PATH": os.environ["PATH"], **env}, keep=["GIT_SSL_CAINFO"])
    sandbox = LocalSandbox(root, environment=environment)
    return Toolbox(root, allow_web=True, sandbox=sandbox, git=GitPolicy(protocols=protocols, addresses=guard))


# --- https ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `repo.test` with its key, which vouches for itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "pair.pem"
    made = subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "30",
            "-subj",
            "/CN=repo.test",
            "-addext",
            "subjectAltName=DNS:repo.test",
            "-keyout",
            "-",
            "-out",
            "-",
        ],
        capture_output=True,
        check=True,
    )
    path.write_bytes(made.stdout)
    return path


@pytest.fixture
def named(server: GitServer, certificate: Path) -> list[str]:
    """Put the server behind TLS, and give the names that clients ask for."""
    names: list[str] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda connection, name, _: names.append(name)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return names


def test_https_keeps_the_name(named: list[str], server: GitServer, certificate: Path, root: Path) -> None:
    """In the handshake, in the check of the certificate and in the Host header."""
    box = toolbox(root, server.port, "https", GIT_SSL_CAINFO=str(certificate))
    answer = box.call("git_clone", {"url": f"https://repo.test:{server.port}/tool.git"})
    assert (root / "tool/file.txt").exists()
    assert answer.data.url == f"https://repo.test:{server.port}/tool.git"
    assert set(named) == {"repo.test"}
    assert {host for host, _, _ in server.asked} == {f"repo.test:{server.port}"}


@pytest.mark.parametrize(("host", "trusted"), [("other.test", True), ("repo.test", False)])
def test_https_with_a_wrong_certificate(
    named: list[str], server: GitServer, certificate: Path, root: Path, host: str, trusted: bool
) -> None:
    """Of another name, or that nobody vouches for; switching the check off by a variable counts for nothing."""
    env = {"GIT_SSL_NO_VERIFY": "1", **({"GIT_SSL_CAINFO": str(certificate)} if trusted else {})}
    with pytest.raises(CloneFailed, match=r"(?i)certificate|SSL|server verification"):
        toolbox(root, server.port, "https", **env).call("git_clone", {"url": f"https://{host}:{server.port}/tool.git"})
    assert not server.asked
    assert list(root.iterdir()) == []


def test_https_is_not_left_for_http(named: list[str], server: GitServer, certificate: Path, root: Path) -> None:
    """Even where http is allowed."""
    server.redirects["moved"] = f"http://repo.test:{server.port}/{{rest}}"
    box = toolbox(root, server.port, "https", "http", GIT_SSL_CAINFO=str(certificate))
    with pytest.raises(CloneFailed, match="not encrypted"):
        box.call("git_clone", {"url": f"https://repo.test:{server.port}/moved/tool.git"})
    assert len(server.asked) == 1


# --- git -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def daemon(server: GitServer) -> Iterator[tuple[int, Path]]:
    """A daemon of the git protocol that serves the host `repo.test` alone; its port and its log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (server.path / "repo.test").symlink_to(".")
    log = server.path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [
                *["git", "daemon", "--reuseaddr", "--export-all", "--verbose", "--listen=127.0.0.1"],
                f"--port={port}",
                f"--interpolated-path={server.path}/%H%D",
                str(server.path),
            ],
            env={"PATH": os.environ["PATH"], "HOME": str(server.path), "GIT_CONFIG_COUNT": "1"}
            | {"GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"},
            stderr=file,
            start_new_session=True,
        )
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.01)
    yield port, log
    os.killpg(process.pid, 15)
    process.wait()


def test_git_protocol(daemon: tuple[int, Path], root: Path, plain: PlainIn) -> None:
    """The address is connected to; the name is sent, and stays in the copy's configuration."""
    port, _ = daemon
    url = f"git://repo.test:{port}/tool.git"
    answer = toolbox(root, port, "git").call("git_clone", {"url": url})
    assert (root / "tool/file.txt").exists()
    assert answer.data.url == url
    assert plain(root / "tool")("config", "remote.origin.url").strip() == url


# --- ssh -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def fake_ssh(tmp_path: Path, server: GitServer) -> Path:
    """A program in place of ssh, which notes how it was called and runs what it was told here."""
    folder = tmp_path / "programs"
    folder.mkdir()
    program = folder / "ssh"
    program.write_text(
        f"#!/bin/sh\nprintf '%s\\n' \"$@\" >'{tmp_path}/called'\nfor last; do :; done\n"
        f'cd \'{server.path}\' && eval "$(printf %s "$last" | sed "s:\'/:\'./:")"\n'
    )
    program.chmod(0o755)
    return folder


def test_ssh(fake_ssh: Path, root: Path, tmp_path: Path, plain: PlainIn) -> None:
    """Nothing of the user's settings for ssh is read; the address is connected to, the key is the name's."""
    path = f"{fake_ssh}:{os.environ['PATH']}"
    answer = toolbox(root, 22, "ssh", PATH=path).call("git_clone", {"url": "ssh://git@repo.test/tool.git"})
    assert (root / "tool/file.txt").exists()
    assert answer.data.url == "ssh://repo.test/tool.git"
    called = (tmp_path / "called").read_text().splitlines()
    for option in ("BatchMode=yes", "ProxyCommand=none", "HostName=127.0.0.1", "HostKeyAlias=repo.test"):
        assert option in called
    assert called[called.index("-F") + 1] == "/dev/null"
    assert "git@repo.test" in called


@pytest.mark.parametrize(
    "url",
    ["ssh://-oProxyCommand=x/y", "ssh://-l@repo.test/y", "ssh://a%20-oX=y@repo.test/y", "ssh://a:b@repo.test/y"],
)
def test_ssh_takes_no_options(fake_ssh: Path, root: Path, tmp_path: Path, url: str) -> None:
    """From a URL, in none of its parts."""
    path = f"{fake_ssh}:{os.environ['PATH']}"
    with pytest.raises(InvalidArgument):
        toolbox(root, "*", "ssh", PATH=path).call("git_clone", {"url": url})
    assert not (tmp_path / "called").exists()


# --- what the policy and the version decide ------------------------------------------------------------------------


def test_file_protocol_when_it_is_allowed(server: GitServer, root: Path) -> None:
    """For those who mirror to a disk."""
    toolbox(root, 1, "file").call("git_clone", {"url": f"file://{server.path}/tool.git"})
    assert (root / "tool/file.txt").exists()


@pytest.mark.parametrize("protocol", ["ssh", "git"])
def test_ports_of_other_protocols_are_not_open_by_themselves(root: Path, protocol: str) -> None:
    """Allowing a protocol allows no address."""
    guard = AddressGuard(resolver=lambda host, port: ["93.184.216.34"])
    box = Toolbox(root, allow_web=True, git=GitPolicy(protocols=[protocol], addresses=guard))
    with pytest.raises(AddressRefused, match="port"):
        box.call("git_clone", {"url": f"{protocol}://repo.test/x"})


@pytest.mark.parametrize("protocols", [["ext"], ["https", "fd"], [""]])
def test_protocols_that_run_programs_cannot_be_allowed(protocols: list[str]) -> None:
    with pytest.raises(InvalidArgument):
        GitPolicy(protocols=protocols)


@pytest.mark.parametrize("version", ["2.36.9", "1.99.0", "2.9"])
def test_old_git_is_refused(root: Path, tmp_path: Path, repo: Plain, version: str) -> None:
    """One that would connect where it likes."""
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\necho git version {version}\ntouch '{tmp_path}/ran'.\"$1\"\n")
    (folder / "git").chmod(0o755)
    with pytest.raises(CloneFailed, match="too old"):
        toolbox(root, 8080, "http", PATH=f"{folder}:{os.environ['PATH']}").call(
            "git_clone", {"url": "http://repo.test:8080/x"}
        )
    assert not (tmp_path / "ran.clone").exists()
