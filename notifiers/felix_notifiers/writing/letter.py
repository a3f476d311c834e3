"""A composed mail as bytes: headers that machines respect, the text part first, then the HTML part.

The same arguments give the same bytes: even the boundary between the parts follows from the Message-ID.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, Policy
from email.utils import format_datetime
from hashlib import sha256
from typing import Final, Literal

from felix_async.words import LOOP_HEADER
from felix_notifiers.content.harmless import NAME_LIMIT, one_line
from felix_notifiers.content.sheet import Composed


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail: its name, its type in two words, and its bytes."""

    name: str
    type: tuple[str, str]
    data: bytes = field(repr=False)


Kind = Literal["auto-generated", "auto-replied"]
"""What Auto-Submitted says (RFC 3834): a notice, or the answer to a mail."""
_MESSAGE_ID: Final = re.compile(r"[!-;=?-~]{1,250}")


class _Verbatim(UnstructuredHeader, BaseHeader):
    """Message-IDs and links, one under the other; the standard folding would encode a long one."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {f'{policy.linesep} '.join(self.split())}{policy.linesep}"


def _policy() -> EmailPolicy[EmailMessage]:
    registry = HeaderRegistry()
    for name in ("In-Reply-To", "References", "List-Unsubscribe"):
        registry.map_to_type(name, _Verbatim)
    return SMTP.clone(header_factory=registry)


_POLICY: Final = _policy()


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
) -> bytes:
    """The mail; `in_reply_to` is a stranger's Message-ID, with or without brackets, or ''.

    `thread_id` is the Message-ID of the first letter of a thread, and that one has nothing of ours to refer
    to; `unsubscribe` is a `mailto:` link that stops these mails (RFC 2369). ValueError where an address is
    none.
    """
    theirs = _bracketed(in_reply_to)
    message = EmailMessage(policy=_POLICY)
    try:
        message["From"] = Address("felix", addr_spec=sender_mailbox)
        message["To"] = Address(_literal(one_line(to_name, NAME_LIMIT)), addr_spec=to_address)
        if reply_to:
            message["Reply-To"] = Address(addr_spec=reply_to)
    except (MessageError, IndexError) as error:
        raise ValueError(f"not an address: {error}") from None
    message["Subject"] = _literal(composed.subject)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = message_id
    ours = "" if thread_id == message_id else thread_id
    if ours or theirs:
        message["In-Reply-To"] = theirs or ours
        message["References"] = f"{ours} {theirs}".strip()
    message["Auto-Submitted"] = kind
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
    message[LOOP_HEADER] = sender_mailbox
    _set_part(message, composed.text, "plain")
    html = EmailMessage(policy=_POLICY)
    _set_part(html, composed.html, "html")
    del html["MIME-Version"]
    message.make_alternative()
    message.attach(html)
    boundary = f"felix-{sha256(message_id.encode()).hexdigest()[:32]}"
    message.set_boundary(boundary)
    if attachments:
        message.make_mixed(boundary=f"{boundary}-files")
    for attachment in attachments:
        maintype, subtype = attachment.type
        message.add_attachment(attachment.data, maintype=maintype, subtype=subtype, filename=attachment.name)
    return message.as_bytes()


def _literal(text: str) -> str:
    """The text with nothing in it that a header decodes: an encoded word (RFC 2047) in somebody's name could
    hold the end of a line, and another header behind it.
    """
    return text.replace("=?", "= ?")


def _set_part(message: EmailMessage, text: str, subtype: Literal["plain", "html"]) -> None:
    """Seven bits on every line, so that no server on the way has a reason to touch it."""
    plain_enough = text.isascii() and all(len(line) < 998 for line in text.split("\n"))
    cte: Literal["7bit", "quoted-printable"] = "7bit" if plain_enough else "quoted-printable"
    message.set_content(text, subtype=subtype, charset="utf-8", cte=cte)


def _bracketed(message_id: str) -> str:
    found = message_id.strip().removeprefix("<").removesuffix(">")
    return f"<{found}>" if _MESSAGE_ID.fullmatch(found) else ""
