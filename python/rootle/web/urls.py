r"""URLs taken apart strictly: what two parsers could read differently is refused.

>>> parse_url("HTTPS://Example.COM./a?b#c")
Url(scheme='https', host='example.com', port=443, target='/a?b')
>>> str(parse_url("http://[::1]:8080"))
'http://[::1]:8080/'
>>> parse_url("http://127.0.0.1:6666\\@1.1.1.1/")
Traceback (most recent call last):
ValueError: it has a backslash
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rootle.web.hosts import canonical_host

__all__ = ["DEFAULT_PORTS", "URL_CHARS", "Url", "parse_url"]

URL_CHARS = 8_192
"""Characters of a URL."""

DEFAULT_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://", re.ASCII)
# White space and control characters, which some parsers drop and others end at; the separators of Unicode too.
_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]")
_PORT = re.compile(r"[0-9]{1,5}", re.ASCII)


class Url(NamedTuple):
    """A URL in its canonical form, without fragment.

    Attributes:
        host: As `canonical_host` gives it.
        port: The one that is connected to.
        target: Path and query, as they stood.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port, the port left out when it is the scheme's own: what the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS.get(self.scheme) else f"{host}:{self.port}"

    def __str__(self) -> str:
        """Give the URL."""
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_url(text: str, schemes: tuple[str, ...] = ("https", "http")) -> Url:
    """Take a URL apart.

    Args:
        text: The URL.
        schemes: Those that are allowed, of `DEFAULT_PORTS`.

    Raises:
        ValueError: When it is none, or could be read as another one; the message says why and repeats no user name or
            password.
    """
    if len(text) > URL_CHARS:
        raise ValueError(f"it has more than {URL_CHARS:,} characters")
    if _BLANK.search(text):
        raise ValueError("it has white space or control characters")
    if "\\" in text:
        raise ValueError("it has a backslash")
    found = _SCHEME.match(text)
    if found is None:
        raise ValueError("it does not start with a scheme such as https://")
    scheme = found[1].lower()
    if scheme not in schemes:
        raise ValueError(f'"{scheme}" is not among the allowed schemes ({", ".join(schemes)})')
    rest = text[found.end() :].partition("#")[0]
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    target = rest[len(authority) :]
    if "@" in authority:
        raise ValueError("it has a user name or password before the host")
    host, port = _split_port(authority)
    return Url(
        scheme,
        canonical_host(host),
        DEFAULT_PORTS[scheme] if port is None else port,
        target if target.startswith("/") else f"/{target}",
    )


def _split_port(authority: str) -> tuple[str, int | None]:
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        return authority, None
    if ":" in host and not host.startswith("["):
        raise ValueError("an IPv6 address stands in brackets")
    if not port:
        return host, None
    if not _PORT.fullmatch(port) or not 0 < int(port) < 65_536:
        raise ValueError("its port is not between 1 and 65535")
    return host, int(port)
