"""AWAY: from when until when a player is away, at all tables at once; how things stand; and back early.

Each game has rules of its own for how long its players may be away. An absence is noted where it is allowed,
and the answer says where it is not, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import orjson

from felix_async.clock import later
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Absent, Recall
from felix_async.game.rules import Refusal
from felix_async.game.state import Absence, Game
from felix_async.game.timing import away_left
from felix_async.language.dates import Away, Unclear, absence_named, absence_text, says_back, short_day
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, done, refused
from felix_async.orders.leaving import label_of, tables_of
from felix_async.time.times import day_text, moment
from felix_async.time.zones import local_time, zone_for
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

MAX_A_DAY: Final = 4
"""Absences of one seat that are declared within a day: everybody gets a mail about each."""
MOST_NAMED: Final = 4
"""Games that one answer names; the others are counted."""
_DAY: Final = 24 * 3600

Table = tuple[SeatRow, Game]


def away(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Note the absence at all tables where it is allowed; without days, say how things stand."""
    tables = [(row, game) for row, game in tables_of(ctx) if _sits_at(row, game)]
    if says_back(received.order.text):
        return _recall(ctx, received, tables)
    if not tables:
        return refused(received, Refusal("away/no_game"))
    if not received.order.text:
        return done(received, _standing(ctx, tables))
    zone = _zone(ctx)
    found = absence_named(received.order.text, ctx.now, zone)
    if isinstance(found, Unclear):
        return refused(received, Refusal(found.code, found.details))
    noted, not_noted = 0, list[tuple[SeatRow, Refusal]]()
    for row, _ in tables:
        absent = Absent(seat=row.seat, start=found.start, back=found.back, computer=found.computer)
        refusal = _is_enough(ctx, row) or ctx.command_at(row, absent, received).refusal
        if refusal is None:
            noted += 1
        else:
            not_noted.append((row, refusal))
    if not noted:
        return _refused_everywhere(ctx, received, not_noted)
    told = _told(Absence(found.start, found.back, found.computer), ctx.now, zone)
    if len(tables) > 1:
        told.append(phrase("people.away.games", count=noted))
    _tell_below(
        ctx,
        [
            phrase("people.away.not_in", table=label_of(ctx.tx, row), why=str(refusal))
            for row, refusal in not_noted
        ],
    )
    return done(received, " ".join(told))


def _is_enough(ctx: OrderContext, row: SeatRow) -> Refusal | None:
    """Why this would be one absence too many, as the log has it."""
    envelopes = (orjson.loads(body) for body in ctx.tx.bodies(row.game_id))
    declared: list[str] = [
        one["at"]
        for one in envelopes
        if one["type"] == "absence_declared" and one["data"]["seat"] == row.seat
    ]
    lately = [at for at in declared if at > later(ctx.now, -_DAY)]
    return Refusal("away/too_often", {"most": MAX_A_DAY}) if len(lately) >= MAX_A_DAY else None


def spelled_out(ctx: OrderContext, order: Order) -> Order:
    """An AWAY that is asked about, its days in full: a YES that comes later means the same days."""
    if order.word != "AWAY" or not order.text:
        return order
    zone = _zone(ctx)
    found = absence_named(order.text, ctx.now, zone)
    return replace(order, text=absence_text(found, ctx.now, zone)) if isinstance(found, Away) else order


def absence_of(
    reader: Reader, game_id: str, seat: int, order: Order, now: str, default_zone: str
) -> Absent | Recall | Refusal:
    """What an AWAY with days asks for at one table alone, as the host's desk gives it."""
    if says_back(order.text):
        return Recall(seat=seat)
    player = next((row.player_id for row in reader.seats(game_id) if row.seat == seat), None)
    zone = default_zone if player is None else zone_for(reader.choice(player), default_zone)
    found = absence_named(order.text, now, zone)
    if isinstance(found, Unclear):
        return Refusal(found.code, found.details)
    return Absent(seat=seat, start=found.start, back=found.back, computer=found.computer)


def _recall(ctx: OrderContext, received: ReceivedOrder, tables: Sequence[Table]) -> AnsweredLine:
    """End the absence everywhere; who came back from elsewhere by this mail is back, too."""
    ended = 0
    for row, game in tables:
        if game.seats[row.seat].time.absence is not None:
            ended += ctx.command_at(row, Recall(seat=row.seat), received).events > 0
    if not ended and not ctx.obeyed.came_back:
        return refused(received, Refusal("away/not_away") if tables else Refusal("away/no_game"))
    return done(received, phrase("people.away.over"))


def _standing(ctx: OrderContext, tables: Sequence[Table]) -> str:
    """Whether the player is away, and how long they may still be; once where it is the same everywhere."""
    zone, now = _zone(ctx), ctx.now
    standings = []
    for row, game in tables:
        days = away_left(game, row.seat, now) // _DAY
        told = [*_told(game.seats[row.seat].time.absence, now, zone), phrase("people.away.left", days=days)]
        standings.append(" ".join(told))
    is_away = any(game.seats[row.seat].time.absence is not None for row, game in tables)
    how = phrase("people.away.how_to_end") if is_away else phrase("people.away.how")
    if len(set(standings)) == 1:
        return f"{standings[0]} {how}"
    _tell_below(
        ctx,
        [
            phrase("people.away.now_in", table=label_of(ctx.tx, row), standing=standing)
            for (row, _), standing in zip(tables, standings, strict=True)
        ],
    )
    return how


def _told(absence: Absence | None, now: str, zone: str) -> list[str]:
    """An absence in full, so that nobody has to guess."""
    if absence is None or absence.back <= now:
        return [phrase("people.away.not_away")]
    at, day = moment(absence.back, zone), short_day(local_time(absence.back, zone).date())
    if absence.start <= now:
        told = phrase("people.away.from_now", at=at, day=day)
    else:
        told = phrase("people.away.from_day", start=day_text(absence.start, zone), at=at, day=day)
    return [told, phrase("people.away.computer") if absence.computer else phrase("people.away.stands")]


def _refused_everywhere(
    ctx: OrderContext, received: ReceivedOrder, not_noted: Sequence[tuple[SeatRow, Refusal]]
) -> AnsweredLine:
    """Why no game allows it; that of the table to which the mail was written stands first."""
    ordered = sorted(not_noted, key=lambda one: one[0].game_id != ctx.game_id)
    line = refused(received, ordered[0][1])
    if len(ordered) == 1:
        return line
    _tell_below(
        ctx,
        [
            phrase("people.away.not_in", table=label_of(ctx.tx, row), why=str(refusal))
            for row, refusal in ordered[1:]
        ],
    )
    return line


def _tell_below(ctx: OrderContext, sentences: Sequence[str]) -> None:
    """Lines below that of the order, one for each game, as far as they are named."""
    told = list(sentences[:MOST_NAMED])
    if len(sentences) > MOST_NAMED:
        told.append(phrase("people.away.and_more", count=len(sentences) - MOST_NAMED))
    ctx.obeyed.below += [AnsweredLine(text="", verdict="ignored", why=sentence) for sentence in told]


def _sits_at(row: SeatRow, game: Game) -> bool:
    return game.is_in(row.seat) and game.seats[row.seat].answer == "joined"


def _zone(ctx: OrderContext) -> str:
    return zone_for(ctx.tx.choice(ctx.writer.seat.player_id), ctx.service.hours.zone)
