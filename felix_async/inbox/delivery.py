"""Whom a message was delivered to, and who sent it, where no envelope says so any more.

A mail out of a mailbox, or out of a pipe that names nobody, has its envelope only in the headers that
mail servers left in it. What is read here is a hint for finding the seat; it proves nothing, and whether the
token is good and the writer the right one is decided later. Whatever is in the bytes, nothing here raises.

>>> raw = b"Delivered-To: felix@felix.test\\r\\nTo: felix+abc@felix.test\\r\\n\\r\\nPASS\\r\\n"
>>> recipients_in(raw, "felix@felix.test")
['felix+abc@felix.test']
"""

from __future__ import annotations

import re
from typing import Final

from felix_async.address import TRIAL, token_in
from felix_async.reading.sender import seat_of
from felix_events.store.base import Reader

MAX_RECIPIENTS: Final = 20
"""Recipients of one mail; nobody sits at more tables with one mail."""
MAX_HEAD_BYTES: Final = 65_536
"""Bytes in which headers are looked for."""
_MAX_HEADER: Final = 1000
"""Characters of a header with an address that are looked at."""
UNKNOWN_SENDER: Final = "unknown"
"""Stands where a mail names no sender; '' would say that it is a bounce."""
_MAX_ADDRESS: Final = 320
_LEFT_BY_SERVERS: Final = ("delivered-to", "x-original-to", "envelope-to")
_WRITTEN: Final = ("to", "cc")
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_FOLD: Final = re.compile(r"\r?\n(?=[ \t])")
_ADDRESS: Final = re.compile(r"[^\s<>\"(),:;@]+@[^\s<>\"(),:;@]+")
_IN_ANGLES: Final = re.compile(r"<\s*([^<>\s]*)\s*>")


def is_ours(reader: Reader, address: str, mailbox: str) -> bool:
    """Return True for an address that is ours: with a good token, the mailbox itself, or a trial of it.

    A mail to the mailbox itself may still name its seat elsewhere; that is looked for when it is read.
    """
    return token_in(address, mailbox) in ("", TRIAL) or seat_of(reader, address, mailbox) is not None


def recipients_in(raw: bytes, mailbox: str) -> list[str]:
    """The addresses of ours that a mail came to, by its headers; at least one, at most 20.

    A server that delivers leaves the address of this one copy in Delivered-To, X-Original-To or
    Envelope-To: the first of ours with a token is the one. Many strip what stands after the plus, or leave
    nothing: then it is every address with a token in To and Cc, and without any the mailbox itself.
    """
    headers = _headers(raw)
    for name in _LEFT_BY_SERVERS:
        named = _with_token(headers.get(name, []), mailbox)
        if named:
            return named[:1]
    written = [value for name in _WRITTEN for value in headers.get(name, [])]
    return _with_token(written, mailbox)[:MAX_RECIPIENTS] or [mailbox]


def sender_in(raw: bytes) -> str:
    """The envelope's sender by a mail's headers: '' for a bounce, else an address, or "unknown".

    It stands in Return-Path, which the last server wrote above everything else. If there is none, the
    address in From takes its place: that a server left no Return-Path does not make a mail a bounce.
    """
    headers = _headers(raw)
    paths = headers.get("return-path", [])
    if paths:
        path = _IN_ANGLES.search(paths[0][:_MAX_HEADER])
        written = path[1] if path else paths[0].strip()
        return _address(written) if written else ""
    found = _ADDRESS.findall(" ".join(headers.get("from", []))[:_MAX_HEADER])
    return _address(found[-1]) if found else UNKNOWN_SENDER


def _address(text: str) -> str:
    return text if len(text) <= _MAX_ADDRESS and text.isascii() and text.isprintable() else UNKNOWN_SENDER


def _with_token(values: list[str], mailbox: str) -> list[str]:
    """The addresses of this mailbox that have a token, each once, in the order in which they stand."""
    local, _, host = mailbox.partition("@")
    ours = re.compile(
        rf"(?<![^\s<>\"(),:;\[\]]){re.escape(local)}\+[a-z0-9]+@{re.escape(host)}(?!\.?[a-z0-9-])",
        re.IGNORECASE,
    )
    found: dict[str, str] = {}
    for value in values:
        for address in ours.findall(value):
            found.setdefault(address.lower(), address)
    return [address for address in found.values() if token_in(address, mailbox)]


def _headers(raw: bytes) -> dict[str, list[str]]:
    """All values of each header, by lower-case name; nothing is decoded, and any bytes will do."""
    start = raw[: MAX_HEAD_BYTES + 4]
    end = _END_OF_HEAD.search(start)
    head = _FOLD.sub("", (start[: end.start()] if end else start).decode("latin-1"))
    headers: dict[str, list[str]] = {}
    for line in head.split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), []).append(value.strip())
    return headers
