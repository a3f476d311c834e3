"""Times at which felix was away, or not heard: nobody's time runs meanwhile, and no flood follows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from async_.owing import by_the_clock, due, notices
from async_.ticking import (
    DAY,
    EVERYBODY,
    HOUR,
    WITH_RESERVE,
    a_clocked_room,
    choose,
    deadline,
    deliver,
    do_in,
    down_until,
    envelopes,
    hours_of,
    live_until,
    look,
    place,
    reminded,
)
from felix_async.audit.audit import audit
from felix_async.clock import later, text_of
from felix_async.game.commands import Absent, Vote
from felix_async.schedule.outage import OUTAGE, beat, catch_up
from felix_async.schedule.tick import keep_time
from felix_events.model import DeadlineSet, Terms
from felix_events.store.base import Tx
from felix_events.store.rows import Due
from games import EPOCH, Room
from table import ANNA, BEN, CARA


# ---- felix was away ---------------------------------------------------------------------------------
def test_a_deadline_moves_by_the_length_of_an_outage() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    down_until(room, 30)
    assert deadline(room, game_id, BEN) == 92


def test_a_deadline_that_passed_meanwhile_is_not_enforced() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 71)
    down_until(room, 100)
    assert by_the_clock(room, game_id) == ["deadline_set"] * 4


def test_the_time_that_was_left_before_is_left_after_it() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 71)
    down_until(room, 100)
    live_until(room, 100.9)
    assert "turn_timed_out" not in by_the_clock(room, game_id)
    live_until(room, 101.1)
    assert "turn_timed_out" in by_the_clock(room, game_id)


def test_a_reserve_that_was_running_stands_still_too() -> None:
    room, game_id = a_clocked_room(WITH_RESERVE)
    live_until(room, 14)
    down_until(room, 34)
    place(room, game_id, BEN)
    assert room.game(game_id).seats[BEN].time.reserve == pytest.approx(7 * DAY - 2 * HOUR, abs=HOUR / 6)


def test_no_reminder_that_fell_due_meanwhile_is_made_up_for() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 30)
    down_until(room, 90)
    assert reminded(room, game_id, BEN) == []


def test_the_ladder_goes_on_by_the_new_deadline() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 40)
    down_until(room, 60)
    live_until(room, 91)
    assert [rung for rung, _ in reminded(room, game_id, BEN)] == ["50%", "80%", "95%"]


def test_a_game_without_a_clock_reminds_so_much_later() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 10)
    down_until(room, 34)
    live_until(room, 47)
    assert reminded(room, game_id, BEN) == []
    live_until(room, 48.5)
    assert [rung for rung, _ in reminded(room, game_id, BEN)] == [""]


def test_an_invitation_does_not_expire_while_nobody_can_answer() -> None:
    room, _ = a_clocked_room()
    game_id = room.open(4, host=ANNA, command_id="another")
    live_until(room, 24 * 6)
    down_until(room, 24 * 9)
    assert by_the_clock(room, game_id) == []


def test_a_stumble_is_no_outage() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    down_until(room, 10 + (OUTAGE - 1) / HOUR)
    assert deadline(room, game_id, BEN) == 72


def test_an_outage_is_dealt_with_once() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    down_until(room, 30)
    keep_time(do_in(room), room.service)
    assert len(envelopes(room, game_id, "deadline_set")) == 8


def test_a_game_that_was_moved_before_a_crash_is_not_moved_again() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    room.clock.now = EPOCH + timedelta(hours=30)
    with pytest.raises(KeyboardInterrupt):
        catch_up(_crashing_before_the_beat(room), room.service)
    catch_up(do_in(room), room.service)
    assert deadline(room, game_id, BEN) == 92


def test_a_second_outage_before_the_first_was_dealt_with_is_dealt_with_too() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    room.clock.now = EPOCH + timedelta(hours=30)
    with pytest.raises(KeyboardInterrupt):
        catch_up(_crashing_before_the_beat(room), room.service)
    room.clock.now = EPOCH + timedelta(hours=50)
    catch_up(do_in(room), room.service)
    assert deadline(room, game_id, BEN) == 112


def test_a_pause_goes_on_as_it_was() -> None:
    room, game_id = a_clocked_room()
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, Vote(seat=seat, on="pause"))
    live_until(room, 10)
    down_until(room, 50)
    assert [(row.kind, hours_of(row.due_at)) for row in due(room, game_id)] == [("resume", 720.0)]


def test_deadlines_only_ever_move_on() -> None:
    room, game_id = a_clocked_room(Terms(move=2 * DAY, weekends=False))
    for start, end in pairwise((5, 20, 47, 60, 100, 130)):
        live_until(room, start)
        down_until(room, end)
    moved = [one.data.at for one in envelopes(room, game_id, "deadline_set") if _is(one.data, BEN, 1)]  # type: ignore[attr-defined]
    assert moved == sorted(moved)
    assert audit(room.evidence(game_id)).sound


def test_a_weekend_without_felix_costs_nobody_anything_where_weekends_do_not_count() -> None:
    """Down from Friday 18:00 until Monday 09:00: that is 15 hours of the clock, and not 63."""
    room, game_id = a_clocked_room(Terms(move=2 * DAY, weekends=False))
    before = deadline(room, game_id, BEN)
    live_until(room, 30)
    down_until(room, 93)
    assert before is not None
    assert deadline(room, game_id, BEN) == before + 15


def test_nor_does_an_outage_in_which_a_player_was_away_anyway() -> None:
    room, game_id = a_clocked_room()
    start = text_of(room.clock.now)
    room.do(game_id, Absent(seat=BEN, start=start, back=later(start, 10 * DAY), computer=False))
    before = deadline(room, game_id, BEN)
    live_until(room, 24)
    down_until(room, 72)
    assert (deadline(room, game_id, BEN), deadline(room, game_id, CARA)) == (before, 120)


@pytest.mark.parametrize("weekends", [True, False])
def test_after_years_without_felix_nobody_is_timed_out_at_once(weekends: bool) -> None:
    """A server that is set up again from an old copy: the game goes on where it stood."""
    room, game_id = a_clocked_room(Terms(move=3 * DAY, weekends=weekends))
    live_until(room, 5)
    left = _left(room, game_id)
    down_until(room, 3 * 52 * 7 * 24 + 5)
    assert envelopes(room, game_id, "turn_timed_out") == []
    assert _left(room, game_id) == left
    assert audit(room.evidence(game_id)).sound


def test_the_operator_reads_how_long_it_was(caplog: pytest.LogCaptureFixture) -> None:
    room, _ = a_clocked_room()
    live_until(room, 10)
    with caplog.at_level(logging.WARNING):
        down_until(room, 30)
    assert "felix was away from 2026-01-01T22:00" in caplog.text


def test_a_game_that_cannot_be_read_keeps_no_other_from_its_time(caplog: pytest.LogCaptureFixture) -> None:
    room, game_id = a_clocked_room()
    other = room.open(4, clock=Terms(move=3 * DAY), start=ANNA, command_id="another")
    with room.store.write() as tx:
        tx.set_due(other, [Due(other, 77, "reminder", 1, "nonsense")])
    live_until(room, 10)
    down_until(room, 30)
    assert deadline(room, game_id, BEN) == 92
    assert f"the deadlines of game {other} cannot be moved" in caplog.text


# ---- the machine's clock ----------------------------------------------------------------------------
def test_a_clock_that_goes_back_makes_felix_wait() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 71)
    room.clock.now = EPOCH + timedelta(hours=20)
    assert keep_time(do_in(room), room.service) == 0
    assert deadline(room, game_id, BEN) == 72


def test_a_clock_that_is_right_again_costs_nobody_anything() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 60)
    room.clock.now = EPOCH - timedelta(days=365)
    keep_time(do_in(room), room.service)
    room.clock.now = EPOCH + timedelta(hours=60, minutes=5)
    keep_time(do_in(room), room.service)
    assert deadline(room, game_id, BEN) == 72


def test_a_clock_that_jumps_forward_is_an_outage() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    room.clock.now += timedelta(days=30)
    keep_time(do_in(room), room.service)
    assert deadline(room, game_id, BEN) == 72 + 720


def test_a_beat_is_not_noted_before_an_outage_was_dealt_with() -> None:
    room, _ = a_clocked_room()
    live_until(room, 10)
    room.clock.now += timedelta(days=3)
    assert not beat(do_in(room), room.service)


# ---- felix could not be heard -----------------------------------------------------------------------
def a_room_without_post() -> tuple[Room, str]:
    """A game in its auction; the letter that tells Anna of her turn waits to be sent."""
    room, game_id = a_clocked_room()
    place(room, game_id, *EVERYBODY)
    deliver(room, is_sent=False)
    return room, game_id


def test_who_could_not_be_told_is_not_timed_out() -> None:
    room, game_id = a_room_without_post()
    room.clock.now = EPOCH + timedelta(hours=72)
    look(room)
    assert by_the_clock(room, game_id) == ["deadline_set"]


def test_a_letter_that_is_not_written_yet_was_not_sent_either() -> None:
    room, game_id = a_clocked_room()
    place(room, game_id, *EVERYBODY)
    room.clock.now = EPOCH + timedelta(hours=72)
    look(room)
    assert by_the_clock(room, game_id) == ["deadline_set"]


def test_who_was_told_late_has_half_of_the_time_from_then() -> None:
    room, game_id = a_room_without_post()
    with room.store.write() as tx:
        waiting = tx.telling(game_id, ANNA, 2)
        assert waiting is not None
        sent_at = text_of(EPOCH + timedelta(hours=70))
        tx.mark_letter(waiting.letter_id, "sent", next_at=sent_at)
    room.clock.now = EPOCH + timedelta(hours=72)
    look(room)
    assert deadline(room, game_id, ANNA) == 70 + 36


def test_who_was_told_in_time_is_timed_out_in_time() -> None:
    room, game_id = a_clocked_room()
    place(room, game_id, *EVERYBODY)
    live_until(room, 72.1)
    assert by_the_clock(room, game_id) == ["turn_timed_out"]


def test_who_gets_no_mail_at_all_is_not_waited_for() -> None:
    room, game_id = a_room_without_post()
    with room.store.write() as tx:
        letter = tx.telling(game_id, ANNA, 2)
        assert letter is not None
        tx.mark_letter(letter.letter_id, "failed", next_at=text_of(EPOCH))
    room.clock.now = EPOCH + timedelta(hours=72)
    look(room)
    assert by_the_clock(room, game_id) == ["turn_timed_out"]


def test_a_digest_that_came_in_time_is_told_enough() -> None:
    room, game_id = a_clocked_room()
    choose(room, ANNA, notify="daily")
    place(room, game_id, *EVERYBODY)
    live_until(room, 72.1)
    assert [one.kind for one in notices(room, game_id) if one.kind == "timed_out"] == ["timed_out"]


def _is(event: object, seat: int, turn: int) -> bool:
    return isinstance(event, DeadlineSet) and (event.seat, event.turn) == (seat, turn)


def _crashing_before_the_beat(room: Room) -> Callable[[Callable[[Tx], Any]], Any]:
    """Transactions until the one that notes that felix works again."""

    def do(work: Callable[[Tx], Any]) -> Any:
        with room.store.write() as tx:
            result = work(tx)
            if tx.last_beat() == text_of(room.clock.now):
                raise KeyboardInterrupt
            return result

    return do


def _left(room: Room, game_id: str) -> float | None:
    """How many hours Ben has now."""
    due_in = deadline(room, game_id, BEN)
    return None if due_in is None else due_in - hours_of(text_of(room.clock.now))
