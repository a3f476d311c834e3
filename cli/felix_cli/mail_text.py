"""A message as its operator is shown it: strangers' text harmless, tokens blanked, no more than fits.

Nothing here raises, whatever the bytes are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Final

from felix_async.address import without_tokens
from felix_async.reading.mime import parse
from felix_async.text import plain

MAX_HEADERS: Final = 100
MAX_LINES: Final = 400
MAX_PARTS: Final = 50
_HEAD_BYTES: Final = 65_536
_BODY_BYTES: Final = 1_000_000
_VALUE: Final = 300
_MARGIN: Final = 1000
"""What is read beyond the limit, so that nothing is cut before it is known for a token."""

_OUR_ID: Final = re.compile(r"<[a-z2-7]{32}@")
"""A Message-ID of ours: who answers it, and can pass for its reader, needs no token."""


def shown(text: str, limit: int = _VALUE) -> str:
    """One harmless line in which nobody finds a token."""
    blanked = _OUR_ID.sub("<…@", without_tokens(plain(text[: limit + _MARGIN], limit + _MARGIN)))
    return plain(blanked, limit)


def headers_of(raw: bytes) -> list[tuple[str, str]]:
    """The headers, decoded as far as they can be, in their order."""
    head = raw[:_HEAD_BYTES].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    try:
        items = BytesHeaderParser(policy=policy.compat32).parsebytes(head + b"\n\n").items()
    except Exception:  # noqa: BLE001 - the library names no errors for this, and a mail may be any bytes
        return [("", shown(line)) for line in head.decode("utf-8", "replace").splitlines()[:MAX_HEADERS]]
    return [(shown(name, 80), shown(_decoded(str(value)))) for name, value in items[:MAX_HEADERS]]


def header_of(raw: bytes, name: str) -> str:
    """The first header of this name, '' if there is none."""
    return next((value for other, value in headers_of(raw) if other.lower() == name.lower()), "")


def body_of(raw: bytes) -> list[str]:
    """The lines of every text in the message, and of what else there is, what it is."""
    try:
        message = parse(raw[:_BODY_BYTES])
        lines = [line for part in _parts(message) for line in _lines(part)]
    except Exception:  # noqa: BLE001 - as above
        text = raw[:_BODY_BYTES].replace(b"\r\n", b"\n").partition(b"\n\n")[2].decode("utf-8", "replace")
        lines = text.splitlines()
    told = [shown(line) for line in lines[:MAX_LINES]]
    more = len(lines) - MAX_LINES
    return [*told, f"[{more} more lines]"] if more > 0 else told


def _decoded(value: str) -> str:
    value = value[: _VALUE + _MARGIN]
    try:
        return str(make_header(decode_header(value)))
    except Exception:  # noqa: BLE001 - as above
        return value


def _parts(message: Message) -> Iterator[Message]:
    """The parts that are no containers, not into any depth."""
    waiting, count = [message], 0
    while waiting and count < MAX_PARTS:
        part = waiting.pop(0)
        payload = part.get_payload()
        if isinstance(payload, list):
            waiting[:0] = [inner for inner in payload[:MAX_PARTS] if isinstance(inner, Message)]
        else:
            yield part
        count += 1


def _lines(part: Message) -> Iterator[str]:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    kind = part.get_content_type()
    if part.get_content_maintype() == "text":
        yield from ([] if kind == "text/plain" else [f"[{kind}]"])
        yield from _text(content, part.get_content_charset("utf-8")).splitlines()
    else:
        yield f"[{kind}, {len(content)} bytes]"


def _text(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset, "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")
