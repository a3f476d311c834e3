"""Two mail programs with windows, as their mail looks: one writes HTML only, one quotes as Outlook does.

They know what stands in the mail that they answer, as IMAP gave it, and send through Postfix.
"""

from __future__ import annotations

import re
import smtplib
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from html import escape
from typing import Final

from real.daemons import HOST, PATIENCE
from real.dovecot import Received
from real.town import Town

_BODY: Final = re.compile(r"<body[^>]*>(.*)</body>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlOnly:
    """A program that sends no plain text at all, with the mail it answers in a blockquote."""

    town: Town
    name: str

    def answer(self, mail: Received, order: str) -> None:
        """Reply above the quote; blanks are no-break spaces, as editors of HTML like to write them."""
        message = _reply(self.town, self.name, mail, "ExampleMail (HTML)")
        written = escape(order).replace(" ", "&nbsp;")
        quoted = _BODY.search(mail.part("html"))
        assert quoted is not None
        message.set_content(
            '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
            f'<body dir="auto"><div dir="ltr">{written}</div><div dir="ltr"><br></div>'
            f'<div class="gmail_quote"><div dir="ltr">{escape(_wrote(mail))}<br></div>'
            f'<blockquote type="cite">{quoted[1]}</blockquote></div></body></html>\n',
            subtype="html",
            cte="base64",
        )
        _send(self.town, self.name, mail, message)


@dataclass(frozen=True, slots=True)
class OutlookLike:
    """A program that puts the headers of the mail it answers above its text, and marks no line of it."""

    town: Town
    name: str

    def answer(self, mail: Received, order: str) -> None:
        """Reply above the quote, as text and as HTML, both in Outlook's form."""
        message = _reply(self.town, self.name, mail, "ExampleMail (Outlook-like)")
        asked = mail.message
        sent = datetime.strptime(str(asked["Date"]), "%a, %d %b %Y %H:%M:%S %z")
        head = {
            "From": str(asked["From"]),
            "Sent": sent.strftime("%A, %B %-d, %Y %-I:%M %p"),
            "To": str(asked["To"]),
            "Subject": str(asked["Subject"]),
        }
        lines = "\n".join(f"{name}: {value}" for name, value in head.items())
        message.set_content(f"{order}\n\n{'_' * 32}\n{lines}\n\n{mail.part('plain')}", cte="quoted-printable")
        quoted = _BODY.search(mail.part("html"))
        assert quoted is not None
        rows = "<br>".join(f"<b>{name}:</b> {escape(value)}" for name, value in head.items())
        message.add_alternative(
            f'<html><body><div class="elementToProof">{escape(order)}</div>'
            f'<hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr">{rows}</div>'
            f"<div>{quoted[1]}</div></body></html>\n",
            subtype="html",
            cte="quoted-printable",
        )
        _send(self.town, self.name, mail, message)


def _reply(town: Town, name: str, mail: Received, program: str) -> EmailMessage:
    """The headers of an answer; the text is still missing."""
    asked = mail.message
    message = EmailMessage()
    message["From"] = f"{name.title()} <{town.address(name)}>"
    message["To"] = str(asked["Reply-To"])
    message["Subject"] = f"Re: {mail.subject}"
    message["Date"] = format_datetime(datetime.now().astimezone())
    message["Message-ID"] = make_msgid(domain=town.players_domain)
    message["In-Reply-To"] = str(asked["Message-ID"])
    message["References"] = f"{asked['References'] or ''} {asked['Message-ID']}".strip()
    message["User-Agent"] = program
    return message


def _wrote(mail: Received) -> str:
    asked = mail.message
    return f"On {asked['Date']}, {asked['From']} wrote:"


def _send(town: Town, name: str, mail: Received, message: EmailMessage) -> None:
    with smtplib.SMTP(HOST, town.postfix.port, town.players_domain, PATIENCE) as server:
        server.send_message(message, town.address(name), [mail.reply_to])
