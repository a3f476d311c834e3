"""NOTIFY, RECEIPTS, SAY ON and SAY OFF, TIMEZONE and QUIET: what a player is told, and at which hours.

Until a player has said where they are, the offset in the Date of their newest mail gives the time there. They
are asked once to say more: an offset does not know when clocks are changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.follow_up.notices import next_digest
from felix_async.game.rules import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import HEARS_WORDS
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.text import plain
from felix_async.time.quiet_hours import quiet_named
from felix_async.time.times import clock_text, moment, offset_text
from felix_async.time.zones import UTC_ZONES, Unknown, guessed_offset, is_place, zone_for, zone_named
from felix_events.store.base import Tx
from felix_events.store.rows import Choice, Notify

_SHOWN: Final = 60
"""Characters of a zone that a refusal repeats."""
_NOTIFY: Final[dict[str, Notify]] = {"all": "all", "turns": "turns", "mine": "mine", "daily": "daily"}
_DISCREET: Final = {"discreet": True, "discreet_off": False}


def hears_said(received: ReceivedOrder) -> bool | None:
    """The choice that SAY ON or SAY OFF makes; None for a SAY that says something."""
    return HEARS_WORDS.get(received.order.text.rstrip(".,! ").upper())


def hear(ctx: OrderContext, received: ReceivedOrder, *, hears: bool) -> Reply:
    """Pass on to this player what others say, or stop doing so."""
    choice = replace(ctx.choice, hears=hears)
    return _chosen(ctx, received, choice, phrase("people.hears.yes") if hears else phrase("people.hears.no"))


def notify(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Send every event, turns and results, those without what asks ahead of a turn, or one message a day.

    DISCREET is no choice among these: it stands beside them.
    """
    if received.order.text in _DISCREET:
        is_discreet = _DISCREET[received.order.text]
        told = phrase("people.discreet.yes") if is_discreet else phrase("people.discreet.no")
        return _chosen(ctx, received, replace(ctx.choice, discreet=is_discreet), told)
    before, notify = ctx.choice, _NOTIFY[received.order.text]
    choice = replace(before, notify=notify)
    hours, zone = ctx.service.hours, zone_for(choice, ctx.service.hours.zone)
    time = clock_text(next_digest(ctx.now, hours.digest_at, zone), zone)
    reply = _chosen(ctx, received, choice, phrase(f"people.notify.{received.order.text}", time=time))
    if before.notify == "daily" != notify:
        # The notices that were put off for a digest that will not come.
        ctx.tx.bring_forward(choice.player_id, ctx.now)
    return reply


def receipts(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Answer every order, or only those that have something to tell."""
    choice = replace(ctx.choice, receipts=received.order.text == "on")
    return _chosen(ctx, received, choice, phrase(f"people.receipts.{received.order.text}"))


def timezone(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Say which time zone the player has, or set it."""
    choice, written = ctx.choice, received.order.text
    if not written:
        return done(received, _zone_now(ctx, choice))
    found = zone_named(written)
    if isinstance(found, Unknown):
        return refused(received, _unknown(written, found))
    what = "set" if is_place(found) else "set_offset"
    told = phrase(f"people.zone.{what}", zone=_shown(ctx, found), time=moment(ctx.now, found))
    return _chosen(ctx, received, replace(choice, zone=found), told)


def quiet(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Say in which hours nothing comes that can wait, or set them."""
    choice, written = ctx.choice, received.order.text
    if not written:
        return done(received, _quiet_text(ctx, choice, "now"))
    found = quiet_named(written)
    if isinstance(found, Refusal):
        return refused(received, found)
    choice = replace(choice, quiet=found)
    return _chosen(ctx, received, choice, _quiet_text(ctx, choice, "set"))


def note_offset(tx: Tx, player_id: str, date: str) -> None:
    """Keep the offset in a message's Date header, unless its player has set a time zone.

    Many mail programs write UTC wherever they are: that says something only of a player who was elsewhere
    before.
    """
    choice = tx.choice(player_id)
    offset = guessed_offset(date)
    if choice.zone or offset in (None, choice.offset) or (offset in UTC_ZONES and not choice.offset):
        return
    tx.choose(replace(choice, offset=offset or ""))


def ask_zone_once(tx: Tx, player_id: str, reply: Reply) -> bool:
    """Return True if the answer to this message asks the player where they are; it does so once.

    Not beside another question, not a player who leaves or has stopped their mail, and not if their mail
    program may write UTC for everybody.
    """
    choice = tx.choice(player_id)
    is_known = choice.zone or choice.asked_zone or not choice.offset or choice.offset in UTC_ZONES
    if is_known or reply.asks or "leaves" in reply.effects or "plays_on" not in reply.effects:
        return False
    tx.choose(replace(choice, asked_zone=True))
    return True


def _chosen(ctx: OrderContext, received: ReceivedOrder, choice: Choice, told: str) -> Reply:
    is_new = choice != ctx.choice
    if is_new:
        ctx.tx.choose(choice)
    return done(received, told, changed=is_new)


def _unknown(written: str, found: Unknown) -> Refusal:
    zone = plain(written, _SHOWN)
    if not found.nearest:
        return Refusal("zone/unknown", {"zone": zone})
    return Refusal("zone/nearest", {"zone": zone, "names": [plain(name) for name in found.nearest]})


def _zone_now(ctx: OrderContext, choice: Choice) -> str:
    zone = zone_for(choice, ctx.service.hours.zone)
    if choice.zone:
        what = "confirmed" if is_place(zone) else "confirmed_offset"
    else:
        what = "guessed" if choice.offset else "unknown"
    return phrase(f"people.zone.{what}", zone=_shown(ctx, zone), time=moment(ctx.now, zone))


def _quiet_text(ctx: OrderContext, choice: Choice, what: str) -> str:
    if not choice.quiet:
        return phrase("people.quiet.off") if what == "set" else phrase("people.quiet.now_off")
    begin, end = choice.quiet.split("-")
    time = clock_text(ctx.now, zone_for(choice, ctx.service.hours.zone))
    return phrase(f"people.quiet.{what}", begin=begin, end=end, time=time)


def _shown(ctx: OrderContext, zone: str) -> str:
    """A zone as its name, an offset as people call it: `UTC+1`."""
    return zone if is_place(zone) else offset_text(ctx.now, zone)
