"""From the bytes of a message to the texts that its writer may have written, and the lines of a plain one.

Inline text/plain and text/html count, in their order; of alternatives the plain one, unless it is empty.
What is attached, a mail within the mail, a calendar, a bounce or a receipt are nobody's orders and are left
out. Nothing here trusts a header: an unknown charset is read as UTF-8, broken encodings as far as they go.
The paragraphs of format=flowed are put together again (RFC 3676).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from itertools import islice
from typing import Final

from felix_async.reading.line import MAX_LINES, Line

MAX_HEADER_BYTES: Final = 65_536
MAX_READ: Final = 1_048_576
"""How many bytes of a mail are parsed; the text stands before what makes a mail long."""
MAX_TEXT: Final = 262_144
"""How many bytes of a text are read."""
MAX_PARTS: Final = 200
MAX_MULTIPARTS: Final = 10
"""Parts that hold parts; each line is compared with the boundaries of all that it stands in."""
MAX_DEPTH: Final = 20
"""Parts within parts; nobody writes deeper."""

_MULTIPART: Final = re.compile(rb"multipart/", re.IGNORECASE)
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_TRICKS: Final = frozenset(
    ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"]
)
"""Codecs that are no charsets of mail; the second takes minutes over a long text."""
_WESTERN: Final = frozenset(["ascii", "iso8859-1"])


MAX_PARAMETERS: Final = 1000
"""Bytes of a Content-Type or a Content-Disposition with all its parameters."""
_CONTENT_HEADER: Final = re.compile(
    rb"^(content-(?:type|disposition)[ \t]*:)[^\r\n]*(?:\r?\n?[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE
)
_STRUCK: Final = re.compile(r"<(?:del|s|strike)[\s>]|line-through", re.IGNORECASE)
_DELIVERY_STATUS: Final = re.compile(
    rb"^(content-type[ \t]*:)[ \t]*message/delivery-status", re.IGNORECASE | re.MULTILINE
)
"""Such a part is no text either, and `email` makes a message of each of its blank lines."""


class Part(Message):
    """A part that knows its type. The parser asks for that of the whole for each part within it, and `email`
    goes through all headers to tell it.
    """

    _type: str | None = None

    def set_raw(self, name: str, value: str) -> None:
        """Add a header as it stands."""
        self._type = None
        super().set_raw(name, value)

    def set_default_type(self, ctype: str) -> None:
        """Say of what type the part is without a header."""
        self._type = None
        super().set_default_type(ctype)

    def get_content_type(self) -> str:
        """The type, in small letters."""
        if self._type is None:
            self._type = super().get_content_type()
        return self._type


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a mail, decoded. `flowed` and `delsp` are those of RFC 3676."""

    content: str
    html: bool = False
    flowed: bool = False
    delsp: bool = False


def parse(raw: bytes) -> Message:
    """The mail under the older policy, which takes headers as they stand; the newer one raises on real ones.

    A mail with more headers than any server writes is not parsed at all: it would take minutes. Of a very
    long mail, and of one with very many parts in parts, the beginning is parsed.
    """
    end = _HEAD_END.search(raw, 0, MAX_HEADER_BYTES + 4)
    if (len(raw) if end is None else end.start()) > MAX_HEADER_BYTES:
        return Message()
    raw = _DELIVERY_STATUS.sub(rb"\1 application/octet-stream", bounded(raw[:MAX_READ]))
    nested = next(islice(_MULTIPART.finditer(raw, 0, MAX_READ), MAX_MULTIPARTS, None), None)
    try:
        return message_of(raw[: MAX_READ if nested is None else nested.start()])
    except RecursionError:
        return Message()


def head_of(raw: bytes) -> bytes:
    """The headers of a mail, without the blank line below them."""
    return _HEAD_END.split(raw[:MAX_HEADER_BYTES], 1)[0]


def message_of(raw: bytes) -> Message:
    """The parts of a mail under the older policy, whatever it costs."""
    return message_from_bytes(raw, Part, policy=policy.compat32)


def bounded(raw: bytes) -> bytes:
    """A mail in which no part has a type or disposition longer than any program writes.

    Python's `email` takes time quadratic in the number of their parameters. A value that is too long is no
    text.
    """

    def checked(found: re.Match[bytes]) -> bytes:
        return found[0] if len(found[0]) <= MAX_PARAMETERS else found[1] + b" application/octet-stream"

    return _CONTENT_HEADER.sub(checked, raw)


def texts(message: Message) -> list[Text]:
    """The texts of a mail in their order; none if it holds none."""
    parts = 0

    def walk(part: Message, depth: int) -> list[Text]:
        nonlocal parts
        parts += 1
        if parts > MAX_PARTS or depth > MAX_DEPTH or _is_attached(part):
            return []
        kind = part.get_content_type()
        if part.get_content_maintype() != "multipart":
            return [_text_of(part)] if kind in ("text/plain", "text/html") else []
        # A bounce or a receipt; its first part was written by a machine.
        if kind in ("multipart/report", "multipart/encrypted"):
            return []
        found = (walk(inner, depth + 1) for inner in _inner(part))
        if kind != "multipart/alternative":
            return [text for texts in found for text in texts]
        return _best(list(found))

    return walk(message, 0)


def forms_of(message: Message) -> list[Text]:
    """Both forms of a letter of ours, plain text and HTML."""
    parts = islice(message.walk(), MAX_PARTS)
    return [
        _text_of(part)
        for part in parts
        if part.get_content_type() in ("text/plain", "text/html") and not _is_attached(part)
    ]


def _inner(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        first = 1 if part.get_content_type() == "multipart/signed" else MAX_PARTS
        yield from (one for one in payload[:first] if isinstance(one, Message))


def _best(alternatives: list[list[Text]]) -> list[Text]:
    """The alternative that is plain text and says something, else the one that says something.

    If something is struck out, that alternative shows it which can.
    """
    says = [texts for texts in alternatives if any(text.content.strip() for text in texts)]
    # The plain text of a page has lost what is struck out there, and says it all the same.
    struck = [texts for texts in says if any(text.html and _STRUCK.search(text.content) for text in texts)]
    plain = [texts for texts in says if any(not text.html and text.content.strip() for text in texts)]
    return next(iter(struck or plain or says or alternatives), [])


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _text_of(part: Message) -> Text:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    return Text(
        decode(content, part.get_content_charset("")),
        html=part.get_content_type() == "text/html",
        flowed=_parameter(part, "format") == "flowed",
        delsp=_parameter(part, "delsp") == "yes",
    )


def _parameter(part: Message, name: str) -> str:
    value = part.get_param(name, "")
    return value.lower() if isinstance(value, str) else ""


def decode(payload: bytes, charset: str = "") -> str:
    """The text in these bytes; a NUL in every second place tells UTF-16, whatever the header says."""
    payload = payload[:MAX_TEXT]
    start = payload[:200]
    if payload.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        charset = "utf-16"
    elif start.count(0) * 3 > len(start):
        charset = "utf-16-be" if start[0] == 0 else "utf-16-le"
    try:
        name = codecs.lookup(charset or "utf-8").name
        if name in _WESTERN:
            # Text that calls itself Latin-1 has the quotation marks of Windows in it, or is UTF-8.
            name = "utf-8" if _is_utf8(payload) else "cp1252"
        text = payload.decode("utf-8" if name in _TRICKS else name, "replace")
    except (LookupError, ValueError):
        text = payload.decode("utf-8", "replace")
    return writable(text)


def _is_utf8(payload: bytes) -> bool:
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError as error:
        # The limit may have cut the last character.
        return error.start > len(payload) - 4 and len(payload) == MAX_TEXT
    return True


def writable(text: str) -> str:
    """The text without halves of characters, which some charsets can spell and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


_ENDS = re.compile(r"\r*\n")


def split_lines(text: str) -> list[str]:
    """The lines of a text; CR alone ends a line only if nothing else does.

    Form feeds and the like end none: half of a quoted line would stand there unquoted.

    >>> split_lines("a\\r\\r\\nb\\n\\nc")
    ['a', 'b', '', 'c']
    """
    if "\n" in text:
        return _ENDS.sub("\n", text).split("\n")
    return text.split("\r")


def plain_lines(text: str, *, flowed: bool = False, delsp: bool = False) -> list[Line]:
    """The lines of a plain text, not yet told apart."""
    lines = split_lines(text.removeprefix("\ufeff"))[:MAX_LINES]
    return [Line(line) for line in (unflow(lines, delsp=delsp) if flowed else lines)]


def unflow(lines: list[str], *, delsp: bool = False) -> list[str]:
    """Flowed lines as paragraphs; quotes keep their depth, and a signature's line stays alone.

    >>> unflow(["BID ", "5", "> one ", "> two", "-- ", " stuffed"])
    ['BID 5', '> one two', '-- ', 'stuffed']
    """
    paragraphs: list[list[str]] = []
    open_depth: int | None = None
    for line in lines:
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        is_sign = content == "-- "
        if open_depth != depth or is_sign:
            paragraphs.append([">" * depth + " " * bool(depth)])
        flows = content.endswith(" ") and not is_sign
        paragraphs[-1].append(content[:-1] if flows and delsp else content)
        open_depth = depth if flows else None
    return ["".join(paragraph) for paragraph in paragraphs]
