"""NOTIFY, and SAY ON and SAY OFF: what a player wants to be told, and how often."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.notices import next_digest
from felix_async.language.phrases import phrase
from felix_async.language.words import HEARS_WORDS
from felix_async.orders.context import Desk, Given, done
from felix_async.time.times import clock_text
from felix_async.time.zones import zone_for
from felix_events.store.rows import Choice, Notify

_NOTIFY: Final[dict[str, Notify]] = {"all": "all", "turns": "turns", "daily": "daily"}


def is_about_hearing(given: Given) -> bool:
    """Whether a SAY says nothing, and only chooses whether to hear what others say."""
    return given.order.word == "SAY" and given.order.text.rstrip(".,! ").upper() in HEARS_WORDS


def notify(desk: Desk, given: Given) -> AnsweredLine:
    """Every event, turns and results, or one mail a day."""
    choice, notify = _choice(desk), _NOTIFY[given.order.text]
    _choose(desk, replace(choice, notify=notify))
    if choice.notify == "daily" != notify:
        # What was put off for a digest that will not come.
        desk.tx.owe_at_once(choice.player_id, desk.now)
    hours, zone = desk.service.hours, zone_for(choice, desk.service.hours.zone)
    time = clock_text(next_digest(desk.now, hours.digest_at, zone), zone)
    return done(given, phrase(f"people.notify.{given.order.text}", time=time))


def hear(desk: Desk, given: Given) -> AnsweredLine:
    """Whether the lines that others say reach this player."""
    hears = HEARS_WORDS[given.order.text.rstrip(".,! ").upper()]
    _choose(desk, replace(_choice(desk), hears=hears))
    return done(given, phrase("people.hears.yes") if hears else phrase("people.hears.no"))


def _choice(desk: Desk) -> Choice:
    return desk.tx.choice(desk.writer.seat.player_id)


def _choose(desk: Desk, choice: Choice) -> None:
    if choice != _choice(desk):
        desk.tx.choose(choice)
        desk.obeyed.changed = True
