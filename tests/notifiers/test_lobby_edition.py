"""By which of the two rules a table plays: everybody is told before it begins, and whenever they ask."""

from __future__ import annotations

import pytest

from games import Played, a_game_played
from notifiers.friends import ANNA, BEN, CARA, who_meet
from notifiers.sheets import mail

OLD = "rules 2007"


@pytest.mark.parametrize(("line", "edition"), [(OLD, "2007"), ("3 days a move", "2017")])
def test_the_answer_to_new_names_the_rules_beside_the_clock(line: str, edition: str) -> None:
    text = who_meet("Ben", "Cara", line).text(ANNA)
    clock = "There is no clock." if line == OLD else "The clock: 3 days a move."
    assert f"Invited: Ben and Cara. The rules: those of {edition}. {clock}" in text


def test_the_answer_to_new_tells_rules_and_clock_once() -> None:
    text = who_meet("Ben", "Cara", OLD, "3 days a move").text(ANNA)
    assert text.count("The rules:") == 1
    assert text.count("The clock:") == 1


def test_an_invitation_names_rules_that_are_not_the_usual_ones() -> None:
    assert "You play by the rules of 2007: answer RULES" in who_meet("Ben", "Cara", OLD).text(BEN)
    assert "rules of" not in who_meet("Ben", "Cara").text(BEN)


def test_so_does_the_text_to_send_on() -> None:
    assert "We play by the rules of 2007. We play without a clock." in who_meet("Ben", "Cara", OLD).text(ANNA)
    assert "We play by the rules" not in who_meet("Ben", "Cara").text(ANNA)


@pytest.mark.parametrize(("line", "edition"), [(OLD, "2007"), ("no clock", "2017")])
def test_status_and_rules_say_which_count(line: str, edition: str) -> None:
    circle = who_meet("Ben", "Cara", line, joining=[BEN])
    circle.write(BEN, "STATUS")
    assert f"- The rules: those of {edition}." in circle.text(BEN)
    circle.write(BEN, "RULES")
    assert f"This game goes by the rules of {edition}." in circle.text(BEN)


def test_they_do_so_in_a_running_game_too() -> None:
    circle = who_meet("Ben", "Cara", OLD, joining=[BEN, CARA])
    circle.write(BEN, "STATUS")
    assert "- The rules: those of 2007." in circle.text(BEN)


def test_the_result_names_rules_that_are_not_the_usual_ones() -> None:
    old, new = (Played.game(a_game_played(4, ruleset=one)) for one in ("felix-2007", "felicity-2017"))
    assert "You played by the rules of 2007." in mail(old, 0, {"result"}).text
    assert "rules of" not in mail(new, 0, {"result"}).text
