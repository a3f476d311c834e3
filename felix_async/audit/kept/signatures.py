"""The DKIM signature of felix's own domain on a kept letter (RFC 6376), and whether it is good.

It is judged at the time at which it was made. One that covers a part of the body only, that leaves out what a
letter is known by, or that somebody else's server made, is not taken for felix's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parseaddr
from functools import cache
from typing import Any, Final

from felix_async.audit.kept.letters import Mail
from felix_async.text import plain

NEEDS: Final = 'it needs dkimpy: install "felix-async[dkim]"'
_ALGORITHMS: Final = (b"rsa-sha256", b"ed25519-sha256")
_SIGNED: Final = ("From", "Subject", "Date", "Reply-To", "In-Reply-To")
"""What must be signed where it is there: the boundary binds the rest to the body."""
_MOST: Final = 10
"""Signatures of a mail that are looked at."""
_LEAST_BITS: Final = 1024
_QUOTED: Final = re.compile(r'"([^"]*)"')
_PEM: Final = re.compile(r"-----BEGIN PUBLIC KEY-----(.*?)-----END PUBLIC KEY-----", re.S)
_ED25519: Final = "MCowBQYDK2VwAyEA"
"""How such a key begins as PEM (RFC 8410); in the DNS it stands without that (RFC 8463)."""
_RECORD: Final = re.compile(r"(?:v=DKIM1\s*;|k=|p=).*", re.S)
Lookup = Callable[[bytes], bytes | None]
"""The TXT record of a name; None if there is none. `NoKey` if nobody can say."""


class NoKey(Exception):
    """A key cannot be had, so a signature cannot be checked; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who signed a letter; or, if it is not signed by felix's domain, why it does not count as signed."""

    domain: str
    why: str = ""
    is_unchecked: bool = False


def key_in(text: str) -> bytes | None:
    """Return the DKIM record in a file: as the DNS has it, in a zone's quotes, or as PEM; None if none."""
    pem = _PEM.search(text)
    if pem is not None:
        key = "".join(pem[1].split())
        kind, key = ("ed25519", key.removeprefix(_ED25519)) if key.startswith(_ED25519) else ("rsa", key)
        return f"v=DKIM1; k={kind}; p={key}".encode()
    record = _RECORD.search("".join(_QUOTED.findall(text)) or text)
    if record is None or "p=" not in record[0] or not record[0].isascii():
        return None
    return " ".join(record[0].split()).encode()


def from_dns(name: bytes) -> bytes | None:
    """Ask the DNS for the record. NoKey if it does not answer."""
    import dkim

    try:
        record: bytes | None = dkim.get_txt(name)
    except (dkim.DKIMException, OSError) as error:
        raise NoKey(f"the DNS does not answer ({error})") from None
    return record


@dataclass(slots=True)
class Signatures:
    """Judges letters by the keys that `lookup` finds; ImportError if dkimpy is not there."""

    lookup: Lookup
    _dkim: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        import dkim

        self._dkim = dkim
        self.lookup = cache(self.lookup)

    def __call__(self, mail: Mail) -> Verdict:
        """Return who signed a letter; each way counts in which it may have come."""
        verdicts = [self._verdict(mail, raw) for raw in mail.ways]
        return next((one for one in verdicts if not one.why), verdicts[0])

    def _verdict(self, mail: Mail, raw: bytes) -> Verdict:
        domain = parseaddr(str(mail.head.get("From", "")))[1].rpartition("@")[2].lower()
        why = "it has no signature of this domain"
        try:
            signer = self._dkim.DKIM(raw, minkey=_LEAST_BITS)
            headers = [one for one in signer.headers if one[0].lower() == b"dkim-signature"]
            for header in headers[:_MOST]:
                fields = self._dkim.parse_tag_value(header[1])
                if fields.get(b"d", b"").lower() == domain.encode():
                    why = self._flaw(mail, signer, header, fields)
                    if not why:
                        break
        except NoKey as error:
            return Verdict(domain, str(error), is_unchecked=True)
        except (self._dkim.DKIMException, ValueError, LookupError) as error:
            # The library shows bytes behind what it says.
            why = plain(str(error).partition(" (")[0], 100)
        return Verdict(domain, why)

    def _flaw(self, mail: Mail, signer: Any, header: Any, fields: dict[bytes, bytes]) -> str:
        """Return why a signature is not good; '' if it is."""
        timeless = {name: value for name, value in fields.items() if name not in (b"t", b"x")}
        self._dkim.validate_signature_fields(timeless)
        if b"l" in fields:
            return "the signature covers only a part of it (l=)"
        if fields[b"a"] not in _ALGORITHMS:
            return f"the signature is of a kind that proves nothing any more ({plain(fields[b'a'].decode())})"
        signed = [name.lower() for name in re.split(rb"\s*:\s*", fields[b"h"].strip())]
        left_out = [name for name in _SIGNED if name in mail.head and name.lower().encode() not in signed]
        if left_out:
            return f"the signature leaves out {', '.join(left_out)}"
        if b"x" in fields:
            date = mail.date.timestamp() if mail.date is not None else 0
            if int(fields[b"x"]) < int(fields.get(b"t", b"%d" % date)):
                return "the signature had expired when it was made"
        name = b"%b._domainkey.%b." % (fields[b"s"], fields[b"d"])
        record = self.lookup(name)
        if not record or re.search(rb"\bp=\s*(?:;|$)", record):
            raise NoKey(f"there is no key of {plain(name.decode('ascii', 'replace').rstrip('.'))}")
        self._dkim.evaluate_pk(name, record)
        is_good = signer.verify_sig(fields, signed, header, lambda *_, **__: record)
        return "" if is_good else "the signature does not fit its headers"
