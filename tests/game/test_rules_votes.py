"""Votes: players who want a pause, or an end, and who are enough for it."""

from __future__ import annotations

import pytest

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game.votes import LONGEST_PAUSE, needed, voters
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    EVE,
    NOW,
    WORDS,
    a_game,
    a_hosted_invitation,
    all_shown,
    given,
    joining,
)

HOUR, DAY = 3600, 24 * 3600
BANKED = m.Terms(move=12 * HOUR, reserve=2 * DAY)
RUNNING = given(a_game().by_the_clock(BANKED).in_auction())
UNTIMED = given(a_game().in_auction())
ENOUGH = [c.Vote(seat=seat, on="pause") for seat in (BEN, CARA, DAN)]
PAUSED = RUNNING.after(*ENOUGH)


def after(seconds: float) -> str:
    return later(NOW, seconds)


def wanting_an_end(*seats: int) -> list[c.Vote]:
    return [c.Vote(seat=seat, on="abandon") for seat in seats]


# ---- how many are enough ----------------------------------------------------------------------------
@pytest.mark.parametrize(("seats", "enough"), [(3, 2), (4, 3), (5, 4)])
def test_all_but_one_are_enough(seats: int, enough: int) -> None:
    assert needed(a_game(seats=seats).game) == enough


@pytest.mark.parametrize(("left", "enough"), [(1, 2), (2, 2), (3, 1)])
def test_those_whom_the_computer_plays_for_are_not_counted_and_of_two_both_are_needed(
    left: int, enough: int
) -> None:
    game = UNTIMED.after(*[c.Leave(seat=seat, for_good=False) for seat in range(left)])
    assert needed(game) == enough


def test_a_vote_is_told_and_does_nothing_else() -> None:
    UNTIMED.when(c.Vote(seat=BEN, on="abandon")).then(m.VoteCast(seat=BEN, on="abandon"))


def test_the_same_vote_again_is_no_second_one() -> None:
    voted = UNTIMED.after(c.Vote(seat=BEN, on="abandon"))
    given(voted).when(c.Vote(seat=BEN, on="abandon")).nothing_happens()


def test_votes_for_different_things_do_not_add_up() -> None:
    game = RUNNING.after(c.Vote(seat=ANNA, on="pause"), *wanting_an_end(BEN, CARA))
    assert (voters(game, "pause"), voters(game, "abandon")) == ([ANNA], [BEN, CARA])
    assert game.phase == "bidding"
    assert not game.paused_until


def test_who_takes_votes_back_takes_all_back() -> None:
    voted = RUNNING.after(c.Vote(seat=ANNA, on="pause"), *wanting_an_end(ANNA, BEN))
    back = given(voted).when(c.Resume(seat=ANNA)).then(m.VotesWithdrawn(seat=ANNA))
    assert back.game.votes == {("abandon", BEN)}


def test_a_vote_goes_with_whoever_leaves() -> None:
    voted = UNTIMED.after(*wanting_an_end(ANNA, BEN))
    left = given(voted).after(c.Leave(seat=ANNA, for_good=False), c.Return(seat=ANNA))
    assert voters(left, "abandon") == [BEN]


# ---- an end -----------------------------------------------------------------------------------------
def test_once_enough_are_for_it_the_game_ends_and_its_seed_is_shown() -> None:
    UNTIMED.when(*wanting_an_end(ANNA, BEN, CARA)).then(
        m.VoteCast(seat=CARA, on="abandon"),
        m.GameAbandoned(reason="voted"),
        *all_shown(),
    )


def test_whoever_leaves_without_a_vote_leaves_the_others_to_it() -> None:
    """Two of four are not enough; of the three who stay they are."""
    voted = UNTIMED.after(*wanting_an_end(ANNA, BEN))
    given(voted).when(c.Leave(seat=DAN, for_good=True)).then(
        m.SeatHandedOver(seat=DAN, to="computer", for_good=True),
        m.GameAbandoned(reason="voted"),
        *all_shown(),
    )


def test_so_does_one_whose_time_was_up_twice() -> None:
    table = a_game().by_the_clock(BANKED)
    table = table.after(*[c.TimeOut(seat=seat, turn=1) for seat in range(4)], at=after(60 * HOUR))
    table = table.after(*wanting_an_end(BEN, CARA), at=after(60 * HOUR))
    out = given(table).at(after(72 * HOUR)).when(c.TimeOut(seat=ANNA, turn=2))
    assert out.kinds[-3:] == ["game_abandoned", "seat_logs_closed", "seed_revealed"]
    assert out.kinds[:2] == ["turn_timed_out", "seat_handed_over"]


def test_the_last_one_at_the_table_may_end_it_alone() -> None:
    left = UNTIMED.after(*[c.Leave(seat=seat, for_good=False) for seat in (BEN, CARA, DAN)])
    assert given(left).after(c.Vote(seat=ANNA, on="abandon")).phase == "abandoned"


def test_a_game_at_rest_is_not_voted_away() -> None:
    left = UNTIMED.after(
        c.Vote(seat=DAN, on="abandon"),
        *[c.Leave(seat=seat, for_good=False) for seat in (DAN, CARA, BEN, ANNA)],
    )
    assert left.phase == "bidding"


@pytest.mark.parametrize(
    "command",
    [
        c.Vote(seat=ANNA, on="pause"),
        c.Resume(seat=ANNA),
        c.Pass(seat=ANNA),
        c.Play(seat=ANNA, card=3),
        c.Say(seat=ANNA, text_hash=WORDS[0]),
        c.Return(seat=ANNA),
        c.Leave(seat=ANNA, for_good=True),
        c.Absent(seat=ANNA, start=NOW, back=later(NOW, DAY), computer=True),
        c.TimeOut(seat=ANNA, turn=2),
        c.Extend(seat=ANNA, turn=2, seconds=60),
        c.EndPause(),
        c.Close(),
    ],
    ids=lambda command: type(command).__name__,
)
def test_after_the_end_nothing_happens_any_more(command: c.Command) -> None:
    ended = RUNNING.after(*wanting_an_end(ANNA, BEN, CARA))
    given(ended).at(after(90 * DAY)).when(command).refused("game/over")


# ---- a pause ----------------------------------------------------------------------------------------
def test_once_enough_are_for_a_pause_no_time_runs() -> None:
    RUNNING.when(*ENOUGH).then(m.VoteCast(seat=DAN, on="pause"), m.GamePaused(until=after(LONGEST_PAUSE)))
    assert [seat.time.deadline for seat in PAUSED.seats] == [None] * 4
    assert not PAUSED.votes


def test_what_was_spent_of_the_reserve_is_not_given_back_by_a_pause() -> None:
    late = RUNNING.at(after(13 * HOUR)).when(*ENOUGH)
    assert late.happened[-1] == m.ReserveSpent(seat=ANNA, seconds=HOUR, left=47 * HOUR)


def test_one_player_is_enough_to_go_on_and_who_is_asked_has_the_whole_move_time() -> None:
    given(PAUSED).at(after(5 * DAY)).when(c.Resume(seat=ANNA)).then(
        m.GameResumed(seat=ANNA),
        m.DeadlineSet(
            seat=ANNA, turn=2, reserve_from=after(5 * DAY + 12 * HOUR), at=after(7 * DAY + 12 * HOUR)
        ),
    )


def test_a_pause_ends_by_itself() -> None:
    given(PAUSED).at(after(LONGEST_PAUSE - 1)).when(c.EndPause()).refused("time/too_early")
    given(PAUSED).at(after(LONGEST_PAUSE)).when(c.EndPause()).then_first(m.GameResumed(seat=None))


def test_a_game_that_is_not_paused_does_not_go_on() -> None:
    RUNNING.when(c.EndPause()).refused("time/too_early")


def test_who_wants_to_move_in_a_pause_may_and_hurries_nobody() -> None:
    given(PAUSED).at(after(DAY)).when(c.Pass(seat=ANNA)).then(
        m.PlayerPassed(seat=ANNA, mice=2), m.CardsTurned(cards=[5])
    )


def test_whoever_comes_back_in_a_pause_has_no_deadline_yet() -> None:
    game = given(PAUSED).after(c.Leave(seat=ANNA, for_good=False), c.Return(seat=ANNA))
    assert game.seats[ANNA].time.deadline is None


def test_a_game_may_be_ended_in_a_pause_and_paused_again_after_it() -> None:
    assert given(PAUSED).after(*wanting_an_end(ANNA, BEN, CARA)).phase == "abandoned"
    assert given(PAUSED).after(c.Resume(seat=ANNA), *ENOUGH).paused_until


def test_no_time_is_up_in_a_pause() -> None:
    given(PAUSED).at(after(90 * DAY)).when(c.TimeOut(seat=ANNA, turn=2)).refused("time/no_deadline")


# ---- who may vote -----------------------------------------------------------------------------------
def test_nobody_votes_before_the_game() -> None:
    given(a_hosted_invitation(3, joined=[ANNA])).when(c.Vote(seat=ANNA, on="abandon")).refused(
        "game/not_started"
    )


def test_a_spectator_has_no_vote() -> None:
    RUNNING.when(c.Vote(seat=EVE, on="abandon")).refused("seat/unknown")
    RUNNING.when(c.Vote(seat=-1, on="pause")).refused("seat/unknown")


def test_who_was_invited_and_does_not_play_has_no_vote() -> None:
    started = given(a_hosted_invitation(4, joined=[ANNA, BEN, CARA]))
    game = started.after(c.Start(seat=ANNA))
    given(game).when(c.Vote(seat=DAN, on="abandon")).refused("seat/not_playing")
    given(game).when(c.Resume(seat=DAN)).refused("seat/not_playing")


def test_who_has_resigned_has_no_vote() -> None:
    gone = RUNNING.after(c.Leave(seat=BEN, for_good=True))
    given(gone).when(c.Vote(seat=BEN, on="abandon")).refused("seat/gone")


def test_whom_the_computer_plays_for_has_no_vote() -> None:
    """An order by mail brings them back first."""
    left = RUNNING.after(c.Leave(seat=BEN, for_good=False))
    given(left).when(c.Vote(seat=BEN, on="abandon")).refused("vote/away")
    given(left).when(c.Resume(seat=BEN)).refused("vote/away")


def test_there_is_nothing_to_pause_without_a_clock() -> None:
    UNTIMED.when(c.Vote(seat=BEN, on="pause")).refused("vote/no_clock")


def test_a_pause_is_not_voted_for_twice() -> None:
    given(PAUSED).when(c.Vote(seat=BEN, on="pause")).refused("vote/paused")


def test_there_is_nothing_to_take_back_where_nothing_was_asked_for() -> None:
    RUNNING.when(c.Resume(seat=BEN)).refused("vote/none")


def test_a_vote_moves_no_deadline() -> None:
    voted = RUNNING.at(after(HOUR)).when(c.Vote(seat=ANNA, on="pause"))
    assert voted.kinds == ["vote_cast"]
    assert given(voted.game).after(c.Bid(seat=ANNA, amount=1)).votes == {("pause", ANNA)}


def test_a_new_game_begins_without_votes() -> None:
    assert given(a_hosted_invitation(3, joined=[ANNA, BEN])).after(joining(CARA)).votes == frozenset()
