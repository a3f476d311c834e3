"""A deadline that moves takes its ladder along, and nobody hears from the same rung of it twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from felix_async.clock import time_of
from felix_async.schedule.outage import extend
from felix_async.schedule.tick import tick
from felix_async.service import Origin
from felix_events.model import Terms
from felix_events.store.base import Tx
from felix_events.store.rows import Choice
from games import TABLE_NAME, Room, a_room, players
from table import ANNA

DAY = 24 * 3600
NOON = "2026-01-01T12:00:00.000000Z"


def do(room: Room, work: Callable[[Tx], Any]) -> Any:
    with room.store.write() as tx:
        return work(tx)


def a_timed_room(move: int = 4 * DAY) -> tuple[Room, str]:
    """Four players in round 1, since noon; nobody has quiet hours."""
    room = a_room()
    room.clock.step, room.clock.now = timedelta(0), time_of(NOON)

    def open_table(tx: Tx) -> str:
        for player in players(4):
            tx.choose(Choice(player.player_id, quiet=""))
        game_id, _ = room.service.open_table(
            tx,
            players(4),
            origin=Origin("create", "host", "desk"),
            table_name=TABLE_NAME,
            ruleset="felicity-2017",
            clock=Terms(move=move),
        )
        return game_id

    game_id: str = do(room, open_table)
    room.join_all(game_id)
    return room, game_id


def looked_after(room: Room, days: float) -> None:
    room.clock.now = time_of(NOON) + timedelta(days=days)
    tick(lambda work: do(room, work), room.service)


def annas(room: Room, game_id: str) -> list[str]:
    told: list[str] = do(room, lambda tx: tx.reminded(game_id, ANNA, 1))
    return told


def test_half_of_the_time_comes_twice_and_is_told_once() -> None:
    room, game_id = a_timed_room()
    looked_after(room, 2)
    assert annas(room, game_id) == ["50%"]
    do(room, lambda tx: extend(tx, room.service, game_id, ANNA, 2 * DAY, "an outage"))
    looked_after(room, 4)
    assert annas(room, game_id) == ["50%"]
