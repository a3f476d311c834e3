"""Computer players: always legal, from the view alone, and the sensible one is worth its name."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import product

import pytest

from each import each, one_in
from felix_async.draw import Dice, Stream, commit
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Bid, Create, Move, Pass, Play
from felix_async.game.folding import fold
from felix_async.game.players import ComputerPlayer, random_player, share_player, sharing
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.scoring import open_sack
from felix_async.game.sensible import expected_worth, sensible_player
from felix_async.game.state import Game, initial_state
from felix_async.game.views import View, view
from felix_events.model import Card, Options, Reason, Ruleset
from games import RULESETS, a_game_played, joining
from table import ANNA, BEN, CARA, DAN, Table, a_game

DOG_AND_DOG: list[Card] = ["large_dog", "small_dog", 5]
KINDS = [random_player, sensible_player, share_player]


def numbers() -> Stream:
    return Stream(bytes(32), "players")


def order_of(table: Table, kind: ComputerPlayer, seat: int) -> Move:
    return orders_of(table, kind, seat, 1)[0]


def orders_of(table: Table, kind: ComputerPlayer, seat: int, times: int) -> list[Move]:
    """What it does at the same table, again and again."""
    stream = numbers()
    return [kind(view(table.game, seat), seat, stream).move for _ in range(times)]


def play_through(seats: int, ruleset: Ruleset, kinds: Sequence[ComputerPlayer], number: int) -> Game:
    """A game without a service or a store; every order is one of the choices, and the rules allow it."""
    seed = sha256(f"{number}/{seats}/{ruleset}".encode()).digest()
    context = Context(Dice("k7m2p", seed))
    names = [f"p{seat}" for seat in range(seats)]
    create = Create(ruleset=ruleset, seats=names, options=Options(), commitment=commit("k7m2p", seed))
    game = follow(initial_state(), decide(create, initial_state(), context))
    for seat in range(seats):
        game = follow(game, decide(joining(seat), game, context))
    stream = Stream(seed, "players")
    while not game.is_over:
        seat = game.asked[-1]
        order = kinds[seat](view(game, seat), seat, stream).move
        assert is_a_choice(order, view(game, seat), seat)
        game = follow(game, decide(order, game, context))
    return game


def follow(game: Game, decided: object) -> Game:
    assert not isinstance(decided, Refusal), decided
    assert isinstance(decided, list)
    return fold(decided, game)


def is_a_choice(order: Move, table: View, seat: int) -> bool:
    choices = table.own[seat].choices
    match order:
        case Play():
            return order.seat == seat and order.card in choices.plays
        case Bid():
            return (
                order.seat == seat
                and choices.bids is not None
                and choices.bids[0] <= order.amount <= choices.bids[1]
            )
        case Pass():
            return order.seat == seat and choices.may_pass


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "ruleset", "kind"), one_in(4, product([3, 4, 5], RULESETS, KINDS)))
def test_a_computer_player_chooses_what_it_may_do(seats: int, ruleset: Ruleset, kind: ComputerPlayer) -> None:
    for number in range(15):
        assert play_through(seats, ruleset, [kind] * seats, number).phase == "ended"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_view_and_the_same_numbers_give_the_same_order(kind: ComputerPlayer) -> None:
    played = a_game_played(4)
    for version in range(played.size):
        game = played.game(version)
        for seat in game.asked if game.phase != "inviting" else []:
            orders = [kind(view(game, seat), seat, Stream(bytes(32), str(version))) for _ in range(2)]
            assert orders[0] == orders[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_computer_player_leaves_the_view_as_it_is(kind: ComputerPlayer) -> None:
    played = a_game_played(3)
    for version in played.step_ends()[4:-1]:
        game = played.game(version)
        for seat in game.asked:
            table = view(game, seat)
            kind(table, seat, numbers())
            assert table == view(game, seat)


def test_another_hand_of_another_seat_gives_the_same_order() -> None:
    """A view does not hold it, so an order cannot follow from it."""
    for hidden in (15, -8):
        table = a_game().with_row(3, 5, 8, hidden)
        order = sensible_player(view(table.game, ANNA), ANNA, Stream(bytes(32), "one")).move
        assert order == Bid(seat=ANNA, amount=1)


# ---- what they do -----------------------------------------------------------------------------------
def test_the_random_player_does_everything_that_it_may() -> None:
    """Of a poor choice it takes each in turn: cards, small raises, and passing."""
    bids = {str(order) for order in orders_of(a_game().in_auction(), random_player, ANNA, 60)}
    assert bids == {"seat=0", *(f"seat=0 amount={amount}" for amount in (1, 2, 3, 4))}
    plays = {str(order) for order in orders_of(a_game(), random_player, ANNA, 200)}
    assert len(plays) == 9


@pytest.mark.parametrize("kind", KINDS)
def test_who_has_too_few_mice_passes(kind: ComputerPlayer) -> None:
    table = a_game().asking_all().with_mice({BEN: 5}).in_auction(top_bid=5, by=ANNA)
    assert order_of(table, kind, BEN) == Pass(seat=BEN)


def test_the_sensible_player_bids_one_more_while_the_sack_looks_worth_it() -> None:
    table = a_game().with_row(15, 3, 3, 3).in_auction(top_bid=5, by=ANNA)
    assert order_of(table, sensible_player, BEN) == Bid(seat=BEN, amount=6)


def test_the_sensible_player_passes_when_the_sack_is_not_worth_its_price() -> None:
    table = a_game().with_row(-8, 3, 3, 3).in_auction()
    assert order_of(table, sensible_player, ANNA) == Pass(seat=ANNA)


def test_the_sensible_player_counts_its_own_card_that_still_lies_face_down() -> None:
    good = a_game().with_row(3, 15, 3, 3).in_auction(top_bid=7, by=ANNA)
    bad = a_game().with_row(3, -8, 3, 3).in_auction(top_bid=7, by=ANNA)
    assert order_of(good, sensible_player, BEN) == Bid(seat=BEN, amount=8)
    assert order_of(bad, sensible_player, BEN) == Pass(seat=BEN)


def test_the_sensible_player_counts_what_the_dog_will_do() -> None:
    """A large dog beside the 15 drives it away."""
    chased = a_game().with_row("large_dog", 15, 3, 3).in_auction(top_bid=8, by=ANNA)
    kept = a_game().with_row("small_dog", 15, 3, 3).in_auction(top_bid=8, by=ANNA)
    assert order_of(chased, sensible_player, BEN) == Pass(seat=BEN)
    assert order_of(kept, sensible_player, BEN) == Bid(seat=BEN, amount=9)


def test_the_sensible_player_wants_more_than_the_next_mouse_card() -> None:
    """The same sack is bought where passing earns nothing."""
    table = a_game().with_row(3, 3, 3, 3)
    filled = table.in_auction(top_bid=7, by=ANNA)
    unfilled = table.with_empty_mouse_cards().in_auction(top_bid=7, by=ANNA)
    assert order_of(filled, sensible_player, BEN) == Pass(seat=BEN)
    assert order_of(unfilled, sensible_player, BEN) == Bid(seat=BEN, amount=8)


def test_the_sensible_player_expects_nothing_of_a_mouse_card_when_all_are_taken() -> None:
    table = a_game().with_row(3, 3, 3, 3).in_auction()
    last = table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    assert order_of(last, sensible_player, DAN) == Bid(seat=DAN, amount=1)


@pytest.mark.parametrize(
    ("start", "usual", "rare"), [(BEN, (-8, "large_dog"), "small_dog"), (ANNA, (3, 5), 0)]
)
def test_the_sensible_player_hides_what_misleads_and_shows_what_does_not_matter(
    start: int, usual: tuple[Card, ...], rare: Card
) -> None:
    """And nobody can be sure of it."""
    hand: list[Card] = [-8, -5, 0, 3, 5, 8, 11, "large_dog", "small_dog"]
    table = a_game(start=start).with_hands({ANNA: hand})
    cards = [order.card for order in orders_of(table, sensible_player, ANNA, 200) if isinstance(order, Play)]
    assert sum(card in usual for card in cards) > 100
    assert rare not in cards
    assert len(set(cards)) > 2


def test_the_sensible_player_buys_for_one_mouse_what_nobody_wants_and_is_worth_more() -> None:
    rows: list[tuple[list[Card], Move]] = [
        ([0, 0, 0, 3], Bid(seat=DAN, amount=1)),
        ([0, 0, 3, -5], Pass(seat=DAN)),
    ]
    for row, move in rows:
        table = a_game().with_row(*row).in_auction()
        last = table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
        assert order_of(last, sensible_player, DAN) == move


@each("ruleset", RULESETS)
@each("hidden", [0, 1, 2, 3])
@each("known", [[15], [3, "large_dog"], [-8, -5], ["small_dog", 8], DOG_AND_DOG, []])
def test_what_a_sack_is_expected_to_be_worth_is_the_mean_over_all_that_may_lie_there(
    known: list[Card], hidden: int, ruleset: Ruleset
) -> None:
    rows = list(product(PET_CARDS, repeat=hidden))
    mean = sum(open_sack([*known, *rest], ruleset).worth for rest in rows) / len(rows)
    assert expected_worth(known, hidden, ruleset) == pytest.approx(mean)


# ---- reasons ----------------------------------------------------------------------------------------
def test_the_reasons_of_a_bid_add_up() -> None:
    table = a_game().with_row(15, 3, 3, 3).in_auction(top_bid=5, by=ANNA)
    decision = sensible_player(view(table.game, BEN), BEN, numbers())
    why = {reason.what: reason.value for reason in decision.reasons}
    assert decision.move == Bid(seat=BEN, amount=6)
    assert (why["open_cards_worth"], why["own_card"], why["hidden_cards"]) == (15, 3, 2)
    assert (why["passing_pays"], why["must_bid"]) == (2, 6)
    parts = [why[what] for what in ("sack_expected", "passing_pays", "kept_for_risk", "bids_up_to")]
    expected, pays, kept, limit = (part for part in parts if isinstance(part, int))
    assert expected - pays - kept == limit >= 6


def test_the_reasons_of_a_card_say_what_chance_added() -> None:
    decision = sensible_player(view(a_game().game, BEN), BEN, numbers())
    whats = [reason.what for reason in decision.reasons]
    assert whats == ["card_stays_hidden", "card_wish", "chance_added", "next_best"]
    wish, chance, other = (reason.value for reason in decision.reasons[1:])
    assert isinstance(wish, int)
    assert isinstance(chance, int)
    assert isinstance(other, int)
    assert wish + chance >= other


def test_the_random_player_says_that_it_was_chance() -> None:
    decision = random_player(view(a_game().game, ANNA), ANNA, numbers())
    assert [reason.what for reason in decision.reasons] == ["drawn_by_chance"]


def test_the_share_player_bids_up_to_its_share_of_the_open_cats() -> None:
    """60 per cent of 11 are 6."""
    table = a_game().with_row(11, 15, 15, 15)
    at_five, at_six = (table.in_auction(top_bid=bid, by=ANNA) for bid in (5, 6))
    assert order_of(at_five, share_player, BEN) == Bid(seat=BEN, amount=6)
    assert order_of(at_six, share_player, BEN) == Pass(seat=BEN)
    assert order_of(at_six, sharing(70), BEN) == Bid(seat=BEN, amount=7)


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_are_what_a_log_can_hold(kind: ComputerPlayer) -> None:
    for seats in (3, 4, 5):
        played = a_game_played(seats)
        for version in played.step_ends()[seats:-1:3]:
            game = played.game(version)
            for seat in game.asked[:1]:
                reasons = kind(view(game, seat), seat, numbers()).reasons
                assert reasons
                assert [Reason.model_validate(reason.model_dump()) for reason in reasons] == list(reasons)


# ---- strength ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("others", "wins"), [(random_player, 150), (sharing(40), 110), (share_player, 90), (sharing(80), 90)]
)
@pytest.mark.slow
def test_one_sensible_player_beats_three_others(others: ComputerPlayer, wins: int) -> None:
    """Of 200 games a quarter, 50, would be chance."""
    won = 0
    for number in range(200):
        kinds: list[ComputerPlayer] = [others] * 4
        kinds[number % 4] = sensible_player
        game = play_through(4, RULESETS[number % 2], kinds, number)
        won += number % 4 in game.winners
    assert won >= wins
