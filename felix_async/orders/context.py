"""What it takes to do an order of a mail, and what comes of the lines of one."""

from __future__ import annotations

from dataclasses import dataclass, field

from felix_async.clock import text_of
from felix_async.follow_up.answer import AnsweredLine, Section
from felix_async.game.commands import Leave, SeatCommand
from felix_async.game.rules import Refusal
from felix_async.game.state import Game
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, FOR_GOOD, MISUNDERSTOOD, WORD_OF
from felix_async.orders.questions import ask_about_order, question_named
from felix_async.reading.line import Line
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer
from felix_async.service import Origin, Outcome, Service
from felix_events.envelope import Actor
from felix_events.store.base import Tx
from felix_events.store.rows import Mail, SeatRow


@dataclass(frozen=True, slots=True)
class Opened:
    """A table that a mail has opened, or joined, where it `invites` nobody: its writer's seat there, and the
    line that says so.
    """

    seat: SeatRow
    line: AnsweredLine
    invites: bool = True


@dataclass(slots=True)
class Obeyed:
    """What came of the lines; `asks` is the number of the question that the answer puts (0: none)."""

    lines: list[AnsweredLine] = field(default_factory=list)
    below: list[AnsweredLine] = field(default_factory=list)
    """What is to stand behind the line of the order that is being done."""
    show: list[Section] = field(default_factory=list)
    asks: int = 0
    asks_text: str = ""
    changed: bool = False
    opened: list[Opened] = field(default_factory=list)
    """The tables that the mail opened; their answers go to the writer's seats there."""
    gave_orders: bool = False
    """Whether the player wants to play on: an order or a question, but not STOP."""
    came_back: bool = False
    """Whether the player took a seat back from the computer."""
    shows_key: bool = False
    """Whether others could read the address of the mail, which moves for its writer."""
    goes: bool = False
    """Whether the player leaves a table, or wants no more mail."""
    told_elsewhere: bool = False
    """Whether the answer to another mail tells what came of this one."""
    forgets: bool = False
    """Whether the player is to be erased, once all else is done."""


@dataclass(frozen=True, slots=True)
class OrderContext:
    """Whose mail it is, and all that it takes to do an order in it; `obeyed` collects what came of it."""

    tx: Tx
    service: Service
    mail: Mail
    letter: Reading
    writer: Writer
    turn: int
    """The decision that is before the seat as the mail is read."""
    mailbox: str = ""
    """felix's own address, without a token."""
    obeyed: Obeyed = field(default_factory=Obeyed)

    @property
    def game_id(self) -> str:
        """The game that the mail is about."""
        return self.writer.seat.game_id

    @property
    def seat(self) -> int:
        """The seat of its writer."""
        return self.writer.seat.seat

    @property
    def game(self) -> Game:
        """That game as it stands now."""
        return self.service.load(self.tx, self.game_id)

    @property
    def now(self) -> str:
        """The time now, as felix stores it."""
        return text_of(self.service.clock())

    def command(
        self,
        command: SeatCommand,
        received: ReceivedOrder,
        turn: int | None = None,
        *,
        order: str = "",
        actor: Actor = "seat",
    ) -> Outcome:
        """Do what a seat of this game asks, in a part of the transaction of its own.

        `turn` is the decision that a move answers; `order` is what the private record says of it, where that
        is not the whole order. What only a host may ask is done by the host.
        """
        origin = Origin(
            received.command_id,
            actor=actor,
            channel="mail",
            mail_sha256=self.mail.sha256,
            order=order or str(received.order),
            turn=turn,
        )
        return self._do(self.game_id, command, origin)

    def command_at(self, seat: SeatRow, command: SeatCommand, received: ReceivedOrder) -> Outcome:
        """Do what an order means for another seat of its writer, or for this one beside what it asks.

        Each is a command with an id of its own.
        """
        what = type(command).__name__.lower()
        if isinstance(command, Leave) and command.for_good:
            what = f"{what}/good"
        command_id = f"{received.command_id}/{what}/{seat.game_id}"
        word = WORD_OF[received.order.word]
        origin = Origin(command_id, "seat", "mail", mail_sha256=self.mail.sha256, order=word)
        return self._do(seat.game_id, command, origin)

    def _do(self, game_id: str, command: SeatCommand, origin: Origin) -> Outcome:
        with self.tx.savepoint():
            outcome = self.service.handle(self.tx, game_id, command, origin)
        self.obeyed.changed |= outcome.events > 0
        return outcome


@dataclass(frozen=True, slots=True)
class ReceivedOrder:
    """An order, the line that it stands on as the answer repeats it, and the id of its command.

    `below` are the lines that belong to it, as in a NEW that lists its players.
    """

    order: Order
    text: str
    command_id: str
    below: tuple[Line, ...] = ()


def done(received: ReceivedOrder, why: str = "", small: str = "") -> AnsweredLine:
    """The order was done; without a reason, in the words that go with it."""
    return AnsweredLine(text=received.text, verdict="done", why=why or DONE[received.order.word], small=small)


def refused(received: ReceivedOrder, refusal: Refusal, instead: str = "") -> AnsweredLine:
    """The order was not done, and why; `instead` is the text of a mail that would be done."""
    return AnsweredLine(
        text=received.text, verdict="refused", why=str(refusal), code=refusal.code, instead=instead
    )


def asked_first(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """An order that cannot be taken back: it is done after a YES, which is asked for in this answer."""
    number = ask_about_order(ctx.tx, ctx.writer, ctx.mail, received.order, ctx.turn, ctx.now)
    ctx.obeyed.asks = number
    ctx.obeyed.asks_text = asking(received.order)
    ctx.obeyed.changed = True
    return AnsweredLine(text=received.text, verdict="asked", why=phrase("people.sure.asked"))


def asking(order: Order) -> str:
    """The question whether an order was meant."""
    if order.word in FOR_GOOD:
        return phrase("people.sure.resign") if order.word == "RESIGN" else phrase("people.sure.forget")
    return MISUNDERSTOOD["order/did_you_mean"].format(order=order)


def turn_answered(ctx: OrderContext) -> int | None:
    """The decision that an order in this mail answers, by the address it was sent to; None: none at all."""
    if ctx.writer.token.purpose != "question":
        return ctx.writer.token.turn
    question = question_named(ctx.tx, ctx.writer)
    return question.turn if question is not None and question.kind == "order" else None
