"""A table that Anna hosts, whose Ben has stopped, and Dora, who may play on for him."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage

from felix_async.game.commands import Leave
from felix_async.inbox.process import Processor
from felix_async.service import Service
from felix_events.model import Terms
from felix_events.store.base import Store
from felix_events.store.rows import Former, Question
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from inbox.mailroom_of_people import SECRET, Village
from inbox.postbag import MAILBOX, Postbag, a_mail
from notifiers.office import Post
from notifiers.sheets import part

ANNA, BEN, CARA, DAN = range(4)
DORA = "dora@example.org"
OFFER = f"SUBSTITUTE Ben: Dora {DORA}"


@dataclass
class Succession(Village):
    """A village in which a seat changes hands."""

    @property
    def service(self) -> Service:
        """The rules and the store, joined."""
        return self.bag.room.service

    def offer(self, text: str = OFFER, by: int = ANNA) -> str:
        """What the answer says to an order of the host's."""
        return self.answer(by, text)

    def offered(self, text: str = OFFER) -> EmailMessage:
        """The letter that Dora gets because of the host's order."""
        self.bag.send(ANNA, text)
        (letter,) = [mail for mail in self.deliver() if DORA in str(mail["To"])]
        return letter

    def offered_to(self, address: str) -> EmailMessage:
        """The letter that somebody else gets."""
        self.bag.send(ANNA, f"SUBSTITUTE Ben {address}")
        (letter,) = self.letters_to(address)
        return letter

    def taken(self) -> EmailMessage:
        """Dora plays on; her first letter as a player."""
        self.reply(self.offered(), "JOIN", DORA)
        (letter,) = [mail for mail in self.deliver() if DORA in str(mail["To"])]
        return letter

    def letters_to(self, address: str) -> list[EmailMessage]:
        """What goes out now to an address."""
        return [mail for mail in self.deliver() if address in str(mail["To"])]

    def questions(self, seat: int = BEN) -> list[Question]:
        """What was asked about a seat."""
        return self.bag.asked(seat)

    def former(self) -> list[Former]:
        """Who sat there before."""
        with self.bag.room.store.read() as reader:
            return reader.former(self.bag.game_id)


def a_succession(
    *,
    store: Store | None = None,
    leaves: bool = True,
    clock: Terms | None = None,
    host: int | None = ANNA,
    seed: str = "succession",
) -> Succession:
    """A game in its first round that Anna hosts; the computer plays for Ben, unless he has not left."""
    room = a_room(seed, store)
    game_id = room.open(4, host=host, clock=clock)
    room.join_all(game_id)
    bag = Postbag(room, game_id, Processor(room.service, MAILBOX))
    if leaves:
        room.do(game_id, Leave(seat=BEN, for_good=False))
    village = Succession(bag, Post(room, Outbox(room.clock, Letters(MAILBOX, SECRET))))
    village.deliver()
    return village


def late(succession: Succession, recipient: str, text: str, sender: str) -> int:
    """A mail to an address that was good once; its id."""
    succession.bag.mails += 1
    raw = a_mail(text, sender=sender, message_id=f"<late{succession.bag.mails}@players.test>")
    return succession.bag.take(raw, recipient, sender)


def text_of(mail: EmailMessage) -> str:
    """The text part."""
    return part(mail, "plain")
