"""Playing by the clock: deadlines, the reserve, and what happens when time is up."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from felix_async.clock import later
from felix_async.game.commands import Bid, Command, Extend, Leave, Pass, Play, Restore, Return, Say, TimeOut
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    NOW,
    WORDS,
    a_game,
    a_hosted_invitation,
    an_invitation,
    creation,
    given,
    joining,
)

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
A_DAY = m.Terms(move=DAY)
BANKED = m.Terms(move=12 * HOUR, reserve=2 * DAY)
WORKDAYS = m.Terms(move=DAY, weekends=False, zone="Europe/Berlin")
FRIDAY = "2026-11-20T12:00:00.000000Z"
MONDAY = "2026-11-23T12:00:00.000000Z"


def after(seconds: int, start: str = NOW) -> str:
    """So long after the time at which the tables here begin."""
    return later(start, seconds)


def of_kind(events: list[m.Event], kind: type[m.Event]) -> list[m.Event]:
    return [event for event in events if isinstance(event, kind)]


def deadline_of(game: Game, seat: int) -> tuple[str, str] | None:
    """When the move time of a seat's decision ends, and when its reserve."""
    deadline = game.seats[seat].time.deadline
    return None if deadline is None else (deadline.reserve_from, deadline.at)


def time_out_of(game: Game, seat: int) -> TimeOut:
    """The time for the decision that this seat has before it is up."""
    return TimeOut(seat=seat, turn=game.seats[seat].turn)


BIDDING = given(a_game().by_the_clock(A_DAY).in_auction())
"""Anna is asked for a bid, within a day."""
SPENDING = given(a_game().by_the_clock(BANKED).in_auction())
"""Anna is asked, within twelve hours, and has two days in reserve."""


# ---- terms ------------------------------------------------------------------------------------------
def test_the_terms_are_told_when_the_table_is_opened() -> None:
    assert given([]).when(creation(clock=A_DAY)).happened[1] == m.ClockSet(terms=A_DAY)


def test_a_game_without_a_clock_has_no_deadlines() -> None:
    game = given(a_game().in_auction()).after(Bid(seat=ANNA, amount=1))
    assert [seat.time.deadline for seat in game.seats] == [None] * 4


@pytest.mark.parametrize(
    "terms",
    [
        {"move": 0},
        {"move": 59},
        {"move": -DAY},
        {"move": 10 * 366 * DAY},
        {"move": DAY, "reserve": -1},
        {"move": DAY, "away": 61 * DAY},
        {"move": DAY, "zone": ""},
        {"move": DAY, "zone": "../../etc/passwd"},
    ],
)
def test_terms_that_nobody_can_play_by_are_none(terms: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        m.Terms.model_validate(terms)


@pytest.mark.parametrize("zone", ["Europe/Entenhausen", "CET", "+25:00", "Berlin", "Europe"])
def test_a_zone_that_is_none_is_refused_by_its_name(zone: str) -> None:
    scene = given([]).when(creation(clock=m.Terms(move=DAY, zone=zone))).refused("clock/unknown_zone")
    assert zone in str(scene.answer)


@pytest.mark.parametrize("zone", ["UTC", "+00:00", "-03:30", "America/New_York"])
def test_a_place_and_an_offset_are_zones(zone: str) -> None:
    given([]).when(creation(clock=m.Terms(move=DAY, zone=zone))).then_first()


# ---- deadlines --------------------------------------------------------------------------------------
def test_everybody_has_the_move_time_for_the_first_card() -> None:
    invited = given([]).when(creation(3, clock=A_DAY)).happened
    started = given(invited).when(*[joining(seat) for seat in range(3)]).happened
    assert started[-3:] == [
        m.DeadlineSet(seat=seat, turn=1, reserve_from=after(DAY), at=after(DAY)) for seat in range(3)
    ]


def test_nobody_has_a_deadline_before_the_game_begins() -> None:
    invited = given([]).when(creation(3, clock=A_DAY), joining(ANNA)).game
    assert [seat.time.deadline for seat in invited.seats] == [None] * 3


def test_the_next_bidder_has_the_move_time_from_the_bid_on() -> None:
    BIDDING.at(after(HOUR)).when(Bid(seat=ANNA, amount=1)).then(
        m.BidPlaced(seat=ANNA, amount=1),
        m.DeadlineSet(seat=BEN, turn=2, reserve_from=after(25 * HOUR), at=after(25 * HOUR)),
    )


def test_who_has_moved_has_no_deadline() -> None:
    assert deadline_of(BIDDING.after(Bid(seat=ANNA, amount=1)), ANNA) is None


def test_a_card_that_is_exchanged_needs_no_new_deadline() -> None:
    placed = given(a_game().by_the_clock(A_DAY)).after(Play(seat=ANNA, card=3))
    given(placed).when(Play(seat=ANNA, card=5)).then(m.CardPlaced(seat=ANNA, card=5))


def test_words_move_no_deadline() -> None:
    assert BIDDING.at(after(HOUR)).when(Say(seat=ANNA, text_hash=WORDS[0])).kinds == ["player_said"]


def test_a_server_that_was_set_back_moves_no_deadline() -> None:
    assert BIDDING.at(after(HOUR)).when(Restore()).kinds == ["server_restored"]


def test_a_deadline_is_at_a_whole_minute_and_never_before_its_time() -> None:
    moved = BIDDING.at("2026-11-17T12:00:00.000001Z").after(Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == ("2026-11-18T12:01:00.000000Z",) * 2


def test_the_reserve_comes_after_the_move_time() -> None:
    moved = SPENDING.after(Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == (after(12 * HOUR), after(60 * HOUR))


def test_in_the_last_round_nobody_has_a_deadline_for_a_card() -> None:
    table = a_game().by_the_clock(A_DAY).in_round(8).in_auction()
    game = table.after(*[Pass(seat=seat) for seat in range(4)]).game
    assert (game.round, [seat for seat in range(4) if deadline_of(game, seat)]) == (9, [ANNA])


def test_a_game_that_has_ended_has_no_clock_left() -> None:
    last = given(a_game().by_the_clock(A_DAY).in_round(9)).after(*[Pass(seat=seat) for seat in range(3)])
    kinds = given(last).when(Pass(seat=DAN)).kinds
    assert kinds == ["player_passed", "sack_discarded", "game_ended", "seat_logs_closed", "seed_revealed"]


# ---- weekends ---------------------------------------------------------------------------------------
def test_a_weekend_that_does_not_count_stands_still() -> None:
    """From Friday noon to Monday noon is a day; in Berlin the weekend is an hour ahead of UTC."""
    moved = given(a_game().by_the_clock(WORKDAYS).in_auction()).at(FRIDAY).after(Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == (MONDAY, MONDAY)


def test_who_is_asked_at_the_weekend_has_the_whole_time_from_monday_on() -> None:
    saturday = "2026-11-21T18:30:00.000000Z"
    moved = given(a_game().by_the_clock(WORKDAYS).in_auction()).at(saturday).after(Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == ("2026-11-23T23:00:00.000000Z",) * 2


def test_a_deadline_never_lies_in_the_weekend() -> None:
    """Time that ends with Friday ends as Monday begins."""
    almost = "2026-11-19T22:59:59.500000Z"
    moved = given(a_game().by_the_clock(WORKDAYS).in_auction()).at(almost).after(Pass(seat=ANNA))
    assert deadline_of(moved, BEN) == ("2026-11-22T23:00:00.000000Z",) * 2


def test_a_reserve_does_not_run_at_the_weekend() -> None:
    terms = m.Terms(move=DAY, reserve=4 * DAY, weekends=False)
    late = given(a_game().by_the_clock(terms).in_auction()).at(FRIDAY).after(Pass(seat=ANNA))
    moved = given(late).at("2026-11-24T12:00:00.000000Z").when(Pass(seat=BEN))
    assert of_kind(moved.happened, m.ReserveSpent) == [m.ReserveSpent(seat=BEN, seconds=DAY, left=3 * DAY)]


# ---- the reserve ------------------------------------------------------------------------------------
def test_a_move_in_time_costs_no_reserve() -> None:
    assert "reserve_spent" not in SPENDING.at(after(12 * HOUR)).when(Pass(seat=ANNA)).kinds


def test_what_a_move_takes_beyond_its_time_comes_out_of_the_reserve() -> None:
    SPENDING.at(after(15 * HOUR)).when(Pass(seat=ANNA)).then_first(
        m.PlayerPassed(seat=ANNA, mice=2),
        m.CardsTurned(cards=[5]),
        m.ReserveSpent(seat=ANNA, seconds=3 * HOUR, left=45 * HOUR),
        m.DeadlineSet(seat=BEN, turn=2, reserve_from=after(27 * HOUR), at=after(75 * HOUR)),
    )


def test_less_than_a_second_is_nothing() -> None:
    assert "reserve_spent" not in SPENDING.at("2026-11-18T00:00:00.999999Z").when(Pass(seat=ANNA)).kinds


def test_a_reserve_is_smaller_at_the_next_decision() -> None:
    table = a_game().by_the_clock(BANKED).in_auction()
    table = table.after(Bid(seat=ANNA, amount=1), at=after(15 * HOUR))
    table = table.after(*[Bid(seat=seat, amount=seat + 1) for seat in (BEN, CARA, DAN)], at=after(16 * HOUR))
    assert deadline_of(table.game, ANNA) == (after(28 * HOUR), after(28 * HOUR + 45 * HOUR))
    spent = given(table).at(after(29 * HOUR)).when(Pass(seat=ANNA)).happened
    assert m.ReserveSpent(seat=ANNA, seconds=HOUR, left=44 * HOUR) in spent


def test_a_reserve_is_never_overdrawn_however_late_time_is_called() -> None:
    late = SPENDING.at(after(30 * DAY)).when(TimeOut(seat=ANNA, turn=2))
    assert m.ReserveSpent(seat=ANNA, seconds=2 * DAY, left=0) in late.happened
    assert late.game.seats[ANNA].time.reserve == 0


def test_a_reserve_that_is_used_up_is_not_spent_again() -> None:
    table = a_game().by_the_clock(BANKED).in_auction()
    table = table.after(TimeOut(seat=ANNA, turn=2), at=after(60 * HOUR))
    table = table.after(*[Pass(seat=seat) for seat in (BEN, CARA, DAN)], at=after(61 * HOUR))
    assert deadline_of(table.game, ANNA) == (after(73 * HOUR),) * 2
    again = given(table).at(after(73 * HOUR)).when(TimeOut(seat=ANNA, turn=3))
    assert of_kind(again.happened, m.ReserveSpent) == []


def test_the_reserve_runs_before_time_is_up() -> None:
    SPENDING.at(after(59 * HOUR)).when(TimeOut(seat=ANNA, turn=2)).refused("time/too_early")
    SPENDING.at(after(60 * HOUR)).when(TimeOut(seat=ANNA, turn=2)).then_first(
        m.TurnTimedOut(seat=ANNA, turn=2, in_a_row=1)
    )


def test_whoever_leaves_late_has_spent_the_reserve() -> None:
    left = SPENDING.at(after(13 * HOUR)).when(Leave(seat=ANNA, for_good=False))
    left.then(
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=False),
        m.ReserveSpent(seat=ANNA, seconds=HOUR, left=47 * HOUR),
    )


# ---- time is up -------------------------------------------------------------------------------------
def test_in_the_auction_a_time_out_is_a_pass() -> None:
    BIDDING.at(after(DAY)).when(TimeOut(seat=ANNA, turn=2)).then(
        m.TurnTimedOut(seat=ANNA, turn=2, in_a_row=1),
        m.PlayerPassed(seat=ANNA, mice=2),
        m.CardsTurned(cards=[5]),
        m.DeadlineSet(seat=BEN, turn=2, reserve_from=after(2 * DAY), at=after(2 * DAY)),
    )


def test_in_placement_a_time_out_draws_a_card_from_the_games_own_stream() -> None:
    placing = given(a_game().by_the_clock(A_DAY))
    outcome = placing.at(after(DAY)).when(TimeOut(seat=BEN, turn=1))
    hand = placing.game.seats[BEN].hand
    (placed,) = of_kind(outcome.happened, m.CardPlaced)
    assert isinstance(placed, m.CardPlaced)
    assert placed.card in hand
    assert outcome.happened == placing.at(after(5 * DAY)).when(TimeOut(seat=BEN, turn=1)).happened


def test_who_was_placed_for_may_still_exchange_the_card_and_has_missed_nothing_then() -> None:
    placed = given(a_game().by_the_clock(A_DAY)).at(after(DAY)).after(TimeOut(seat=BEN, turn=1))
    assert placed.seats[BEN].time.missed == 1
    other = placed.seats[BEN].hand[0]
    assert given(placed).after(Play(seat=BEN, card=other)).seats[BEN].time.missed == 0


def test_the_card_of_the_last_to_place_completes_the_row() -> None:
    table = a_game().by_the_clock(A_DAY).after(*[Play(seat=seat, card=3) for seat in (BEN, CARA, DAN)])
    outcome = given(table).at(after(DAY)).when(TimeOut(seat=ANNA, turn=1))
    assert outcome.kinds == ["turn_timed_out", "card_placed", "cards_turned", "deadline_set"]


def test_a_pass_of_the_last_bidder_by_time_discards_the_sack() -> None:
    table = a_game().by_the_clock(A_DAY).in_auction().after(*[Pass(seat=seat) for seat in (ANNA, BEN, CARA)])
    outcome = given(table).at(after(DAY)).when(TimeOut(seat=DAN, turn=2))
    assert outcome.happened[:3] == [
        m.TurnTimedOut(seat=DAN, turn=2, in_a_row=1),
        m.PlayerPassed(seat=DAN, mice=0),
        m.SackDiscarded(),
    ]


def test_a_pass_by_time_may_end_the_game() -> None:
    table = a_game().by_the_clock(A_DAY).in_round(9).after(*[Pass(seat=seat) for seat in range(3)])
    outcome = given(table).at(after(DAY)).when(time_out_of(table.game, DAN))
    assert of_kind(outcome.happened, m.GameEnded)


def test_after_two_in_a_row_the_computer_plays_on() -> None:
    once = (
        given(a_game().by_the_clock(A_DAY))
        .at(after(DAY))
        .after(*[TimeOut(seat=seat, turn=1) for seat in range(4)])
    )
    given(once).at(after(2 * DAY)).when(TimeOut(seat=ANNA, turn=2)).then_first(
        m.TurnTimedOut(seat=ANNA, turn=2, in_a_row=2),
        m.SeatHandedOver(seat=ANNA, to="computer", for_good=False),
        m.PlayerPassed(seat=ANNA, mice=2),
    )


def test_an_own_move_between_makes_it_one_again() -> None:
    table = a_game().by_the_clock(A_DAY)
    table = table.after(*[TimeOut(seat=seat, turn=1) for seat in range(4)], at=after(DAY))
    table = table.after(*[Bid(seat=seat, amount=seat + 1) for seat in range(4)], at=after(DAY))
    outcome = given(table).at(after(2 * DAY)).when(TimeOut(seat=ANNA, turn=3))
    assert outcome.happened[0] == m.TurnTimedOut(seat=ANNA, turn=3, in_a_row=1)


def test_words_between_make_no_difference() -> None:
    once = (
        given(a_game().by_the_clock(A_DAY))
        .at(after(DAY))
        .after(*[TimeOut(seat=seat, turn=1) for seat in range(4)], Say(seat=ANNA, text_hash=WORDS[0]))
    )
    assert once.seats[ANNA].time.missed == 1


def test_the_last_card_that_the_rules_place_is_no_own_move() -> None:
    table = a_game().by_the_clock(A_DAY).in_round(8).in_auction()
    for seat in range(4):
        table = table.after(time_out_of(table.game, seat), at=after((seat + 1) * DAY))
    assert table.game.round == 9
    assert [seat.time.missed for seat in table.game.seats] == [1] * 4


def test_hosting_goes_to_somebody_at_the_table_when_the_host_is_out_of_time() -> None:
    started = [*a_hosted_invitation(3)]
    started.insert(2, m.ClockSet(terms=A_DAY))
    table = given(started).after(*[joining(seat) for seat in range(3)])
    once = given(table).at(after(DAY)).after(*[TimeOut(seat=seat, turn=1) for seat in range(3)])
    start = once.to_move
    assert start is not None
    order = [(start + step) % 3 for step in range(3)]
    game = once
    for seat in order:
        if seat == ANNA:
            break
        game = given(game).at(after(DAY)).after(Pass(seat=seat))
    twice = given(game).at(after(3 * DAY)).when(TimeOut(seat=ANNA, turn=2))
    assert of_kind(twice.happened, m.HostNamed) == [m.HostNamed(seat=BEN)]


def test_a_seat_that_the_computer_plays_for_has_no_deadline() -> None:
    left = BIDDING.after(Leave(seat=BEN, for_good=False))
    assert given(left).when(Pass(seat=ANNA)).kinds == ["player_passed", "cards_turned"]


def test_whoever_comes_back_has_the_whole_move_time_and_has_missed_nothing() -> None:
    left = BIDDING.after(Leave(seat=ANNA, for_good=False))
    given(left).at(after(HOUR)).when(Return(seat=ANNA)).then(
        m.SeatHandedOver(seat=ANNA, to="player", for_good=False),
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(25 * HOUR), at=after(25 * HOUR)),
    )


def test_a_last_bidder_who_is_asked_anew_at_once_has_a_new_deadline() -> None:
    table = a_game().by_the_clock(A_DAY).in_auction().after(*[Pass(seat=seat) for seat in (ANNA, BEN, CARA)])
    sold = given(table).at(after(HOUR)).when(Bid(seat=DAN, amount=1))
    assert of_kind(sold.happened, m.RoundStarted)
    assert (
        m.DeadlineSet(seat=DAN, turn=3, reserve_from=after(25 * HOUR), at=after(25 * HOUR)) in sold.happened
    )


BAD_TIMING: list[tuple[str, Command, str]] = [
    ("too early by an instant", TimeOut(seat=ANNA, turn=2), "time/too_early"),
    ("of an earlier decision", TimeOut(seat=ANNA, turn=1), "time/no_deadline"),
    ("of a seat that is not asked", TimeOut(seat=BEN, turn=1), "time/no_deadline"),
    ("of no seat", TimeOut(seat=4, turn=1), "seat/unknown"),
    ("an extension of another decision", Extend(seat=ANNA, turn=3, seconds=60), "time/no_deadline"),
]


@pytest.mark.parametrize(
    ("command", "code"), [row[1:] for row in BAD_TIMING], ids=[row[0] for row in BAD_TIMING]
)
def test_time_is_called_when_it_is_up_and_for_nobody_else(command: Command, code: str) -> None:
    BIDDING.at("2026-11-18T11:59:59.999999Z").when(command).refused(code)


def test_a_time_out_happens_once() -> None:
    out = BIDDING.at(after(DAY)).after(TimeOut(seat=ANNA, turn=2))
    given(out).at(after(DAY)).when(TimeOut(seat=ANNA, turn=2)).refused("time/no_deadline")


def test_no_time_is_up_before_the_game() -> None:
    given(an_invitation()).when(TimeOut(seat=ANNA, turn=1)).refused("time/no_deadline")


# ---- a deadline moves -------------------------------------------------------------------------------
def test_an_outage_makes_a_deadline_later() -> None:
    SPENDING.at(after(HOUR)).when(Extend(seat=ANNA, turn=2, seconds=3 * HOUR)).then(
        m.DeadlineSet(seat=ANNA, turn=2, reserve_from=after(15 * HOUR), at=after(63 * HOUR))
    )


def test_an_outage_of_nothing_changes_nothing() -> None:
    SPENDING.when(Extend(seat=ANNA, turn=2, seconds=0)).nothing_happens()


def test_a_deadline_that_moves_leaves_out_the_weekend() -> None:
    moved = given(a_game().by_the_clock(WORKDAYS).in_auction()).at(FRIDAY).after(Pass(seat=ANNA))
    later_ = given(moved).at(FRIDAY).after(Extend(seat=BEN, turn=2, seconds=5 * DAY))
    assert deadline_of(later_, BEN) == ("2026-11-30T12:00:00.000000Z",) * 2


def test_the_reserve_that_ran_during_an_outage_is_given_back() -> None:
    moved = SPENDING.at(after(14 * HOUR)).after(Extend(seat=ANNA, turn=2, seconds=HOUR))
    spent = given(moved).at(after(14 * HOUR)).when(Pass(seat=ANNA)).happened
    assert of_kind(spent, m.ReserveSpent) == [m.ReserveSpent(seat=ANNA, seconds=HOUR, left=47 * HOUR)]


def test_the_log_says_all_that_the_state_knows_of_the_clock() -> None:
    table = a_game().by_the_clock(BANKED).in_auction().after(TimeOut(seat=ANNA, turn=2), at=after(60 * HOUR))
    assert fold(table.events) == table.game
