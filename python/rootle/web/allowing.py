"""One entry of the list of what may be connected to besides public addresses."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NamedTuple

from rootle.errors import InvalidArgument
from rootle.web.hosts import as_address, canonical_host
from rootle.web.ranges import Address

__all__ = ["AllowEntry", "allow_entry"]


class AllowEntry(NamedTuple):
    """A host, or a network.

    Attributes:
        host: A canonical name; None for a network.
        below: Names below it are meant, not the name itself.
        port: The port that is meant; 0 for all of them, None for the usual ones.
    """

    host: str | None
    network: IPv4Network | IPv6Network | None
    below: bool
    port: int | None

    def names(self, host: str) -> bool:
        """Whether a canonical host is meant by its name."""
        if self.host is None:
            return False
        return host.endswith(f".{self.host}") if self.below else host == self.host

    def holds(self, address: Address) -> bool:
        """Whether an address is in the network."""
        return self.network is not None and address.version == self.network.version and address in self.network

    def opens(self, port: int, usual: frozenset[int]) -> bool:
        """Whether the entry allows a port."""
        return port in usual if self.port is None else self.port in (0, port)


def allow_entry(text: str) -> AllowEntry:
    """Read an entry; see `AddressGuard`.

    Raises:
        InvalidArgument: When it is none.
    """
    try:
        place, port = _split(text)
        if "/" in place:
            return AllowEntry(None, ip_network(place.strip("[]")), False, port)
        below = place.startswith("*.")
        host = canonical_host(f"[{place}]" if place.count(":") > 1 and place[0] != "[" else place[2 * below :])
        address = as_address(host)
        if address is not None:
            return AllowEntry(None, ip_network(address), False, port)
        return AllowEntry(host, None, below, port)
    except ValueError as error:
        raise InvalidArgument.of(f"{text!r} is no host or network: {error}", name="allow") from None


def _split(text: str) -> tuple[str, int | None]:
    place, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or (":" in place and not place.startswith("[")):
        return text, None
    if port == "*":
        return place, 0
    if not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError("its port is not between 1 and 65535")
    return place, int(port)
