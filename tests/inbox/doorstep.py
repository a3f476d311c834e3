"""Somebody who plays nowhere here, at the door of a server: what they write, and what is written to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Final

from felix_async.reading.budget import RETRIED
from felix_events.store.rows import GameRow, Letter
from felix_notifiers.mails.letters import Letters
from inbox.postbag import MAILBOX, Postbag, a_mail

OURS: Final = "mx.felix.test"
ZOE: Final = "zoe@friends.example"
HELLO: Final = "Hi, I heard of felix. How do I play?"
NEW: Final = "NEW\nBen ben@home.example\nCara cara@home.example"
GREETER: Final = Letters(MAILBOX, bytes(range(32)), "ops@felix.test")


def vouched(sender: str = ZOE, server: str = OURS) -> str:
    """The header of a mail server that knows the sender."""
    return f"Authentication-Results: {server}; dmarc=pass header.from={sender.rpartition('@')[2]}"


@dataclass
class Door(Postbag):
    """A server that lets strangers in, and who knocks."""

    def knock(
        self,
        text: str = HELLO,
        sender: str = ZOE,
        *,
        to: str = f"To: {MAILBOX}",
        more: tuple[str, ...] = (),
        vouch: bool = True,
        recipient: str = MAILBOX,
        name: str = "",
        subject: str = "Cats",
    ) -> str:
        """Return the note that tells the operator of such a mail."""
        self.mails += 1
        headers = [to, *([vouched(sender)] if vouch else []), *more]
        raw = a_mail(
            text,
            sender=f"{name} <{sender}>" if name else sender,
            subject=subject,
            headers=[one for one in headers if one],
            message_id=f"<{self.mails}@strangers.test>",
        )
        return self.note(self.take(raw, recipient, sender))

    def note(self, mail_id: int) -> str:
        """The state of a mail, and its note."""
        mail = self.mail(mail_id)
        return f"{mail.state}: {mail.note}"

    @property
    def letters(self) -> list[Letter]:
        """All letters that were written."""
        return self.look(lambda reader: reader.letters())

    @property
    def games(self) -> list[GameRow]:
        """The tables that strangers opened."""
        return self.look(lambda reader: reader.games())[1:]

    def wait(self, **time: float) -> None:
        """Let time pass."""
        self.room.clock.now += timedelta(**time)

    def retry(self, mail_id: int) -> str:
        """Deal with a mail once more, as the operator may, and return its note."""
        self.do(lambda tx: tx.requeue_mail(mail_id, RETRIED, retried=True))
        self.work()
        return self.note(mail_id)

    @property
    def only(self) -> EmailMessage:
        """The one letter that there is."""
        (letter,) = self.letters
        parsed = message_from_bytes(letter.raw, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed


def text_of(letter: EmailMessage) -> str:
    """Its text part."""
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def a_door(bag: Postbag, *, is_open: bool = True) -> Door:
    """A server whose own mail server vouches for senders; where it `is_open`, strangers are let in."""
    bag.room.service.is_open = is_open
    return Door(bag.room, bag.game_id, replace(bag.processor, authserv_id=OURS, greeter=GREETER))
