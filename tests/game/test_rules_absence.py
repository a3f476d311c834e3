"""Players who are away for a while, and the clock that waits for them."""

from __future__ import annotations

import pytest

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game.rules import Refusal
from felix_async.game.state import Game
from felix_async.game.timing import away_left
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    NOW,
    Scene,
    a_game,
    a_hosted_invitation,
    given,
)

HOUR, DAY = 3600, 24 * 3600
A_DAY = m.Terms(move=DAY, away=10 * DAY)
BANKED = m.Terms(move=12 * HOUR, reserve=2 * DAY)
WORKDAYS = m.Terms(move=DAY, weekends=False)
BIDDING = given(a_game().by_the_clock(A_DAY).in_auction())
SPENDING = given(a_game().by_the_clock(BANKED).in_auction())
FAR = "9000-01-01T00:00:00.000000Z"


def after(seconds: float, start: str = NOW) -> str:
    return later(start, seconds)


def away(start: float, back: float, *, seat: int = ANNA, computer: bool = False) -> c.Absent:
    """Away from so many seconds after noon until so many."""
    return c.Absent(seat=seat, start=after(start), back=after(back), computer=computer)


def deadline_of(game: Game, seat: int = ANNA) -> tuple[str, str] | None:
    deadline = game.seats[seat].time.deadline
    return None if deadline is None else (deadline.reserve_from, deadline.at)


def deadlines(scene: Scene) -> list[m.Event]:
    return [event for event in scene.happened if isinstance(event, m.DeadlineSet)]


# ---- what is refused --------------------------------------------------------------------------------

BAD: list[tuple[str, c.Command, str]] = [
    ("all in the past", away(-3 * DAY, -DAY), "away/past"),
    ("back before leaving", away(3 * DAY, 2 * DAY), "away/past"),
    ("back as soon as gone", away(3 * DAY, 3 * DAY), "away/past"),
    ("back now", away(-DAY, 0), "away/past"),
    ("for ten years", away(0, 3652 * DAY), "away/too_long"),
    ("longer than the game allows", away(0, 10 * DAY + 1), "away/too_long"),
    ("in ten years", away(3652 * DAY, 3653 * DAY), "away/too_far"),
    ("where no calendar goes", c.Absent(seat=ANNA, start=FAR, back=later(FAR, DAY), computer=True),
     "away/too_far"),
    ("back from nowhere", c.Recall(seat=ANNA), "away/not_away"),
    ("the end of no absence", c.EndAbsence(seat=ANNA), "away/not_away"),
    ("the beginning of no absence", c.BeginAbsence(seat=ANNA), "away/not_away"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "code"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_an_absence_that_makes_no_sense_is_refused(command: c.Command, code: str) -> None:
    BIDDING.when(command).refused(code)


def test_who_asks_for_too_long_is_told_how_many_days_there_are() -> None:
    back = BIDDING.after(away(0, 3 * DAY))
    answer = given(back).at(after(3 * DAY)).when(away(3 * DAY, 12 * DAY)).answer
    assert isinstance(answer, Refusal)
    assert answer.details == {"days": 7}


def test_who_has_resigned_is_not_away() -> None:
    gone = BIDDING.after(c.Leave(seat=BEN, for_good=True))
    given(gone).when(away(0, DAY, seat=BEN)).refused("seat/gone")
    given(gone).when(c.Recall(seat=BEN)).refused("seat/gone")


def test_who_has_not_joined_is_not_away() -> None:
    invited = given(a_hosted_invitation(4, joined=[ANNA]))
    invited.when(away(0, DAY, seat=BEN)).refused("seat/not_playing")


# ---- the clock waits --------------------------------------------------------------------------------
def test_an_absence_makes_the_deadline_later_by_its_length() -> None:
    """Of the day, six hours are gone when it begins, and eighteen are left when it ends."""
    BIDDING.at(after(6 * HOUR)).when(away(6 * HOUR, 3 * DAY)).then(
        m.AbsenceDeclared(seat=ANNA, start=after(6 * HOUR), back=after(3 * DAY), computer=False, spent=0),
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(90 * HOUR), at=after(90 * HOUR)),
    )


def test_an_absence_to_come_stops_a_deadline_that_would_lie_in_it() -> None:
    scene = BIDDING.when(away(20 * HOUR, 3 * DAY))
    assert deadlines(scene) == [
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(76 * HOUR), at=after(76 * HOUR))
    ]


def test_an_absence_after_the_deadline_changes_nothing_about_it() -> None:
    assert BIDDING.when(away(2 * DAY, 3 * DAY)).kinds == ["absence_declared"]


def test_an_absence_that_is_told_late_begins_now() -> None:
    (declared, *_) = BIDDING.when(away(-2 * DAY, DAY)).happened
    assert declared == m.AbsenceDeclared(seat=ANNA, start=NOW, back=after(DAY), computer=False, spent=0)


def test_a_decision_that_comes_up_in_an_absence_has_its_time_after_it() -> None:
    gone = BIDDING.after(away(0, 5 * DAY, seat=BEN))
    moved = given(gone).at(after(HOUR)).after(c.Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == (after(6 * DAY),) * 2


def test_the_others_clocks_run_on() -> None:
    gone = BIDDING.after(away(0, 5 * DAY, seat=BEN))
    assert deadline_of(gone, ANNA) == (after(DAY),) * 2


def test_who_is_away_may_move_all_the_same() -> None:
    gone = BIDDING.after(away(0, 5 * DAY))
    scene = given(gone).at(after(DAY)).when(c.Pass(seat=ANNA))
    assert scene.game.seats[ANNA].time.absence is not None


def test_who_is_back_early_gets_what_was_left() -> None:
    gone = BIDDING.at(after(6 * HOUR)).after(away(6 * HOUR, 3 * DAY))
    given(gone).at(after(30 * HOUR)).when(c.Recall(seat=ANNA)).then(
        m.AbsenceEnded(seat=ANNA, early=True, spent=DAY),
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(48 * HOUR), at=after(48 * HOUR)),
    )


def test_who_calls_an_absence_off_has_the_deadline_from_before() -> None:
    planned = BIDDING.after(away(20 * HOUR, 3 * DAY))
    called_off = given(planned).at(after(HOUR)).after(c.Recall(seat=ANNA))
    assert deadline_of(called_off) == (after(DAY),) * 2
    assert called_off.seats[ANNA].time.away_spent == 0


def test_who_goes_and_comes_back_again_and_again_gains_nothing() -> None:
    """Not a minute each time, which would be time without end."""
    game, before = BIDDING.game, deadline_of(BIDDING.game)
    for second in range(10):
        game = given(game).at(after(second + 7)).after(away(0, 3 * DAY), c.Recall(seat=ANNA))
    assert deadline_of(game) == before


def test_nor_does_anybody_whose_reserve_runs() -> None:
    moment = after(12 * HOUR + 7)
    there = given(SPENDING.game).at(moment).after(away(0, 3 * DAY), c.Recall(seat=ANNA))
    assert deadline_of(there) == deadline_of(SPENDING.game)


def test_an_absence_ends_by_the_calendar_without_a_change() -> None:
    gone = BIDDING.after(away(0, 3 * DAY))
    given(gone).at(after(3 * DAY)).when(c.EndAbsence(seat=ANNA)).then(
        m.AbsenceEnded(seat=ANNA, early=False, spent=3 * DAY)
    )


def test_an_absence_does_not_end_before_its_time() -> None:
    gone = BIDDING.after(away(0, 3 * DAY))
    given(gone).at(after(3 * DAY - 1)).when(c.EndAbsence(seat=ANNA)).refused("time/too_early")


def test_a_clock_that_waits_needs_no_computer() -> None:
    planned = BIDDING.after(away(HOUR, 3 * DAY))
    given(planned).at(after(HOUR)).when(c.BeginAbsence(seat=ANNA)).refused("time/too_early")


def test_no_time_is_up_in_an_absence() -> None:
    gone = BIDDING.after(away(0, 3 * DAY))
    given(gone).at(after(2 * DAY)).when(c.TimeOut(seat=ANNA, turn=2)).refused("time/too_early")


def test_a_later_declaration_takes_the_place_of_the_earlier_one() -> None:
    gone = BIDDING.after(away(0, 2 * DAY))
    again = given(gone).at(after(DAY)).when(away(DAY, 6 * DAY))
    assert again.happened[0] == m.AbsenceDeclared(
        seat=ANNA, start=after(DAY), back=after(6 * DAY), computer=False, spent=DAY
    )
    assert deadline_of(again.game) == (after(7 * DAY),) * 2


def test_who_declares_a_later_absence_is_here_until_then() -> None:
    gone = BIDDING.after(away(0, 2 * DAY))
    again = given(gone).at(after(DAY)).after(away(3 * DAY, 4 * DAY))
    assert deadline_of(again) == (after(2 * DAY),) * 2


def test_an_absence_at_a_weekend_costs_no_time_twice() -> None:
    """Gone from Friday noon to Sunday: what is left begins to run on Monday."""
    friday = 3 * DAY
    moved = given(a_game().by_the_clock(WORKDAYS).in_auction()).at(after(friday)).after(c.Pass(seat=ANNA))
    gone = given(moved).at(after(friday)).after(away(friday, friday + 2 * DAY, seat=BEN))
    assert deadline_of(gone, BEN) == ("2026-11-24T00:00:00.000000Z",) * 2
    back = given(gone).at(after(friday + 2 * DAY)).when(c.EndAbsence(seat=BEN))
    assert deadlines(back) == []


def test_a_reserve_that_was_running_stands_still_too() -> None:
    gone = SPENDING.at(after(15 * HOUR)).after(away(15 * HOUR, 4 * DAY))
    assert deadline_of(gone) == (after(12 * HOUR), after(4 * DAY + 45 * HOUR))
    back = given(gone).at(after(4 * DAY)).after(c.EndAbsence(seat=ANNA))
    moved = given(back).at(after(4 * DAY + HOUR)).when(c.Pass(seat=ANNA))
    assert m.ReserveSpent(seat=ANNA, seconds=4 * HOUR, left=44 * HOUR) in moved.happened


def test_a_reserve_is_the_same_whoever_comes_back_early() -> None:
    gone = SPENDING.at(after(15 * HOUR)).after(away(15 * HOUR, 4 * DAY))
    back = given(gone).at(after(20 * HOUR)).after(c.Recall(seat=ANNA))
    assert deadline_of(back) == (after(17 * HOUR), after(65 * HOUR))


def test_who_leaves_in_an_absence_has_spent_what_was_spent_before_it() -> None:
    gone = SPENDING.at(after(15 * HOUR)).after(away(15 * HOUR, 4 * DAY))
    left = given(gone).at(after(3 * DAY)).when(c.Leave(seat=ANNA, for_good=False))
    assert left.happened[-1] == m.ReserveSpent(seat=ANNA, seconds=3 * HOUR, left=45 * HOUR)


def test_absences_add_up_to_the_most_that_the_game_allows() -> None:
    game = BIDDING.after(away(0, 6 * DAY))
    game = given(game).at(after(6 * DAY)).after(c.EndAbsence(seat=ANNA))
    assert away_left(game, ANNA, after(6 * DAY)) == 4 * DAY
    later_ = given(game).at(after(7 * DAY))
    later_.when(away(7 * DAY, 12 * DAY)).refused("away/too_long")
    assert later_.after(away(7 * DAY, 11 * DAY)).seats[ANNA].time.away_spent == 6 * DAY


def test_an_absence_that_was_only_planned_counts_for_nothing() -> None:
    planned = BIDDING.after(away(DAY, 11 * DAY))
    given(planned).when(away(2 * DAY, 12 * DAY)).then_first(
        m.AbsenceDeclared(seat=ANNA, start=after(2 * DAY), back=after(12 * DAY), computer=False, spent=0)
    )


def test_without_a_clock_two_months_are_the_most() -> None:
    game = given(a_game().in_auction())
    game.when(away(0, 61 * DAY, computer=True)).refused("away/too_long")
    game.when(away(0, 60 * DAY)).then(
        m.AbsenceDeclared(seat=ANNA, start=NOW, back=after(60 * DAY), computer=False, spent=0)
    )
