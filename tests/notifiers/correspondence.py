"""Mails to felix and its answers, down to the links in them; and what would come of tapping one.

What a link would do is tried in a transaction that is thrown away, so that the game goes on as if nobody had
tapped it.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote

from felix_async.clock import text_of
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.inbox.process import process_all
from felix_async.language.words import DONE
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import NoticeRow
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import NAMES
from inbox.postbag import MAILBOX, Postbag, a_mail
from notifiers.office import claim_owed
from notifiers.sheets import Html, Link, Mails, part


@dataclass(frozen=True)
class Reply:
    """The answer to a mail: what felix owed, and the mail that came of it."""

    answer: Answer
    message: EmailMessage

    @property
    def links(self) -> list[Link]:
        """Everything that can be tapped and sent as it is."""
        links = Html(part(self.message, "html")).links
        return [link for link in links if link.address and not link.body.endswith(" ")]

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
    outbox: Outbox
    mails: int = 0

    def write(self, seat: int, text: str, *, turn: int | None = None, to: str = "") -> Reply:
        """A mail of this seat, to the decision before it, or to another address of ours; and the answer."""
        reply = self.try_to_write(seat, text, turn=turn, to=to)
        assert reply is not None, "nothing was answered"
        return reply

    def try_to_write(self, seat: int, text: str, *, turn: int | None = None, to: str = "") -> Reply | None:
        """The same; None where nobody is answered: a clean order, too many, a player forgotten."""
        raw = self.raw(seat, text)
        mail_id = self.bag.post(raw, to or self.bag.address(seat, turn), _address(seat))
        self.bag.work()
        return self.answer_to(mail_id)

    def answer_to(self, mail_id: int) -> Reply | None:
        """The letter that answers a mail that was read, written now; None where nobody is answered."""
        with self.bag.room.store.read() as reader:
            owed = _owed(reader, mail_id)
            farewell = [one for one in reader.notices(self.bag.game_id) if one.kind == "farewell"]
        if farewell:
            return Reply(Answer(lines=[]), self._letter_for(farewell[-1]))
        answer = Answer.model_validate_json(owed[0].payload) if owed else None
        return None if answer is None or answer.quiet else Reply(answer, self._letter_for(owed[0]))

    def _letter_for(self, answer: NoticeRow) -> EmailMessage:
        """The letter with this answer; what everybody else is owed is dropped."""
        whose = (answer.game_id, answer.seat)
        self.bag.do(lambda tx: _drop_others(tx, whose))
        claim_owed(self.bag.do, self.outbox)
        with self.bag.room.store.read() as reader:
            theirs = [one for one in reader.letters() if (one.game_id, one.seat) == whose]
        return next(one for one in reversed(Mails(theirs)) if one["Auto-Submitted"] == "auto-replied")

    def tap(self, seat: int, link: Link) -> Answer:
        """What would come of sending the mail that a link opens."""
        raw = self.raw(seat, link.body)
        found: list[Answer] = []
        try:
            with self.bag.room.store.write() as tx:
                mail_id = tx.keep_mail(
                    text_of(self.bag.room.clock()), unquote(link.address), _address(seat), raw
                )
                process_all(lambda work: work(tx), self.bag.processor)
                found += [Answer.model_validate_json(notice.payload) for notice in _owed(tx, mail_id)]
                if not found and any(notice.kind == "farewell" for notice in tx.notices(self.bag.game_id)):
                    # Who was forgotten is told so in a letter of its own.
                    found.append(Answer(lines=[AnsweredLine(text="", verdict="done", why=DONE["FORGET"])]))
                raise _ThrownAway
        except _ThrownAway:
            return found[0]

    def raw(self, seat: int, text: str) -> bytes:
        """A new mail of this seat."""
        self.mails += 1
        message_id = f"<said-{self.mails}@players.test>"
        return a_mail(text, sender=_address(seat), message_id=message_id)


def corresponding(bag: Postbag) -> Correspondence:
    """Letters for this table, which nobody has to wait for."""
    return Correspondence(bag, Outbox(bag.room.clock, Letters(MAILBOX, bytes(range(32)))))


def _address(seat: int) -> str:
    return f"{NAMES[seat].lower()}@players.test"


def _drop_others(tx: Tx, whose: tuple[str, int]) -> None:
    others = [one for one in tx.pending("9999") if (one.game_id, one.seat) != whose]
    tx.settle([notice.notice_id for notice in others], None)


def _owed(reader: Reader, mail_id: int) -> list[NoticeRow]:
    """The answers that are owed for a mail: also at another table than the one that it was about."""
    notices = [notice for row in reader.games() for notice in reader.notices(row.game_id)]
    return [one for one in notices if (one.kind, one.about) == ("answer", str(mail_id))]
