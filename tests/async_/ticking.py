"""Games with a clock, and time that passes while a server looks every ten minutes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from async_.owing import notices
from felix_async.clock import text_of, time_of
from felix_async.game.commands import Play
from felix_async.schedule.tick import keep_time, tick
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import Terms
from felix_events.store.base import Tx
from felix_events.store.rows import Letter
from games import EPOCH, Room, a_room
from table import ANNA, BEN, CARA, DAN

HOUR: Final = 3600
DAY: Final = 24 * HOUR
THREE_DAYS: Final = Terms(move=3 * DAY)
WITH_RESERVE: Final = Terms(move=12 * HOUR, reserve=7 * DAY)
EVERYBODY: Final = (ANNA, BEN, CARA, DAN)
IDS: Final = ("anna-1", "ben-1", "cara-1", "dan-1", "eve-1")


def a_clocked_room(terms: Terms | None = THREE_DAYS, host: int | None = None) -> tuple[Room, str]:
    """A running game of four, in its first placement, dealt at noon of a Thursday; nobody has quiet hours."""
    room = a_room()
    room.clock.step = timedelta()
    for seat in EVERYBODY:
        choose(room, seat, quiet="")
    game_id = room.open(4, clock=terms, host=host, start=ANNA)
    room.join_all(game_id)
    deliver(room)
    return room, game_id


def choose(room: Room, seat: int, **fields: Any) -> None:
    with room.store.write() as tx:
        tx.choose(replace(tx.choice(IDS[seat]), **fields))


def do_in(room: Room) -> Callable[[Callable[[Tx], Any]], Any]:
    """What opens a transaction for each piece of work."""

    def do(work: Callable[[Tx], Any]) -> Any:
        with room.store.write() as tx:
            return work(tx)

    return do


def look(room: Room) -> int:
    return tick(do_in(room), room.service)


def deliver(room: Room, *, is_sent: bool = True) -> None:
    """The post goes out: a letter for each thing that is owed, and it arrives at once, or waits."""
    now = text_of(room.clock.now)
    with room.store.write() as tx:
        for notice in tx.pending(now):
            to = next(row for row in tx.seats(notice.game_id) if row.seat == notice.seat)
            letter = Letter(
                to.game_id, to.seat, to.address or "", f"<{notice.notice_id}@felix>", b"", now, next_at=now
            )
            letter_id = tx.freeze(letter)
            tx.settle([notice.notice_id], letter_id)
            if is_sent:
                tx.mark_letter(letter_id, "sent", next_at=now)


def live_until(room: Room, hours: float) -> None:
    """Until so many hours after the deal somebody looks every ten minutes, and the post goes out."""
    end = EPOCH + timedelta(hours=hours)
    while room.clock.now < end:
        room.clock.now = min(end, room.clock.now + timedelta(minutes=10))
        keep_time(do_in(room), room.service)
        deliver(room)


def down_until(room: Room, hours: float) -> None:
    """Until so many hours after the deal nobody looks; then the server is there again."""
    keep_time(do_in(room), room.service)
    room.clock.now = EPOCH + timedelta(hours=hours)
    keep_time(do_in(room), room.service)


def hours_of(at: str) -> float:
    """How many hours after the deal that is."""
    return (time_of(at) - EPOCH) / timedelta(hours=1)


def reminded(room: Room, game_id: str, seat: int) -> list[tuple[str, float]]:
    """The reminders of a seat: the rung of each, and how many hours after the deal it goes out."""
    owed = [one for one in notices(room, game_id) if one.kind == "reminder" and one.seat == seat]
    return [(one.about, round(hours_of(one.due_at), 2)) for one in owed]


def deadline(room: Room, game_id: str, seat: int) -> float | None:
    """How many hours after the deal a seat's decision is due."""
    due = room.game(game_id).seats[seat].time.deadline
    return None if due is None else hours_of(due.at)


def envelopes(room: Room, game_id: str, *types: str) -> list[Envelope]:
    """What the log says of these kinds, of all by default."""
    with room.store.read() as reader:
        every = check_envelopes(reader.bodies(game_id))
    return [one for one in every if not types or one.type in types]


def place(room: Room, game_id: str, *seats: int) -> None:
    for seat in seats:
        assert room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0])).refusal is None
