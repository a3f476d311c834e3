"""Mails to felix and its answers, down to the links in them; and what would come of tapping one.

What a link would do is tried in a transaction that is thrown away, so that the game goes on as if nobody had
tapped it.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote

from felix_async.answer import Answer
from felix_async.clock import text_of
from felix_events.store.base import Reader, Tx
from felix_notifiers.send import Sender, claim_owed
from games import NAMES
from inbox.postbag import MAILBOX, Postbag, a_mail
from notifiers.sheets import Html, Link, part, read


@dataclass(frozen=True)
class Reply:
    """The answer to a mail: what felix owed, and the mail that came of it."""

    answer: Answer
    message: EmailMessage

    @property
    def links(self) -> list[Link]:
        """Everything that can be tapped."""
        return Html(part(self.message, "html")).links

    @property
    def text(self) -> str:
        """The text part."""
        return part(self.message, "plain")


class _ThrownAway(Exception):
    """The end of a transaction that must not be kept."""


@dataclass
class Correspondence:
    """A table whose players write, and read what felix answers."""

    bag: Postbag
    sender: Sender
    mails: int = 0

    def write(self, seat: int, text: str, *, turn: int | None = None, to: str = "") -> Reply:
        """A mail of this seat, to the decision before it, or to another address of ours; and the answer."""
        raw = self.raw(seat, text)
        mail_id = self.bag.post(raw, to or self.bag.address(seat, turn), _address(seat))
        self.bag.work()
        answer = self.bag.answer_to(mail_id)
        assert answer is not None, self.bag.mail(mail_id).note
        return Reply(answer, self.letter_to(seat))

    def letter_to(self, seat: int) -> EmailMessage:
        """The answer that this seat is owed, as a letter; what the others are owed is dropped."""
        self.bag.do(lambda tx: self._drop_others(tx, seat))
        claim_owed(self.bag.do, self.sender)
        with self.bag.room.store.read() as reader:
            letters = [read(letter.raw) for letter in reader.letters() if letter.seat == seat]
        return next(one for one in reversed(letters) if one["Auto-Submitted"] == "auto-replied")

    def tap(self, seat: int, link: Link) -> Answer:
        """What would come of sending the mail that a link opens."""
        raw = self.raw(seat, link.body)
        found: list[Answer] = []
        try:
            with self.bag.room.store.write() as tx:
                mail_id = tx.keep_mail(
                    text_of(self.bag.room.clock()), unquote(link.address), _address(seat), raw
                )
                while self.bag.processor.process_next(tx):
                    pass
                found += _answers(tx, self.bag.game_id, mail_id)
                raise _ThrownAway
        except _ThrownAway:
            (answer,) = found
            return answer

    def raw(self, seat: int, text: str) -> bytes:
        """A new mail of this seat."""
        self.mails += 1
        message_id = f"<said-{self.mails}@players.test>"
        return a_mail(text, sender=_address(seat), message_id=message_id)

    def _drop_others(self, tx: Tx, seat: int) -> None:
        owed = tx.owed("9999", self.bag.game_id)
        tx.settle([notice.notice_id for notice in owed if notice.seat != seat], None)


def corresponding(bag: Postbag) -> Correspondence:
    """Letters for this table, which nobody has to wait for."""
    return Correspondence(bag, Sender(bag.room.clock, MAILBOX, bytes(range(32))))


def _address(seat: int) -> str:
    return f"{NAMES[seat].lower()}@players.test"


def _answers(reader: Reader, game_id: str, mail_id: int) -> list[Answer]:
    owed = [one for one in reader.notices(game_id) if (one.kind, one.about) == ("answer", str(mail_id))]
    return [Answer.from_json(notice.payload) for notice in owed]
