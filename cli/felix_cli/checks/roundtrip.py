"""A message from felix to itself: out by [send], and back by whatever way mail comes in.

It goes to an address with something behind a plus, as players' answers do: many mail servers deliver
those only when told to.

It carries felix's loop header, so that no felix acts on it, and a header with a number that nobody can guess.
If a server runs, it comes into the inbox, and the server leaves it aside as it does with every machine's
mail. If none runs, the doctor itself listens for that long, and looks into the mailbox, from which it
takes the message out again; other mail that comes meanwhile is asked to come later.
"""

from __future__ import annotations

import re
import secrets
import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session
from imapclient.exceptions import IMAPClientError

from felix_async.address import TRIAL, address_of
from felix_async.clock import system_clock
from felix_async.inbox.receive import Listener
from felix_async.language.words import LOOP_HEADER
from felix_async.reading.authentication import UNKNOWN, providers
from felix_async.reading.mime import parse
from felix_async.reading.reader import traces
from felix_async.settings import Settings
from felix_cli.checks.check import Check
from felix_cli.checks.ways import Mailbox, Unavailable, connect
from felix_cli.mail_text import header_of
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

HEADER: Final = "X-Felix-Doctor"
MOST_SKEW: Final = 300.0
"""Seconds by which the mail server's clock may differ from ours."""
_PAUSE: Final = 0.1
_MAILBOX_PAUSE: Final = 1.0
_PAGE: Final = 100
_HEAD_BYTES: Final = 65_536
_RECEIVED: Final = re.compile(rb"^Received:(?:[^\n]|\n[ \t])*;((?:[^\n;]|\n[ \t])*)\r?\n", re.I | re.M)
"""The first one, from the last server; its time stands behind the last semicolon (RFC 5321, section 4.4)."""
_RESULTS: Final = re.compile(rb"^Authentication-Results:(?:\s|\([^)]*\))*([^\s;()]{1,255})", re.I | re.M)
"""The name of who judged, before the first semicolon (RFC 8601, section 2.2)."""
_TO_HAND_OVER: Final = (
    "it has to deliver mail for all addresses with something behind the plus as if nothing stood there "
    "(in Postfix: recipient_delimiter = +)"
)
Look = Callable[[], bytes | None]
"""Looks once whether the message has come; its bytes."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """The message, as it came, and by which way."""

    raw: bytes
    way: str


def try_round_trip(settings: Settings, served: bool, seconds: float) -> Iterator[Check]:
    """Send a message to ourselves and wait for it, so long at the most."""
    what, mailbox = "round trip", trial_address(settings.mailbox)
    if settings.send.channel == "console":
        yield Check(what, True, "messages are printed, not sent", skipped=True)
        return
    nonce = secrets.token_hex(16)
    with ExitStack() as stack:
        try:
            looks = dict(_ways_in(settings, served, nonce, stack))
            began = time.monotonic()
            _send(settings, write_mail(settings.mailbox, nonce, system_clock()))
            arrived = _wait(looks, began + seconds)
        except Unavailable as error:
            yield Check(what, False, f"not tried: {error}", error.advice)
            return
        except StoreError as error:
            yield Check(what, False, f"not tried: {error}")
            return
        except (OSError, ValueError, IMAPClientError) as error:
            found = f"a message to {mailbox} could not be sent, or not be looked for: {_kind(error)}"
            yield Check(what, False, found, "look at what stands above, and at the mail server's log")
            return
    if arrived is None:
        found = f"a message to {mailbox} went out and did not come back within {seconds:g} s"
        where = f"look at the mail server's log: {_TO_HAND_OVER}"
        yield Check(what, False, found, f"{where}; a slow one needs --wait with more seconds")
        return
    took = time.monotonic() - began
    yield Check(what, True, f"a message to {mailbox} came back after {took:.1f} s, {arrived.way}")
    yield from _server_clock(arrived.raw)
    yield from _server_name(arrived.raw, settings.receive.authserv_id)
    yield from _way_in(arrived.raw, settings.receive.authserv_id)


def trial_address(mailbox: str) -> str:
    """The way of the message: as to `felix+<token>@host`, with a word that is no token."""
    return address_of(mailbox, TRIAL)


def write_mail(mailbox: str, nonce: str, at: datetime) -> bytes:
    """The message; every felix leaves it aside as one of its own."""
    message = EmailMessage(policy=SMTP_POLICY)
    message["From"] = mailbox
    message["To"] = trial_address(mailbox)
    message["Subject"] = "A message from felix to itself"
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{nonce}.doctor@{mailbox.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message[LOOP_HEADER] = mailbox
    message[HEADER] = nonce
    message.set_content("`felix doctor` tries whether mail comes back. This message can be deleted.\n")
    return message.as_bytes()


def _send(settings: Settings, raw: bytes) -> None:
    with closing(connect(settings.send, settings.mailbox)) as server:
        try:
            server.sendmail(settings.mailbox, [trial_address(settings.mailbox)], raw)
        except smtplib.SMTPRecipientsRefused as error:
            ((address, (code, _)),) = error.recipients.items()
            raise Unavailable(
                f"the mail server does not take a message to {address} ({code})", _TO_HAND_OVER
            ) from None
        with suppress(OSError):
            server.quit()


def _wait(looks: dict[str, Look], end: float) -> Arrived | None:
    while True:
        for way, look in looks.items():
            raw = look()
            if raw is not None:
                return Arrived(raw, way)
        if time.monotonic() >= end:
            return None
        time.sleep(_PAUSE)


def _ways_in(settings: Settings, served: bool, nonce: str, stack: ExitStack) -> Iterator[tuple[str, Look]]:
    """Listen wherever the message may come; the stack releases all of it."""
    yield "into the inbox", _inbox(settings, nonce, stack)
    if served:
        return
    if settings.listen.protocol != "off":
        yield "to the place where felix listens", _door(settings, nonce, stack)
    if settings.fetch.host:
        yield "into the mailbox", _mailbox(settings, nonce, stack)


# ---- by the database


def _inbox(settings: Settings, nonce: str, stack: ExitStack) -> Look:
    store = stack.enter_context(closing(SqliteStore.open_to_read(settings.database)))
    with store.read() as reader:
        newest = reader.mail_lines(1)
    seen = newest[0].mail_id if newest else 0

    def look() -> bytes | None:
        nonlocal seen
        before: int | None = None
        ids: list[int] = []
        with store.read() as reader:
            while lines := reader.mail_lines(_PAGE, before=before):
                ids += [line.mail_id for line in lines if line.mail_id > seen]
                if lines[-1].mail_id <= seen:
                    break
                before = lines[-1].mail_id
            seen = max([seen, *ids])
            for mail_id in ids:
                mail = reader.mail(mail_id)
                if mail is not None and header_of(mail.raw, HEADER) == nonce:
                    return mail.raw
        return None

    return look


# ---- by a listener for the time being


@dataclass
class _Door:
    """Takes the one message, and asks everybody else to come again."""

    mailbox: str
    nonce: str
    arrived: list[bytes] = field(default_factory=list)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        """The address that is tried may be; the rest is for a server that runs."""
        if address.lower() != trial_address(self.mailbox).lower():
            return "451 felix is being looked at, try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Our own mail it must be, too."""
        raw = envelope.content
        if not isinstance(raw, bytes) or header_of(raw, HEADER) != self.nonce:
            return "451 felix is being looked at, try again later"
        self.arrived.append(raw)
        return "250 OK"


def _door(settings: Settings, nonce: str, stack: ExitStack) -> Look:
    listen, door = settings.listen, _Door(settings.mailbox, nonce)
    listener = Listener(
        door,
        host=listen.host,
        port=listen.port,
        protocol="lmtp" if listen.protocol == "lmtp" else "smtp",
        max_bytes=listen.max_bytes,
    )
    try:
        listener.start()
    except OSError as error:
        found = f"nobody can listen on {listen.host}:{listen.port}: {error.strerror or error}"
        raise Unavailable(found, "change [listen]") from None
    stack.callback(listener.stop)
    return lambda: door.arrived[0] if door.arrived else None


# ---- by IMAP


def _mailbox(settings: Settings, nonce: str, stack: ExitStack) -> Look:
    mailbox = stack.enter_context(closing(Mailbox(settings.fetch)))
    mailbox.open(to_change=True)
    client = mailbox.client
    next_look = 0.0

    def look() -> bytes | None:
        nonlocal next_look
        if time.monotonic() < next_look:
            return None
        next_look = time.monotonic() + _MAILBOX_PAUSE
        client.noop()
        for uid in client.search(["HEADER", HEADER, nonce]):
            raw = client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
            if header_of(raw, HEADER) == nonce:
                client.add_flags([uid], [b"\\Deleted"], silent=True)
                # A plain EXPUNGE would take away what others have marked.
                if client.has_capability("UIDPLUS"):
                    client.uid_expunge([uid])
                return bytes(raw)
        return None

    return look


# ---- what the message says


def _server_clock(raw: bytes) -> Iterator[Check]:
    """The time that the last mail server wrote into the message; nothing if there was none."""
    received = _RECEIVED.search(raw[:_HEAD_BYTES])
    if received is None:
        return
    try:
        at = parsedate_to_datetime(received[1].decode("ascii", "replace"))
    except (ValueError, TypeError, IndexError):
        return
    skew = (system_clock() - (at if at.tzinfo else at.replace(tzinfo=UTC))).total_seconds()
    found = f"differs from this machine's by {abs(skew):.0f} s"
    if abs(skew) <= MOST_SKEW:
        yield Check("mail server's clock", True, found)
    else:
        advice = "set this machine's clock, or have the other one set"
        yield Check("mail server's clock", False, found, advice)


def _server_name(raw: bytes, wanted: str) -> Iterator[Check]:
    """Check whether the mail server signs its judgements of senders by the name that it is trusted under.

    Nothing if it made none of this message: some do not look at mail from themselves.
    """
    names = [name.decode("ascii", "replace").lower() for name in _RESULTS.findall(raw[:_HEAD_BYTES])]
    if not names:
        return
    what, found = "mail server's name", f"it signs its Authentication-Results as {names[0]}"
    if not wanted:
        advice = f'with receive.authserv_id = "{names[0]}" felix looks at them, and forged senders are told'
        yield Check(what, True, found, advice)
    elif wanted.lower() in names:
        yield Check(what, True, found)
    else:
        advice = "set receive.authserv_id to that name, if it is your mail server's"
        yield Check(what, False, f"{found}, and not as {wanted}", advice)


def _way_in(raw: bytes, wanted: str) -> Iterator[Check]:
    """Check whether felix can tell by whom unsigned mail comes, if it asks for signed mail."""
    if not wanted:
        return
    received = traces("Received", parse(raw[:_HEAD_BYTES]))
    if UNKNOWN in providers((), received, wanted):
        found = f"no Received tells from where {wanted} took a message"
        advice = "players whose provider does not sign are asked about each message; see docs/hosting.md"
        yield Check("where mail comes from", True, found, advice)
    else:
        yield Check(
            "where mail comes from", True, "told by Received, so a YES for unsigned mail is remembered"
        )


def _kind(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or type(error).__name__)
