"""Stepping through a game, key by key."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from felix_async.language.phrases import phrase
from felix_async.replay.places import Course, Place, Stop, first_place, press

_STOPS: Final = [(0, 3), (1, 5), (1, 9), (1, 12), (1, 13), (2, 18), (2, 20)]
"""The round of each beat, and the version after it; the deal is the second one."""
COURSE: Final = Course(
    [Stop(*stop) for stop in _STOPS],
    versions=range(1, 21),
    acting={8: 2, 9: 0, 10: 1},
    viewers=("spectator", 0, 1, 2, "all"),
    seats=3,
    start=1,
)
RUNNING: Final = replace(COURSE, viewers=("spectator", 0, 1, 2))
ONE_SEATS: Final = replace(COURSE, viewers=("spectator", 1))


def after(*keys: str, course: Course = COURSE, at: Place | None = None) -> Place:
    """The place that keys lead to, from the opening if no other place is given."""
    place = first_place(course, "spectator") if at is None else at
    for key in keys:
        place = press(course, place, key)
    return place


def stands(place: Place) -> tuple[int, int]:
    """The beat and the version of a place."""
    return place.beat, place.version


def refusal(name: str, **values: int) -> str:
    return phrase(f"stepper.refused.{name}", **values)


# Where it begins


def test_a_replay_opens_at_the_deal() -> None:
    assert stands(after()) == (1, 5)


def test_nothing_after_the_opening_was_seen() -> None:
    assert after().furthest == 5


def test_a_replay_may_open_at_a_version() -> None:
    assert stands(first_place(COURSE, 0, 10)) == (3, 12)


# Beats


def test_right_is_one_beat_on() -> None:
    assert stands(after("right")) == (2, 9)


def test_left_is_one_beat_back() -> None:
    assert stands(after("right", "right", "left")) == (2, 9)


def test_right_at_the_end_stays() -> None:
    assert stands(after("end", "right")) == (6, 20)


def test_left_at_the_beginning_stays() -> None:
    assert stands(after("home", "left")) == (0, 3)


def test_right_inside_a_beat_ends_it() -> None:
    assert stands(after("shift-right", "right")) == (2, 9)


def test_left_inside_a_beat_leads_before_it() -> None:
    assert stands(after("shift-right", "left")) == (1, 5)


# Versions


def test_shift_right_is_one_version_on() -> None:
    assert stands(after("shift-right")) == (2, 6)


def test_shift_left_is_one_version_back() -> None:
    assert stands(after("right", "shift-left")) == (2, 8)


def test_shift_left_crosses_into_the_beat_before() -> None:
    assert stands(after("shift-left", "shift-left")) == (0, 3)


def test_shift_right_at_the_end_stays() -> None:
    assert stands(after("end", "shift-right")) == (6, 20)


def test_shift_left_at_the_first_version_stays() -> None:
    assert stands(after(*["shift-left"] * 9)) == (0, 1)


def test_versions_that_one_may_not_stand_at_are_passed_over() -> None:
    course = replace(COURSE, versions=[1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 18, 19, 20])
    assert [after(*["shift-right"] * times, course=course).version for times in range(3)] == [5, 9, 10]


# Rounds and ends


def test_a_bracket_leads_to_the_next_round() -> None:
    assert stands(after("]")) == (5, 18)


def test_behind_the_last_round_there_is_the_end() -> None:
    assert stands(after("]", "]")) == (6, 20)


def test_a_bracket_leads_to_the_beginning_of_this_round() -> None:
    assert stands(after("right", "right", "[")) == (1, 5)


def test_from_the_beginning_of_a_round_a_bracket_leads_to_the_one_before() -> None:
    assert stands(after("]", "[")) == (1, 5)


def test_before_the_first_round_there_is_the_lobby() -> None:
    assert stands(after("[", "[")) == (0, 3)


def test_home_is_the_first_beat() -> None:
    assert stands(after("right", "home")) == (0, 3)


def test_end_is_the_last_beat() -> None:
    assert stands(after("end")) == (6, 20)


# The furthest place, and the way back


def test_the_furthest_version_that_was_seen_is_kept() -> None:
    assert after("right", "right", "left", "left").furthest == 12


def test_back_leads_to_where_one_was_before_a_jump() -> None:
    assert stands(after("right", "]", "right", "r")) == (2, 9)


def test_back_leads_into_a_beat_again() -> None:
    assert stands(after("shift-right", "end", "r")) == (2, 6)


def test_back_twice_leads_forth_again() -> None:
    assert stands(after("right", "]", "right", "r", "r")) == (6, 20)


def test_steps_are_no_jumps() -> None:
    assert after("right", "shift-right", "r").said == refusal("no_jump")


def test_a_jump_that_leads_nowhere_is_none() -> None:
    assert after("end", "end").back == (1, 5)


# Playing


def test_space_plays() -> None:
    assert after(" ").is_playing


def test_time_passes_beat_by_beat_while_it_plays() -> None:
    assert stands(after(" ", "tick", "tick")) == (3, 12)


def test_time_does_nothing_while_it_does_not_play() -> None:
    assert after("tick") == after()


def test_space_stops() -> None:
    assert not after(" ", "tick", " ").is_playing


def test_any_key_stops() -> None:
    assert not after(" ", "x").is_playing


def test_an_arrow_stops_and_steps() -> None:
    assert (after(" ", "left").is_playing, stands(after(" ", "left"))) == (False, (0, 3))


def test_it_stops_at_the_end() -> None:
    assert not after(" ", *["tick"] * 5).is_playing


def test_at_the_end_there_is_nothing_to_play() -> None:
    assert after("end", " ").said == refusal("at_end")


# Whose eyes


def test_a_number_is_a_seats_eyes() -> None:
    assert after("2").viewer == 1


def test_nought_is_a_spectator() -> None:
    assert after("2", "0").viewer == "spectator"


def test_a_sees_all() -> None:
    assert after("a").viewer == "all"


def test_there_is_no_fourth_seat_at_a_table_of_three() -> None:
    assert (after("4").viewer, after("4").said) == ("spectator", refusal("no_seat", seats=3))


def test_nobody_sees_all_of_a_running_game() -> None:
    refused = after("a", course=RUNNING)
    assert (refused.viewer, refused.said) == ("spectator", refusal("not_all"))


def test_one_seats_replay_has_no_other_seats_eyes() -> None:
    refused = after("2", "1", course=ONE_SEATS)
    assert (refused.viewer, refused.said) == (1, refusal("not_eyes"))


def test_one_seats_replay_has_a_spectators_eyes() -> None:
    assert after("2", "0", course=ONE_SEATS).viewer == "spectator"


def test_w_looks_with_the_eyes_of_whoever_acts() -> None:
    course, at = COURSE, after("w", "right")
    assert [press(course, at, key).eyes(course) for key in ("x", "shift-left", "shift-right")] == [0, 2, 1]


def test_w_looks_with_ones_own_eyes_when_nobody_acts() -> None:
    assert after("2", "w").eyes(COURSE) == 1


def test_w_twice_leaves_it() -> None:
    assert after("w", "w", "right").eyes(COURSE) == "spectator"


def test_a_seats_eyes_leave_it() -> None:
    assert after("w", "3", "right").eyes(COURSE) == 2


def test_one_seats_replay_does_not_show_who_acts() -> None:
    refused = after("w", course=ONE_SEATS)
    assert (refused.follows, refused.said) == (False, refusal("not_eyes"))


# Going to a place


def test_g_asks_where_to() -> None:
    assert after("g").typed == ""


@pytest.mark.parametrize("typed", ["11", "v11", "V11"])
def test_a_version_is_gone_to(typed: str) -> None:
    assert stands(after("g", *typed, "enter")) == (3, 11)


def test_a_round_is_gone_to() -> None:
    assert stands(after("g", "r", "2", "enter")) == (5, 18)


def test_what_was_typed_can_be_taken_back() -> None:
    assert after("g", "1", "1", "backspace").typed == "1"


def test_nothing_typed_is_no_place() -> None:
    assert after("g", "enter") == after()


def test_escape_stays() -> None:
    assert after("g", "9", "escape") == after()


def test_backspace_on_nothing_stays() -> None:
    assert after("g", "backspace") == after()


def test_keys_without_a_letter_are_not_typed() -> None:
    assert after("g", "x", "left", "1", "\x01").typed == "x1"


def test_no_more_is_typed_than_a_line_has_room_for() -> None:
    assert after("g", *"1234567890123").typed == "123456789012"


@pytest.mark.parametrize("typed", ["r", "v", "xx", "2026-10-05", "123456789012", "²"])
def test_what_is_no_place_is_refused(typed: str) -> None:
    refused = after("g", *typed, "enter")
    assert (stands(refused), refused.said) == ((1, 5), phrase("stepper.screen.no_goal"))


def test_a_version_out_of_range_is_refused() -> None:
    refused = after("g", "2", "1", "enter")
    assert (stands(refused), refused.said) == ((1, 5), refusal("no_version", versions=20))


def test_there_is_no_version_nought() -> None:
    assert after("g", "0", "enter").said == refusal("no_version", versions=20)


def test_a_round_that_was_not_played_is_refused() -> None:
    assert after("g", "r", "3", "enter").said == refusal("no_round", rounds=2)


def test_one_can_go_back_from_a_place_gone_to() -> None:
    assert stands(after("g", "1", "1", "enter", "r")) == (1, 5)


def test_a_version_that_one_may_not_stand_at_leads_to_the_next() -> None:
    course = replace(COURSE, versions=[1, 2, 3, 5, 9, 12, 13, 18, 20])
    assert stands(after("g", "7", "enter", course=course)) == (2, 9)


# The rest


def test_help_is_shown() -> None:
    assert after("?").is_helping


def test_any_key_takes_the_help_away() -> None:
    assert after("?", "right") == after()


def test_q_leaves() -> None:
    assert after("q").has_left


def test_a_key_that_means_nothing_changes_nothing() -> None:
    assert after("x") == after()


def test_what_was_said_goes_with_the_next_key() -> None:
    assert after("4", "x").said == ""
