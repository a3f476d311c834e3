"""NOTIFY, and SAY ON and SAY OFF: what a player wants to be told, and how often."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.notices import next_digest
from felix_async.language.phrases import phrase
from felix_async.language.words import HEARS_WORDS
from felix_async.orders.context import OrderContext, ReceivedOrder, done
from felix_async.time.times import clock_text
from felix_async.time.zones import zone_for
from felix_events.store.rows import Choice, Notify

_NOTIFY: Final[dict[str, Notify]] = {"all": "all", "turns": "turns", "daily": "daily"}


def is_about_hearing(received: ReceivedOrder) -> bool:
    """Whether a SAY says nothing, and only chooses whether to hear what others say."""
    return received.order.word == "SAY" and received.order.text.rstrip(".,! ").upper() in HEARS_WORDS


def notify(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Every event, turns and results, or one mail a day."""
    choice, notify = _choice(ctx), _NOTIFY[received.order.text]
    _choose(ctx, replace(choice, notify=notify))
    if choice.notify == "daily" != notify:
        # What was put off for a digest that will not come.
        ctx.tx.owe_at_once(choice.player_id, ctx.now)
    hours, zone = ctx.service.hours, zone_for(choice, ctx.service.hours.zone)
    time = clock_text(next_digest(ctx.now, hours.digest_at, zone), zone)
    return done(received, phrase(f"people.notify.{received.order.text}", time=time))


def hear(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Whether the lines that others say reach this player."""
    hears = HEARS_WORDS[received.order.text.rstrip(".,! ").upper()]
    _choose(ctx, replace(_choice(ctx), hears=hears))
    return done(received, phrase("people.hears.yes") if hears else phrase("people.hears.no"))


def _choice(ctx: OrderContext) -> Choice:
    return ctx.tx.choice(ctx.writer.seat.player_id)


def _choose(ctx: OrderContext, choice: Choice) -> None:
    if choice != _choice(ctx):
        ctx.tx.choose(choice)
        ctx.obeyed.changed = True
