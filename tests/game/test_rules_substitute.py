"""A seat for which the computer plays, and somebody who takes it."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Absent, Leave, Play, Return, Start, Substitute
from felix_async.game.folding import fold
from felix_async.game.rules import Context, decide
from felix_async.game.state import Game
from felix_events import model as m
from table import ANNA, BEN, CARA, CONTEXT, DAN, a_game, a_hosted_invitation, an_invitation, given, joining

DORA = Substitute(seat=BEN, player_id="dora")
TAKEN = m.SeatTaken(seat=BEN, player_id="dora")
NOON, TOMORROW = (f"2026-11-1{day}T12:00:00.000000Z" for day in (7, 8))
TERMS = m.Terms(move=24 * 3600, reserve=7 * 24 * 3600)


def without(seat: int, *, for_good: bool = False) -> Game:
    """A game in which the computer plays for a seat."""
    return given(a_game()).after(Leave(seat=seat, for_good=for_good))


@pytest.mark.parametrize("for_good", [False, True], ids=["for a while", "for good"])
def test_somebody_takes_the_seat_of_a_player_who_has_left(for_good: bool) -> None:
    given(without(BEN, for_good=for_good)).when(DORA).then(TAKEN)


def test_who_takes_a_seat_plays_for_it() -> None:
    game = given(without(BEN, for_good=True)).after(DORA)
    seat = game.seats[BEN]
    assert (seat.player_id, seat.computer, seat.gone) == ("dora", False, False)


def test_cards_and_mice_stay_with_the_seat() -> None:
    before = without(BEN)
    after = given(before).after(DORA)
    was, is_ = before.seats[BEN], after.seats[BEN]
    assert (was.hand, was.boxed, was.mice, was.won, was.turn) == (
        is_.hand, is_.boxed, is_.mice, is_.won, is_.turn)  # fmt: skip


def test_who_has_a_seat_may_leave_it_and_come_back() -> None:
    game = given(without(BEN)).after(DORA, Leave(seat=BEN, for_good=False))
    given(game).when(Return(seat=BEN)).then(m.SeatHandedOver(seat=BEN, to="player", for_good=False))


def test_no_seat_is_free_before_the_game_begins() -> None:
    given(an_invitation()).when(DORA).refused("substitute/not_started")


def test_no_seat_is_free_whose_player_is_there() -> None:
    given(a_game()).when(DORA).refused("substitute/is_there")


def test_a_seat_that_does_not_play_is_nobodys() -> None:
    hosted = given(a_hosted_invitation(4, joined=[ANNA, BEN])).after(joining(CARA))
    game = given(hosted).after(Start(seat=ANNA))
    given(game).when(Substitute(seat=DAN, player_id="dora")).refused("substitute/no_player")


def test_no_seat_is_free_whose_player_has_said_when_they_are_back() -> None:
    away = fold(
        [
            m.AbsenceDeclared(seat=BEN, start=NOON, back=TOMORROW, computer=True, spent=0),
            m.AbsenceBegan(seat=BEN),
            m.SeatHandedOver(seat=BEN, to="computer", for_good=False),
        ],
        a_game().game,
    )
    given(away).when(DORA).refused("substitute/will_be_back")


@pytest.mark.parametrize("seat", [ANNA, BEN, DAN])
def test_nobody_has_two_seats(seat: int) -> None:
    game = without(BEN)
    command = Substitute(seat=BEN, player_id=game.seats[seat].player_id)
    given(game).when(command).refused("substitute/sits_here")


def test_who_has_seen_other_cards_of_this_game_takes_no_seat() -> None:
    game = without(BEN)
    ben = game.seats[BEN].player_id
    taken = given(game).after(DORA, Leave(seat=CARA, for_good=True))
    given(taken).when(Substitute(seat=CARA, player_id=ben)).refused("substitute/sat_here")


def test_a_former_player_may_have_their_own_seat_again() -> None:
    game = without(BEN)
    ben = game.seats[BEN].player_id
    taken = given(game).after(DORA, Leave(seat=BEN, for_good=True))
    given(taken).when(Substitute(seat=BEN, player_id=ben)).then(m.SeatTaken(seat=BEN, player_id=ben))


def test_who_comes_to_a_table_without_a_host_hosts() -> None:
    hosted = given(a_hosted_invitation(3, joined=[ANNA, BEN])).after(joining(CARA))
    left = given(hosted).after(*[Leave(seat=seat, for_good=False) for seat in (CARA, BEN, ANNA)])
    given(left).when(DORA).then(TAKEN, m.HostNamed(seat=BEN))


def test_who_comes_new_has_the_whole_reserve_and_the_whole_time() -> None:
    """Where the one before has used up both; the weekend does not come into it."""
    game = fold([m.ClockSet(terms=TERMS)], a_game().game)
    spent = fold([m.SeatHandedOver(seat=BEN, to="computer", for_good=False)], game)
    decided = decide(DORA, spent, Context(CONTEXT.dice, NOON))
    assert isinstance(decided, list)
    time = fold(decided, spent).seats[BEN].time
    assert (time.reserve, time.missed, time.away_spent) == (TERMS.reserve, 0, 0)
    assert time.deadline is not None
    assert (time.deadline.reserve_from, time.deadline.at) == (
        "2026-11-18T12:00:00.000000Z",
        "2026-11-25T12:00:00.000000Z",
    )


def test_an_absence_of_the_one_before_is_over() -> None:
    """Declared for later, and the computer plays because they left."""
    late = [Absent(seat=BEN, start=TOMORROW, back="2026-11-20T12:00:00.000000Z", computer=False)]
    game = a_game().game
    for command in late:
        decided = decide(command, game, Context(CONTEXT.dice, NOON))
        assert isinstance(decided, list)
        game = fold(decided, game)
    game = fold([m.SeatHandedOver(seat=BEN, to="computer", for_good=False)], game)
    assert given(game).after(DORA).seats[BEN].time.absence is None


def test_a_card_that_the_computer_placed_may_be_exchanged() -> None:
    game = without(BEN)
    first, second = game.seats[BEN].hand[:2]
    placed = given(game).after(Play(seat=BEN, card=first), DORA)
    assert given(placed).after(Play(seat=BEN, card=second)).seats[BEN].placed == second
