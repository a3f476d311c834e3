"""Beside the game in an answer: what was asked for, the player's other tables, a question left open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from felix_async.follow_up.answer import Answer, Section
from felix_async.game.ahead import refuse_order
from felix_async.game.moment import lateness
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.grammar import Order, read_line
from felix_async.orders.ahead import said_by
from felix_async.orders.execute import said_in
from felix_async.orders.questions import row_asked
from felix_async.orders.registry import ORDERS
from felix_async.time.zones import zone_for
from felix_events.store.base import Reader
from felix_events.store.rows import GameRow, SeatRow
from felix_notifiers.content import asked
from felix_notifiers.content.block import Block
from felix_notifiers.content.explained import short_answers
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import reply_to_table
from felix_notifiers.mails.case import Case, case_of

_MOST_RUNNING: Final = 200
"""Tables of one player of which it is found out whose turn it is."""
Address = Callable[[SeatRow, Game], str]
"""The address to which a seat sends its orders now."""


def blocks_of(
    reader: Reader,
    case: Case,
    to: SeatRow,
    game: Snapshot,
    show: Sequence[Section],
    address: Address,
    zone: str,
) -> list[Block]:
    """Return what the reader asked for beside the table."""
    subject = reply_to_table(game)
    blocks = short_answers(game, case.story, show, ReplyTo(game.reply_address, subject))
    if "history" in show:
        choice = reader.choice(to.player_id)
        came = case.story.came(to.seat)
        sayings = [
            one for one in case.sayings if one.version > came and (choice.hears or one.seat == to.seat)
        ]
        where = zone_for(choice, zone)
        blocks += asked.history(case.story, sayings, case.names, to.seat, where, case.former)
    if "games" in show:
        blocks += asked.games(*tables_of(reader, to.player_id, address, zone))
    if "rules" in show:
        blocks += asked.rules(game.table)
    return blocks


def aside_of(
    reader: Reader, game: Snapshot, to: SeatRow, answer: Answer | None, reply_to: str
) -> Block | None:
    """Ask where the reader is, unless they have said so meanwhile."""
    choice = reader.choice(to.player_id)
    if answer is None or "zone" not in answer.show or choice.zone or not choice.offset:
        return None
    subject = reply_to_table(game)
    return asked.zone(choice.offset, game.now, ReplyTo(reply_to, subject))


def still_asking(reader: Reader, seat: SeatRow, answer: Answer, game: Game) -> Answer:
    """The answer as it is true now: with its question, or without if that is closed."""
    if is_open(reader, seat, answer.asks, game):
        return answer
    asked = reader.questions(seat.game_id, seat.seat)
    return answer.unasked(is_done=any((one.number, one.state) == (answer.asks, "yes") for one in asked))


def is_open(reader: Reader, seat: SeatRow, number: int, game: Game) -> bool:
    """Return True if YES to this question would still do something: it is open, and the game has not gone on.

    It would have been done as the question was put.
    """
    questions = reader.questions(seat.game_id, seat.seat) if number else []
    question = next((one for one in questions if (one.number, one.state) == (number, "open")), None)
    order = read_line(question.text) if question is not None else None
    if question is None or not isinstance(order, Order):
        return False
    is_now = not lateness(game, seat.seat, question.turn, row_asked(question), said_in(order))
    said = said_by(game, seat.seat, order)
    if said.gives or said.move is not None:
        is_taken = said.move is None or view(game, seat.seat).welcome(said.move)
        return is_now and is_taken and not any(refuse_order(give, game) for give in said.gives)
    if not is_now and order.word not in ("FORGET", "SAY"):
        # Other offers of that letter would go to an address for the turn that is over.
        return False
    return not game.is_over or ORDERS[order.word].when in ("over", "always")


def tables_of(reader: Reader, player_id: str, address: Address, zone: str) -> tuple[list[Snapshot], int]:
    """The tables at which a player sits, as many as are shown, and how many there may be besides.

    Those that wait for the player come first, by when the time is up, and those that are over last;
    else the newest first.
    """
    sat = [(seat, reader.game(seat.game_id)) for seat in reader.seats_of(player_id)]
    played = [(seat, row) for seat, row in sat if row is not None and row.kind == "played"]
    running = [(seat, row) for seat, row in played if not row.is_over]
    first = (_seated(reader, *at, address, zone) for at in running[:_MOST_RUNNING])
    looked_at = [one for one in first if one is not None]
    tables = sorted(looked_at, key=asked.urgency)
    rest = [*running[_MOST_RUNNING:], *((seat, row) for seat, row in played if row.is_over)]
    while rest and len(tables) < asked.MOST_GAMES:
        one = _seated(reader, *rest.pop(0), address, zone)
        tables += [] if one is None else [one]
    shown = tables[: asked.MOST_GAMES]
    return shown, len(tables) - len(shown) + len(rest)


def other_tables(
    reader: Reader, player_id: str, told: Collection[str], address: Address, zone: str
) -> list[str]:
    """Return a line about each table that waits for others and that is not `told` of."""
    tables, _ = tables_of(reader, player_id, address, zone)
    return [
        asked.standing_line(one)
        for one in tables
        if one.game_id not in told and one.seat not in one.table.asked and not one.table.is_over
    ]


def _seated(reader: Reader, seat: SeatRow, row: GameRow, address: Address, zone: str) -> Snapshot | None:
    """Return a table of a player, None if they have left it, or it cannot be read now."""
    if reader.trouble(seat.game_id):
        return None
    case = case_of(reader, seat.game_id)
    if not case.game.is_in(seat.seat):
        return None
    return Snapshot(
        game_id=seat.game_id,
        table_name=row.table_name,
        kept_names=case.names,
        table=view(case.game, seat.seat),
        reply_address=address(seat, case.game),
        zone=zone_for(reader.choice(seat.player_id), zone),
    )
