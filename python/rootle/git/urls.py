"""The URL of a repository, taken apart: what is connected to, what is secret, and what the copy is called.

>>> parse_clone_url("https://me:s3cr3t@example.com/team/tool.git/", ("https",))
CloneUrl(scheme='https', location='https://example.com/team/tool.git/', name='tool', user='me')
>>> parse_clone_url("git@example.com:team/tool.git", ("https",))
Traceback (most recent call last):
rootle.errors.calls.InvalidArgument: the URL is refused: "ssh" is not an allowed protocol (https). Use https://...
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import unquote

from rootle.errors import InvalidArgument
from rootle.web.urls import DEFAULT_PORTS, URL_CHARS

__all__ = ["CloneUrl", "parse_clone_url"]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://", re.ASCII)
_HELPER = re.compile(r"([a-zA-Z0-9][a-zA-Z0-9+.-]*)::", re.ASCII)
_SCP = re.compile(r"(?:[^/@]+@)?([^/@:\[\]]+):(?!/)([^@]+)")
_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SSH_USER = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CloneUrl:
    """Where a repository is.

    Attributes:
        location: The URL without user name and password; of a `file` one the path.
        name: The last part of its path, without `.git`; may be empty.
        password: Never shown.
    """

    scheme: str
    location: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def parse_clone_url(text: str, protocols: Collection[str]) -> CloneUrl:
    """Take a URL apart; nothing is looked up.

    Raises:
        InvalidArgument: When it is none, could be read as an option or as another one, or names a protocol that is not
            allowed; the message repeats no user name or password.
    """
    if not text or len(text) > URL_CHARS:
        raise _refused("it is empty" if not text else f"it has more than {URL_CHARS:,} characters")
    if text.startswith("-"):
        raise _refused("it starts with a dash, as options do")
    if _BLANK.search(text) or "\\" in text:
        raise _refused("it has white space, control characters or a backslash")
    if helper := _HELPER.match(text):
        raise _refused(f'"{helper[1].lower()}::" stands for a program to run')
    found = _SCHEME.match(text)
    if found is None:
        raise _unallowed(text, protocols)
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme not in protocols:
        raise _refused(f'"{scheme}" is not an allowed protocol ({_shown(protocols)})', _hint(scheme, rest))
    if scheme == "file":
        return CloneUrl(scheme, text, _name(rest))
    return _on_a_host(scheme, rest)


def _on_a_host(scheme: str, rest: str) -> CloneUrl:
    if scheme not in DEFAULT_PORTS:
        raise _refused(f'"{scheme}" is not a protocol of repositories')
    if "?" in rest or "#" in rest:
        raise _refused("it has a query or a fragment")
    authority, slash, path = rest.partition("/")
    userinfo, _, host = authority.rpartition("@")
    if "@" in userinfo:
        raise _refused("it has more than one @ before the path")
    user, colon, password = userinfo.partition(":")
    plain_user, plain = unquote(user), unquote(password)
    if _CONTROL.search(plain_user + plain) or (scheme == "ssh" and (colon or not _SSH_USER.fullmatch(plain_user))):
        raise _refused("its user name or password is malformed")
    secrets = tuple(dict.fromkeys(part for part in (password, plain, userinfo, user, plain_user) if part))
    return CloneUrl(scheme, f"{scheme}://{host}{slash}{path}", _name(path), plain_user, plain, secrets)


def _name(path: str) -> str:
    """Give the last part of a path as a name for a directory: no `.git`, no slash at the end."""
    last = path.rstrip("/").removesuffix("/.git").removesuffix(".git").rstrip("/").rpartition("/")[2]
    return "" if last in ("", ".", "..") else last


def _unallowed(text: str, protocols: Collection[str]) -> InvalidArgument:
    """Say of what is no URL which protocol git would take it for."""
    if scp := _SCP.fullmatch(text):
        return _refused(f'"ssh" is not an allowed protocol ({_shown(protocols)})', f"Use https://{scp[1]}/{scp[2]}.")
    return _refused(f"a path is not an allowed protocol ({_shown(protocols)})", "Give a URL such as https://host/path.")


def _shown(protocols: Collection[str]) -> str:
    return ", ".join(sorted(protocols)) or "none"


def _hint(scheme: str, rest: str) -> str | None:
    if scheme in ("ssh", "git", "http", "git+ssh"):
        return f"Use https://{re.split('[?#]', rest)[0].rpartition('@')[2]}."
    return None


def _refused(reason: str, hint: str | None = None) -> InvalidArgument:
    return InvalidArgument.of(f"the URL is refused: {reason}", name="url", hint=hint)
