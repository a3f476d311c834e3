"""A letter written by the standard library alone, as slowly as it takes: what `build` must be read like."""

from __future__ import annotations

from datetime import datetime
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, Policy
from email.utils import format_datetime
from hashlib import sha256
from typing import Literal

from felix_async.language.words import LOOP_HEADER
from felix_notifiers.content.harmless import NAME_LIMIT, one_line
from felix_notifiers.content.mail import Composed
from felix_notifiers.mails.mime import Attachment


class _Verbatim(UnstructuredHeader, BaseHeader):
    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {f'{policy.linesep} '.join(self.split())}{policy.linesep}"


def _policy() -> EmailPolicy[EmailMessage]:
    registry = HeaderRegistry()
    for name in ("In-Reply-To", "References", "List-Unsubscribe"):
        registry.map_to_type(name, _Verbatim)
    return SMTP.clone(header_factory=registry)


def library_built(
    composed: Composed,
    *,
    sender_mailbox: str,
    to_name: str,
    to_address: str,
    message_id: str,
    at: datetime,
    kind: str,
    reply_to: str = "",
    references: tuple[str, ...] = (),
    unsubscribe: str = "",
    attachments: tuple[Attachment, ...] = (),
    shown_as: str = "Felix",
) -> EmailMessage:
    """The mail; `references` are bracketed already, and the last is the one that is answered."""
    policy = _policy()
    message = EmailMessage(policy=policy)
    message["From"] = Address(shown_as.replace("=?", "= ?"), addr_spec=sender_mailbox)
    message["To"] = Address(one_line(to_name, NAME_LIMIT).replace("=?", "= ?"), addr_spec=to_address)
    if reply_to:
        message["Reply-To"] = Address(shown_as.replace("=?", "= ?"), addr_spec=reply_to)
    message["Subject"] = composed.subject.replace("=?", "= ?")
    message["Date"] = format_datetime(at)
    message["Message-ID"] = message_id
    if references:
        message["In-Reply-To"] = references[-1]
        message["References"] = " ".join(references)
    message["Auto-Submitted"] = kind
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
    message[LOOP_HEADER] = sender_mailbox
    _set_part(message, composed.text, "plain")
    html = EmailMessage(policy=policy)
    _set_part(html, composed.html.encode("ascii", "xmlcharrefreplace").decode(), "html")
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
    return message


def _set_part(message: EmailMessage, text: str, subtype: Literal["plain", "html"]) -> None:
    lines = text.split("\n")
    is_plain = text.isascii() and all(len(line) < 998 and not line.startswith("From ") for line in lines)
    cte: Literal["7bit", "quoted-printable"] = "7bit" if is_plain else "quoted-printable"
    message.set_content(text, subtype=subtype, charset="utf-8", cte=cte)
