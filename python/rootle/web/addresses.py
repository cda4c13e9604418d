"""The address guard: which host may be connected to, and at which addresses.

A host is brought into its canonical form, resolved once, and refused when any of its addresses is not public. Whoever
connects uses the addresses given here and resolves nothing again, so that no second answer of a name server counts; at
every redirect the guard is asked anew.

>>> guard = AddressGuard(resolver=lambda host, port: ["93.184.216.34", "10.0.0.8"])
>>> guard.check("https://example.com/")
Traceback (most recent call last):
rootle.errors.commands.AddressRefused: "example.com" is refused: it resolves to 10.0.0.8, and 10.0.0.0/8 is private. ...
>>> guard = AddressGuard(allow=["10.0.0.0/8"], resolver=lambda host, port: ["10.0.0.8"])
>>> guard.check("https://wiki.intranet/").addresses
('10.0.0.8',)
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from rootle import limits
from rootle.errors import AddressRefused, DeadlineExceeded, HostNotFound, InvalidArgument
from rootle.rendering import escape_text
from rootle.web.allowing import AllowEntry, allow_entry
from rootle.web.hosts import as_address
from rootle.web.ranges import Address, not_public
from rootle.web.urls import Url, parse_url

__all__ = ["WEB_PORTS", "AddressGuard", "CheckedUrl", "Resolver", "system_resolver"]

Resolver = Callable[[str, int], Iterable[str]]
"""From a host's name and a port to its addresses; raises OSError when there are none."""

WEB_PORTS: frozenset[int] = frozenset({80, 443})
"""The ports that may be connected to by default: those of web servers."""


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """A URL that may be fetched, and the addresses to connect to for it.

    Attributes:
        addresses: In the order of the resolver, each once; at least one.
    """

    url: Url
    addresses: tuple[str, ...]


def system_resolver(host: str, port: int) -> list[str]:
    """Ask the operating system for the addresses of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(entry[4][0]) for entry in found]


class AddressGuard:
    """Decides where connections may go.

    Args:
        allow: What may be connected to besides public addresses: a host's name (`git.intranet`), names below one
            (`*.intranet`), an address or a network (`10.1.0.0/16`). Of these the usual ports are allowed, or those that
            the entry names: `127.0.0.1:8123`, `[::1]:8123`, `git.intranet:*` for all.
        ports: The usual ports.
        resolver: Where names are looked up; by default the operating system.

    Raises:
        InvalidArgument: For an entry that is none of these.
    """

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ports: Collection[int] = WEB_PORTS,
        resolver: Resolver = system_resolver,
    ) -> None:
        self._allowed: tuple[AllowEntry, ...] = tuple(allow_entry(text) for text in allow)
        self._ports = frozenset(ports)
        self._resolver = resolver

    def check(self, url: str, *, schemes: tuple[str, ...] = ("https", "http")) -> CheckedUrl:
        """Check a URL and give the addresses to connect to; looks its host up, in this thread.

        Raises:
            InvalidArgument: When it is no URL of one of the schemes, or could be read as another one.
            AddressRefused: When its port or one of its addresses is not allowed.
            HostNotFound: When it has no address.
        """
        try:
            parsed = parse_url(url, schemes)
        except ValueError as error:
            raise InvalidArgument.of(f"the URL is refused: {escape_text(str(error))}", name="url") from None
        return CheckedUrl(parsed, self.check_host(parsed.host, parsed.port))

    async def acheck(
        self,
        url: str,
        *,
        schemes: tuple[str, ...] = ("https", "http"),
        timeout_s: float = limits.RESOLVE_TIMEOUT_S,
    ) -> CheckedUrl:
        """Do as `check` without blocking the loop; raises DeadlineExceeded when a name server does not answer."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[CheckedUrl] = loop.create_future()

        def deliver(checked: CheckedUrl | None, error: Exception | None) -> None:
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            elif checked is not None:
                answer.set_result(checked)

        def ask() -> None:
            checked, error = None, None
            try:
                checked = self.check(url, schemes=schemes)
            except Exception as raised:
                error = raised
            try:
                loop.call_soon_threadsafe(deliver, checked, error)
            except RuntimeError:
                return  # The loop was closed meanwhile: nobody waits for the answer.

        # A look-up cannot be cancelled, so that its thread must not be one whose end is waited for.
        threading.Thread(target=ask, name="rootle-resolve", daemon=True).start()
        try:
            return await asyncio.wait_for(answer, timeout_s)
        except TimeoutError:
            raise DeadlineExceeded.of(
                f"the name of the host was not resolved within {timeout_s:g} s", limit_s=timeout_s
            ) from None

    def check_host(self, host: str, port: int) -> tuple[str, ...]:
        """Give the addresses to connect to for a canonical host and a port; see `check`."""
        literal = as_address(host)
        named = any(entry.names(host) and entry.opens(port, self._ports) for entry in self._allowed)
        networks = [entry for entry in self._allowed if entry.network is not None and entry.opens(port, self._ports)]
        if literal is None and not named and (host == "localhost" or host.endswith(".localhost")):
            raise _refused(host, "it is this machine")
        usual = port in self._ports
        if not (usual or named or networks):
            raise _refused(host, f"port {port} is not one that may be connected to")
        addresses = [literal] if literal is not None else self._resolve(host, port)
        for address in addresses:
            if named or any(entry.holds(address) for entry in networks):
                continue
            reason = not_public(address)
            if reason is None and not usual:
                reason = f"port {port} is not one that may be connected to"
            if reason is not None:
                raise _refused(host, reason if address == literal else f"it resolves to {address}, and {reason}")
        return tuple(str(address) for address in addresses)

    def _resolve(self, host: str, port: int) -> list[Address]:
        try:
            # A zone, which link-local addresses have, is no part of the address.
            texts = [str(text).partition("%")[0] for text in self._resolver(host, port)]
        except (OSError, UnicodeError) as error:
            raise HostNotFound.of(f'the host "{host}" was not found: {_said(error)}', host=host) from None
        if not texts:
            raise HostNotFound.of(f'the host "{host}" has no address', host=host)
        return list(dict.fromkeys(ip_address(text) for text in texts))


def _said(error: Exception) -> str:
    return escape_text(str(getattr(error, "strerror", None) or error))


def _refused(host: str, reason: str) -> AddressRefused:
    return AddressRefused.of(f'"{host}" is refused: {reason}', host=host, reason=reason)
