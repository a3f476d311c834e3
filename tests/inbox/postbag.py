"""A table whose players write by mail: what they send, what is kept of it, and the answers that are owed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from felix_async.address import Token, address_of, encode_token
from felix_async.clock import text_of
from felix_async.follow_up.answer import Answer
from felix_async.game.moment import coming, row_of
from felix_async.game.state import Game
from felix_async.inbox.process import Processor, process_all
from felix_async.language.grammar import Order
from felix_events.store.base import Reader, Store, Tx
from felix_events.store.rows import Mail, NoticeRow, Question, SeatRow
from felix_events.store.sqlite import SqliteStore
from games import NAMES, Room, a_room

MAILBOX: Final = "felix@felix.test"
T = TypeVar("T")


def a_mail(
    text: str = "",
    *,
    sender: str = "anna@players.test",
    message_id: str | None = "<1@players.test>",
    subject: str = "Re: Your turn",
    headers: Sequence[str] = (),
) -> bytes:
    """A plain mail as bytes; without a Message-ID where that is None."""
    head = [f"From: {sender}", f"Subject: {subject}", "Date: Thu, 01 Jan 2026 12:00:00 +0000", *headers]
    if message_id is not None:
        head.append(f"Message-ID: {message_id}")
    return ("\r\n".join([*head, "", *text.splitlines()]) + "\r\n").encode()


@dataclass
class Postbag:
    """A game, the mail to it, and what comes of that."""

    room: Room
    game_id: str
    processor: Processor
    mails: int = 0

    @property
    def game(self) -> Game:
        """The state now, from the log alone."""
        return self.room.game(self.game_id)

    @property
    def to_move(self) -> int:
        """The seat that is asked for a bid; there must be one."""
        assert self.game.to_move is not None
        return self.game.to_move

    @property
    def size(self) -> int:
        """How many events there are."""
        with self.room.store.read() as reader:
            return reader.head(self.game_id)[0]

    def another(self) -> Postbag:
        """A table where all is as it is at this one, and which shares nothing with it."""
        room = self.room.another()
        return Postbag(room, self.game_id, Processor(room.service, MAILBOX), self.mails)

    def do(self, work: Callable[[Tx], T]) -> T:
        """Something in a transaction of its own."""
        with self.room.store.write() as tx:
            return work(tx)

    def look(self, work: Callable[[Reader], T]) -> T:
        """What a view of the store gives."""
        with self.room.store.read() as reader:
            return work(reader)

    def seat(self, seat: int) -> SeatRow:
        """Who sits there."""
        with self.room.store.read() as reader:
            return reader.seats(self.game_id)[seat]

    def address(self, seat: int, turn: int | None = None) -> str:
        """Where an answer of this seat goes: to what it is asked now, or an old address of this decision."""
        if turn is None:
            game = self.game
            token = Token(self.game_id, seat, "move", coming(game, seat), row_of(game))
        else:
            token = Token(self.game_id, seat, "move", turn)
        return address_of(MAILBOX, encode_token(token, self.seat(seat).secret))

    def post(self, raw: bytes, recipient: str, sender: str = "anna@players.test") -> int:
        """Keep these bytes as a mail that came in; its id."""
        received_at = text_of(self.room.clock())
        return self.do(lambda tx: tx.keep_mail(received_at, recipient, sender, raw))

    def take(self, raw: bytes, recipient: str = "", sender: str = "anna@players.test") -> int:
        """Keep these bytes, to Anna's seat if not elsewhere, and deal with all that waits; their id."""
        mail_id = self.post(raw, recipient or self.address(0), sender)
        self.work()
        return mail_id

    def bring(self, text: str, recipient: str = "", sender: str = "anna@players.test", **more: Any) -> int:
        """The same with a mail of its own that says this."""
        self.mails += 1
        message_id = f"<mail-{self.mails}@x.test>"
        return self.take(a_mail(text, sender=sender, message_id=message_id, **more), recipient, sender)

    def asked(self, seat: int = 0, kind: str = "") -> list[Question]:
        """What a seat was ever asked, of this kind or of any."""
        with self.room.store.read() as reader:
            return [one for one in reader.questions(self.game_id, seat) if kind in ("", one.kind)]

    def states(self) -> list[str]:
        """What became of each mail."""
        with self.room.store.read() as reader:
            return [mail.state for mail in reader.mails()]

    def question_address(self, seat: int, number: int) -> str:
        """Where the answer to a question of this seat goes."""
        token = Token(self.game_id, seat, "question", number)
        return address_of(MAILBOX, encode_token(token, self.seat(seat).secret))

    def owed(self, seat: int, kind: str) -> list[NoticeRow]:
        """What of this kind was ever owed to a seat."""
        return [notice for notice in self.notices() if (notice.seat, notice.kind) == (seat, kind)]

    def write(self, seat: int, text: str, turn: int | None = None) -> int:
        """A new mail of this seat comes in and waits; its id."""
        self.mails += 1
        sender = f"{NAMES[seat].lower()}@players.test"
        raw = a_mail(text, sender=sender, message_id=f"<{self.mails}@players.test>")
        return self.post(raw, self.address(seat, turn), sender)

    def work(self) -> int:
        """Deal with all that waits; how many there were (a failed one counts each time)."""
        count = process_all(self.do, self.processor)
        self.forget()
        return count

    def forget(self) -> None:
        """Go on forgetting whom the store has begun to forget."""
        with self.room.store.write() as tx:
            for player_id in tx.forgettings():
                while (step := tx.next_forget_step(player_id)) is not None:
                    tx.do_forget_step(step)

    def send(self, seat: int, text: str, turn: int | None = None) -> Answer:
        """A new mail of this seat comes in and is dealt with; the answer that is owed for it."""
        mail_id = self.write(seat, text, turn)
        self.work()
        return self.answered(mail_id)

    def mail(self, mail_id: int) -> Mail:
        """A mail, with what became of it."""
        with self.room.store.read() as reader:
            return next(mail for mail in reader.mails() if mail.mail_id == mail_id)

    def notices(self) -> list[NoticeRow]:
        """All that was ever owed in this game."""
        with self.room.store.read() as reader:
            return reader.notices(self.game_id)

    def reply(self, seat: int, text: str = "YES", number: int = 0) -> Answer:
        """An answer to the newest question that this seat was asked, or to that one, to its own address."""
        number = number or self.asked(seat)[-1].number
        self.mails += 1
        sender = f"{NAMES[seat].lower()}@players.test"
        raw = a_mail(text, sender=sender, message_id=f"<{self.mails}@players.test>")
        mail_id = self.post(raw, self.question_address(seat, number), sender)
        self.work()
        answer = self.answer_to(mail_id)
        return Answer(lines=[]) if answer is None else answer

    def answer_to(self, mail_id: int) -> Answer | None:
        """The answer that is owed for a mail."""
        about = [n for n in self.notices() if n.kind == "answer" and n.about == str(mail_id)]
        return Answer.model_validate_json(about[0].payload) if about else None

    def answered(self, mail_id: int) -> Answer:
        """The same; there must be one."""
        answer = self.answer_to(mail_id)
        assert answer is not None, self.mail(mail_id).note
        return answer

    def place_all(self) -> None:
        """Every seat that is asked for a card places the first of its hand, by mail."""
        game = self.game
        for seat in game.asked:
            answer = self.send(seat, str(Order("PLAY", card=game.seats[seat].hand[0])))
            assert verdicts(answer) == ["done"]


def a_table(seats: int = 4, *, store: Store | None = None, seed: str = "mail") -> Postbag:
    """A table where everybody is invited."""
    room = a_room(seed, store)
    return Postbag(room, room.open(seats), Processor(room.service, MAILBOX))


def a_first_round(seats: int = 4, *, store: Store | None = None, seed: str = "mail") -> Postbag:
    """A table where everybody has joined and is asked for a card."""
    bag = a_table(seats, store=store, seed=seed)
    bag.room.join_all(bag.game_id)
    return bag


def an_auction(seats: int = 4, *, store: Store | None = None) -> Postbag:
    """A table where all cards are placed and the start player is asked for a bid."""
    if store is None and seats == 4:
        return kept_auction().another()
    bag = a_first_round(seats, store=store)
    bag.place_all()
    return bag


@cache
def kept_auction() -> Postbag:
    """One of four that is copied and never played, as it takes long to place cards by mail."""
    return an_auction(store=SqliteStore.in_memory())


def until_the_computer_bids(bag: Postbag, seat: int) -> None:
    """The others play on, until the turn of a seat whose player is away is another one."""
    turn = bag.game.seats[seat].turn
    bag.place_all()
    while bag.game.seats[seat].turn == turn:
        assert bag.game.to_move is not None
        bag.send(bag.game.to_move, f"BID {bag.game.high_bid + 1}")


def verdicts(answer: Answer) -> list[str]:
    """What came of each line."""
    return [line.verdict for line in answer.lines]
