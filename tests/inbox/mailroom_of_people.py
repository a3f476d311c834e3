"""Players who write about themselves: a table, its post office, and the letters that come of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import parseaddr

from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from inbox.postbag import MAILBOX, Postbag
from notifiers.office import Post
from notifiers.sheets import Mails, part

SECRET = bytes(range(32))


@dataclass
class Village:
    """A table, the mail to it, and the mail from it."""

    bag: Postbag
    post: Post

    def deliver(self) -> Sequence[EmailMessage]:
        """Everything that is owed goes out; what went out just now."""
        before = len(self.post.tray.taken)
        while self.post.send():
            pass
        self.bag.forget()
        return Mails(self.post.tray.taken[before:])

    def answer(self, seat: int, text: str) -> str:
        """The text part of the letter that answers a mail of this seat."""
        self.deliver()
        self.bag.send(seat, text)
        address = self.bag.seat(seat).address
        mails = (mail for mail in reversed(self.deliver()) if address is None or address in str(mail["To"]))
        return part(next(mails), "plain")

    def reply(self, mail: EmailMessage, text: str, sender: str) -> int:
        """An answer to a letter of felix, dealt with; its id."""
        return self.bag.bring(text, parseaddr(str(mail["Reply-To"]))[1], sender)


def a_village(bag: Postbag) -> Village:
    """This table with a post office, all older mail gone."""
    village = Village(bag, Post(bag.room, Outbox(bag.room.clock, Letters(MAILBOX, SECRET))))
    village.deliver()
    return village
