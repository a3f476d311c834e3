"""A table with a clock, whose players write by mail, and the time there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from felix_async.inbox.process import Processor
from felix_async.service import Origin
from felix_events.model import Terms
from games import TABLE_NAME, Room, a_room, players
from inbox.postbag import MAILBOX, Postbag

DAY: Final = 24 * 3600
NOW: Final = datetime(2026, 11, 20, 17, tzinfo=UTC)
"""A Friday; in Berlin it is 18:00."""
TERMS: Final = Terms(move=3 * DAY, away=21 * DAY)


def a_clocked_table(
    bag: Postbag | None = None,
    *,
    terms: Terms | None = TERMS,
    seats: int = 4,
    joined: int = 4,
    name: str = TABLE_NAME,
) -> Postbag:
    """A table with a clock that so many have joined; in the room of another one, where that is given."""
    if bag is None and (terms, seats, joined, name) == (TERMS, 4, 4, TABLE_NAME):
        return kept_clocked_table().another()
    return _opened(bag.room if bag else _a_room(), terms, seats, joined, name)


@cache
def kept_clocked_table() -> Postbag:
    """One of four that is copied and never played, as it takes long to join by mail."""
    return _opened(_a_room(), TERMS, 4, 4, TABLE_NAME)


def _a_room() -> Room:
    room = a_room("clocked")
    room.clock.now = NOW
    return room


def _opened(room: Room, terms: Terms | None, seats: int, joined: int, name: str) -> Postbag:
    with room.store.write() as tx:
        game_id, outcome = room.service.open_table(
            tx,
            players(seats),
            origin=Origin(f"clocked/{name}", "host", "desk"),
            table_name=name,
            ruleset="felicity-2017",
            clock=terms,
            host=0,
        )
    assert outcome.refusal is None
    table = Postbag(room, game_id, Processor(room.service, MAILBOX))
    for seat in range(joined):
        table.send(seat, "JOIN")
    return table


def in_berlin(bag: Postbag, *seats: int) -> Postbag:
    """The same table, once these players have said where they are."""
    for seat in seats:
        bag.send(seat, "TIMEZONE Europe/Berlin")
    return bag


def a_clocked_auction() -> Postbag:
    """Four in the auction of the first round, and time stands still but for what a test does."""
    return kept_clocked_auction().another()


@cache
def kept_clocked_auction() -> Postbag:
    """One that is copied and never played."""
    bag = a_clocked_table()
    bag.place_all()
    bag.room.clock.step = timedelta()
    return bag
