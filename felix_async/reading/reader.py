"""What a mail says: its headers as far as they can be read, and its lines, each with its place.

Whatever is in the bytes, nothing here raises, and however long a mail is, the reading stays short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from email import policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from functools import partial
from hashlib import sha256
from typing import Final, TypeVar

from felix_async.reading.budget import TooCostly, go_on
from felix_async.reading.html import bounded_pages, hypertext_lines
from felix_async.reading.line import MAX_CHARS, MAX_LINES, Line
from felix_async.reading.mime import Text, decode, forms_of, parse, texts, writable
from felix_async.reading.own_lines import of_letter, ours
from felix_async.reading.plaintext import plain_lines
from felix_async.reading.replies import place_lines
from felix_async.reading.understand import is_fresh, understand
from felix_async.reading.verdicts import Understood

MAX_TRACES: Final = 20
"""Headers of one name that servers on the way have left."""
MAX_FROM: Final = 1000
MAX_SUBJECT: Final = 500
_UNMARKED: Final = ("written", "doubtful", "below the marker")
T = TypeVar("T")
_HEADERS_OF_CONTENT: Final = ("From", "To", "Subject", "Date", "In-Reply-To")
_SIMPLE_FROM: Final = re.compile(
    r"(?P<bare>[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+)|[A-Za-z0-9 -]* ?<(?P<angled>[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+)>"
)
"""`anna@example.org` or `Anna <anna@example.org>`: nothing in it can be read in two ways."""
_ADDRESS: Final = re.compile(r"[^@\s<>\"(),:;]+@[^@\s<>\"(),:;]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """A received mail, read. `lines` is None without any text, `sender` is '' where it is in doubt.

    `unplaced` are the same lines before they were told apart, `has_html` says that some of them were HTML.
    `authentication` are the values of Authentication-Results, `received` those of Received, the topmost
    first; `understood` is what `understand` makes of the letter. `is_too_costly` says that reading its lines
    was given up.
    """

    headers: dict[str, str]
    sender: str
    message_id: str
    content_sha256: str
    lines: list[Line] | None
    authentication: tuple[str, ...] = ()
    received: tuple[str, ...] = ()
    understood: Sequence[Understood] = field(default=(), repr=False)
    unplaced: Sequence[Line] = field(default=(), repr=False)
    has_html: bool = False
    is_too_costly: bool = False

    @property
    def may_quote(self) -> bool:
        """Whether lines in it that no sign marks as quotes may be those of the letter that it answers."""
        unmarked = [line for line in self.lines or [] if line.place in _UNMARKED and line.text.strip()]
        return len(unmarked) > 1 and not is_fresh(self.headers)

    @property
    def written(self) -> list[str]:
        """The lines that its writer surely wrote, without the empty ones."""
        return [line.text for line in self.lines or [] if line.place == "written" and line.text.strip()]

    @property
    def subject(self) -> str:
        """The subject, decoded (RFC 2047)."""
        return decoded(self.headers.get("subject", "")[:MAX_SUBJECT])


def read_mail(raw: bytes) -> Letter:
    """The mail in these bytes, as well as it can be read."""
    message = parse(raw)
    headers = _headers(message)
    letter = Letter(
        headers=headers,
        sender=_or(_sender, message, ""),
        message_id=headers.get("message-id", "").strip().strip("<>").strip(),
        content_sha256=_content_hash(raw, headers),
        lines=None,
        authentication=_or(partial(_all, "Authentication-Results"), message, ()),
        received=_or(partial(_all, "Received"), message, ()),
    )
    nothing: tuple[list[Line] | None, bool] = (None, False)
    try:
        lines, has_html = _or(_lines, message, nothing)
        placed = None if lines is None else place_lines(lines)
        letter = replace(letter, lines=placed, unplaced=lines or (), has_html=has_html)
        return replace(letter, understood=understand(letter))
    except TooCostly:
        return too_costly(letter)


def too_costly(letter: Letter) -> Letter:
    """The same letter, of which nothing is known but its headers."""
    return replace(letter, lines=None, understood=(), is_too_costly=True)


def answering(letter: Letter, answered: bytes) -> Letter:
    """The same mail, read as an answer to this letter of ours: the letter's own lines are quotes."""
    # A letter's HTML is long, and no plain text comes out of it in that order.
    message = parse(answered if letter.has_html else answered.partition(b"text/html")[0])
    forms = [[line.text for line in _text_lines(text)] for text in forms_of(message)]
    places = of_letter(letter.unplaced, ours(*forms))
    if not places:
        return letter
    letter = replace(letter, lines=place_lines(letter.unplaced, places))
    return replace(letter, understood=understand(letter))


def decoded(text: str) -> str:
    """What a header says (RFC 2047); as it stands where it cannot be decoded."""
    try:
        return writable(str(make_header(decode_header(text))))
    except (MessageError, LookupError, ValueError):
        # A charset may have a name of any letters, and the library stumbles over it in ways of its own.
        return text


def read_text(text: str) -> list[Line]:
    """The lines of a plain text, each with its place."""
    return place_lines(_bounded(plain_lines(text)))


def _or(read: Callable[[Message], T], message: Message, otherwise: T) -> T:
    """What can be read of a message; `otherwise` where the library stumbles over it."""
    try:
        return read(message)
    except TooCostly:
        raise
    except Exception:  # noqa: BLE001 - the library names no errors for this, and a mail may be any bytes
        return otherwise


def _headers(message: Message) -> dict[str, str]:
    """Headers by lower-case name; the first of each, as some attacks add a second."""
    headers: dict[str, str] = {}
    charset = ""
    for name, value in message.raw_items():
        text = str(value)
        if not text.isascii():
            charset = charset or next((one for one in message.get_charsets() if one), "ascii")
            text = _unencoded(text, charset)
        headers.setdefault(name.lower(), writable(" ".join(text.split())))
    return headers


def _unencoded(value: str, charset: str) -> str:
    """A header that was left in 8 bits: in UTF-8 (RFC 6532), else in the charset of the mail's text."""
    raw = value.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return decode(raw, charset)


def _sender(message: Message) -> str:
    """The address in From, lower case; '' unless there is exactly one and it is written without tricks."""
    values = message.get_all("From", [])
    value = " ".join(str(values[0]).split()) if len(values) == 1 else ""
    if not value or len(value) > MAX_FROM:
        return ""
    simple = _SIMPLE_FROM.fullmatch(value)
    if simple is not None:
        return (simple["bare"] or simple["angled"]).lower()
    addresses = getaddresses([value])
    if len(addresses) != 1 or policy.default.header_factory("From", value).defects:
        return ""
    address = addresses[0][1]
    # `alice@a.test<mallory@b.test>` must not pass for alice: the rest of the text names nobody else.
    named_otherwise = "@" in value.lower().replace(address.lower(), "")
    return (
        "" if named_otherwise or not address.isascii() or not _ADDRESS.fullmatch(address) else address.lower()
    )


def _all(name: str, message: Message) -> tuple[str, ...]:
    """What servers on the way wrote into every header of a name; whose word counts is decided elsewhere."""
    values = message.get_all(name, [])[:MAX_TRACES]
    return tuple(" ".join(str(value).split()) for value in values)


def _lines(message: Message) -> tuple[list[Line] | None, bool]:
    """The lines of all texts of the mail, with a mark between two texts, and whether some of it is HTML; None
    where there is no text.
    """
    found = texts(message)
    pages = bounded_pages(text.content for text in found if text.html)
    lines: list[Line] = []
    for number, text in enumerate(found):
        go_on()
        if len(lines) >= MAX_LINES:
            break
        if number:
            lines.append(Line("", "next part"))
        lines += _text_lines(replace(text, content=next(pages)) if text.html else text)
    return (_bounded(lines) if found else None), any(text.html for text in found)


def _bounded(lines: Sequence[Line]) -> list[Line]:
    """So many lines of a mail, and so much of each, as anybody ever looks at."""
    return [Line(line.text[:MAX_CHARS], line.place) for line in lines[:MAX_LINES]]


def _text_lines(text: Text) -> list[Line]:
    if text.html:
        return hypertext_lines(text.content)
    return plain_lines(text.content, flowed=text.flowed, delsp=text.delsp)


def _content_hash(raw: bytes, headers: dict[str, str]) -> str:
    """The mail without its Message-ID and what servers on the way added."""
    kept = [f"{name}: {headers.get(name.lower(), '')}" for name in _HEADERS_OF_CONTENT]
    unix = raw.replace(b"\r\n", b"\n")
    body = unix.partition(b"\n\n")[2].rstrip()
    return sha256("\n".join(kept).encode("utf-8", "surrogateescape") + b"\n\n" + body).hexdigest()
