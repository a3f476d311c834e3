"""From the bytes of a message to a `Reading`: all that is found out about it without the database, and once.

A mail is opened first: its headers and its lines. If it answers a letter of ours, that letter's lines in it
are quotes, so it is looked up next; then each line is understood. Both steps take values and return values,
raise nothing whatever is in the bytes, and end within the mail's budget.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email import policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from functools import cache, partial
from hashlib import sha256
from math import inf
from time import thread_time
from typing import Final, TypeVar

from felix_async.address import decode_token, token_in
from felix_async.reading.authentication import Vouching, vouching_of
from felix_async.reading.budget import BUDGET, PATIENCE, TooCostly, go_on, limited
from felix_async.reading.html import bounded_pages, hypertext_lines
from felix_async.reading.line import MAX_CHARS, MAX_LINES, Line
from felix_async.reading.machines import machine_mark
from felix_async.reading.mime import Text, decode, forms_of, parse, plain_lines, texts, writable
from felix_async.reading.previews import is_our_subject
from felix_async.reading.replies import of_letter, ours, place_lines
from felix_async.reading.reports import Report, read_report
from felix_async.reading.understand import understand
from felix_async.reading.verdicts import Understood
from felix_events.store.rows import Mail

MAX_TRACES: Final = 20
"""Headers of one name that servers on the way have left."""
MAX_FROM: Final = 1000
MAX_SUBJECT: Final = 500
_ANY_MAIL: Final = (
    b"In-Reply-To: <1@felix>\r\n\r\nI'd go up to 7, please.\r\n\r\nOn Monday Felix wrote:\r\n> PASS\r\n"
)
_UNMARKED: Final = ("written", "doubtful", "below the marker")
T = TypeVar("T")
_HEADERS_OF_CONTENT: Final = ("From", "To", "Subject", "Date", "In-Reply-To")
_SIMPLE_FROM: Final = re.compile(
    r"(?P<bare>[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+)|[A-Za-z0-9 -]* ?<(?P<angled>[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+)>"
)
"""`anna@example.org` or `Anna <anna@example.org>`: nothing in it can be read in two ways."""
_ADDRESS: Final = re.compile(r"[^@\s<>\"(),:;]+@[^@\s<>\"(),:;]+")
_EMPTY: Final = sha256(b"").hexdigest()


class DamagedMail(Exception):
    """The database has lost what a mail said."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A mail, read.

    `sender` is '' if it is in doubt, `lines` is None without any text; `said` is what the writer asks for in
    them, line by line. `machine` names the header that gives a machine away, `report` is what a mail to an
    address for bounces reports. `left` are the seconds of processor time in which the mail may be dealt with.
    Of a mail that is `from_nobody`, and of one that the reading stumbled over (`trouble`), nothing else is
    known.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    sender: str = ""
    message_id: str = ""
    content_sha256: str = ""
    vouching: Vouching = field(default_factory=Vouching)
    machine: str = ""
    lines: Sequence[Line] | None = None
    said: Sequence[Understood] = field(default=(), repr=False)
    report: Report | None = None
    from_nobody: bool = False
    is_too_costly: bool = False
    trouble: Exception | None = None
    left: float = field(default=inf, compare=False)

    @property
    def subject(self) -> str:
        """The subject, decoded (RFC 2047)."""
        return decoded(self.headers.get("subject", "")[:MAX_SUBJECT])

    @property
    def is_fresh(self) -> bool:
        """Return True if the mail begins a thread: an old one keeps its subject, and an order in it."""
        return not any(self.headers.get(name) for name in ("in-reply-to", "references"))

    @property
    def own_subject(self) -> str:
        """The subject as far as it is the writer's: of the first mail of a thread, and none that we wrote."""
        subject = self.subject if self.is_fresh else ""
        return "" if is_our_subject(subject) else subject

    def given_up(self) -> Reading:
        """The same mail, too costly to read: nothing is known of it but its headers."""
        return replace(self, lines=None, said=(), is_too_costly=True)


@dataclass(frozen=True, slots=True)
class Opened:
    """A mail of which all is known but what its lines ask for.

    `unplaced` are its lines before they were told apart; `has_html` says that some of them were HTML.
    """

    reading: Reading
    unplaced: Sequence[Line] = field(default=(), repr=False)
    has_html: bool = False

    @property
    def may_quote(self) -> bool:
        """Return True if lines that no sign marks as quotes may be those of the letter that it answers."""
        lines = self.reading.lines or ()
        unmarked = [line for line in lines if line.place in _UNMARKED and line.text.strip()]
        return len(unmarked) > 1 and not self.reading.is_fresh


def open_mail(mail: Mail, mailbox: str, authserv_id: str = "") -> Opened:
    """Open a mail that came in, within its budget; one that the operator has put back has more of it."""
    _prepare()
    token = decode_token(token_in(mail.recipient, mailbox) or "")
    is_report = token is not None and token.purpose == "bounce"

    def opened() -> Opened:
        if not mail.raw and mail.sha256 != _EMPTY:
            raise DamagedMail(f"mail {mail.mail_id} is damaged")
        from_nobody = mail.sender in ("", "<>")
        opened = Opened(Reading(from_nobody=True)) if from_nobody else open_bytes(mail.raw, authserv_id)
        if not is_report:
            return opened
        report = read_report(mail.raw, from_nobody=from_nobody)
        return replace(opened, reading=replace(opened.reading, report=report))

    seconds = BUDGET * (PATIENCE if mail.retried else 1)
    started = thread_time()
    try:
        with limited(seconds):
            done = opened()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - told where it is counted
        done = Opened(Reading(trouble=error))
    return replace(done, reading=replace(done.reading, left=max(0.0, seconds - (thread_time() - started))))


@cache
def _prepare() -> None:
    """Load the tables that reading needs, once: the first mail has no less of its budget than the others."""
    read_mail(_ANY_MAIL)


def read(opened: Opened, answered: bytes = b"") -> Reading:
    """Understand the lines of a mail, as the answer to this letter of ours, in what is left of its budget."""
    reading = opened.reading
    if reading.is_too_costly:
        return reading
    started = thread_time()
    try:
        with limited(reading.left):
            lines = reading.lines if not answered else _told_apart(opened, answered)
            said = understand(lines or (), reading.own_subject)
            reading = replace(reading, lines=lines, said=said)
    except TooCostly:
        reading = reading.given_up()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - told where it is counted
        reading = Reading(trouble=error)
    return replace(reading, left=max(0.0, opened.reading.left - (thread_time() - started)))


def read_mail(raw: bytes, answered: bytes = b"", authserv_id: str = "") -> Reading:
    """Read the mail in these bytes, as the answer to this letter of ours."""
    return read(open_bytes(raw, authserv_id), answered)


def open_bytes(raw: bytes, authserv_id: str = "") -> Opened:
    """Open the mail in these bytes, as far as it can be read."""
    message = parse(raw)
    headers = _headers(message)
    nowhere: tuple[str, ...] = ()
    results = _or(partial(traces, "Authentication-Results"), message, nowhere)
    received = _or(partial(traces, "Received"), message, nowhere)
    sender = _or(_sender, message, "")
    reading = Reading(
        headers=headers,
        sender=sender,
        message_id=headers.get("message-id", "").strip().strip("<>").strip(),
        content_sha256=_content_hash(raw, headers),
        vouching=vouching_of(sender, results, received, authserv_id),
    )
    machine = machine_mark({**headers, "subject": reading.subject}) or ""
    nothing: tuple[list[Line] | None, bool] = (None, False)
    try:
        lines, has_html = _or(_lines, message, nothing)
        placed = None if lines is None else place_lines(lines)
    except TooCostly:
        return Opened(replace(reading, machine=machine).given_up())
    return Opened(replace(reading, machine=machine, lines=placed), lines or (), has_html)


def _told_apart(opened: Opened, answered: bytes) -> Sequence[Line] | None:
    """The lines of a mail, those of the letter that it answers as quotes."""
    # A letter's HTML is long, and no plain text comes out of it in that order.
    message = parse(answered if opened.has_html else answered.partition(b"text/html")[0])
    forms = [[line.text for line in _text_lines(text)] for text in forms_of(message)]
    places = of_letter(opened.unplaced, ours(*forms))
    return place_lines(opened.unplaced, places) if places else opened.reading.lines


def decoded(text: str) -> str:
    """Return what a header says (RFC 2047); unchanged if it cannot be decoded."""
    try:
        return writable(str(make_header(decode_header(text))))
    except (MessageError, LookupError, ValueError):
        # A charset may have a name of any letters, and the library stumbles over it in ways of its own.
        return text


def read_text(text: str) -> list[Line]:
    """The lines of a plain text, each with its place."""
    return place_lines(_bounded(plain_lines(text)))


def _or(read: Callable[[Message], T], message: Message, otherwise: T) -> T:
    """Return what can be read of a message; `otherwise` if the library stumbles over it."""
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


def traces(name: str, message: Message) -> tuple[str, ...]:
    """Return what servers on the way wrote into each header of a name, the topmost first."""
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
    return [
        line if len(line.text) <= MAX_CHARS else Line(line.text[:MAX_CHARS], line.place)
        for line in lines[:MAX_LINES]
    ]


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
