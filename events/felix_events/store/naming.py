"""Find people in a message: in its header or its text, however those are encoded.

>>> zoe = Person(["zoe@example.org"], ["Zoe Zimmer"], [])
>>> zoe.is_named_in(b"To: =?utf-8?q?zoe=40example=2Eorg?=\\n\\nHello.\\n")
True
>>> zoe.is_meant_in(b"Subject: Re\\n\\nHOST zoe\\n"), zoe.is_meant_in(b"Subject: Re\\n\\nHOST Zoey\\n")
(True, False)
"""

from __future__ import annotations

import re
import unicodedata
from binascii import a2b_qp
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from functools import cached_property
from html import unescape
from itertools import islice
from typing import Final
from urllib.parse import unquote

_KEPT: Final = (b"message-id", b"reply-to")
"""By these an answer to a letter is known: which letter, and which address of ours."""
_FIELD: Final = re.compile(rb"^[^\s:][^:\n]*:.*\n?(?:[ \t].*\n?)*", re.MULTILINE)
_NAMED: Final = re.compile(rb"(reply-to):.*<([^<>\s]+)>", re.IGNORECASE | re.DOTALL)
"""An address behind a name, which may be that of a table that somebody called after themselves."""
_ENCODED: Final = re.compile(rb"=\?[^?]{1,40}\?b\?|base64|utf-16|utf-7|&#|%40|&commat", re.IGNORECASE)
"""Encodings that hide an address from a reader who only undoes quoted-printable."""
_QUOTED: Final = re.compile(r"(?<=\n)[>\s]+")
_WORD: Final = re.compile(r"\w+")
_TAG: Final = re.compile(r"<[^<>]*>")
_BREAK: Final = re.compile(r"<(?:br|/?(?:p|div|li|td))\b[^<>]*>", re.IGNORECASE)
_LONGEST_LINE: Final = 200
"""Characters that are kept of a line, as in a record."""
_MOST_LINES: Final = 20
"""Lines that are kept of a mail."""
_MAIL_FILE: Final = b".eml"
"""How the name of a mail ends that is attached as a file."""
_DEEPEST: Final = 2
"""How many mails within each other are looked into: one in a letter of ours, and another one in that."""
_SHORTEST_PART: Final = 3
GAP: Final = "[…]"
"""Stands where somebody who was forgotten was cut out of a line."""
_SHORTEST_LINE: Final = 8
"""Characters of a line that somebody said by which it is known again."""


@dataclass(frozen=True)
class Person:
    """By what somebody is known: addresses, names at tables, and lines that they said there."""

    addresses: Collection[str]
    names: Collection[str]
    sayings: Collection[str]

    def is_named_in(self, raw: bytes) -> bool:
        """Return True if a message holds one of their addresses."""
        own = [address.lower() for address in self.addresses]
        # All messages that are kept are looked through, and most need not be taken to pieces for that.
        quick = raw.lower() + b"\n" + a2b_qp(raw).lower()
        if any(address.encode() in quick for address in own):
            return True
        if not own or _ENCODED.search(raw) is None:
            return False
        return any(_folded(address) in text for text in readings(raw) for address in own)

    def is_meant_in(self, raw: bytes) -> bool:
        """Return True if a mail by somebody at their tables names them, by their whole name or how it begins,
        or repeats a line of theirs.
        """
        return any(self.is_called_in(text) for text in readings(raw))

    def is_meant_beside(self, raw: bytes) -> bool:
        """The same of the mails that are attached to a letter of ours."""
        return _MAIL_FILE in raw and any(map(self.is_meant_in, _mails_in(message_from_bytes(raw))))

    def is_called_in(self, text: str) -> bool:
        """The same of a text."""
        folded = _folded(text)
        return bool(self._called and self._called.search(folded)) or any(
            line in folded for line in self._said
        )

    def without(self, text: str) -> str:
        """Return the text with all by which they are known cut out of it.

        >>> Person(["zoe@example.org"], ["Zoe Zimmer"], []).without("BID 3, zoe (zoe@example.org)")
        'BID 3, […] ([…])'
        >>> Person(["zoe@example.org"], ["Zoe Zimmer"], []).without("BID 3 zoe_zimmer, ask Zimmer")
        'BID 3 […]_[…], ask […]'
        """
        # What stands there in a form of its own takes the whole text with it.
        cut = _gapped(unicodedata.normalize("NFKC", text), self.addresses)
        if self.is_named_in(cut.encode()):
            return GAP
        cut = _gapped(cut, [*self._said, *self._names, *self._parts])
        return GAP if self.is_called_in(cut) else cut

    @cached_property
    def _names(self) -> list[str]:
        """Whole names, and how they begin."""
        whole = {_folded(name) for name in self.names if name.strip()}
        # The beginning of a name is enough for an order, and most people write the first of two.
        return sorted(whole | {name.split()[0] for name in whole})

    @cached_property
    def _parts(self) -> list[str]:
        """The words of names, and what stands before the @ of an address, but for the very short ones."""
        words = {word for name in self._names for word in name.split()}
        words |= {address.partition("@")[0] for address in self.addresses}
        return sorted(word for word in words if len(word) >= _SHORTEST_PART)

    @cached_property
    def _called(self) -> re.Pattern[str] | None:
        words = "|".join(map(re.escape, self._names))
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None

    @cached_property
    def _said(self) -> list[str]:
        return [_folded(line) for line in self.sayings if len(line) >= _SHORTEST_LINE]


def readings(raw: bytes) -> Iterator[str]:
    """Yield the text of a mail in small letters, on one line: as it came in, and decoded (RFC 2045, 2047)."""
    yield _folded(raw.decode("utf-8", "replace"))
    try:
        message = message_from_bytes(raw)
        pieces = list(_decoded(message))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        # A message that cannot be read holds no more than its plain letters.
        return
    yield from map(_folded, pieces)


def _gapped(text: str, marks: Collection[str]) -> str:
    """The text without these, in letters of any size, the longest first."""
    forms = [r"\s+".join(map(re.escape, mark.split())) for mark in sorted(marks, key=len, reverse=True)]
    return (
        re.sub(rf"(?<![^\W_])(?:{'|'.join(forms)})(?![^\W_])", GAP, text, flags=re.IGNORECASE)
        if forms
        else text
    )


def holds(raw: bytes, line: str) -> bool:
    """Return True if a line stands in a mail, in a text or a page.

    >>> holds(b"Subject: x\\n\\nBID  <b>3</b>\\n", "bid 3"), holds(b"\\nBID 34\\n", "BID 3")
    (True, False)
    """
    sought = _worded(line)
    return any(sought in _worded(form) for text in readings(raw) for form in (text, _TAG.sub("", text)))


def begun_with(raw: bytes, order: str) -> list[str]:
    r"""Return lines of a mail, but for quotes, that begin as an order does: a number may be a name there.

    >>> begun_with(b"Subject: x\n\n > HAND OVER Zoe\n\n* Hand over Ben\nHAND\n", "HAND OVER 1")
    ['* Hand over Ben']
    >>> begun_with(b"Content-Type: text/html\n\n<b>Dispute</b>&nbsp;the card<br>\n", "DISPUTE PLAY 11")
    ['Dispute\xa0the card']
    """
    try:
        texts = list(_own_texts(message_from_bytes(raw)))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []
    lines = [line for text in texts for line in map(str.strip, text.splitlines()) if line[:1] != ">"]
    for words in (order.rstrip(" 0123456789"), order.partition(" ")[0]):
        spaced = r"\s+".join(map(re.escape, words.split()))
        begins = re.compile(rf"[\W_]*{spaced}(?!\w)", re.IGNORECASE)
        found = (line[:_LONGEST_LINE] for line in lines if begins.match(line))
        if some := list(dict.fromkeys(islice(found, _MOST_LINES))):
            return some
    return []


def _own_texts(message: Message) -> Iterator[str]:
    """The subject, and the texts of the parts, pages by their lines."""
    yield _header(str(message.get("Subject", "")))
    for part in message.walk():
        for text in _payloads(part):
            is_page = part.get_content_type() == "text/html"
            yield unescape(_TAG.sub("", _BREAK.sub("\n", text))) if is_page else text


def _worded(text: str) -> str:
    """The words alone, each between spaces: signs are not what a line is known by."""
    return f" {' '.join(_WORD.findall(_folded(text)))} "


def _decoded(message: Message, depth: int = _DEEPEST) -> Iterator[str]:
    for part in message.walk():
        for value in part.values():
            yield _header(str(value))
        yield from _payloads(part)
    if depth:
        for raw in _mails_in(message):
            yield from _decoded(message_from_bytes(raw), depth - 1)


def _mails_in(message: Message) -> Iterator[bytes]:
    for part in message.walk():
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes) and (part.get_filename() or "").endswith(_MAIL_FILE.decode()):
            yield payload


def _payloads(part: Message) -> Iterable[str]:
    payload, charset = part.get_payload(decode=True), part.get_content_charset("utf-8")
    if not isinstance(payload, bytes):
        return []
    try:
        return [payload.decode(charset, "replace")]
    except (LookupError, ValueError):
        return [payload.decode("utf-8", "replace"), payload.decode("latin-1")]


def _header(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError):
        return value


def _folded(text: str) -> str:
    """The text as it is compared: quotes, escapes of pages and links, and the size of letters left out."""
    plain = unquote(unescape(_QUOTED.sub(" ", text)))
    return " ".join(unicodedata.normalize("NFC", plain).casefold().split())


# ---- what stays


def field_of(raw: bytes, name: bytes) -> bytes:
    """Return what stands in the first field of this name, on one line; b"" if there is none."""
    return b" ".join(next(iter(_fields(raw, (name,))), b"").partition(b":")[2].split())


def cut_down(raw: bytes) -> bytes:
    """Cut a letter that named somebody who was forgotten down to two fields of its header, without text.

    >>> cut_down(b"To: ben@example.org\\nMessage-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\nAnna.\\n")
    b'Message-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\n'
    """
    kept = [_NAMED.sub(rb"\1: \2", field.rstrip(b"\n")) for field in _fields(raw, _KEPT)]
    return b"".join(field + b"\n" for field in kept) + b"\n" if kept else b""


def _fields(raw: bytes, names: Collection[bytes]) -> list[bytes]:
    head, _, _ = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    fields = (field.group() for field in _FIELD.finditer(head))
    return [field for field in fields if field.partition(b":")[0].strip().lower() in names]


def is_cut(raw: bytes) -> bool:
    """Return True if a letter was erased or cut down, and cannot be sent."""
    return raw == cut_down(raw)


def names_one_of(text: str | bytes, addresses: Collection[str]) -> bool:
    """Return True if a text holds one of these addresses, in letters of any size."""
    found = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return any(address.lower() in found.lower() for address in addresses)
