"""The values that a dispatch of an order takes and returns: its context, the order received, the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from felix_async.clock import text_of
from felix_async.follow_up.answer import AnsweredLine, Section
from felix_async.follow_up.notice import Notice
from felix_async.game.ahead import NOTHING, Ahead, standing
from felix_async.game.commands import Give, Leave, Move, SeatCommand
from felix_async.game.moment import NOT_SAID, Row, row_of
from felix_async.game.rules import Refusal
from felix_async.game.state import Game
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, MISUNDERSTOOD, WORD_OF
from felix_async.meaning.meaning import GRAMMAR, Doubt
from felix_async.orders.questions import ask_about_order, waiting_order
from felix_async.reading.line import Line
from felix_async.reading.sender import Writer
from felix_async.service import Origin, Outcome, Service
from felix_async.time.zones import zone_for
from felix_events.envelope import Actor
from felix_events.store.base import Tx
from felix_events.store.rows import Choice, SeatRow

Effect = Literal[
    "changed", "plain", "plays_on", "came_back", "leaves", "forgets", "shows_key", "told_elsewhere"
]
"""Effects of an order beside its lines. It `changed` something. It was `plain`: nothing came of it but what
its writer expects, or is told by another letter. Its player `plays_on` (after any order
but STOP), `came_back` from the computer, `leaves` a table or wants no more mail, or `forgets`: wants to be
forgotten. It `shows_key`: others can read its address. It is `told_elsewhere`, in the answer to another mail.
"""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of an order: the host's desk, or a message and what is known of it.

    `message_id` goes into the draw with a JOIN. `to` and `cc` are headers; `is_alone` is False if the message
    holds lines that are unclear.
    """

    channel: Literal["mail", "desk"]
    message_id: str
    mail_id: int = 0
    mail_sha256: str | None = None
    content_sha256: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    is_alone: bool = True


@dataclass(frozen=True, slots=True)
class Opened:
    """A table that an order opened, or joined if it `invites` nobody: the writer's seat there, and the line
    that says so.
    """

    seat: SeatRow
    line: AnsweredLine
    invites: bool = True


@dataclass(frozen=True, slots=True)
class ReceivedOrder:
    """An order, the line that it stands on as the answer repeats it, and the id of its command.

    `turn` is the decision that it answers, None if it cannot answer any; `below` are the lines that belong to
    it, as in a NEW that lists its players. `is_confirmed` by a YES: then it was asked about, or taken, as the
    row lay so (`lies`). `words` are those that it was inferred from, '' if it is exact.
    """

    order: Order
    text: str
    command_id: str
    turn: int | None = None
    below: tuple[Line, ...] = ()
    is_confirmed: bool = False
    lies: Row = NOT_SAID
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of an order, and what follows from it.

    `asks` is the number of the question that the answer puts (0: none). `follow` is an order that was meant:
    done now if it is confirmed, else asked about. `outcome` is that of the command, at the desk. `offers`,
    `doubt` and `mails` are those of an `Answer`.
    """

    lines: tuple[AnsweredLine, ...] = ()
    notices: tuple[Notice, ...] = ()
    show: tuple[Section, ...] = ()
    opened: tuple[Opened, ...] = ()
    effects: frozenset[Effect] = frozenset()
    asks: int = 0
    asks_text: str = ""
    follow: ReceivedOrder | None = None
    outcome: Outcome | None = None
    offers: tuple[str, ...] = ()
    doubt: Doubt = ""
    mails: tuple[int, ...] = ()

    def __add__(self, later: Reply) -> Reply:
        asking = later if later.asks else self
        return Reply(
            self.lines + later.lines,
            self.notices + later.notices,
            self.show + later.show,
            self.opened + later.opened,
            self.effects | later.effects,
            asking.asks,
            asking.asks_text,
            later.follow,
            later.outcome,
            tuple(dict.fromkeys(self.offers + later.offers)),
            later.doubt or self.doubt,
            self.mails + later.mails,
        )


CHANGED: Final = Reply(effects=frozenset({"changed"}))


@dataclass(frozen=True, slots=True)
class OrderContext:
    """The player who gives orders, their source, and the transaction that they are done in.

    `turn` is the decision that an answer of the seat is for as the first of them is done, and `asked_at` the
    row as it lay open when it was asked for; `earlier` is what those above came to. `mailbox` is felix's own
    address, without a token.
    """

    tx: Tx
    service: Service
    writer: Writer
    source: Source
    turn: int
    mailbox: str = ""
    earlier: Reply = Reply()
    asked_at: Row = NOT_SAID

    @property
    def row(self) -> SeatRow:
        """The seat of the writer."""
        return self.writer.seat

    @property
    def player_id(self) -> str:
        """The writer."""
        return self.writer.seat.player_id

    @property
    def game_id(self) -> str:
        """The game that the order is about."""
        return self.writer.seat.game_id

    @property
    def seat(self) -> int:
        """The number of the writer's seat."""
        return self.writer.seat.seat

    @property
    def game(self) -> Game:
        """That game as it is now."""
        return self.service.load(self.tx, self.game_id)

    @property
    def standing(self) -> Ahead:
        """What the writer has said in advance, as far as it still counts."""
        return standing(self.service.ahead(self.tx, self.game_id).get(self.seat, NOTHING), self.game)

    @property
    def now(self) -> str:
        """The time now, as felix stores it."""
        return text_of(self.service.clock())

    @property
    def choice(self) -> Choice:
        """The writer's choices: what to be told, and when."""
        return self.tx.choice(self.player_id)

    @property
    def zone(self) -> str:
        """The writer's time zone."""
        return zone_for(self.choice, self.service.hours.zone)

    def command(
        self,
        command: SeatCommand,
        received: ReceivedOrder,
        turn: int | None = None,
        *,
        order: str = "",
        actor: Actor = "seat",
    ) -> Outcome:
        """Do what a seat of this game asks, in a savepoint of its own.

        `turn` is the decision that a move answers; `order` is what the private record keeps, if that is not
        the whole order.
        """
        line = None if order else received.words or received.text
        origin = self.origin(received.command_id, actor, order or str(received.order), turn, line)
        return self._do(self.game_id, command, replace(origin, inferred=bool(received.words)))

    def instruct(
        self,
        gives: Sequence[Give],
        move: Move | None,
        received: ReceivedOrder,
        turn: int | None = None,
        *,
        actor: Actor = "seat",
    ) -> Outcome:
        """Keep what the seat says in advance, and do the move beside it, in a savepoint of its own."""
        line = received.words or received.text
        origin = self.origin(received.command_id, actor, str(received.order), turn, line)
        origin = replace(origin, inferred=bool(received.words))
        with self.tx.savepoint():
            return self.service.instruct(self.tx, self.game_id, gives, origin, move)

    def command_at(self, seat: SeatRow, command: SeatCommand, received: ReceivedOrder) -> Outcome:
        """Do what an order means for another seat of its writer, or for this one beside what it asks.

        Each is a command with an id of its own.
        """
        what = type(command).__name__.lower()
        if isinstance(command, Leave) and command.for_good:
            what = f"{what}/good"
        command_id = f"{received.command_id}/{what}/{seat.game_id}"
        return self._do(seat.game_id, command, self.origin(command_id, "seat", WORD_OF[received.order.word]))

    def origin(
        self, command_id: str, actor: Actor, order: str, turn: int | None = None, line: str | None = None
    ) -> Origin:
        """The origin of a command of this order; `line` is the one that it was read in, if that is kept."""
        return Origin(
            *(command_id, actor, self.source.channel, self.source.mail_sha256, order, turn),
            line=line,
            message_id=self.source.message_id or None,
            grammar=None if line is None else GRAMMAR,
        )

    def _do(self, game_id: str, command: SeatCommand, origin: Origin) -> Outcome:
        with self.tx.savepoint():
            return self.service.handle(self.tx, game_id, command, origin)


Handler = Callable[[OrderContext, ReceivedOrder], Reply]
"""Does an order, and returns what follows from it."""


def done(
    received: ReceivedOrder,
    why: str = "",
    *,
    small: str = "",
    while_open: str = "",
    changed: bool = False,
    effects: Iterable[Effect] = (),
    below: Sequence[AnsweredLine] = (),
    notices: Iterable[Notice] = (),
) -> Reply:
    """The order was done; without a reason, in the words that go with it."""
    why = why or DONE[received.order.word]
    line = AnsweredLine(text=received.text, verdict="done", why=why, small=small, while_open=while_open)
    what = Reply((line, *below), tuple(notices), effects=frozenset(effects))
    return what + CHANGED if changed else what


def refused(received: ReceivedOrder, refusal: Refusal, instead: str = "") -> Reply:
    """The order was not done, and why; `instead` is the text of a message that would be done."""
    line = AnsweredLine(
        text=received.text, verdict="refused", why=str(refusal), code=refusal.code, instead=instead
    )
    return Reply((line,))


def ask_first(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Ask for a YES in this answer, before an order is done that cannot be taken back."""
    why = instead_of_taken(ctx, phrase("people.sure.asked"))
    lies = row_of(ctx.game)
    number = ask_about_order(ctx.tx, ctx.row, ctx.source.mail_id, received.order, ctx.turn, lies, ctx.now)
    line = AnsweredLine(text=received.text, verdict="asked", why=why)
    text = question_text(received.order, is_for_good=True)
    return Reply((line,), effects=frozenset({"changed"}), asks=number, asks_text=text)


def instead_of_taken(ctx: OrderContext, why: str) -> str:
    """Why felix asks; if that takes the place of an order that was taken, it says so first."""
    waiting = waiting_order(ctx.tx, ctx.game_id, ctx.seat)
    return why if waiting is None else phrase("people.taken.instead", order=waiting.text, why=why)


def question_text(order: Order, *, is_for_good: bool) -> str:
    """The question whether an order was meant."""
    if is_for_good:
        return phrase(f"people.sure.{order.word.lower()}")
    return MISUNDERSTOOD["order/did_you_mean"].format(order=order)
