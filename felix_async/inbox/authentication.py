"""Whether our own mail server vouches for the From of a mail (RFC 8601).

Only headers under the configured authserv-id count: everybody can write such a header, and a server removes
those that carry its own name from mail that comes in (RFC 8601, section 5). Where several stand there, the
topmost alone is believed, because it was added last: one below it may have come with the mail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from authres import AuthenticationResultsHeader, AuthResError

MAX_HEADERS: Final = 20
MAX_LENGTH: Final = 4000
"""Characters of one header; servers write some hundred."""


def is_vouched_for(headers: Sequence[str], authserv_id: str, sender: str) -> bool:
    """Whether DMARC passed, or a DKIM or SPF pass is aligned with the sender's domain.

    `headers` are the values of Authentication-Results, the topmost first; `sender` is the address in From.
    """
    domain = sender.rpartition("@")[2]
    decided: dict[str, list[Any]] = {}
    for result in next(iter(_results(headers, authserv_id)), []):
        decided.setdefault(str(result.method).lower(), []).append(result)
    dmarc = [str(one.result).lower() for one in decided.get("dmarc", [])]
    if dmarc and dmarc[0] in ("pass", "fail"):
        return dmarc[0] == "pass" and _names(decided["dmarc"][0], "header", "from") in ("", domain)
    proofs = [("dkim", "header", "d"), ("spf", "smtp", "mailfrom")]
    return any(
        str(one.result).lower() == "pass" and _is_aligned(_names(one, place, name), domain)
        for method, place, name in proofs
        for one in decided.get(method, [])
    )


def _results(headers: Sequence[str], authserv_id: str) -> Iterable[list[Any]]:
    """The results in each header that our own server wrote; one that cannot be read says nothing."""
    for value in headers[:MAX_HEADERS]:
        try:
            read = AuthenticationResultsHeader.parse(f"Authentication-Results: {value[:MAX_LENGTH]}")
        except (AuthResError, RecursionError, ValueError, IndexError):
            continue
        if str(read.authserv_id).lower() == authserv_id.lower():
            yield list(read.results)


def _names(result: Any, place: str, name: str) -> str:
    """The domain that a result is about; '' where it does not say."""
    values = [str(p.value) for p in result.properties if (p.type, p.name) == (place, name)]
    return values[0].strip().strip('"').rpartition("@")[2].lower() if values else ""


def _is_aligned(domain: str, sender_domain: str) -> bool:
    """Whether who signed for `domain` speaks for the sender's: the same one, or one above it."""
    return "." in domain and (sender_domain == domain or sender_domain.endswith(f".{domain}"))
