"""A player's program: reads turn mails, and answers them by mail.

It knows nothing but the mail. Each turn mail offers orders as links; the program takes one, and sends it
to the address in Reply-To, as a person's mail program would. Mails are files, a Maildir folder (where an
answered mail is marked, and never answered again), or one mail on standard input. It connects to nothing by
itself: without --smtp it prints its answers.

    .venv/bin/python examples/4_answer_turn_mails.py turn.eml
    .venv/bin/python examples/4_answer_turn_mails.py --smtp 127.0.0.1:25 ~/Maildir
    .venv/bin/python examples/4_answer_turn_mails.py --smtp 127.0.0.1:25 < turn.eml
"""

from __future__ import annotations

import smtplib
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from functools import partial
from mailbox import Maildir
from pathlib import Path

from felix_async.language.words import LOOP_HEADER
from felix_notifiers.content.offers import decisions_in


def choose(offers: list[str], limit: int) -> str:
    """Join; place the first card offered; bid as little as possible up to the limit, then pass."""
    bids = [offer for offer in offers if offer.startswith("BID ") and int(offer.split()[1]) <= limit]
    if bids:
        return bids[0]
    return "PASS" if "PASS" in offers else offers[0]


def answer(turn_mail: EmailMessage, limit: int) -> EmailMessage | None:
    """The reply to a turn mail; None if the mail is not felix's, or asks for nothing."""
    offers = decisions_in(turn_mail)
    if LOOP_HEADER not in turn_mail or "Reply-To" not in turn_mail or not offers:
        return None
    reply = EmailMessage()
    reply["From"] = str(turn_mail["To"])
    reply["To"] = str(turn_mail["Reply-To"])
    reply["Subject"] = f"Re: {turn_mail['Subject']}"
    reply["In-Reply-To"] = str(turn_mail["Message-ID"])
    reply["Message-ID"] = make_msgid(domain=parseaddr(str(turn_mail["To"]))[1].rpartition("@")[2])
    # No Auto-Submitted here: felix does nothing for a mail that says a machine wrote it by itself.
    reply.set_content(f"{choose(offers, limit)}\n")
    return reply


def answer_all(sources: list[Path], limit: int, send: Callable[[EmailMessage], object]) -> int:
    """Answer what is in the sources, or on standard input; how many answers went out."""
    answered = set()
    for raw, done in _mails(sources):
        turn_mail = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
        reply = answer(turn_mail, limit)
        # The address to answer to changes with each decision: a reminder has that of its turn mail.
        if reply is not None and str(reply["To"]) not in answered:
            send(reply)
            answered.add(str(reply["To"]))
            print(f"{turn_mail['Subject']}: {reply.get_content().strip()}", file=sys.stderr)
        if reply is not None:
            done()
    return len(answered)


def _mails(sources: list[Path]) -> Iterator[tuple[bytes, Callable[[], object]]]:
    """Raw mails, each with what to do once it is answered."""
    if not sources:
        yield sys.stdin.buffer.read(), lambda: None
    for source in sources:
        if not source.is_dir():
            yield source.read_bytes(), lambda: None
            continue
        folder = Maildir(source, create=False)
        for key in folder.keys():  # noqa: SIM118 - iterating over a Maildir gives mails, not keys
            if "R" not in folder.get_message(key).get_flags():
                yield folder.get_bytes(key), partial(_mark_answered, folder, key)


def _mark_answered(folder: Maildir, key: str) -> None:
    """Seen and replied to, as a mail program would mark it."""
    mail = folder.get_message(key)
    mail.set_subdir("cur")
    mail.add_flag("RS")
    folder[key] = mail


def _server(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise ArgumentTypeError(f"{text} is not HOST:PORT")
    return host, int(port)


def main() -> None:
    """Read the arguments, then answer."""
    parser = ArgumentParser(description="Answer felix's turn mails.")
    parser.add_argument("source", type=Path, nargs="*", help="a mail, or a Maildir folder (default: stdin)")
    parser.add_argument("--smtp", type=_server, metavar="HOST:PORT", help="the mail server to send by")
    parser.add_argument("--limit", type=int, default=5, help="the highest bid to make (default: 5)")
    given = parser.parse_args()
    if given.smtp is None:
        answer_all(given.source, given.limit, print)
        return
    host, port = given.smtp
    with smtplib.SMTP(host, port, timeout=30) as server:
        answer_all(given.source, given.limit, server.send_message)


if __name__ == "__main__":
    main()
