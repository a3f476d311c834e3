"""Tables with a host, what is owed at them, and time that passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from felix_async.clock import later, time_of
from felix_async.schedule.tick import tick
from felix_events.envelope import check_envelopes
from felix_events.store.base import Tx
from felix_events.store.rows import Due, NoticeRow
from games import Room, a_room, joining
from table import ANNA

DAY = 24 * 3600


def a_hosted_room(seats: int = 4, joined: tuple[int, ...] = (ANNA,)) -> tuple[Room, str]:
    """A table that Anna hosts."""
    room = a_room()
    game_id = room.open(seats, host=ANNA)
    for seat in joined:
        room.do(game_id, joining(seat))
    return room, game_id


def notices(room: Room, game_id: str) -> list[NoticeRow]:
    with room.store.read() as reader:
        return reader.notices(game_id)


def due(room: Room, game_id: str) -> list[Due]:
    with room.store.read() as reader:
        return reader.due_of(game_id)


def pass_days(room: Room, days: float) -> None:
    """So much time passes, then somebody looks at what is due."""
    room.clock.now = time_of(later(room.clock.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), days * DAY))

    def do(work: Callable[[Tx], Any]) -> Any:
        with room.store.write() as tx:
            return work(tx)

    tick(do, room.service)


def by_the_clock(room: Room, game_id: str) -> list[str]:
    """What happened because time passed."""
    with room.store.read() as reader:
        envelopes = check_envelopes(reader.bodies(game_id))
    return [envelope.type for envelope in envelopes if envelope.actor == "clock"]
