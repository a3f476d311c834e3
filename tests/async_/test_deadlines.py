"""Time that runs out: who is reminded when, what the clock does then, and what it must wait for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from async_.owing import by_the_clock, due
from async_.ticking import (
    EVERYBODY,
    WITH_RESERVE,
    a_clocked_room,
    deadline,
    do_in,
    envelopes,
    live_until,
    place,
    reminded,
)
from felix_async.audit.audit import audit
from felix_async.clock import text_of
from felix_async.game.commands import Absent, TimeOut, Vote
from felix_async.game.table import Refusal
from felix_async.schedule.tick import tick
from felix_async.service import Origin
from felix_events.model import PlayerPassed
from games import EPOCH
from table import ANNA, BEN, CARA, DAN


# ---- the ladder -------------------------------------------------------------------------------------
def test_a_move_of_another_seat_brings_no_reminder_back() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 40)
    place(room, game_id, ANNA)
    live_until(room, 50)
    assert reminded(room, game_id, BEN) == [("50%", 36.0)]


def test_a_game_without_a_clock_reminds_once_after_a_day() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 10 * 24)
    assert reminded(room, game_id, BEN) == [("", 24.0)]


def test_a_game_without_a_clock_goes_on_after_thirty_days_of_silence() -> None:
    room, game_id = a_clocked_room(None)
    place(room, game_id, ANNA, CARA, DAN)
    live_until(room, 30.1 * 24)
    assert by_the_clock(room, game_id) == ["turn_timed_out"]
    assert room.game(game_id).phase == "bidding"


@pytest.mark.slow
def test_a_game_without_a_clock_that_nobody_plays_comes_to_its_end() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 400 * 24)
    assert room.game(game_id).reason == "deserted"
    assert audit(room.evidence(game_id)).sound


@pytest.mark.slow
def test_who_is_away_is_not_timed_out_for_silence() -> None:
    room, game_id = a_clocked_room(None)
    place(room, game_id, ANNA, CARA, DAN)
    room.do(game_id, Absent(seat=BEN, start=_at(0), back=_at(40 * 24), computer=False))
    live_until(room, 39 * 24)
    assert "turn_timed_out" not in by_the_clock(room, game_id)
    live_until(room, 71 * 24)
    assert "turn_timed_out" in by_the_clock(room, game_id)


# ---- time-outs --------------------------------------------------------------------------------------
def test_who_bids_no_more_passes() -> None:
    room, game_id = a_clocked_room()
    place(room, game_id, *EVERYBODY)
    live_until(room, 72.1)
    (passed,) = envelopes(room, game_id, "player_passed")
    assert (passed.data, passed.actor) == (PlayerPassed(seat=ANNA, mice=2), "rules")


def test_a_time_out_is_sound_evidence() -> None:
    room, game_id = a_clocked_room(WITH_RESERVE)
    live_until(room, 24 * 40)
    assert audit(room.evidence(game_id)).sound


# ---- what the clock waits for -----------------------------------------------------------------------
def test_nobodys_time_is_up_while_a_mail_waits_to_be_read() -> None:
    room, game_id = a_clocked_room()
    with room.store.write() as tx:
        tx.keep_mail("2026-01-01T13:00:00.000000Z", "felix", "ben@players.test", b"PLAY 3")
    live_until(room, 73)
    assert by_the_clock(room, game_id) == []


def test_when_mail_that_was_fetched_came_in_nobody_knows() -> None:
    """The provider's mailbox could not be reached for an hour, in which the deadline passed."""
    room, game_id = a_clocked_room()
    live_until(room, 71.9)
    room.clock.now = EPOCH + timedelta(hours=73)
    looked_at = text_of(room.clock.now)
    with room.store.write() as tx:
        tx.keep_mail(text_of(room.clock.now + timedelta(seconds=5)), "felix", "ben@players.test", b"PLAY 3")
    tick(do_in(room), room.service, lambda _: looked_at)
    assert not envelopes(room, game_id, "turn_timed_out")


def test_nobodys_time_is_up_before_the_mailbox_was_looked_into() -> None:
    room, game_id = a_clocked_room()
    room.clock.now = EPOCH + timedelta(hours=73)
    fetched = (EPOCH + timedelta(hours=71)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    tick(do_in(room), room.service, heard=lambda _: fetched)
    assert by_the_clock(room, game_id) == []


# ---- weekends, absences, pauses ---------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("computer", [False, True])
def test_an_absence_is_sound_evidence(computer: bool) -> None:
    room, game_id = a_clocked_room(WITH_RESERVE)
    room.do(game_id, Absent(seat=BEN, start=_at(5), back=_at(48), computer=computer))
    live_until(room, 24 * 30)
    assert audit(room.evidence(game_id)).sound


def test_nobodys_time_runs_in_a_pause() -> None:
    room, game_id = a_clocked_room()
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, Vote(seat=seat, on="pause"))
    live_until(room, 29 * 24)
    assert by_the_clock(room, game_id) == []
    assert reminded(room, game_id, BEN) == []


def test_a_pause_ends_by_itself() -> None:
    room, game_id = a_clocked_room()
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, Vote(seat=seat, on="pause"))
    live_until(room, 30 * 24 + 1)
    assert by_the_clock(room, game_id) == ["game_resumed"]
    assert deadline(room, game_id, BEN) == pytest.approx(33 * 24, abs=0.2)


def _at(hours: float) -> str:
    return (EPOCH + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_table_to_which_nobody_comes_back_is_closed() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 24 * 30)
    game = room.game(game_id)
    assert (game.phase, game.reason, due(room, game_id)) == ("abandoned", "deserted", [])


def test_any_event_breaks_the_silence() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 20 * 24)
    place(room, game_id, ANNA)
    live_until(room, 49 * 24)
    assert by_the_clock(room, game_id) == []
    time_out = TimeOut(seat=BEN, turn=room.game(game_id).seats[BEN].turn)
    assert room.do(game_id, time_out, Origin("early", "clock", "clock")).refusal == Refusal("time/too_early")
