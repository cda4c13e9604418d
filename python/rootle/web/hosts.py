"""One canonical form of a host: what a client would connect to, whichever way it is spelt.

>>> canonical_host("ⓔxample。COM.")
'example.com'
>>> [canonical_host(text) for text in ("0x7f.1", "017700000001", "①②⑦.0.0.1", "[::FFFF:7f00:1]")]
['127.0.0.1', '127.0.0.1', '127.0.0.1', '::ffff:127.0.0.1']
>>> canonical_host("1.2.3.4.5")
Traceback (most recent call last):
ValueError: it ends like an IPv4 address and is none
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from rootle.web.ranges import Address

__all__ = ["HOST_CHARS", "as_address", "canonical_host"]

HOST_CHARS = 253
"""Characters of a host's name (RFC 1035)."""

_LABEL_CHARS = 63
_FULL_STOPS = str.maketrans("。．｡", "...")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+", re.ASCII)


def canonical_host(text: str) -> str:
    """Give the host in its canonical form: a name in lower case (IDNA), or an address as `ipaddress` writes it.

    Compatibility characters (circled and full-width ones), ideographic full stops and a trailing dot are resolved, and
    IPv4 addresses are read as `inet_aton` reads them: in hexadecimal and octal, with parts left out, as one number.

    Raises:
        ValueError: When the text is no host; the message says why.
    """
    if text.startswith("[") or text.endswith("]"):
        return _bracketed(text)
    name = unicodedata.normalize("NFKC", text.translate(_FULL_STOPS)).translate(_FULL_STOPS)
    name = _to_ascii(name).lower().removesuffix(".")
    if not name:
        raise ValueError("there is no host")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return str(_inet_aton(labels))
    if len(name) > HOST_CHARS:
        raise ValueError(f"its name has more than {HOST_CHARS} characters")
    for label in labels:
        if len(label) > _LABEL_CHARS or not _LABEL.fullmatch(label):
            raise ValueError(f"{label!r} cannot be a part of a name")
    return name


def as_address(host: str) -> Address | None:
    """Give the address that a canonical host is; None when it is a name."""
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except AddressValueError:
        return None


def _bracketed(text: str) -> str:
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError("its brackets do not match")
    if "%" in text:
        raise ValueError("an address with a zone is for this machine's own links")
    try:
        address = IPv6Address(text[1:-1])
    except AddressValueError:
        raise ValueError("what stands in brackets is no IPv6 address") from None
    mapped = address.ipv4_mapped
    # Python 3.13 writes mapped addresses with dots; one form for all.
    return str(address) if mapped is None else f"::ffff:{mapped}"


def _to_ascii(name: str) -> str:
    """Apply IDNA as far as the standard library has it (2003), label by label."""
    if name.isascii():
        return name
    from encodings import idna

    labels = []
    for label in name.split("."):
        try:
            labels.append(idna.ToASCII(label).decode("ascii") if label else "")
        except UnicodeError:
            raise ValueError("it has characters that no name of a host has") from None
    return ".".join(labels)


def _inet_aton(parts: list[str]) -> IPv4Address:
    """Read 1 to 4 numbers; the last one fills what is left of the 32 bits."""
    wrong = ValueError("it ends like an IPv4 address and is none")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise wrong
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        raise wrong from None
    *front, last = numbers
    if any(number > 0xFF for number in front) or last >= 256 ** (5 - len(parts)):
        raise wrong
    value = last
    for place, number in enumerate(front):
        value += number << 8 * (3 - place)
    return IPv4Address(value)


def _number(text: str) -> int:
    if len(text) > 40:
        raise ValueError(text)
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)
