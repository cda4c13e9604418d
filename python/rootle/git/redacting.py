"""What git says, without secrets and harmless to show.

>>> cleaned("fatal: unable to access 'https://me:s3cr3t@h/x/': 401", ["s3cr3t"])
"fatal: unable to access 'https://h/x/': 401"
>>> cleaned("Authorization: Basic bWU6czNjcjN0")
'Authorization: ***'
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

from rootle.rendering import escape_lines

__all__ = ["cleaned", "forms_of"]

_SHORTEST = 4
_USERINFO = re.compile(r"(?i)(?<=://)[^\s/?#'\"<>]*@")
_HEADER = re.compile(
    r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|private-token|x-[a-z-]*token)(\s*[:=]\s*)[^\r\n]+"
)
_SCHEME = re.compile(r"(?i)\b(basic|bearer|token)\s+[a-z0-9+/._~-]{8,}={0,2}")
_SHAPES = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|gl[a-z]{2,6}-[A-Za-z0-9_-]{16,}"
    r"|x-access-token:[^\s@/'\"]+|xox[a-z]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16})"
)


def forms_of(secret: str) -> set[str]:
    """Give the ways in which a secret may be written: as it is, percent-encoded and decoded, in Base64."""
    plain = unquote(secret)
    forms = {secret, plain, quote(plain, safe=""), quote(plain), quote(plain, safe="").lower()}
    forms |= {
        base64.b64encode(form.encode("utf-8", "surrogateescape")).decode().rstrip("=") for form in (secret, plain)
    }
    return {form for form in forms if len(form) >= _SHORTEST}


def cleaned(text: str | bytes, secrets: Iterable[str] = ()) -> str:
    """Give the text with `***` in place of secrets, and control characters made visible.

    User names and passwords in URLs, headers that authorise, and what has the shape of a well-known token are taken out
    whether they are among `secrets` or not.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = _USERINFO.sub("", text)
    for form in sorted({form for secret in secrets for form in forms_of(secret)}, key=len, reverse=True):
        text = re.sub(re.escape(form), "***", text, flags=re.IGNORECASE)
    text = _HEADER.sub(r"\1\2***", text)
    text = _SCHEME.sub(r"\1 ***", text)
    text = _SHAPES.sub("***", text)
    return escape_lines(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
