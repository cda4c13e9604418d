"""Cloning: one host that was checked, one protocol, nothing of the copy run, and all of it or nothing."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.errors import AlreadyExists, CloneFailed, NotADirectory, PathEscapesRoot, RootleError
from rootle.git.policy import GitPolicy
from rootle.git.redacting import cleaned
from rootle.git.running import Clock, run_script
from rootle.git.urls import CloneUrl, parse_clone_url
from rootle.rendering import escape_name
from rootle.web.addresses import CheckedUrl
from rootle.web.hosts import as_address

__all__ = ["Cloned", "clone"]

_AUTHORIZATION = "ROOTLE_GIT_AUTHORIZATION"
_REFS = "/info/refs?service=git-upload-pack"
_STALL_BYTES = 1_000
_OUTPUT_BYTES = 200_000

_SETTINGS = (
    "advice.detachedHead=false",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    # Names that other file systems take for .git are refused in every checkout.
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "credential.helper=",
    "fetch.uriProtocols=",
    "gc.auto=0",
    "http.followRedirects=false",
    f"http.lowSpeedLimit={_STALL_BYTES}",
    f"http.lowSpeedTime={limits.CLONE_STALL_S:.0f}",
    "http.proxy=",
    "http.sslVerify=true",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
)

_SSH = (
    "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ProxyCommand=none -o ProxyJump=none"
    " -o PermitLocalCommand=no -o ClearAllForwardings=yes -o ForwardAgent=no"
)

_HINTS = (
    ("terminal prompts disabled", "The repository is private, or there is none of that name."),
    ("Authentication failed", "The repository is private, or there is none of that name."),
    ("not found in upstream", "Leave branch out for the default one."),
    ("already exists and is not", "Name another dest."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloned:
    """A repository that was cloned.

    Attributes:
        url: Where it came from, without user name and password.
        commit: The commit that is checked out; None when the repository is empty.
        branch: None when a tag was asked for.
        redirected: The server named another URL than the one that was given.
        submodules: It has some; they were not cloned.
        large_files: It has files of Git LFS; they are pointers.
    """

    url: str
    commit: str | None
    branch: str | None
    redirected: bool
    submodules: bool
    large_files: bool


async def clone(
    client: SandboxClient,
    url: str,
    dest: str,
    policy: GitPolicy,
    clock: Clock,
    *,
    depth: int | None = None,
    branch: str | None = None,
) -> Cloned:
    """Clone a repository into a new directory.

    Args:
        client: Where git runs.
        url: Of a protocol that the policy allows.
        dest: A path that `checked_destination` gave.
        policy: What is allowed.
        clock: The time limit.
        depth: Commits of history.
        branch: A branch or tag, as `checked_branch` gave it.

    Raises:
        InvalidArgument, AddressRefused, HostNotFound: When the URL, or one that the server names, is refused.
        AlreadyExists: When the destination is there and not an empty directory.
        PathEscapesRoot, NotADirectory: When it cannot be made where it is said.
        CloneFailed: When git fails; nothing is left.
        DeadlineExceeded: When the time is over; nothing is left.
    """
    source = parse_clone_url(url, policy.protocols)
    known = source.secrets
    for hops in range(limits.CLONE_REDIRECTS + 1):
        with _no_secrets(known):
            checked = await _checked(source, policy, clock)
        result, fields = await _run(client, source, checked, dest, clock, depth=depth, branch=branch)
        if fields[0] == "cloned":
            commit, name, modules, large = fields[1:5]
            return Cloned(
                url=_location(source, checked),
                commit=commit or None,
                branch=name or None,
                redirected=hops > 0,
                submodules=bool(modules),
                large_files=bool(large),
            )
        location = fields[2]
        if checked is None or not location:
            raise _failed(result, known)
        source = _redirected(source, checked, location, policy, known)
    raise CloneFailed.of(f"more than {limits.CLONE_REDIRECTS} redirects", tool_name="git_clone")


@contextlib.contextmanager
def _no_secrets(known: tuple[str, ...]) -> Iterator[None]:
    """Keep secrets out of what the guard says of a URL."""
    try:
        yield
    except RootleError as error:
        if any(secret in str(error) for secret in known):
            raise CloneFailed.of("the URL is refused", tool_name="git_clone") from None
        raise


async def _checked(source: CloneUrl, policy: GitPolicy, clock: Clock) -> CheckedUrl | None:
    if source.scheme == "file":
        return None
    timeout_s = min(limits.RESOLVE_TIMEOUT_S, clock.left_s)
    return await policy.addresses.acheck(source.location, schemes=(source.scheme,), timeout_s=timeout_s)


def _location(source: CloneUrl, checked: CheckedUrl | None) -> str:
    return source.location if checked is None else str(checked.url)


async def _run(
    client: SandboxClient,
    source: CloneUrl,
    checked: CheckedUrl | None,
    dest: str,
    clock: Clock,
    *,
    depth: int | None,
    branch: str | None,
) -> tuple[ExecResult, list[str]]:
    """Run the script, and see to it that nothing is left whichever way it ends."""
    mark = secrets.token_hex(8)
    virtual_host, ssh, pinned = _pinned(source, checked)
    env = _environment(source)
    arguments = [part for setting in (*_SETTINGS, *pinned) for part in ("-c", setting)]
    if env:
        arguments.append(f"--config-env=http.extraHeader={_AUTHORIZATION}")
    arguments += ["clone", "--quiet", "--template=", "--no-recurse-submodules", "--origin=origin"]
    arguments += [] if depth is None else [f"--depth={depth}"]
    arguments += [] if branch is None else [f"--branch={branch}"]
    arguments += ["--", _with_user(source, checked)]
    work = run_script(
        client,
        "clone",
        dest,
        mark,
        source.scheme,
        virtual_host,
        ssh,
        *arguments,
        timeout_s=clock.left_s,
        max_output_bytes=_OUTPUT_BYTES,
        env=env,
    )
    try:
        result = await work
    except BaseException:
        await _remove(client, dest, mark)
        raise
    if not result.ok:
        await _remove(client, dest, mark)
    if result.timed_out:
        raise clock.out_of_time("cloning")
    fields = result.stdout.decode("utf-8", "replace").split("\0")
    if not result.ok or len(fields) < 4:
        raise _failed(result, source.secrets)
    if fields[0] == "refused":
        raise _refused(fields[1], fields[2], dest)
    return result, fields


def _pinned(source: CloneUrl, checked: CheckedUrl | None) -> tuple[str, str, list[str]]:
    """Have git connect to the addresses that were checked, and keep the name for certificates and virtual hosts.

    Gives a host's name for the git protocol, how ssh is called, and settings.
    """
    if checked is None:
        return "", "", []
    host, port = checked.url.host, checked.url.port
    first = checked.addresses[0]
    if source.scheme == "ssh":
        return "", f"{_SSH} -o HostName={first} -o HostKeyAlias={host}", []
    if source.scheme == "git":
        shown = f"[{first}]" if ":" in first else first
        return checked.url.authority, "", [f"url.git://{shown}:{port}/.insteadOf=git://{checked.url.authority}/"]
    if as_address(host) is not None:
        return "", "", []
    addresses = ",".join(f"[{address}]" if ":" in address else address for address in checked.addresses)
    return "", "", [f"http.curloptResolve={host}:{port}:{addresses}"]


def _environment(source: CloneUrl) -> dict[str, str]:
    """Give user name and password in a variable: others could read a command line, and a file would stay."""
    if source.scheme not in ("http", "https") or not source.user + source.password:
        return {}
    pair = base64.b64encode(f"{source.user}:{source.password}".encode("utf-8", "surrogateescape")).decode()
    return {_AUTHORIZATION: f"Authorization: Basic {pair}"}


def _with_user(source: CloneUrl, checked: CheckedUrl | None) -> str:
    location = _location(source, checked)
    if source.scheme != "ssh" or not source.user:
        return location
    return location.replace("://", f"://{source.user}@", 1)


async def _remove(client: SandboxClient, dest: str, mark: str) -> None:
    """Remove what a clone left, to its end even when the task is cancelled again; what is left is swept by the next."""
    work = asyncio.ensure_future(
        run_script(
            client, "unclone", dest, mark, timeout_s=limits.CLONE_CLEANUP_S, max_output_bytes=limits.GIT_ERROR_CHARS
        )
    )
    with contextlib.suppress(Exception):
        await asyncio.shield(work)


def _redirected(
    source: CloneUrl, checked: CheckedUrl, location: str, policy: GitPolicy, known: tuple[str, ...]
) -> CloneUrl:
    """Give the repository that a server's redirect names; it is checked like the first one."""
    target = urljoin(f"{checked.url}{_REFS}", location)
    shown = cleaned(target, known)
    if not target.endswith(_REFS):
        raise CloneFailed.of(
            f"the server redirects to {shown}, which is no repository",
            tool_name="git_clone",
            hint="The repository is private, or there is none of that name.",
        )
    following = parse_clone_url(target.removesuffix(_REFS), policy.protocols)
    if source.scheme == "https" and following.scheme != "https":
        raise CloneFailed.of(f"the server redirects to {shown}, which is not encrypted", tool_name="git_clone")
    same = following.location.startswith(f"{checked.url.scheme}://{checked.url.authority}/")
    # What authorises is for the host that it was given for, and a server names no other.
    return CloneUrl(
        following.scheme,
        following.location,
        following.name,
        source.user if same else "",
        source.password if same else "",
        known,
    )


def _refused(reason: str, what: str, dest: str) -> RootleError:
    name = escape_name(dest)
    if reason == "version":
        return CloneFailed.of(f'git "{escape_name(what)}" is too old: 2.37 is needed', tool_name="git_clone")
    if reason == "outside":
        return PathEscapesRoot.of(f'"{name}" leads outside of the root', path=dest)
    if reason == "not_a_directory":
        return NotADirectory.of(f'"{name}" goes on below something that is not a directory', path=dest)
    if reason == "link":
        return AlreadyExists.of(f'"{name}" is a symbolic link', path=dest, hint="Name another dest.")
    return AlreadyExists.of(f'"{name}" exists and is not an empty directory', path=dest, hint="Name another dest.")


def _failed(result: ExecResult, known: tuple[str, ...]) -> CloneFailed:
    said = cleaned(result.stderr, known)[: limits.GIT_ERROR_CHARS]
    hint = next((hint for words, hint in _HINTS if words in said), None)
    return CloneFailed.of(said or "git ended without a word", tool_name="git_clone", hint=hint)
