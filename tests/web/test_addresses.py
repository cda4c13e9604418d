"""The address guard: every range, every disguise, one look-up, and nothing connected to.

No test sends a packet: names are resolved by stubs, and opening a connection fails the test.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from rootle.errors import AddressRefused, DeadlineExceeded, HostNotFound, InvalidArgument, RootleError
from rootle.web.addresses import WEB_PORTS, AddressGuard, Resolver
from rootle.web.hosts import canonical_host
from rootle.web.ranges import IPV4_REFUSED, IPV6_REFUSED, Address, embedded, not_public

PUBLIC = "93.184.216.34"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the system's resolver nor a connection is used."""

    def fail(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"used the network: {args}")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    monkeypatch.setattr(socket.socket, "connect", fail)


def answering(*addresses: str) -> Resolver:
    return lambda host, port: addresses


def unasked(host: str, port: int) -> Iterable[str]:
    raise AssertionError(f"looked up {host}")


def url_of(host: str) -> str:
    return f"http://[{host}]/" if ":" in host else f"http://{host}/"


# The first and the last address of each refused range, and the public neighbours; None where the neighbour is refused.
RANGES = [
    ("0.0.0.0/8", "0.0.0.0", "0.255.255.255", None, "1.0.0.0"),
    ("10/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
    ("100.64/10", "100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
    ("127/8", "127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
    ("168.63.129.16", "168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"),
    ("169.254/16", "169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
    ("172.16/12", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
    ("192.0.0/24", "192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
    ("192.0.2/24", "192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
    ("192.88.99/24", "192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
    ("192.168/16", "192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
    ("198.18/15", "198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
    ("198.51.100/24", "198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
    ("203.0.113/24", "203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
    ("224/4", "224.0.0.0", "239.255.255.255", "223.255.255.255", None),
    ("240/4", "240.0.0.0", "255.255.255.255", None, None),
    ("::", "::", "::", None, None),
    ("::1", "::1", "::1", None, None),
    ("::/96", "::127.0.0.1", "::ffff:ffff", None, None),
    ("::ffff:0:0/96", "::ffff:0:0", "::ffff:ffff:ffff", None, None),
    ("64:ff9b::/96", "64:ff9b::", "64:ff9b::ffff:ffff", None, "64:ff9b::808:808"),
    ("64:ff9b:1::/48", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", None, None),
    ("100::/64", "100::", "100::ffff:ffff:ffff:ffff", None, None),
    ("2001::/32", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None),
    ("2001::/23", "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", None, "2001:200::"),
    (
        "2001:db8::/32",
        "2001:db8::",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db9::",
    ),
    ("2002::/16", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"),
    ("3fff::/20", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"),
    ("5f00::/16", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, None),
    ("fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, None),
    ("fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, None),
    ("fec0::/10", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, None),
    ("ff00::/8", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, None),
    ("outside 2000::/3", "4000::", "1fff:ffff::", None, "2000::"),
]


@pytest.mark.parametrize(("name", "first", "last", "before", "after"), RANGES)
def test_range(name: str, first: str, last: str, before: str | None, after: str | None) -> None:
    """Its ends are refused as literals and as answers, and the public addresses beside it are not."""
    for bad in (first, last):
        with pytest.raises(AddressRefused) as refused:
            AddressGuard(resolver=unasked).check(url_of(bad))
        assert refused.value.code == "address_refused"
        assert isinstance(refused.value, PermissionError)
        with pytest.raises(AddressRefused, match="resolves to"):
            AddressGuard(resolver=answering(PUBLIC, bad)).check("http://name.example/")
    for good in filter(None, (before, after)):
        assert AddressGuard(resolver=unasked).check(url_of(good)).addresses == (str(ip_address(good)),)
        assert AddressGuard(resolver=answering(good)).check("http://name.example/").addresses


@pytest.mark.parametrize("network", [*IPV4_REFUSED, *IPV6_REFUSED], ids=str)
def test_every_range_of_the_table_is_tested(network: IPv6Network) -> None:
    """A range without a row above fails here."""
    ends = {ip_address(end) for row in RANGES for end in row[1:3]}
    assert any(end in network for end in ends)
    assert not_public(network[0])
    assert not_public(network[-1])


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.100.100.200"])
@pytest.mark.parametrize(
    "outer", ["::{}", "::ffff:{}", "64:ff9b::{}", "2002:{hex}::1", "2001:0:0:0:0:0:{inverted}"], ids=str
)
def test_ipv4_inside_ipv6(inner: str, outer: str) -> None:
    """Is found and named."""
    number = int(IPv4Address(inner))
    groups, inverted = (f"{n >> 16:x}:{n & 0xFFFF:x}" for n in (number, number ^ 0xFFFFFFFF))
    address = IPv6Address(outer.format(inner, hex=groups, inverted=inverted))
    assert embedded(address) == IPv4Address(inner)
    with pytest.raises(AddressRefused, match=inner.replace(".", r"\.")):
        AddressGuard(resolver=unasked).check(url_of(str(address)))


def test_nat64_of_a_public_address_is_public() -> None:
    """In a network with nothing else it is the only way."""
    checked = AddressGuard(resolver=answering("64:ff9b::5db8:d822")).check("https://example.com/")
    assert checked.addresses == ("64:ff9b::5db8:d822",)


DISGUISES = [
    ("127.1", "127.0.0.1"),
    ("2130706433", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("0X7F000001", "127.0.0.1"),
    ("0x7f.1", "127.0.0.1"),
    ("0177.0.0.1", "127.0.0.1"),
    ("0177.1", "127.0.0.1"),
    ("017700000001", "127.0.0.1"),
    ("127.0.0.1.", "127.0.0.1"),
    ("①②⑦.⓪.⓪.①", "127.0.0.1"),
    ("１２７.０.０.１", "127.0.0.1"),
    ("127。0．0｡1", "127.0.0.1"),
    ("１６９。２５４。１６９。２５４", "169.254.169.254"),
    ("1\u00ad27.0.0.1", "127.0.0.1"),
    ("2852039166", "169.254.169.254"),
    ("0xA9FEA9FE", "169.254.169.254"),
    ("169.254.43518", "169.254.169.254"),
    ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::ffff:7f00:1]", "::ffff:127.0.0.1"),
    ("[0:0:0:0:0:0:0:1]", "::1"),
]


@pytest.mark.parametrize(("spelt", "meant"), DISGUISES)
def test_disguise_is_seen_through(spelt: str, meant: str) -> None:
    """Before anything is looked up."""
    assert canonical_host(spelt) == meant
    with pytest.raises(AddressRefused, match=meant.replace(".", r"\.")):
        AddressGuard(resolver=unasked).check(f"http://{spelt}/latest/meta-data")


@pytest.mark.parametrize("host", ["localhost", "localhost.", "LOCALHOST", "ⓛocalhost", "a.localhost", "a.LocalHost."])
def test_this_machine_is_refused_by_name(host: str) -> None:
    """Whatever a resolver would say."""
    with pytest.raises(AddressRefused, match="this machine"):
        AddressGuard(resolver=unasked).check(f"https://{host}/")


MALFORMED = [
    "http://127.0.0.1:6666\\@1.1.1.1/",
    "http://1.1.1.1\\.evil.example/",
    "http://127.0.0.1\\@1.1.1.1/",
    "http://user@1.1.1.1/",
    "http://user:secret@1.1.1.1/",
    "http://1.1.1.1@127.0.0.1/",
    "http://@127.0.0.1/",
    "http://a@b@1.1.1.1/",
    "http://1.1.1.1＠127.0.0.1/",
    "http://example.com\t/",
    "http://exam\nple.com/",
    "http://example.com\r\nHost: x/",
    "http://example.com/a b",
    "http://example.com/\x00",
    "http://exa\u2028mple.com/",
    "http://exa\u200bmple.com/",
    " http://example.com/",
    "http://1.1.1.1:0/",
    "http://1.1.1.1:65536/",
    "http://1.1.1.1:-1/",
    "http://1.1.1.1:+80/",
    "http://1.1.1.1:８０/",
    "http://1.1.1.1:80:80/",
    "http://::1/",
    "http://[::1/",
    "http://[::1]a/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[127.0.0.1]/",
    "http://127%2e0.0.1/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://99999999999/",
    "http://08.1.1.1/",
    "http://a..b/",
    "http://.a/",
    "http://-a.example/",
    "http://example.com℀evil/",
    "http://a／b/",
    "http://" + "a" * 64 + ".example/",
    "http://" + "a." * 127 + "example/",
    "http://" + "9" * 5000 + "/",
    "http:///path",
    "http://",
    "//1.1.1.1/",
    "1.1.1.1",
    "",
    "file:///etc/passwd",
    "gopher://1.1.1.1/",
    "ftp://1.1.1.1/",
    "javascript://1.1.1.1/",
    "http://1.1.1.1/" + "a" * 9000,
]


@pytest.mark.parametrize("url", MALFORMED)
def test_malformed_url_is_refused_before_any_lookup(url: str) -> None:
    """With the reason, and without repeating a password."""
    with pytest.raises(InvalidArgument) as refused:
        AddressGuard(allow=["*.example:*", "0.0.0.0/0:*"], resolver=unasked).check(url)
    assert "secret" not in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("port", [1, 21, 22, 23, 25, 110, 5432, 6379, 9418, 11211, 65535])
def test_port_is_refused_before_any_lookup(port: int) -> None:
    """Unless it is one of the usual ones."""
    for host in ("example.com", "1.1.1.1", "[2606:4700::1111]"):
        with pytest.raises(AddressRefused, match=f"port {port}"):
            AddressGuard(resolver=unasked).check(f"http://{host}:{port}/")


@pytest.mark.parametrize("port", sorted(WEB_PORTS))
def test_usual_port_is_allowed(port: int) -> None:
    """On any public address."""
    assert AddressGuard(resolver=unasked).check(f"http://1.1.1.1:{port}/").url.port == port


@pytest.mark.parametrize(
    ("allow", "url", "answer"),
    [
        ("127.0.0.1:8123", "http://127.0.0.1:8123/", ()),
        ("127.0.0.1:8123", "http://0x7f.1:8123/", ()),
        ("127.0.0.1:8123", "http://repo.test:8123/", ("127.0.0.1",)),
        ("127.0.0.0/8:*", "http://127.9.9.9:22/", ()),
        ("[::1]:8123", "http://[::1]:8123/", ()),
        ("::1", "http://[::1]/", ()),
        ("fd00::/8", "http://[fd00::7]/", ()),
        ("10.1.0.0/16", "https://wiki.intranet/", ("10.1.2.3", PUBLIC)),
        ("wiki.intranet", "https://WIKI.intranet./", ("10.1.2.3",)),
        ("*.intranet", "https://a.b.intranet/", ("10.1.2.3",)),
        ("wiki.intranet:3000", "http://wiki.intranet:3000/", ("10.1.2.3",)),
        ("localhost", "http://localhost/", ("127.0.0.1", "::1")),
        ("bücher.intranet", "http://BÜCHER.intranet/", ("10.1.2.3",)),
    ],
)
def test_allowed_place(allow: str, url: str, answer: tuple[str, ...]) -> None:
    """By name, address or network, with the ports that were said."""
    checked = AddressGuard(allow=[allow], resolver=answering(*answer)).check(url)
    assert checked.addresses == (answer or checked.addresses)
    with pytest.raises(RootleError):
        AddressGuard(resolver=answering(*answer)).check(url)


@pytest.mark.parametrize(
    ("allow", "url", "answer"),
    [
        ("127.0.0.1", "http://127.0.0.1:8123/", ()),
        ("127.0.0.1:8123", "http://127.0.0.1/", ()),
        ("127.0.0.1:8123", "http://127.0.0.2:8123/", ()),
        ("127.0.0.1:8123", "http://1.1.1.1:8123/", ()),
        ("127.0.0.1:8123", "http://repo.test:8123/", ("127.0.0.1", "127.0.0.2")),
        ("127.0.0.1:8123", "http://localhost:8123/", ("127.0.0.1",)),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/", ()),
        ("wiki.intranet", "https://evil.intranet/", ("10.1.2.3",)),
        ("wiki.intranet", "https://awiki.intranet/", ("10.1.2.3",)),
        ("wiki.intranet", "https://wiki.intranet.evil.example/", ("10.1.2.3",)),
        ("*.intranet", "https://intranet/", ("10.1.2.3",)),
        ("*.intranet", "https://intranet.evil.example/", ("10.1.2.3",)),
        ("wiki.intranet", "https://wiki.intranet:6379/", ("10.1.2.3",)),
    ],
)
def test_allowing_one_place_allows_no_other(allow: str, url: str, answer: tuple[str, ...]) -> None:
    """Neither another port nor a name that looks like it."""
    with pytest.raises(AddressRefused):
        AddressGuard(allow=[allow], resolver=answering(*answer)).check(url)


@pytest.mark.parametrize("entry", ["", "*", "*.", "a b", "10.0.0.1/8", "10.0.0.0/99", "x:0", "x:99999", "http://x/"])
def test_entry_that_is_no_place(entry: str) -> None:
    """Is refused when the guard is made, not forgotten."""
    with pytest.raises(InvalidArgument):
        AddressGuard(allow=[entry])


def test_a_name_is_looked_up_once() -> None:
    """A second answer, which could differ, is never asked for."""
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    checked = AddressGuard(resolver=lambda host, port: next(answers)).check("https://rebind.example/")
    assert checked.addresses == ("93.184.216.34",)
    assert next(answers) == ["127.0.0.1"]


def test_answers_are_given_once_each_in_order() -> None:
    """As the resolver sorts them."""
    guard = AddressGuard(resolver=answering("2606:4700::1111", "1.1.1.1", "2606:4700:0::1111", "1.1.1.1"))
    assert guard.check("https://example.com/").addresses == ("2606:4700::1111", "1.1.1.1")


def test_link_local_answer_with_a_zone_is_refused() -> None:
    """Resolvers give such addresses with their zone."""
    with pytest.raises(AddressRefused, match="link-local"):
        AddressGuard(resolver=answering("fe80::1%eth0")).check("https://printer.example/")


@pytest.mark.parametrize("error", [socket.gaierror(-2, "Name or service not known"), UnicodeError("label too long")])
def test_unknown_host(error: Exception) -> None:
    """Is told apart from a refused one."""

    def fail(host: str, port: int) -> Iterable[str]:
        raise error

    with pytest.raises(HostNotFound, match=r"nowhere\.example") as unknown:
        AddressGuard(resolver=fail).check("https://nowhere.example/")
    assert isinstance(unknown.value, LookupError)
    with pytest.raises(HostNotFound):
        AddressGuard(resolver=answering()).check("https://nowhere.example/")


async def test_a_resolver_that_hangs_holds_up_nobody() -> None:
    """The deadline counts for the look-up."""

    def hang(host: str, port: int) -> Iterable[str]:
        time.sleep(5)
        return [PUBLIC]

    start = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await AddressGuard(resolver=hang).acheck("https://slow.example/", timeout_s=0.1)
    assert time.monotonic() - start < 1


async def test_awaited_check_gives_and_raises_the_same() -> None:
    """What `check` does."""
    guard = AddressGuard(resolver=answering(PUBLIC))
    assert await guard.acheck("https://example.com/x") == guard.check("https://example.com/x")
    with pytest.raises(AddressRefused):
        await guard.acheck("https://127.0.0.1/")


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("https://Example.com:443?q=1#f", "https://example.com/?q=1"),
        ("HTTP://bücher.example/ü", "http://xn--bcher-kva.example/ü"),
        ("http://0x5db8d822:443/a?b", "http://93.184.216.34:443/a?b"),
        ("http://[2606:4700:0:0::1111]:80/", "http://[2606:4700::1111]/"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://under_score.example/", "http://under_score.example/"),
    ],
)
def test_canonical_url(given: str, canonical: str) -> None:
    """What is connected to is what was checked."""
    assert str(AddressGuard(resolver=answering(PUBLIC)).check(given).url) == canonical


def test_public_addresses_are_public() -> None:
    """A guard that refuses all would pass every other test."""
    good: list[Address] = [ip_address(text) for text in ("1.1.1.1", "8.8.8.8", "140.82.112.3", "2606:4700::1111")]
    assert [not_public(address) for address in good] == [None] * 4
