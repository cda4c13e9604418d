"""Which addresses are public: a table, so that the answer does not differ by the version of Python.

>>> from ipaddress import ip_address
>>> not_public(ip_address("169.254.169.254"))
'169.254.0.0/16 is link-local, where cloud machines have their credentials'
>>> not_public(ip_address("64:ff9b::a9fe:a9fe"))
'it stands for 169.254.169.254, and 169.254.0.0/16 is link-local, where cloud machines have their credentials'
>>> not_public(ip_address("64:ff9b::808:808")) is None
True
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

__all__ = ["EMBEDDING", "IPV4_REFUSED", "IPV6_PUBLIC", "IPV6_REFUSED", "Address", "embedded", "not_public"]

Address = IPv4Address | IPv6Address

# From the registries of special-purpose addresses (RFC 6890 and its updates), and what clouds use besides.
IPV4_REFUSED: dict[IPv4Network, str] = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private",
    IPv4Network("100.64.0.0/10"): "shared by carriers, and where some clouds have their credentials",
    IPv4Network("127.0.0.0/8"): "this machine",
    IPv4Network("168.63.129.16/32"): "a cloud's own service",
    IPv4Network("169.254.0.0/16"): "link-local, where cloud machines have their credentials",
    IPv4Network("172.16.0.0/12"): "private",
    IPv4Network("192.0.0.0/24"): "for protocols, and where some clouds have their credentials",
    IPv4Network("192.0.2.0/24"): "for documentation",
    IPv4Network("192.88.99.0/24"): "a relay of 6to4",
    IPv4Network("192.168.0.0/16"): "private",
    IPv4Network("198.18.0.0/15"): "for benchmarks",
    IPv4Network("198.51.100.0/24"): "for documentation",
    IPv4Network("203.0.113.0/24"): "for documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved, with the broadcast address at its end",
}

IPV6_PUBLIC = (IPv6Network("2000::/3"), IPv6Network("64:ff9b::/96"))
"""Outside of these nothing is public; inside of them what `IPV6_REFUSED` has is not."""

IPV6_REFUSED: dict[IPv6Network, str] = {
    IPv6Network("::/128"): "this machine, unspecified",
    IPv6Network("::1/128"): "this machine",
    IPv6Network("::ffff:0:0/96"): "an IPv4 address in disguise",
    IPv6Network("::/96"): "an IPv4 address in disguise",
    IPv6Network("64:ff9b:1::/48"): "a local translator to IPv4",
    IPv6Network("100::/64"): "for discarding",
    IPv6Network("2001::/32"): "Teredo, a tunnel to an IPv4 address",
    IPv6Network("2001::/23"): "for protocols",
    IPv6Network("2001:db8::/32"): "for documentation",
    IPv6Network("3fff::/20"): "for documentation",
    IPv6Network("5f00::/16"): "for segment routing",
    IPv6Network("fc00::/7"): "private",
    IPv6Network("fe80::/10"): "link-local",
    IPv6Network("fec0::/10"): "site-local",
    IPv6Network("ff00::/8"): "multicast",
}
"""The first that holds an address gives the reason."""


def _last32(address: IPv6Address) -> int:
    return int(address) & 0xFFFFFFFF


EMBEDDING: dict[IPv6Network, Callable[[IPv6Address], int]] = {
    IPv6Network("::/96"): _last32,
    IPv6Network("::ffff:0:0/96"): _last32,
    IPv6Network("64:ff9b::/96"): _last32,
    IPv6Network("2001::/32"): lambda address: _last32(address) ^ 0xFFFFFFFF,
    IPv6Network("2002::/16"): lambda address: int(address) >> 80 & 0xFFFFFFFF,
}
"""Where packets end at an IPv4 address that stands in the IPv6 one, and how it stands there."""


def embedded(address: Address) -> IPv4Address | None:
    """Give the IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv6Address):
        for network, read in EMBEDDING.items():
            if address in network:
                return IPv4Address(read(address))
    return None


def not_public(address: Address) -> str | None:
    """Give the reason for which an address is not a public one; None when it is.

    NAT64 and 6to4 addresses of public IPv4 addresses are public: in some networks nothing else can be reached.
    """
    if isinstance(address, IPv4Address):
        return next((f"{network} is {what}" for network, what in IPV4_REFUSED.items() if address in network), None)
    inner = embedded(address)
    reason = None if inner is None else not_public(inner)
    if reason is not None and int(address) > 1:
        return f"it stands for {inner}, and {reason}"
    for network, what in IPV6_REFUSED.items():
        if address in network:
            return f"{network} is {what}"
    if not any(address in network for network in IPV6_PUBLIC):
        return "it is outside of the public range 2000::/3"
    return None
