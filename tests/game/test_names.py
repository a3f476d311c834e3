"""The names of then: who sat where at a version, and no two alike."""

from __future__ import annotations

from felix_async.game.names import Names
from felix_async.people import FORMER


def test_a_seat_that_changed_hands_twice_has_three_names() -> None:
    names = Names(["Zoe"], [(10, 0, "Ann"), (20, 0, "Bo")])
    assert [names.at(version)[0] for version in (9, 10, 19, 20)] == ["Ann", "Bo", "Bo", "Zoe"]


def test_a_player_who_was_forgotten_and_replaced_is_a_former_player() -> None:
    assert Names(["Zoe"], [(10, 0, "")]).at(9) == (FORMER,)


def test_two_who_had_the_same_name_are_told_apart() -> None:
    names = Names(["Ben", "Zoe", FORMER], [(10, 1, "ben")])
    assert names.at(9) == ("Ben (seat 1)", "ben (seat 2)", FORMER)
    assert names.at(10) == ("Ben", "Zoe", FORMER)
