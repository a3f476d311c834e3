"""The word of our own mail server for the From of a message (RFC 8601); without it, by whom the message came.

Only headers under the configured authserv-id count: everybody can write such a header, and a server removes
those that carry its own name from mail that comes in (RFC 8601, section 5). If there are several, the
topmost alone is believed, because it was added last: one below it may have come with the mail.

A mail that nobody vouches for still came by somebody: by a domain that signed it, or that may send for the
envelope's sender, or else from a network. None of it says that From is true; but a stranger who writes
somebody's address into From cannot choose it, unless they send by the same provider.

>>> received = "from mail.isp.test (out7.isp.test [192.0.2.7]) by mx.felix.test (Postfix) with ESMTPS; now"
>>> providers((), (received,), "mx.felix.test")
('net 192.0.2.0/24',)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

from authres import AuthenticationResultsHeader, AuthResError

from felix_async.language.phrases import phrase
from felix_async.text import plain

MAX_HEADERS: Final = 20
MAX_LENGTH: Final = 4000
"""Characters of one header; servers write some hundred."""
_REMEMBERED: Final = 32
"""Headers of which it is remembered what they say: a mail is asked about more than once."""
_NAME_END: Final = re.compile(r"[\s;()]")
"""Before it stands who says so. Of others nothing is parsed: there may be many, and that takes long."""

_MAX_DOMAIN: Final = 253
_DOMAINS: Final = {"dkim": ("header", "d"), "spf": ("smtp", "mailfrom")}
"""The property of a result that names the domain which signed, or sent."""
UNKNOWN: Final = "unknown"
"""The provider of a mail of which our own server does not say from where it came."""
LOCAL: Final = "local"
"""That of a mail that no server has passed on."""
_PRIVATE: Final = [
    ip_network(one)
    for one in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
        *("fc00::/7", "fe80::/10"),
    )
]
"""A machine there may pass on what others send, as a proxy does: it does not tell from where a mail came."""
_NETWORKS: Final = {4: 24, 6: 48}
"""Bits of a network: providers send from several addresses of one."""
_HOP: Final = re.compile(
    r"from [^\s()]+ \((?:(?:<unknown>|(?!(?:he|eh|lh)lo )[\w.-]+) )?\[(?:ipv6:)?(?P<address>[0-9a-f.:]+)\]"
    r"(?: helo=\[[0-9a-z.:]*\])?(?P<rest>.*? by (?P<by>[^\s();]+).*)",
    re.ASCII,
)
"""How Postfix, Sendmail, Exim and OpenSMTPD write from where a mail came, with the connection's address."""
_TWO_WAYS: Final = re.compile(
    r" by .* by |\[|\b\d{1,3}(?:\.\d{1,3}){3}\b|\([0-9a-f]{0,4}:[0-9a-f]{0,4}:", re.ASCII
)
"""Another address or server behind the first: the sender may have written the first one as a HELO."""
_WITHIN: Final = re.compile(r"by |from (?P<name>[^\s()]+) by (?P=name) with lmtp\b(?!.* by )")
"""How some servers write that a mail went from one of their programs to another."""


@dataclass(frozen=True, slots=True)
class Vouching:
    """The word of our own mail server, of this name ('': none is asked), for the From of a mail.

    `providers` are those by whom a mail came that it does not vouch for, the most telling first.
    """

    server: str = ""
    is_given: bool = False
    providers: tuple[str, ...] = ()


def vouching_of(sender: str, results: Sequence[str], received: Sequence[str], authserv_id: str) -> Vouching:
    """Return what the server of this name says in the values of Authentication-Results and Received."""
    if not authserv_id:
        return Vouching()
    if is_vouched_for(results, authserv_id, sender):
        return Vouching(authserv_id, is_given=True)
    return Vouching(authserv_id, providers=providers(results, received, authserv_id))


def is_vouched_for(headers: Sequence[str], authserv_id: str, sender: str) -> bool:
    """Return True if DMARC passed, or a DKIM or SPF pass is aligned with the sender's domain.

    `headers` are the values of Authentication-Results, the topmost first; `sender` is the address in From.
    """
    domain = sender.rpartition("@")[2]
    decided: dict[str, list[Any]] = {}
    for result in results_of(headers, authserv_id):
        decided.setdefault(str(result.method).lower(), []).append(result)
    dmarc = [str(one.result).lower() for one in decided.get("dmarc", [])]
    if dmarc and dmarc[0] in ("pass", "fail"):
        return dmarc[0] == "pass" and _names(decided["dmarc"][0], "header", "from") in ("", domain)
    return any(
        str(one.result).lower() == "pass" and _is_aligned(_names(one, place, name), domain)
        for method, (place, name) in _DOMAINS.items()
        for one in decided.get(method, [])
    )


def providers(headers: Sequence[str], received: Sequence[str], authserv_id: str) -> tuple[str, ...]:
    """By whom a mail came that nobody vouches for, the most telling first; never empty.

    `headers` and `received` are the values of Authentication-Results and Received, the topmost first.
    """
    found: list[str] = []
    for result in results_of(headers, authserv_id):
        method, passed = str(result.method).lower(), str(result.result).lower() == "pass"
        domain = _names(result, *_DOMAINS[method]) if passed and method in _DOMAINS else ""
        if "." in domain and len(domain) <= _MAX_DOMAIN:
            found.append(f"{method} {domain}")
    found.sort()
    network = _network(received, authserv_id)
    return (*dict.fromkeys(found), *([network] if network != UNKNOWN or not found else []))


def provider_text(provider: str) -> str:
    """A provider as players and operators read it.

    >>> provider_text("net 192.0.2.0/24"), provider_text("dkim isp.test")
    ('the network 192.0.2.0/24', 'isp.test')
    """
    kind, _, name = provider.partition(" ")
    if kind == LOCAL:
        return phrase("people.providers.local")
    if kind == "net":
        return phrase("people.providers.net", name=plain(name))
    return plain(name) or phrase("people.providers.unknown")


def _network(received: Sequence[str], authserv_id: str) -> str:
    """The network from which our own server took the mail.

    Servers write above what is there, so what stands above the one that took it was written by our own,
    too: on the way from there to here, within one machine. Those below may have come with the mail.
    """
    for value in received:
        hop = None if len(value) > MAX_LENGTH else _HOP.fullmatch(value.lower())
        if hop is None:
            if _WITHIN.match(value.lower()):
                continue
            return UNKNOWN
        address = _address(hop["address"])
        if address is None or _TWO_WAYS.search(hop["rest"]):
            return UNKNOWN
        if not address.is_loopback:
            is_known = hop["by"] == authserv_id.lower() and not any(address in one for one in _PRIVATE)
            return _network_of(address) if is_known else UNKNOWN
    return LOCAL


def _network_of(address: IPv4Address | IPv6Address) -> str:
    return f"net {ip_network((address, _NETWORKS[address.version]), strict=False)}"


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def results_of(headers: Sequence[str], authserv_id: str) -> Sequence[Any]:
    """The results in the topmost header that our server wrote; none if it is too long or cannot be read."""
    named = ((_NAME_END.split(one.strip(), 1)[0].lower(), one) for one in headers[:MAX_HEADERS])
    return _parsed(next((one for name, one in named if name == authserv_id.lower()), ""))


@lru_cache(maxsize=_REMEMBERED)
def _parsed(value: str) -> Sequence[Any]:
    if len(value) > MAX_LENGTH:
        # The part that is cut off may be the end of a domain.
        return ()
    try:
        return tuple(AuthenticationResultsHeader.parse(f"Authentication-Results: {value}").results)
    except (AuthResError, RecursionError, ValueError, IndexError):
        return ()


def _names(result: Any, place: str, name: str) -> str:
    """The domain that a result is about; '' if it does not say."""
    values = [str(p.value) for p in result.properties if (p.type, p.name) == (place, name)]
    return values[0].strip().strip('"').rpartition("@")[2].lower() if values else ""


def _is_aligned(domain: str, sender_domain: str) -> bool:
    """Return True if who signed for `domain` speaks for the sender's: the same one, or one above it."""
    return "." in domain and (sender_domain == domain or sender_domain.endswith(f".{domain}"))
