"""Quotas: how often a player may do within a day what others get mail about, and how that is counted.

Nothing is written for a quota: it is counted by what is kept anyway, the log, the questions and the games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import orjson

from felix_async.clock import DAY, later
from felix_events.store.base import Reader

Quota = Literal["tables", "absences", "votes", "sayings", "addresses", "offers", "replays", "disputes"]
A_DAY: Final[Mapping[Quota, int]] = {
    "tables": 5,
    "absences": 4,
    "votes": 6,
    "sayings": 20,
    "addresses": 3,
    "offers": 3,
    "replays": 2,
    "disputes": 2,
}
"""Tables that a player opens by mail; absences, votes, sayings and disputes of a seat; letters to addresses
that a player names, and to people whom they ask to play on for somebody; files of a game that are sent to a
seat.
"""


def is_used_up(quota: Quota, moments: Iterable[str], now: str) -> bool:
    """Return True if no more of this may be done now; `moments` are the stored times at which it was.

    >>> times = ["2026-11-20T21:00:00.000000Z", *["2026-11-22T09:00:00.000000Z"] * 3]
    >>> is_used_up("offers", times, "2026-11-22T10:00:00.000000Z")
    True
    """
    since = later(now, -DAY)
    return sum(at > since for at in moments) >= A_DAY[quota]


def times_of(reader: Reader, game_id: str, seat: int, type_: str) -> list[str]:
    """The times of a seat's events of this type in a game's log."""
    envelopes = (orjson.loads(body) for body in reader.bodies(game_id))
    return [one["at"] for one in envelopes if one["type"] == type_ and one["data"]["seat"] == seat]
