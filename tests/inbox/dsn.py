"""Bounces for tests, in the shapes that mail servers give them; written for felix, not collected."""

from __future__ import annotations

from typing import Final

TO: Final = "ben@players.test"
LETTER_ID: Final = "<mzqxk2vtn4a7@play.test>"
RETURNED: Final = (
    f"From: felix <felix@play.test>\nTo: Ben <{TO}>\nSubject: Your turn\nMessage-ID: {LETTER_ID}\n"
)


def report(
    *fields: str,
    text: str = "Your message could not be delivered.",
    head: str = "From: MAILER-DAEMON@mx.players.test (Mail Delivery System)\nAuto-Submitted: auto-replied\n",
    mta: str = "Reporting-MTA: dns; mx.players.test",
    returned: str = RETURNED,
) -> bytes:
    """A report by RFC 3464: `fields` are those of each recipient, blocks with lines."""
    status = "\n\n".join([mta, *fields])
    mail = f"""\
{head}To: felix+bounce@play.test
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="B"

--B
Content-Type: text/plain; charset=us-ascii

{text}

--B
Content-Type: message/delivery-status

{status}

--B
Content-Type: text/rfc822-headers

{returned}
--B--
"""
    return mail.replace("\n", "\r\n").encode()


def failed(
    status: str = "5.1.1",
    *,
    to: str = TO,
    action: str = "failed",
    diagnostic: str = "smtp; 550 5.1.1 <ben@players.test>: no such user here",
) -> bytes:
    """A report about one recipient."""
    return report(
        f"Final-Recipient: rfc822; {to}\nAction: {action}\nStatus: {status}\nDiagnostic-Code: {diagnostic}"
    )


POSTFIX: Final = report(
    f"Final-Recipient: rfc822; {TO}\n"
    f"Original-Recipient: rfc822;{TO}\n"
    "Action: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.players.test\n"
    f"Diagnostic-Code: smtp; 550 5.1.1 <{TO}>: Recipient address rejected: User\n    unknown in local table",
    mta="Reporting-MTA: dns; relay.play.test\nX-Postfix-Queue-ID: 4F2Bq",
)
EXCHANGE: Final = report(
    f"Original-Recipient: rfc822;{TO}\nFinal-Recipient: rfc822;{TO}\n"
    "Action: failed\nStatus: 5.1.10\n"
    "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found by SMTP address lookup",
    head="From: <postmaster@players.test>\nX-MS-Exchange-Message-Is-Ndr:\nContent-Language: de-DE\n",
    text="Ihre Nachricht an ben@players.test konnte nicht zugestellt werden.",
)
GMAIL: Final = report(
    f"Final-Recipient: rfc822; {TO}\nAction: failed\nStatus: 5.2.1\n"
    "Remote-MTA: dns; gmail-smtp-in.test. (192.0.2.1, the server for the domain.)\n"
    "Diagnostic-Code: smtp; 550-5.2.1 The email account that you tried to reach is disabled. Learn more\n"
    " 550 5.2.1 at the help pages - gsmtp",
    head="From: Mail Delivery Subsystem <mailer-daemon@gmail.test>\nX-Failed-Recipients: ben@players.test\n",
    mta="Reporting-MTA: dns; googlemail.test\nReceived-From-MTA: dns; felix@play.test",
)
QMAIL: Final = f"""\
From: MAILER-DAEMON@mx.players.test
To: felix+bounce@play.test
Subject: failure notice

Hi. This is the qmail-send program at mx.players.test.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{TO}>:
192.0.2.25 does not like recipient.
Remote host said: 550 5.1.1 no mailbox by that name
Giving up on 192.0.2.25.

--- Below this line is a copy of the message.

Return-Path: <felix+bounce@play.test>
{RETURNED}
Hello Ben
""".encode()
EXIM: Final = f"""\
X-Failed-Recipients: {TO}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.players.test>
To: felix+bounce@play.test
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {TO}
    mailbox is full: retry timeout exceeded, 452 4.2.2 over quota

------ This is a copy of the message, including all the headers. ------

{RETURNED}
""".encode()
VACATION: Final = f"""\
From: Ben <{TO}>
To: felix+bounce@play.test
Subject: Automatic reply: [Thursday club k7m2p] Your turn
Auto-Submitted: auto-replied
In-Reply-To: {LETTER_ID}

Hi. This is the autoresponder of Ben. Unfortunately, your mail was not delivered

<{TO}>:
550 5.1.1 I am on holiday until Monday. PASS
""".encode()
RECEIPT: Final = f"""\
From: Ben <{TO}>
To: felix+bounce@play.test
Subject: Read: Your turn
MIME-Version: 1.0
Content-Type: multipart/report; report-type=disposition-notification; boundary="B"

--B
Content-Type: text/plain

Your message was displayed.
--B
Content-Type: message/disposition-notification

Final-Recipient: rfc822; {TO}
Original-Message-ID: {LETTER_ID}
Disposition: manual-action/MDN-sent-manually; displayed

--B--
""".encode()
