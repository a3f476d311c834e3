"""Players who are away for a while: the computer plays for them, also from the deal on."""

from __future__ import annotations

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game.state import Game
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    NOW,
    a_game,
    a_hosted_invitation,
    given,
    joining,
)

HOUR, DAY = 3600, 24 * 3600
A_DAY = m.Terms(move=DAY, away=10 * DAY)
BANKED = m.Terms(move=12 * HOUR, reserve=2 * DAY)
BIDDING = given(a_game().by_the_clock(A_DAY).in_auction())


def after(seconds: float, start: str = NOW) -> str:
    return later(start, seconds)


def away(start: float, back: float, *, seat: int = ANNA, computer: bool = False) -> c.Absent:
    """Away from so many seconds after noon until so many."""
    return c.Absent(seat=seat, start=after(start), back=after(back), computer=computer)


def deadline_of(game: Game, seat: int = ANNA) -> tuple[str, str] | None:
    deadline = game.seats[seat].time.deadline
    return None if deadline is None else (deadline.reserve_from, deadline.at)


# ---- the computer plays -----------------------------------------------------------------------------

COVERED = BIDDING.after(away(0, 5 * DAY, computer=True))


def test_the_computer_comes_in_at_once_where_the_absence_has_begun() -> None:
    BIDDING.when(away(0, 5 * DAY, computer=True)).then(
        m.AbsenceDeclared(seat=ANNA, start=NOW, back=after(5 * DAY), computer=True, spent=0),
        m.AbsenceBegan(seat=ANNA),
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=False),
    )


def test_the_computer_comes_in_when_the_absence_begins() -> None:
    planned = BIDDING.after(away(2 * HOUR, DAY, computer=True))
    given(planned).at(after(HOUR)).when(c.BeginAbsence(seat=ANNA)).refused("time/too_early")
    given(planned).at(after(2 * HOUR)).when(c.BeginAbsence(seat=ANNA)).then(
        m.AbsenceBegan(seat=ANNA), m.SeatHandedOver(seat=ANNA, to="computer", for_good=False)
    )


def test_the_computer_comes_in_once_and_not_when_all_is_over() -> None:
    planned = given(BIDDING.after(away(2 * HOUR, DAY, computer=True)))
    begun = planned.at(after(2 * HOUR)).after(c.BeginAbsence(seat=ANNA))
    given(begun).at(after(3 * HOUR)).when(c.BeginAbsence(seat=ANNA)).refused("time/too_early")
    planned.at(after(DAY)).when(c.BeginAbsence(seat=ANNA)).refused("time/too_early")


def test_the_player_is_back_by_the_calendar_with_the_whole_move_time() -> None:
    given(COVERED).at(after(5 * DAY)).when(c.EndAbsence(seat=ANNA)).then(
        m.AbsenceEnded(seat=ANNA, early=False, spent=5 * DAY),
        m.SeatHandedOver(seat=ANNA, to="player", for_good=False),
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(6 * DAY), at=after(6 * DAY)),
    )


def test_any_order_ends_it() -> None:
    given(COVERED).at(after(DAY)).when(c.Return(seat=ANNA)).then(
        m.SeatHandedOver(seat=ANNA, to="player", for_good=False),
        m.AbsenceEnded(seat=ANNA, early=True, spent=DAY),
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(2 * DAY), at=after(2 * DAY)),
    )


def test_so_does_saying_that_one_is_back() -> None:
    given(COVERED).at(after(DAY)).when(c.Recall(seat=ANNA)).then_first(
        m.AbsenceEnded(seat=ANNA, early=True, spent=DAY),
        m.SeatHandedOver(seat=ANNA, to="player", for_good=False),
    )


def test_who_leaves_in_an_absence_does_not_come_back_by_the_calendar() -> None:
    left = given(COVERED).at(after(DAY)).when(c.Leave(seat=ANNA, for_good=False))
    left.then(
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=False),
        m.AbsenceEnded(seat=ANNA, early=True, spent=DAY),
    )
    given(left.game).at(after(5 * DAY)).when(c.EndAbsence(seat=ANNA)).refused("away/not_away")


def test_who_leaves_before_an_absence_has_called_it_off() -> None:
    planned = BIDDING.after(away(2 * DAY, 3 * DAY, computer=True))
    assert given(planned).after(c.Leave(seat=ANNA, for_good=False)).seats[ANNA].time.absence is None


def test_who_is_away_may_resign() -> None:
    game = given(COVERED).at(after(DAY)).after(c.Leave(seat=ANNA, for_good=True))
    assert game.seats[ANNA].gone
    assert game.seats[ANNA].time.absence is None


def test_a_longer_absence_keeps_the_computer_in() -> None:
    longer = given(COVERED).at(after(DAY)).when(away(DAY, 8 * DAY, computer=True))
    longer.then(
        m.AbsenceDeclared(seat=ANNA, start=after(DAY), back=after(8 * DAY), computer=True, spent=DAY),
        m.AbsenceBegan(seat=ANNA),
    )
    back = given(longer.game).at(after(8 * DAY)).after(c.EndAbsence(seat=ANNA))
    assert not back.seats[ANNA].computer


def test_who_prefers_the_clock_to_wait_takes_the_seat_back() -> None:
    waits = given(COVERED).at(after(DAY)).when(away(DAY, 4 * DAY))
    assert waits.kinds == ["absence_declared", "seat_handed_over", "deadline_set"]
    assert deadline_of(waits.game) == (after(5 * DAY),) * 2


def test_a_player_whose_time_was_up_is_not_back_because_an_absence_is_over() -> None:
    """Twice too late before it began: that the calendar says so brings nobody back."""
    table = a_game().by_the_clock(A_DAY).after(away(3 * DAY, 4 * DAY, computer=True))
    table = table.after(*[c.TimeOut(seat=seat, turn=1) for seat in range(4)], at=after(DAY))
    table = table.after(c.TimeOut(seat=ANNA, turn=2), at=after(2 * DAY))
    begun = given(table).at(after(3 * DAY)).when(c.BeginAbsence(seat=ANNA)).then(m.AbsenceBegan(seat=ANNA))
    over = given(begun.game).at(after(4 * DAY)).when(c.EndAbsence(seat=ANNA))
    over.then(m.AbsenceEnded(seat=ANNA, early=False, spent=DAY))
    assert over.game.seats[ANNA].computer
    assert given(begun.game).at(after(3 * DAY)).when(c.Return(seat=ANNA)).kinds[:2] == [
        "seat_handed_over",
        "absence_ended",
    ]


def test_a_return_leaves_an_absence_that_is_still_to_come() -> None:
    planned = BIDDING.after(away(2 * DAY, 3 * DAY, computer=True))
    left = given(planned).at(after(2 * DAY)).after(c.BeginAbsence(seat=ANNA))
    assert given(left).at(after(2 * DAY)).after(c.Return(seat=ANNA)).seats[ANNA].time.absence is None
    assert given(planned).when(c.Return(seat=ANNA)).nothing_happens()


def test_an_absence_that_never_began_ends_all_the_same() -> None:
    """Felix was down from before it until after it."""
    planned = BIDDING.after(away(2 * HOUR, 3 * HOUR, computer=True))
    given(planned).at(after(5 * HOUR)).when(c.EndAbsence(seat=ANNA)).then(
        m.AbsenceEnded(seat=ANNA, early=False, spent=HOUR)
    )


def test_a_table_is_not_deserted_while_somebody_is_to_be_back() -> None:
    others = [c.Leave(seat=seat, for_good=False) for seat in (BEN, CARA, DAN)]
    game = given(COVERED).after(*others)
    assert game.humans == []
    given(game).when(c.Close()).refused("table/not_deserted")
    left = given(game).after(c.Leave(seat=ANNA, for_good=False))
    given(left).when(c.Close()).then_first(m.GameAbandoned(reason="deserted"))


# ---- before the game --------------------------------------------------------------------------------

_CREATED, _HOST, *_ANSWERS = a_hosted_invitation(3, joined=[ANNA, BEN])
WITH_CLOCK = [_CREATED, _HOST, m.ClockSet(terms=A_DAY), *_ANSWERS]


def test_before_the_deal_the_computer_is_not_needed() -> None:
    given(WITH_CLOCK).when(away(0, 2 * DAY, computer=True)).then(
        m.AbsenceDeclared(seat=ANNA, start=NOW, back=after(2 * DAY), computer=True, spent=0)
    )
    declared = given(WITH_CLOCK).after(away(0, 2 * DAY, computer=True))
    given(declared).at(after(HOUR)).when(c.BeginAbsence(seat=ANNA)).refused("time/too_early")


def test_who_is_away_at_the_deal_is_played_for_and_hosts_no_more() -> None:
    declared = given(WITH_CLOCK).after(away(0, 2 * DAY, computer=True))
    dealt = given(declared).at(after(DAY)).when(joining(CARA))
    assert dealt.happened[-5:] == [
        m.AbsenceBegan(seat=ANNA),
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=False),
        m.HostNamed(seat=BEN),
        m.DeadlineSet(seat=BEN, turn=1, reserve_from=after(2 * DAY), at=after(2 * DAY)),
        m.DeadlineSet(seat=CARA, turn=1, reserve_from=after(2 * DAY), at=after(2 * DAY)),
    ]


def test_the_clock_waits_for_one_who_is_away_at_the_deal() -> None:
    declared = given(WITH_CLOCK).after(away(0, 3 * DAY))
    dealt = given(declared).at(after(DAY)).after(joining(CARA))
    assert [deadline_of(dealt, seat) for seat in (ANNA, BEN)] == [
        (after(4 * DAY),) * 2,
        (after(2 * DAY),) * 2,
    ]


def test_an_absence_that_is_over_by_the_deal_is_none() -> None:
    declared = given(WITH_CLOCK).after(away(0, 2 * DAY, computer=True))
    dealt = given(declared).at(after(2 * DAY)).after(joining(CARA))
    assert not dealt.seats[ANNA].computer


def test_who_does_not_play_after_all_is_not_waited_for() -> None:
    invited = given(a_hosted_invitation(4, joined=[ANNA, BEN, CARA]))
    game = invited.after(away(0, 5 * DAY, seat=CARA), c.Decline(seat=CARA), joining(DAN), c.Start(seat=ANNA))
    left = given(game).after(*[c.Leave(seat=seat, for_good=False) for seat in game.players])
    given(left).when(c.Close()).then_first(m.GameAbandoned(reason="deserted"))


def test_a_card_may_be_placed_by_whoever_is_away() -> None:
    gone = given(a_game().by_the_clock(A_DAY)).after(away(0, 5 * DAY))
    assert given(gone).after(c.Play(seat=ANNA, card=3)).seats[ANNA].placed == 3
