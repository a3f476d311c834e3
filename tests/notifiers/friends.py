"""People who know nothing but their mail: what they write, what they get, and what they tap in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Final
from urllib.parse import unquote

from felix_async.schedule.tick import tick
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from inbox.postbag import MAILBOX, Postbag, a_mail, a_table
from notifiers.office import Post
from notifiers.sheets import Html, Link, part, read

ANNA: Final = "anna@players.test"
BEN: Final = "ben@players.test"
CARA: Final = "cara@players.test"
DAN: Final = "dan@players.test"


@dataclass
class Friends:
    """All of them, with the mails that each has got, the oldest first."""

    bag: Postbag
    post: Post
    got: dict[str, list[EmailMessage]] = field(default_factory=dict)
    written: int = 0

    def write(self, who: str, text: str, mail: EmailMessage | None = None) -> None:
        """An answer to this mail, or to the newest one; everything that follows is delivered."""
        answered = mail or self.newest(who)
        self._send(who, text, parseaddr(str(answered["Reply-To"]))[1])

    def tap(self, who: str, words: str, mail: EmailMessage | None = None) -> None:
        """A link that begins so is tapped, and the mail that opens is sent as it is."""
        link = next(link for link in self.links(who, mail) if link.body.startswith(words))
        self._send(who, link.body, unquote(link.address))

    def newest(self, who: str, table: str = "") -> EmailMessage:
        """The newest mail that somebody has got, about this table, if one is named."""
        return next(one for one in reversed(self.got[who]) if table in str(one["Subject"]))

    def links(self, who: str, mail: EmailMessage | None = None) -> list[Link]:
        """What can be tapped in a mail."""
        return Html(part(mail or self.newest(who), "html")).links

    def offers(self, who: str) -> list[str]:
        """The words of these."""
        return [link.body for link in self.links(who)]

    def text(self, who: str, table: str = "") -> str:
        """The newest mail on one line, as `newest` finds it."""
        return " ".join(part(self.newest(who, table), "plain").split())

    def wait(self, **time: float) -> None:
        """Time passes, and what is due by then is done."""
        self.bag.room.clock.now += timedelta(**time)
        tick(self.bag.do, self.bag.room.service)
        self.deliver()

    def deliver(self) -> None:
        """What is owed goes out."""
        before = len(self.post.tray.taken)
        while self.post.send():
            pass
        for letter in self.post.tray.taken[before:]:
            self.got.setdefault(letter.recipient, []).append(read(letter.raw))

    def _send(self, who: str, text: str, recipient: str) -> None:
        self.written += 1
        raw = a_mail(text, sender=who, message_id=f"<friends-{self.written}@players.test>")
        self.bag.post(raw, recipient, who)
        self.bag.work()
        self.deliver()


def friends(bag: Postbag | None = None) -> Friends:
    """Anna, Ben, Cara and Dan, who are invited to a table without a host, or sit at this one."""
    bag = bag or a_table()
    circle = Friends(bag, Post(bag.room, Outbox(bag.room.clock, Letters(MAILBOX, bytes(range(32))))))
    circle.deliver()
    return circle


def who_meet(*lines: str, joining: Sequence[str] = ()) -> Friends:
    """The same, once Anna has opened a table with these lines below NEW, and some have joined it."""
    circle = friends()
    circle.write(ANNA, "\n".join(["NEW Friday cats", *lines]))
    for who in joining:
        circle.tap(who, "JOIN")
    return circle
