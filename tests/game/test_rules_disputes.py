"""Disputes: who may deny which move, how long time stands still for it, and how it ends."""

from __future__ import annotations

import pytest

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game.disputes import LONGEST_DISPUTE
from felix_async.game.state import Game
from felix_async.game.timing import running
from felix_async.game.votes import OVER
from felix_events import model as m
from felix_events.disputes import LONGEST_STOP
from table import ANNA, BEN, CARA, DAN, NOW, a_game, a_hosted_invitation, given, joining

HOUR, DAY = 3600, 24 * 3600
BANKED = m.Terms(move=12 * HOUR, reserve=2 * DAY)
BID = c.Dispute(seat=ANNA, turn=2, what="bid")
RUNNING = given(a_game().by_the_clock(BANKED).in_auction()).after(c.Bid(seat=ANNA, amount=3))
UNTIMED = given(a_game().in_auction()).after(c.Bid(seat=ANNA, amount=3))
HOSTED = (
    given(given(a_hosted_invitation(joined=[ANNA, BEN])).after(joining(CARA), joining(DAN)))
    .when(c.Say(seat=ANNA, text_hash="0" * 64))
    .game
)


def after(seconds: float) -> str:
    return later(NOW, seconds)


def raised(until: str | None = None, at: str = NOW) -> m.DisputeRaised:
    lapses = later(at, LONGEST_DISPUTE)
    return m.DisputeRaised(seat=ANNA, turn=2, what="bid", lapses=lapses, until=until, stopped=0)


def due(game: Game, seat: int) -> str:
    return dict(running(game))[seat].at


def test_time_stands_still_for_everybody_and_the_deadline_comes_so_much_later() -> None:
    denied = given(RUNNING).at(after(HOUR)).when(BID)
    denied.then_first(raised(until=after(HOUR + LONGEST_STOP), at=after(HOUR)))
    assert denied.kinds == ["dispute_raised", "deadline_set"]
    assert due(denied.game, BEN) == later(due(RUNNING, BEN), LONGEST_STOP)


def test_with_the_last_dispute_time_runs_again_and_what_was_left_is_left() -> None:
    denied = given(RUNNING).after(BID)
    back = given(denied).at(after(5 * HOUR)).when(c.Withdraw(seat=ANNA))
    back.then_first(m.DisputeSettled(seat=ANNA, turn=2, what="bid", how="withdrawn", stopped=5 * HOUR))
    assert due(back.game, BEN) == later(due(RUNNING, BEN), 5 * HOUR)


def test_nothing_happens_when_two_days_are_over() -> None:
    """The deadline was set beyond them at once; that the dispute ends later changes no time."""
    denied = given(RUNNING).after(BID)
    over = given(denied).at(after(LONGEST_STOP + HOUR)).when(c.Withdraw(seat=ANNA))
    over.then(m.DisputeSettled(seat=ANNA, turn=2, what="bid", how="withdrawn", stopped=LONGEST_STOP))
    assert due(over.game, BEN) == due(denied, BEN)


def test_a_second_dispute_stops_no_more_time_than_the_first() -> None:
    denied = given(RUNNING).after(BID, c.Bid(seat=BEN, amount=4))
    second = given(denied).at(after(HOUR)).when(c.Dispute(seat=BEN, turn=2, what="bid"))
    assert second.kinds == ["dispute_raised"]
    assert second.game.still == denied.still == (NOW, after(LONGEST_STOP))
    one_left = given(second.game).at(after(2 * HOUR)).when(c.Withdraw(seat=ANNA))
    assert one_left.kinds == ["dispute_settled"]
    assert one_left.game.still == denied.still


def test_what_was_used_up_is_used_up() -> None:
    game = given(RUNNING).after(BID)
    game = given(game).at(after(40 * HOUR)).after(c.Withdraw(seat=ANNA), c.Bid(seat=BEN, amount=4))
    denied = given(game).at(after(41 * HOUR)).when(c.Dispute(seat=BEN, turn=2, what="bid"))
    assert denied.game.still == (after(41 * HOUR), after(49 * HOUR))
    over = given(denied.game).at(after(60 * HOUR)).after(c.Withdraw(seat=BEN), c.Bid(seat=CARA, amount=5))
    none = given(over).at(after(61 * HOUR)).when(c.Dispute(seat=CARA, turn=2, what="bid"))
    assert none.kinds == ["dispute_raised"]
    assert none.game.still is None


def test_without_a_clock_and_in_a_pause_no_time_stands_still() -> None:
    given(UNTIMED).when(BID).then(raised())
    paused = given(RUNNING).after(*[c.Vote(seat=seat, on="pause") for seat in (BEN, CARA, DAN)])
    given(paused).when(BID).then(raised())


def test_everybody_goes_on_playing_and_votes_stay() -> None:
    voted = given(RUNNING).after(c.Vote(seat=BEN, on="abandon"), BID)
    assert voted.votes == {("abandon", BEN)}
    assert given(voted).after(c.Bid(seat=BEN, amount=4)).high_bid == 4


@pytest.mark.parametrize(("turn", "what"), [(1, "bid"), (2, "pass"), (3, "bid")])
def test_only_a_move_that_was_made_can_be_denied(turn: int, what: m.Denied) -> None:
    given(RUNNING).when(c.Dispute(seat=ANNA, turn=turn, what=what)).refused("dispute/no_move")


def test_each_move_is_denied_once() -> None:
    over = given(RUNNING).after(BID, c.Withdraw(seat=ANNA))
    given(over).when(BID).refused("dispute/no_move")


def test_what_rules_time_and_the_computer_did_is_nobodys_word() -> None:
    table = a_game().by_the_clock(BANKED).in_auction()
    late = given(table).at(after(100 * HOUR)).after(c.TimeOut(seat=ANNA, turn=2))
    assert 2 not in late.seats[ANNA].moves
    left = given(table).after(c.Leave(seat=ANNA, for_good=False), c.Bid(seat=ANNA, amount=3))
    assert 2 not in left.seats[ANNA].moves
    poor = given(a_game().with_mice({BEN: 2}).in_auction()).after(c.Bid(seat=ANNA, amount=3))
    assert poor.seats[BEN].passed
    assert 2 not in poor.seats[BEN].moves


def test_whoever_takes_a_seat_over_cannot_deny_what_was_played_before() -> None:
    left = given(RUNNING).after(c.Leave(seat=ANNA, for_good=True), c.Substitute(seat=ANNA, player_id="dora"))
    given(left).when(BID).refused("dispute/no_move")


def test_the_host_lets_it_stand_and_time_does_after_a_week() -> None:
    placed = given(HOSTED).after(c.Play(seat=BEN, card=HOSTED.seats[BEN].hand[0]))
    denied = given(placed).after(c.Dispute(seat=BEN, turn=1, what="card"))
    settled = m.DisputeSettled(seat=BEN, turn=1, what="card", how="stands", stopped=0)
    given(denied).when(c.Stand(seat=ANNA, whom=BEN)).then(settled)
    late = given(denied).at(after(LONGEST_DISPUTE))
    late.when(c.Lapse(seat=BEN)).then(settled.model_copy(update={"how": "expired"}))


# ---- the players hand the seat over -----------------------------------------------------------------
DENIED = given(given(HOSTED).after(c.Play(seat=ANNA, card=HOSTED.seats[ANNA].hand[0]))).after(
    c.Dispute(seat=ANNA, turn=1, what="card")
)
"""Anna, who hosts a table of four, denies her card."""


def over(seat: int, *voters: int) -> list[c.Vote]:
    return [c.Vote(seat=voter, on=OVER[seat]) for voter in voters]


def test_all_but_one_hand_a_disputed_seat_over_also_the_hosts() -> None:
    voted = given(DENIED).after(*over(ANNA, BEN, CARA))
    assert voted.votes == {("seat 0", BEN), ("seat 0", CARA)}
    done = given(voted).when(*over(ANNA, DAN))
    done.then(
        m.VoteCast(seat=DAN, on="seat 0"),
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=True),
        m.HostNamed(seat=BEN),
        m.DisputeSettled(seat=ANNA, turn=1, what="card", how="handed_over", stopped=0),
    )
    assert (done.game.votes, done.game.disputes, done.game.seats[ANNA].gone) == (frozenset(), (), True)
    given(done.game).when(c.Return(seat=ANNA)).refused("seat/gone")
    assert not given(done.game).after(c.Substitute(seat=ANNA, player_id="dora")).seats[ANNA].computer


def test_nobody_loses_a_seat_that_is_not_disputed_any_more() -> None:
    given(HOSTED).when(*over(ANNA, BEN)).refused("dispute/none")
    given(DENIED).when(*over(CARA, BEN)).refused("dispute/none")
    settled = given(DENIED).after(
        c.Vote(seat=BEN, on="pause" if DENIED.clock else "abandon"), *over(ANNA, BEN)
    )
    back = given(settled).after(c.Withdraw(seat=ANNA))
    assert back.votes == {("abandon", BEN)}
    given(back).when(*over(ANNA, CARA)).refused("dispute/none")


def test_whose_seat_it_is_may_vote_and_a_vote_can_be_taken_back() -> None:
    voted = given(DENIED).after(*over(ANNA, ANNA, BEN), c.Resume(seat=BEN))
    assert voted.votes == {("seat 0", ANNA)}
    assert given(voted).after(*over(ANNA, BEN, CARA)).seats[ANNA].gone


def test_with_the_seat_a_vote_for_the_end_may_have_enough() -> None:
    """Of four three are needed, of three two."""
    wanted = given(DENIED).after(*[c.Vote(seat=seat, on="abandon") for seat in (BEN, CARA)])
    done = given(wanted).when(*over(ANNA, BEN, CARA, DAN))
    assert done.kinds[-4:] == ["dispute_settled", "game_abandoned", "seat_logs_closed", "seed_revealed"]


def test_the_last_one_who_hands_the_own_seat_over_ends_the_game() -> None:
    alone = given(DENIED).after(*[c.Leave(seat=seat, for_good=True) for seat in (BEN, CARA, DAN)])
    done = given(alone).when(*over(ANNA, ANNA))
    assert done.kinds[:3] == ["vote_cast", "seat_handed_over", "game_abandoned"]
    assert done.game.reason == "left"


def test_who_is_away_loses_the_seat_and_does_not_come_back_by_the_calendar() -> None:
    away = c.Absent(seat=ANNA, start=NOW, back=after(3 * DAY), computer=True)
    done = given(given(DENIED).after(away)).when(*over(ANNA, BEN, CARA, DAN))
    assert done.kinds[-3:] == ["seat_handed_over", "absence_ended", "dispute_settled"]


def test_time_runs_again_once_the_seat_is_handed_over() -> None:
    denied = given(RUNNING).after(BID)
    gone = given(denied).at(after(5 * HOUR)).when(*over(ANNA, BEN, CARA, DAN))
    assert gone.game.still is None
    assert gone.game.stopped == 5 * HOUR
    assert due(gone.game, BEN) == later(due(RUNNING, BEN), 5 * HOUR)


# ---- who is not there any more ---------------------------------------------------------------------------
def test_whoever_leaves_for_good_denies_nothing_any_more() -> None:
    left = given(given(UNTIMED).after(BID)).when(c.Leave(seat=ANNA, for_good=True))
    (settled,) = [one for one in left.happened if isinstance(one, m.DisputeSettled)]
    assert (settled.seat, settled.how) == (ANNA, "withdrawn")


def test_a_substitute_is_not_voted_out_for_what_another_denied() -> None:
    left = given(UNTIMED).after(BID, c.Vote(seat=CARA, on=OVER[ANNA]), c.Leave(seat=ANNA, for_good=False))
    taken = given(left).after(c.Substitute(seat=ANNA, player_id="zoe"))
    assert (taken.disputes, taken.votes) == ((), frozenset())
    given(taken).when(c.Vote(seat=DAN, on=OVER[ANNA])).refused("dispute/none")
