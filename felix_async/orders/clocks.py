"""TIMEZONE and QUIET: where a player's clock hangs, and in which of its hours nothing comes that can wait.

Until a player has said where they are, the offset in the Date of their newest mail tells the time there. They
are asked once to say more: an offset does not know when clocks are changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.language.phrases import joined, phrase
from felix_async.orders.context import Obeyed, OrderContext, ReceivedOrder, done, refused
from felix_async.reading.reader import Reading
from felix_async.text import plain
from felix_async.time.quiet_hours import Unclear, quiet_named
from felix_async.time.times import clock_text, moment, offset_text
from felix_async.time.zones import UTC_ZONES, Unknown, guessed_offset, is_place, zone_for, zone_named
from felix_events.store.base import Tx
from felix_events.store.rows import Choice

_SHOWN: Final = 60
"""Characters of a zone that a refusal repeats."""


def note_offset(tx: Tx, player_id: str, letter: Reading) -> None:
    """Keep what a player's mail tells of their clock, where they have not told it themselves.

    Many mail programs write UTC wherever they are: that says something only of who was elsewhere before.
    """
    choice = tx.choice(player_id)
    offset = guessed_offset(letter.headers.get("date", ""))
    if choice.zone or offset in (None, choice.offset) or (offset in UTC_ZONES and not choice.offset):
        return
    tx.choose(replace(choice, offset=offset or ""))


def ask_once(tx: Tx, player_id: str, obeyed: Obeyed) -> bool:
    """Whether the answer to this mail asks the player where they are; it does so once.

    Not beside another question, not who goes, or has stopped their mail, and not where UTC may be what their
    mail program writes to everybody.
    """
    choice = tx.choice(player_id)
    is_known = choice.zone or choice.asked_zone or not choice.offset or choice.offset in UTC_ZONES
    if is_known or obeyed.asks or obeyed.goes or not obeyed.gave_orders:
        return False
    tx.choose(replace(choice, asked_zone=True))
    return True


def timezone(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Say where the player's clock hangs, or hang it elsewhere."""
    choice = _choice(ctx)
    if not received.order.text:
        return done(received, _zone_now(ctx, choice))
    found = zone_named(received.order.text)
    if isinstance(found, Unknown):
        return refused(received, _unknown(received.order.text, found))
    _choose(ctx, replace(choice, zone=found))
    shown, time = _shown(ctx, found), moment(ctx.now, found)
    if is_place(found):
        return done(received, phrase("people.zone.set", zone=shown, time=time))
    return done(received, phrase("people.zone.set_offset", zone=shown, time=time))


def quiet(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Say when nothing comes that can wait, or change it."""
    choice = _choice(ctx)
    if not received.order.text:
        return done(received, _quiet_text(ctx, choice, "now"))
    found = quiet_named(received.order.text)
    if isinstance(found, Unclear):
        return refused(received, _unclear(found))
    choice = replace(choice, quiet=found)
    _choose(ctx, choice)
    return done(received, _quiet_text(ctx, choice, "set"))


def _unknown(written: str, found: Unknown) -> Refusal:
    zone = plain(written, _SHOWN)
    if not found.nearest:
        return Refusal("zone/unknown", {"zone": zone})
    return Refusal("zone/nearest", {"zone": zone, "names": joined(found.nearest)})


def _unclear(found: Unclear) -> Refusal:
    match found.why:
        case "no_time":
            return Refusal("quiet/no_time", {"time": plain(found.time, _SHOWN)})
        case "all_day":
            return Refusal("quiet/all_day")
        case "unclear":
            return Refusal("quiet/unclear")


def _zone_now(ctx: OrderContext, choice: Choice) -> str:
    zone = zone_for(choice, ctx.service.hours.zone)
    shown, time = _shown(ctx, zone), moment(ctx.now, zone)
    if not choice.zone and choice.offset:
        return phrase("people.zone.guessed", zone=shown, time=time)
    if not choice.zone:
        return phrase("people.zone.unknown", zone=shown, time=time)
    if is_place(zone):
        return phrase("people.zone.confirmed", zone=shown, time=time)
    return phrase("people.zone.confirmed_offset", zone=shown, time=time)


def _quiet_text(ctx: OrderContext, choice: Choice, what: str) -> str:
    if not choice.quiet:
        return phrase("people.quiet.off") if what == "set" else phrase("people.quiet.now_off")
    begin, end = choice.quiet.split("-")
    time = clock_text(ctx.now, zone_for(choice, ctx.service.hours.zone))
    return phrase(f"people.quiet.{what}", begin=begin, end=end, time=time)


def _shown(ctx: OrderContext, zone: str) -> str:
    """A zone as its name, an offset as what people call it: `UTC+1`."""
    return zone if is_place(zone) else offset_text(ctx.now, zone)


def _choice(ctx: OrderContext) -> Choice:
    return ctx.tx.choice(ctx.writer.seat.player_id)


def _choose(ctx: OrderContext, choice: Choice) -> None:
    if choice != _choice(ctx):
        ctx.tx.choose(choice)
        ctx.obeyed.changed = True
