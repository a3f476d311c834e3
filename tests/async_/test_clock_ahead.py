"""A clock that was ahead once, and is right again: what was put off by it goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from async_.owing import by_the_clock
from async_.ticking import a_clocked_room, deliver, do_in, down_until, hours_of, live_until, reminded
from felix_async.clock import text_of, time_of
from felix_async.schedule.outage import catch_up, set_clock_back
from felix_async.schedule.tick import keep_time
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, NoticeRow
from games import EPOCH, Room
from table import ANNA, BEN

YEAR = 24 * 400.0
"""Hours by which the clock is ahead: more than an event knows."""


def at(room: Room, hours: float) -> None:
    room.clock.now = EPOCH + timedelta(hours=hours)


def ahead_once(room: Room) -> None:
    """The clock says a far day for some minutes, in which felix looks, and then the right one."""
    live_until(room, 10)
    down_until(room, YEAR)
    at(room, 11)


def test_nothing_is_due_until_somebody_says_that_the_clock_is_right(caplog: pytest.LogCaptureFixture) -> None:
    room, game_id = a_clocked_room(None)
    ahead_once(room)
    caplog.set_level(logging.WARNING)
    caplog.clear()
    for hours in (11, 20, 40):
        at(room, hours)
        assert not catch_up(do_in(room), room.service)
    assert reminded(room, game_id, BEN) == []
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1, "once, and not at every look"
    assert "`felix doctor --clock` says what to do" in told[0]


def test_then_it_goes_on_as_if_the_clock_had_been_right() -> None:
    room, game_id = a_clocked_room(None)
    ahead_once(room)
    assert set_clock_back(do_in(room), text_of(room.clock.now)) == (YEAR - 11) * 3600
    live_until(room, 23.5)
    assert reminded(room, game_id, BEN) == []
    live_until(room, 25.5)
    assert [rung for rung, _ in reminded(room, game_id, BEN)] == [""]


def test_whoever_is_killed_on_the_way_and_does_it_again_moves_nothing_twice() -> None:
    """At each of its transactions."""
    wanted = None
    for left in range(99):
        room, _ = a_clocked_room(None)
        ahead_once(room)
        now = text_of(room.clock.now)
        was_killed = False
        try:
            set_clock_back(killed_after(do_in(room), left), now)
        except KeyboardInterrupt:
            was_killed = True
            set_clock_back(do_in(room), now)
        with room.store.read() as reader:
            found = [reader.due_of(game.game_id) for game in reader.games()], reader.last_beat()
        wanted = wanted or found
        assert found == wanted, left
        if not was_killed:
            break
    assert left > 4


def killed_after(do: Callable[[Callable[[Tx], Any]], Any], left: int) -> Callable[..., Any]:
    """The same, but whoever asks for more transactions than these is killed."""
    numbers = count()

    def do_some(work: Callable[[Tx], Any]) -> Any:
        if next(numbers) >= left:
            raise KeyboardInterrupt
        return do(work)

    return do_some


def test_what_was_owed_while_it_was_ahead_goes_out() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 10)
    at(room, YEAR)
    far = text_of(room.clock.now)
    with room.store.write() as tx:
        tx.enqueue(NoticeRow(game_id, 1, ANNA, "news", far))
        letter = tx.freeze(Letter(game_id, BEN, "ben@players.test", "<far@felix>", b"raw", far, next_at=far))
    keep_time(do_in(room), room.service)
    at(room, 11)
    now = text_of(room.clock.now)
    set_clock_back(do_in(room), now)
    with room.store.write() as tx:
        assert [notice.due_at for notice in tx.pending(now, game_id)] == [now]
        assert [one.letter_id for one in tx.letters_due(now, 9)] == [letter]


def test_a_clock_that_was_not_ahead_is_left_alone() -> None:
    room, _ = a_clocked_room()
    live_until(room, 10)
    with room.store.write() as tx:
        before = tx.last_beat()
    assert set_clock_back(do_in(room), text_of(room.clock.now)) == 0
    with room.store.write() as tx:
        assert tx.last_beat() == before


def test_a_deadline_of_long_ago_is_moved_in_parts_and_sticks_no_game() -> None:
    """The letter about it goes out only now, more than a year late."""
    room, game_id = a_clocked_room()
    deliver(room)
    at(room, YEAR)
    now = text_of(room.clock.now)
    with room.store.write() as tx:
        tx.beat(now)
        letter = tx.telling(game_id, BEN, 1)
        assert letter is not None
        tx.mark_letter(letter.letter_id, "sent", next_at=now)
    for _ in range(5):
        keep_time(do_in(room), room.service)
    moved = room.game(game_id).seats[BEN].time.deadline
    assert moved is not None
    assert YEAR < hours_of(moved.at) <= YEAR + 3 * 24
    assert time_of(moved.at) > room.clock.now
    assert by_the_clock(room, game_id).count("deadline_set") == 3, "of 180 days at the most"
