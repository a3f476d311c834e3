"""Mail that comes back: which address failed, for good or for now, and of which letter. Pure reading.

Reports by RFC 3464 are read with the standard library, older and odder ones by flufl.bounce. A report of a
delay is no failure; an automatic answer and a receipt are no bounce at all. Whatever is in the bytes, nothing
here raises, and all of it ends soon: sizes, parts and recipients are bounded.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.utils import getaddresses
from hashlib import sha256
from itertools import islice, takewhile
from typing import Final

from flufl.bounce import all_failures

from felix_async.address import without_tokens
from felix_async.deliverability import STATUS, Failure, failure_of
from felix_async.reading.machines import is_away_subject
from felix_async.reading.mime import bounded, message_of
from felix_async.text import plain

MAX_BYTES: Final = 65_536
MAX_HEADER_BYTES: Final = 65_536
MAX_PARTS: Final = 30
MAX_RECIPIENTS: Final = 20
MAX_BLANK_LINES: Final = 500
"""`email` makes a message of whatever stands between two of them in a report."""
MAX_GUESSED_BYTES: Final = 16_384
"""So much of a mail is shown to rules that guess; real bounces say at their beginning what they are."""
_ADDRESS: Final = re.compile(r"[!-~]{1,64}@[A-Za-z0-9.-]{1,255}")
_HEX: Final = re.compile(r"\+([0-9A-F]{2})")
_MESSAGE_ID: Final = re.compile(rb"^[> \t]{0,4}message-id:[ \t\r\n]{0,4}(<[!-;=?-~]{1,250}>)", re.I | re.M)
_LONG: Final = re.compile(rb"^([^\n]{400})[^\n]+", re.M)
"""Lines that are longer than a bounce's; the rules that guess take the square of a line's length in time."""
_REPLY: Final = re.compile(r"(?<![\w.])([45])\d\d(?!\.?\w)")
"""A reply code (RFC 5321, section 4.2), which is no part of a longer word or number."""
_NO_SUCH_MAILBOX: Final = ("550", "551", "553")
_UNDEFINED: Final = (".0.0", ".3.0")
"""How status codes end that say no more than that something failed."""
_RETURNED_HEAD: Final = re.compile(
    r"[> \t]*(?:received|return-path|message-id|mime-version|date|(?:content|list|x)-[a-z-]+)[ \t]*:",
    re.IGNORECASE,
)
"""The mail that came back begins here: its header says nothing of why."""
_DAEMON: Final = re.compile(r"daemon|postmaster|mail delivery|delivery (?:sub)?system|mailer|bounce", re.I)
_WRITES_NO_BOUNCE: Final = ("disposition-notification", "feedback-report")
"""Kinds of multipart/report that tell of receipts and complaints (RFC 8098, RFC 5965)."""
# It tells each step, and of mails that it stumbles over a whole traceback.
logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Bounce:
    """A report about one recipient; `failure` is None if it is a delay, or not about the address.

    `diagnostic` is one harmless line; `address` as the report has it, '' if it names none.
    """

    address: str
    failure: Failure | None
    status: str
    diagnostic: str


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a mail to an address for bounces. `returned` are the Message-IDs that it brings back,
    `body_sha256` names what stands below its headers.
    """

    bounces: list[Bounce]
    returned: list[str]
    body_sha256: str


def read_report(raw: bytes, *, from_nobody: bool = False) -> Report:
    """The report in these bytes."""
    body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[2]
    return Report(read_bounce(raw, from_nobody=from_nobody), returned_ids(raw), sha256(body).hexdigest())


def read_bounce(raw: bytes, *, from_nobody: bool = False) -> list[Bounce]:
    """Return what a mail reports; nothing if it is no bounce.

    A mail `from_nobody`, with the empty envelope sender that bounces have (RFC 5321, section 4.5.5), may have
    anybody in From; another one is looked at only if a mail system stands there.
    """
    raw = _bounded(raw)
    message = _parsed(raw)
    if message is None:
        return []
    try:
        reports = [part for part in _parts(message) if part.get_content_type() == "message/delivery-status"]
        reported = [bounce for part in reports for bounce in _reported(part)][:MAX_RECIPIENTS]
        kind = str(message.get_param("report-type", "")).lower()
        if reported or kind in _WRITES_NO_BOUNCE:
            return reported
        if reports or _is_from_a_daemon(message):
            return _guessed(raw[:MAX_GUESSED_BYTES])
        if not from_nobody or is_away_subject(str(message.get("Subject", ""))):
            return []
        # People who are away answer from their own address.
        own = {address.lower() for _, address in getaddresses([_from(message)])}
        return [one for one in _guessed(raw[:MAX_GUESSED_BYTES]) if one.address.lower() not in own]
    except Exception:  # noqa: BLE001 - neither library names its errors for this, and a mail may be any bytes
        return []


def returned_ids(raw: bytes) -> list[str]:
    """The Message-IDs of the mails that a bounce brings back, brackets and all."""
    body = raw[:MAX_BYTES].replace(b"\r\n", b"\n").partition(b"\n\n")[2]
    found = (match[1].decode("ascii") for match in _MESSAGE_ID.finditer(body))
    return list(dict.fromkeys(islice(found, MAX_RECIPIENTS)))


def forms_of(address: str) -> list[str]:
    """Return what an address in a report may mean: itself, or the xtext of another (RFC 3461, section 4).

    >>> forms_of("ben+2Bfelix@players.test")
    ['ben+2Bfelix@players.test', 'ben+felix@players.test']
    """
    return [address, _HEX.sub(lambda match: chr(int(match[1], 16)), address)]


def _parsed(raw: bytes) -> Message | None:
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if len(head) > MAX_HEADER_BYTES:
        return None
    try:
        return message_of(bounded(raw))
    except RecursionError:
        return None


def _bounded(raw: bytes) -> bytes:
    """The beginning of a mail, in which no report is cut into more pieces than any server writes."""
    raw = raw[:MAX_BYTES].replace(b"\r\n", b"\n")
    end = next(islice(re.finditer(rb"\n\n", raw), MAX_BLANK_LINES, None), None)
    return raw if end is None else raw[: end.start()]


def _parts(message: Message) -> Iterator[Message]:
    """The parts of a report, not those of the mail that it brings back: a report within is another's."""
    inner = message.get_payload() if message.get_content_maintype() == "multipart" else [message]
    parts = [part for part in inner if isinstance(part, Message)] if isinstance(inner, list) else []
    yield from parts[:MAX_PARTS]


def _reported(part: Message) -> Iterator[Bounce]:
    """The recipients in a message/delivery-status part: blocks of fields, the first about the mail itself."""
    blocks = part.get_payload()
    for block in islice(blocks if isinstance(blocks, list) else [], MAX_PARTS):
        if not isinstance(block, Message) or "Action" not in block:
            continue
        action = _field(block, "Action").lower()
        diagnostic = _field(block, "Diagnostic-Code").partition(";")[2].strip()
        status = _status_in(_field(block, "Status"), diagnostic)
        address = _recipient(block, "Original-Recipient") or _recipient(block, "Final-Recipient")
        # OpenSMTPD writes "error".
        failed = action.startswith(("fail", "error"))
        yield Bounce(
            address,
            _failure(status, diagnostic) if failed else None,
            status,
            _told(diagnostic or " ".join((action, status))),
        )


def _field(block: Message, name: str) -> str:
    return " ".join(str(block.get(name, "")).split())


def _recipient(block: Message, name: str) -> str:
    """The address of a field such as `rfc822; ben@example.org`, as it is written there."""
    kind, found, text = _field(block, name).partition(";")
    # Some leave the kind of address out.
    text = (text if found else kind).strip().strip("<>")
    return text if _ADDRESS.fullmatch(text) else ""


def _status_in(status: str, diagnostic: str) -> str:
    """The more telling of two status codes: `5.0.0` says nothing that the other server did not say better."""
    own, theirs = STATUS.search(status), STATUS.search(diagnostic)
    if own is not None and (theirs is None or own[2] != "0"):
        return own[0]
    return theirs[0] if theirs is not None else ""


def _failure(status: str, diagnostic: str) -> Failure | None:
    """Tell how the address failed, by its status code, else by the reply code in the diagnostic."""
    reply = _REPLY.search(diagnostic)
    if status.startswith("5") and status.endswith(_UNDEFINED) and reply and reply[0] in _NO_SUCH_MAILBOX:
        return "lasting"
    if status:
        return failure_of(status)
    passing = reply is not None and (reply[1] == "4" or reply[0] == "552")
    return "passing" if passing else "lasting"


def _is_from_a_daemon(message: Message) -> bool:
    """People who are away answer from their own address, however much that looks like a bounce."""
    if "X-Failed-Recipients" in message:
        return True
    value = _from(message)
    names = [f"{name} {address.partition('@')[0]}" for name, address in getaddresses([value])]
    return value in ("", "<>") or any(_DAEMON.search(name) for name in names)


def _from(message: Message) -> str:
    return " ".join(str(message.get("From", "")).split())[:1000]


def _guessed(raw: bytes) -> list[Bounce]:
    """A bounce in a form of its own, as flufl.bounce finds it; why, from the lines after the address."""
    raw = _LONG.sub(rb"\1", raw)
    message = message_of(raw)
    for_now, for_good = all_failures(message)
    text = raw.partition(b"\n\n")[2].decode("utf-8", "replace") or raw.decode("utf-8", "replace")
    bounces = []
    for found in sorted(for_good)[:MAX_RECIPIENTS]:
        address = _known_form(found)
        diagnostic = _said_of(address, text)
        status = _status_in("", diagnostic)
        bounces.append(Bounce(address, _failure(status, diagnostic), status, _told(diagnostic)))
    for found in sorted(for_now - for_good)[:MAX_RECIPIENTS]:
        bounces.append(Bounce(_known_form(found), None, "", "delayed"))
    return bounces


def _known_form(found: bytes) -> str:
    text = found.decode("ascii", "replace")
    return text if _ADDRESS.fullmatch(text) else ""


def _said_of(address: str, text: str) -> str:
    """The line with a reply code nearest below the address, above the mail that came back; '' if there is
    none.
    """
    below = text[text.find(address) :].splitlines()[:12] if address else []
    lines = list(takewhile(lambda line: _RETURNED_HEAD.match(line) is None, below))
    return next((line.strip() for line in lines if _REPLY.search(line) or STATUS.search(line)), "")


def _told(text: str) -> str:
    return plain(without_tokens(text))
