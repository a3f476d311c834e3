"""AWAY: from when until when a player is away, at all tables at once; how things stand; and back early.

Each game has rules of its own for how long its players may be away. An absence is noted in each that
allows it, and the answer says which ones do not, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.clock import DAY
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Absent, Recall
from felix_async.game.rules import Refusal
from felix_async.game.state import Absence, Game
from felix_async.game.timing import away_left
from felix_async.language.dates import Away, absence_named, absence_text, says_back, short_day
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.leaving import label_of, tables_of
from felix_async.orders.quotas import A_DAY, is_used_up, times_of
from felix_async.time.times import day_text, until
from felix_async.time.zones import local_time
from felix_events.store.rows import SeatRow

MOST_NAMED: Final = 4
"""Games that one answer names; the others are counted."""
Table = tuple[SeatRow, Game]


def away(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Note the absence at all tables that allow it; without days, say what is noted now."""
    tables = [(row, game) for row, game in tables_of(ctx) if _sits_at(row, game)]
    if says_back(received.order.text):
        return _recall(ctx, received, tables)
    if not tables:
        return refused(received, Refusal("away/no_game"))
    if not received.order.text:
        how, *below = _standing(ctx, tables)
        return done(received, how, below=_below(below))
    found = absence_named(received.order.text, ctx.now, ctx.zone)
    if isinstance(found, Refusal):
        return refused(received, found)
    changed, not_noted = False, list[tuple[SeatRow, Refusal]]()
    for row, _ in tables:
        absent = Absent(seat=row.seat, start=found.start, back=found.back, computer=found.computer)
        refusal = _is_enough(ctx, row)
        if refusal is None:
            outcome = ctx.command_at(row, absent, received)
            changed |= outcome.events > 0
            refusal = outcome.refusal
        if refusal is not None:
            not_noted.append((row, refusal))
    noted = len(tables) - len(not_noted)
    if not noted:
        # First in the words of the game that the message was written to.
        (_, first), *others = sorted(not_noted, key=lambda one: one[0].game_id != ctx.game_id)
        return refused(received, first) + Reply(_not_in(ctx, others))
    told = _told(Absence(found.start, found.back, found.computer), ctx.now, ctx.zone)
    if len(tables) > 1:
        told.append(phrase("people.away.games", count=noted))
    if ctx.standing.given:
        told.append(phrase("people.ahead.stays"))
    return done(received, " ".join(told), changed=changed, below=_not_in(ctx, not_noted))


def _is_enough(ctx: OrderContext, row: SeatRow) -> Refusal | None:
    """Why this would be one absence too many: everybody gets a message about each."""
    declared = times_of(ctx.tx, row.game_id, row.seat, "absence_declared")
    if is_used_up("absences", declared, ctx.now):
        return Refusal("away/too_often", {"most": A_DAY["absences"]})
    return None


def spelled_out(ctx: OrderContext, order: Order) -> Order:
    """An AWAY that is asked about, its days in full: a YES that comes later means the same days."""
    if order.word != "AWAY" or not order.text:
        return order
    found = absence_named(order.text, ctx.now, ctx.zone)
    return replace(order, text=absence_text(found, ctx.now, ctx.zone)) if isinstance(found, Away) else order


def away_command(ctx: OrderContext, order: Order) -> Absent | Recall | Refusal:
    """The command of an AWAY with days for one table alone."""
    if says_back(order.text):
        return Recall(seat=ctx.seat)
    found = absence_named(order.text, ctx.now, ctx.zone)
    if isinstance(found, Refusal):
        return found
    return Absent(seat=ctx.seat, start=found.start, back=found.back, computer=found.computer)


def _recall(ctx: OrderContext, received: ReceivedOrder, tables: Sequence[Table]) -> Reply:
    """End the absence everywhere; who came back from elsewhere by this message is back, too."""
    ended = 0
    for row, game in tables:
        if game.seats[row.seat].time.absence is not None:
            ended += ctx.command_at(row, Recall(seat=row.seat), received).events > 0
    if not ended and "came_back" not in ctx.earlier.effects:
        return refused(received, Refusal("away/not_away") if tables else Refusal("away/no_game"))
    return done(received, phrase("people.away.over"), changed=ended > 0)


def _standing(ctx: OrderContext, tables: Sequence[Table]) -> list[str]:
    """Return whether the player is away, and how long they may still be: once if it is the same everywhere,
    else how to say so, and then each table's.
    """
    zone, now = ctx.zone, ctx.now
    standings = []
    for row, game in tables:
        days = away_left(game, row.seat, now) // DAY
        told = [*_told(game.seats[row.seat].time.absence, now, zone), phrase("people.away.left", days=days)]
        standings.append(" ".join(told))
    is_away = any(game.seats[row.seat].time.absence is not None for row, game in tables)
    how = phrase("people.away.how_to_end") if is_away else phrase("people.away.how")
    if len(set(standings)) == 1:
        return [f"{standings[0]} {how}"]
    return [
        how,
        *(
            phrase("people.away.now_in", table=label_of(ctx.tx, row), standing=standing)
            for (row, _), standing in zip(tables, standings, strict=True)
        ),
    ]


def _told(absence: Absence | None, now: str, zone: str) -> list[str]:
    """An absence in full, so that nobody has to guess."""
    if absence is None or absence.back <= now:
        return [phrase("people.away.not_away")]
    at, day = until(absence.back, zone), short_day(local_time(absence.back, zone).date())
    if absence.start <= now:
        told = phrase("people.away.from_now", at=at, day=day)
    else:
        told = phrase("people.away.from_day", start=day_text(absence.start, zone), at=at, day=day)
    return [told, phrase("people.away.computer") if absence.computer else phrase("people.away.stands")]


def _not_in(ctx: OrderContext, refusals: Sequence[tuple[SeatRow, Refusal]]) -> tuple[AnsweredLine, ...]:
    return _below(
        [
            phrase("people.away.not_in", table=label_of(ctx.tx, row), why=str(refusal))
            for row, refusal in refusals
        ]
    )


def _below(sentences: Sequence[str]) -> tuple[AnsweredLine, ...]:
    """Lines below that of the order, one for each game, as far as they are named."""
    told = list(sentences[:MOST_NAMED])
    if len(sentences) > MOST_NAMED:
        told.append(phrase("people.away.and_more", count=len(sentences) - MOST_NAMED))
    return tuple(AnsweredLine(text="", verdict="ignored", why=sentence) for sentence in told)


def _sits_at(row: SeatRow, game: Game) -> bool:
    return game.is_in(row.seat) and game.seats[row.seat].answer == "joined"
