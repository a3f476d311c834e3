"""Time that runs out: who is reminded when, what the clock does then, and what it must wait for."""

from __future__ import annotations

from datetime import timedelta

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
    do_in,
    envelopes,
    live_until,
    look,
    place,
    reminded,
)
from felix_async.audit.audit import audit
from felix_async.clock import text_of, time_of
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import Absent, Bid, Leave, Return, Vote
from felix_async.schedule.tick import tick
from felix_events.model import PlayerPassed, Terms
from games import EPOCH
from table import ANNA, BEN, CARA, DAN


# ---- the ladder -------------------------------------------------------------------------------------
def test_who_is_waited_for_is_reminded_at_half_four_fifths_and_nearly_all_of_the_time() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 71.9)
    assert reminded(room, game_id, BEN) == [("50%", 36.0), ("80%", 57.67), ("95%", 68.5)]


def test_who_has_a_reserve_is_told_when_it_begins_to_run_and_when_most_is_gone() -> None:
    room, game_id = a_clocked_room(WITH_RESERVE)
    live_until(room, 12 + 7 * 24 - 1)
    rungs = [rung for rung, _ in reminded(room, game_id, BEN)]
    assert rungs == ["50%", "80%", "95%", "late", "reserve"]


def test_the_late_reminder_comes_when_the_move_time_is_over() -> None:
    room, game_id = a_clocked_room(WITH_RESERVE)
    live_until(room, 13)
    assert reminded(room, game_id, BEN)[-1] == ("late", 12.0)


def test_the_operator_chooses_the_shares() -> None:
    room, game_id = a_clocked_room()
    room.service.hours = Hours(ladder=(0.25,))
    place(room, game_id, *EVERYBODY)
    live_until(room, 71)
    assert reminded(room, game_id, ANNA) == [("25%", 18.0)]


def test_who_has_moved_is_not_reminded() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 40)
    place(room, game_id, BEN)
    live_until(room, 71.9)
    assert [rung for rung, _ in reminded(room, game_id, BEN)] == ["50%"]


def test_a_move_of_another_seat_brings_no_reminder_back() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 40)
    place(room, game_id, ANNA)
    live_until(room, 50)
    assert reminded(room, game_id, BEN) == [("50%", 36.0)]


def test_a_look_that_comes_late_reminds_once_for_all_that_was_missed() -> None:
    room, game_id = a_clocked_room()
    room.clock.now = EPOCH + timedelta(hours=70)
    look(room)
    look(room)
    assert reminded(room, game_id, BEN) == [("95%", 70.0)]


def test_a_look_after_the_deadline_reminds_nobody() -> None:
    room, game_id = a_clocked_room()
    room.clock.now = EPOCH + timedelta(hours=73)
    look(room)
    assert reminded(room, game_id, BEN) == []


def test_a_game_without_a_clock_reminds_once_after_a_day() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 10 * 24)
    assert reminded(room, game_id, BEN) == [("", 24.0)]


def test_nothing_of_a_game_without_a_clock_is_enforced_soon() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 29.9 * 24)
    assert by_the_clock(room, game_id) == []


def test_a_game_without_a_clock_goes_on_after_thirty_days_of_silence() -> None:
    room, game_id = a_clocked_room(None)
    place(room, game_id, ANNA, CARA, DAN)
    live_until(room, 30.1 * 24)
    assert by_the_clock(room, game_id) == ["turn_timed_out"]
    assert room.game(game_id).phase == "bidding"


def test_any_event_breaks_the_silence() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 20 * 24)
    place(room, game_id, ANNA)
    live_until(room, 49 * 24)
    assert by_the_clock(room, game_id) == []


@pytest.mark.slow
def test_a_game_without_a_clock_that_nobody_plays_comes_to_its_end() -> None:
    room, game_id = a_clocked_room(None)
    live_until(room, 400 * 24)
    assert room.game(game_id).reason == "deserted"
    assert audit(room.evidence(game_id)).sound


def test_who_is_away_is_not_timed_out_for_silence() -> None:
    room, game_id = a_clocked_room(None)
    place(room, game_id, ANNA, CARA, DAN)
    room.do(game_id, Absent(seat=BEN, start=_at(0), back=_at(40 * 24), computer=False))
    live_until(room, 39 * 24)
    assert "turn_timed_out" not in by_the_clock(room, game_id)
    live_until(room, 71 * 24)
    assert "turn_timed_out" in by_the_clock(room, game_id)


# ---- quiet hours and digests ------------------------------------------------------------------------
def test_a_reminder_waits_for_the_end_of_quiet_hours() -> None:
    room, game_id = a_clocked_room()
    choose(room, BEN, quiet="23:00-07:00")
    live_until(room, 50)
    assert reminded(room, game_id, BEN) == [("50%", 43.0)]


def test_quiet_hours_are_those_of_the_players_own_clock() -> None:
    room, game_id = a_clocked_room()
    choose(room, BEN, quiet="23:00-07:00", zone="Europe/Berlin")
    live_until(room, 50)
    assert reminded(room, game_id, BEN) == [("50%", 42.0)]


def test_a_deadline_within_quiet_hours_is_reminded_of_in_them() -> None:
    room, game_id = a_clocked_room(Terms(move=16 * HOUR))
    choose(room, BEN, quiet="22:00-08:00")
    live_until(room, 15.9)
    assert reminded(room, game_id, BEN) == [("50%", 8.0), ("80%", 12.83), ("95%", 15.33)]


def test_two_reminders_that_fell_into_quiet_hours_are_one() -> None:
    room, game_id = a_clocked_room(Terms(move=30 * HOUR))
    choose(room, BEN, quiet="22:00-14:00")
    live_until(room, 29)
    assert reminded(room, game_id, BEN) == [("80%", 26.0), ("95%", 28.5)]


def test_who_wants_a_digest_is_reminded_in_it() -> None:
    room, game_id = a_clocked_room()
    choose(room, BEN, notify="daily")
    live_until(room, 71)
    assert reminded(room, game_id, BEN)[0] == ("50%", 53.0)


def test_what_is_due_before_the_next_digest_is_reminded_of_at_once() -> None:
    room, game_id = a_clocked_room(Terms(move=20 * HOUR))
    choose(room, BEN, notify="daily")
    live_until(room, 18.9)
    assert reminded(room, game_id, BEN) == [("50%", 10.0), ("80%", 16.0)]


def test_a_turn_waits_for_the_digest_while_enough_time_is_left_after_it() -> None:
    room, game_id = a_clocked_room()
    choose(room, ANNA, notify="daily")
    place(room, game_id, *EVERYBODY)
    told = [
        one.due_at for one in notices(room, game_id) if (one.kind, one.seat, one.turn) == ("turn", ANNA, 2)
    ]
    assert told == ["2026-01-01T17:00:00.000000Z"]


def test_a_turn_that_is_due_soon_does_not_wait_for_the_digest() -> None:
    room, game_id = a_clocked_room(Terms(move=8 * HOUR))
    choose(room, ANNA, notify="daily")
    place(room, game_id, *EVERYBODY)
    told = [
        one.due_at for one in notices(room, game_id) if (one.kind, one.seat, one.turn) == ("turn", ANNA, 2)
    ]
    assert told == ["2026-01-01T12:00:00.000000Z"]


# ---- time-outs --------------------------------------------------------------------------------------
def test_a_card_is_placed_for_who_lets_the_time_run_out() -> None:
    room, game_id = a_clocked_room()
    place(room, game_id, ANNA, CARA, DAN)
    live_until(room, 72.1)
    assert by_the_clock(room, game_id) == ["turn_timed_out"]
    assert room.game(game_id).phase == "bidding"


def test_nobody_is_timed_out_before_the_deadline() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 71.9)
    assert by_the_clock(room, game_id) == []


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


def test_who_was_timed_out_is_told() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 72.1)
    assert (BEN, "timed_out") in [(one.seat, one.kind) for one in notices(room, game_id)]


def test_after_two_in_a_row_the_computer_plays_on() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 72.1)
    assert room.game(game_id).humans == list(EVERYBODY)
    live_until(room, 2 * 72.2)
    assert ANNA not in room.game(game_id).humans


def test_the_host_is_told_that_the_computer_plays() -> None:
    room, game_id = a_clocked_room(host=CARA)
    live_until(room, 72.1)
    live_until(room, 2 * 72.2)
    assert (CARA, "absent") in [(one.seat, one.kind) for one in notices(room, game_id)]


def test_a_move_between_two_time_outs_keeps_the_seat() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 72.1)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert room.game(game_id).seats[ANNA].time.missed == 0


def test_who_comes_back_has_the_whole_time_again() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 10)
    room.do(game_id, Leave(seat=BEN, for_good=False))
    live_until(room, 20)
    room.do(game_id, Return(seat=BEN))
    assert deadline(room, game_id, ANNA) == 72
    assert (BEN in room.game(game_id).awaited) == (deadline(room, game_id, BEN) is not None)


def test_a_table_to_which_nobody_comes_back_is_closed() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 24 * 30)
    game = room.game(game_id)
    assert (game.phase, game.reason, due(room, game_id)) == ("abandoned", "deserted", [])


def test_who_comes_back_before_that_finds_the_game() -> None:
    room, game_id = a_clocked_room()
    live_until(room, 24 * 20)
    assert [row.kind for row in due(room, game_id)] == ["closing"]
    room.do(game_id, Return(seat=BEN))
    assert "closing" not in [row.kind for row in due(room, game_id)]


# ---- what the clock waits for -----------------------------------------------------------------------
def test_nobodys_time_is_up_while_a_mail_waits_to_be_read() -> None:
    room, game_id = a_clocked_room()
    with room.store.write() as tx:
        tx.keep_mail("2026-01-01T13:00:00.000000Z", "felix", "ben@players.test", b"PLAY 3")
    live_until(room, 73)
    assert by_the_clock(room, game_id) == []


@pytest.mark.parametrize(("minutes", "enforced"), [(10, 0), (11, 4)])
def test_a_flood_of_mail_that_came_much_too_late_holds_nothing_up(minutes: int, enforced: int) -> None:
    """What came in time is read first; of what lies there then, nothing did."""
    room, game_id = a_clocked_room()
    late = text_of(EPOCH + timedelta(hours=72, minutes=minutes))
    live_until(room, 71.9)
    with room.store.write() as tx:
        tx.keep_mail(late, "felix", "ben@players.test", b"hello")
    room.clock.now = time_of(late)
    look(room)
    assert len(envelopes(room, game_id, "turn_timed_out")) == enforced


def test_when_mail_that_was_fetched_came_in_nobody_knows() -> None:
    """The provider's mailbox could not be reached for an hour, in which the deadline passed."""
    room, game_id = a_clocked_room()
    live_until(room, 71.9)
    room.clock.now = EPOCH + timedelta(hours=73)
    looked_at = text_of(room.clock.now)
    with room.store.write() as tx:
        tx.keep_mail(text_of(room.clock.now + timedelta(seconds=5)), "felix", "ben@players.test", b"PLAY 3")
    tick(do_in(room), room.service, lambda: looked_at)
    assert not envelopes(room, game_id, "turn_timed_out")


def test_nobodys_time_is_up_before_the_mailbox_was_looked_into() -> None:
    room, game_id = a_clocked_room()
    room.clock.now = EPOCH + timedelta(hours=73)
    fetched = (EPOCH + timedelta(hours=71)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    tick(do_in(room), room.service, heard=lambda: fetched)
    assert by_the_clock(room, game_id) == []


def test_a_mailbox_that_was_looked_into_since_holds_nothing_up() -> None:
    room, game_id = a_clocked_room()
    room.clock.now = EPOCH + timedelta(hours=73)
    fetched = (EPOCH + timedelta(hours=72.5)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    tick(do_in(room), room.service, heard=lambda: fetched)
    assert set(by_the_clock(room, game_id)) == {"turn_timed_out"}


# ---- weekends, absences, pauses ---------------------------------------------------------------------
def test_a_weekend_that_does_not_count_stands_still() -> None:
    room, game_id = a_clocked_room(Terms(move=3 * DAY, weekends=False))
    # From Thursday noon: half a day of Thursday, Friday, Monday, and half of Tuesday.
    assert deadline(room, game_id, BEN) == 72 + 48


def test_no_reminder_goes_out_on_a_weekend_that_does_not_count() -> None:
    room, game_id = a_clocked_room(Terms(move=3 * DAY, weekends=False))
    live_until(room, 119)
    assert [hours for _, hours in reminded(room, game_id, BEN) if 36 < hours < 84] == []


def test_an_absent_players_time_stands_still() -> None:
    room, game_id = a_clocked_room()
    room.do(game_id, Absent(seat=BEN, start=_at(24), back=_at(24 + 240), computer=False))
    assert deadline(room, game_id, BEN) == 72 + 240


def test_the_others_wait_no_longer_for_themselves() -> None:
    room, game_id = a_clocked_room()
    room.do(game_id, Absent(seat=BEN, start=_at(24), back=_at(24 + 240), computer=False))
    assert deadline(room, game_id, CARA) == 72


def test_an_absent_player_is_not_reminded() -> None:
    room, game_id = a_clocked_room()
    room.do(game_id, Absent(seat=BEN, start=_at(1), back=_at(241), computer=False))
    live_until(room, 240)
    assert reminded(room, game_id, BEN) == []


def test_the_computer_plays_from_the_day_that_was_said() -> None:
    room, game_id = a_clocked_room()
    room.do(game_id, Absent(seat=BEN, start=_at(24), back=_at(240), computer=True))
    live_until(room, 23.9)
    assert BEN in room.game(game_id).humans
    live_until(room, 24.1)
    assert BEN not in room.game(game_id).humans


def test_who_is_back_plays_again_by_itself() -> None:
    room, game_id = a_clocked_room()
    room.do(game_id, Absent(seat=BEN, start=_at(0), back=_at(48), computer=True))
    live_until(room, 48.1)
    assert BEN in room.game(game_id).humans


def test_the_others_hear_that_somebody_will_be_away() -> None:
    room, game_id = a_clocked_room()
    before = len(notices(room, game_id))
    room.do(game_id, Absent(seat=BEN, start=_at(5), back=_at(48), computer=False))
    told = [(one.seat, one.kind) for one in notices(room, game_id)[before:]]
    assert told == [(ANNA, "news"), (CARA, "news"), (DAN, "news")]


def test_who_is_away_is_counted_where_the_table_decides() -> None:
    room, game_id = a_clocked_room()
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Absent(seat=seat, start=_at(0), back=_at(48), computer=True))
    room.do(game_id, Vote(seat=ANNA, on="abandon"))
    assert not room.game(game_id).is_over


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
