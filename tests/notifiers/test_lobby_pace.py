"""Who is asked when a card turns: told before the game and by STATUS, where it is not the usual pace."""

from __future__ import annotations

import pytest

from felix_events.model import Pace
from inbox.hosting import game_at, opened
from notifiers.friends import ANNA, BEN, CARA, Friends, who_meet

IN_TURN = "players are asked one after the other"
LINES = [("one after the other", True), ("together", False)]

both_paces = pytest.mark.parametrize(("line", "is_told"), LINES)


@both_paces
def test_the_invitation_tells_it(line: str, is_told: bool) -> None:
    assert ("Bids go in turn." in who_meet("Ben", "Cara", line).text(BEN)) == is_told


@both_paces
def test_status_tells_it_once_the_game_runs(line: str, is_told: bool) -> None:
    circle = who_meet("Ben", "Cara", line, joining=[BEN, CARA])
    circle.write(BEN, "STATUS")
    assert (IN_TURN in circle.text(BEN)) == is_told


@pytest.mark.parametrize(("line", "pace"), [("in turn", "in turn"), ("together", "together")])
def test_the_link_of_the_host_opens_another_table_of_the_same_pace(line: str, pace: Pace) -> None:
    circle = who_meet("Ben", "Cara", line, joining=[BEN])
    circle.write(ANNA, "CANCEL")
    circle.tap(ANNA, "NEW")
    assert paces(circle) == [pace, pace]


def paces(circle: Friends) -> list[Pace]:
    return [game_at(circle.bag, game_id).options.pace for game_id in opened(circle.bag)]
