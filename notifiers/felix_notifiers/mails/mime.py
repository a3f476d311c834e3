"""A composed mail as bytes: headers that machines respect, the text part first, then the HTML part.

The same arguments give the same bytes: even the boundary between the parts follows from the Message-ID.
"""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, Literal

from felix_async.language.words import LOOP_HEADER
from felix_notifiers.content.harmless import FELIX, NAME_LIMIT, one_line
from felix_notifiers.content.mail import Composed


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail: its name, its type in two words, and its bytes."""

    name: str
    type: tuple[str, str]
    data: bytes = field(repr=False)


Kind = Literal["auto-generated", "auto-replied"]
"""The values of Auto-Submitted (RFC 3834): a notice, or the answer to a mail."""
_MESSAGE_ID: Final = re.compile(r"[!-;=?-~]{1,250}")


_MAX_LINE: Final = 78
"""Characters of a header's line that need no folding (RFC 5322, section 2.1.1)."""
_MAX_BODY_LINE: Final = 998
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PLAIN_ADDRESS: Final = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
"""An address that a header holds as it is."""
_PLAIN_NAME: Final = re.compile(rf"{_ATOM}(?: {_ATOM})*")
"""A name that needs no quotes before an address."""
_UNQUOTED: Final = re.compile(r'[^\x00-\x1f\x7f"(),.:;<>@\[\]\\]+')
"""A name that the library does not put into quotes."""
_SHORT: Final = "a@b"
_KEPT: Final = 512
"""Names that are remembered as they stand in a header: those of tables, and of players."""
_PLAIN_TEXT: Final = re.compile(r"[!-~]+(?: [!-~]+)*")
"""Words that a header holds as they are."""
_WORD: Final = re.compile(r"[!-~]+")
_FROM: Final = re.compile(rb"^From ", re.MULTILINE)
"""Begins a line that programs change where they keep mails in one file, which breaks a signature."""
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def build(
    composed: Composed,
    *,
    sender_mailbox: str,
    to_name: str,
    to_address: str,
    message_id: str,
    at: datetime,
    kind: Kind,
    reply_to: str = "",
    thread_id: str = "",
    in_reply_to: str = "",
    unsubscribe: str = "",
    attachments: Sequence[Attachment] = (),
    shown_as: str = FELIX,
) -> bytes:
    """The mail; `in_reply_to` is a stranger's Message-ID, with or without brackets, or ''.

    `thread_id` is the Message-ID of the first letter of a thread, and that one has nothing of ours to refer
    to; `unsubscribe` is a `mailto:` link that stops these mails (RFC 2369). `shown_as` is the name of whoever
    writes it, and gets the answer. ValueError for an address that is none.
    """
    theirs = _bracketed(in_reply_to)
    try:
        headers = [
            _addressed("From", _literal(shown_as), sender_mailbox),
            _addressed("To", _literal(one_line(to_name, NAME_LIMIT)), to_address),
            *([_addressed("Reply-To", _literal(shown_as), reply_to)] if reply_to else ()),
        ]
    except (MessageError, IndexError, AttributeError) as error:
        # The library fails in each of these ways, by what is odd about an address.
        raise ValueError(f"not an address: {error}") from None
    headers += [
        _worded("Subject", _literal(composed.subject)),
        f"Date: {format_datetime(at)}",
        _verbatim("Message-ID", message_id),
    ]
    ours = "" if thread_id == message_id else thread_id
    if ours or theirs:
        headers.append(_verbatim("In-Reply-To", theirs or ours))
        headers.append(_verbatim("References", *filter(None, (ours, theirs))))
    headers.append(f"Auto-Submitted: {kind}")
    if unsubscribe:
        headers.append(_verbatim("List-Unsubscribe", f"<{unsubscribe}>"))
    headers += [_worded(LOOP_HEADER, sender_mailbox), "MIME-Version: 1.0"]
    boundary = f"felix-{sha256(message_id.encode()).hexdigest()[:32]}"
    parts = [_text_part(composed.text, "plain"), _text_part(composed.sent_html, "html")]
    body = _multipart("alternative", boundary, parts)
    if attachments:
        body = _multipart("mixed", f"{boundary}-files", [body, *map(_attached, attachments)])
    return "\r\n".join(headers).encode("ascii") + b"\r\n" + body


def _addressed(header: str, name: str, address: str) -> str:
    """A header with one address; the library's errors for one that is none."""
    phrase = name if _PLAIN_NAME.fullmatch(name) else _phrase(header, name)
    if _PLAIN_ADDRESS.fullmatch(address) and (phrase or not name):
        value = f"{phrase} <{address}>" if name else address
        if len(f"{header}: {value}") <= _MAX_LINE:
            return f"{header}: {value}"
        if phrase != name and len(f" <{address}>") <= _MAX_LINE:
            # As the library does: a value that fits a line below the header is not broken.
            is_whole = len(value) <= _MAX_LINE
            return f"{header}:\r\n {value}" if is_whole else f"{header}: {phrase}\r\n <{address}>"
    return _folded(header, Address(name, addr_spec=address))


@lru_cache(_KEPT)
def _phrase(header: str, name: str) -> str:
    """A name as it stands in a header before an address: the library takes long to encode one. '' for a name
    that needs quotes, or more than a line.
    """
    if not _UNQUOTED.fullmatch(name):
        return ""
    folded = _folded(header, Address(name, addr_spec=_SHORT))
    phrase = folded.removeprefix(f"{header}: ").removesuffix(f" <{_SHORT}>")
    return "" if "\n" in phrase else phrase


def _worded(header: str, text: str) -> str:
    """A header of any words."""
    line = f"{header}: {text}"
    return line if len(line) <= _MAX_LINE and _PLAIN_TEXT.fullmatch(text) else _folded(header, text)


def _verbatim(header: str, *words: str) -> str:
    """Message-IDs and links, one under the other: a long one is neither broken nor encoded."""
    for word in words:
        if not _WORD.fullmatch(word):
            raise ValueError(f"{word!r} cannot stand in a header as it is")
    return f"{header}: " + "\r\n ".join(words)


def _folded(header: str, value: str | Address) -> str:
    """A header that must be folded, or encoded; ValueError for more than a line."""
    _, parsed = SMTP.header_store_parse(header, value)
    folded: str = parsed.fold(policy=SMTP)
    return folded.removesuffix("\r\n")


def _literal(text: str) -> str:
    """The text with nothing in it that a header decodes: an encoded word (RFC 2047) in somebody's name could
    hold the end of a line, and another header behind it.
    """
    return text.replace("=?", "= ?")


def _multipart(subtype: Literal["alternative", "mixed"], boundary: str, parts: Sequence[bytes]) -> bytes:
    """Parts one after the other, below a header that says how they are told apart."""
    head = f'Content-Type: multipart/{subtype};\r\n boundary="{boundary}"\r\n\r\n'.encode()
    line = f"--{boundary}".encode()
    return b"%s%s--\r\n" % (head, b"".join(b"%s\r\n%s\r\n" % (line, part) for part in parts) + line)


def _text_part(text: str, subtype: Literal["plain", "html"]) -> bytes:
    """Seven bits on every line, so that no server on the way has a reason to touch it, nor a program."""
    data = b"\r\n".join(text.encode().splitlines()) + b"\r\n"
    is_short = max(map(len, text.split("\n"))) < _MAX_BODY_LINE
    plain_enough = text.isascii() and is_short and _FROM.search(data) is None
    encoding = "7bit" if plain_enough else "quoted-printable"
    head = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n'
    return head.encode() + (data if plain_enough else _FROM.sub(b"=46rom ", b2a_qp(data)))


def _attached(attachment: Attachment) -> bytes:
    """A file as a part of a mail. ValueError for a name that would need quoting."""
    if not _FILE_NAME.fullmatch(attachment.name):
        raise ValueError(f"{attachment.name!r} is no name for a file in a mail")
    head = (
        f"Content-Type: {'/'.join(attachment.type)}\r\nContent-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: attachment; filename="{attachment.name}"\r\nMIME-Version: 1.0\r\n\r\n'
    )
    return head.encode("ascii") + encodebytes(attachment.data).replace(b"\n", b"\r\n")


def _bracketed(message_id: str) -> str:
    found = message_id.strip().removeprefix("<").removesuffix(">")
    return f"<{found}>" if _MESSAGE_ID.fullmatch(found) else ""
