"""Setup: invitations, start player, hands, mice, mouse cards, the dummy's pile."""

from __future__ import annotations

from itertools import permutations

import pytest

from felix_async.draw import Dice
from felix_async.game.commands import Decline
from felix_async.game.rules import Context
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    COMMITMENT,
    DAN,
    FULL_SET,
    GAME_ID,
    MOUSE_CARDS,
    PLAYERS,
    SEED,
    WORDS,
    all_shown,
    an_invitation,
    creation,
    for_both_rulesets,
    for_every_table,
    given,
    joining,
)


def started(seats: int, *, start: int | None = None, seed: bytes = SEED) -> list[m.Event]:
    """What the last player's JOIN sets off."""
    context = Context(Dice(GAME_ID, seed))
    waiting = an_invitation(seats, joined=range(seats - 1), start=start)
    return given(waiting).when(joining(seats - 1), context=context).happened


def hands(events: list[m.Event]) -> list[m.HandDealt]:
    return [event for event in events if isinstance(event, m.HandDealt)]


# ---- before the cards -------------------------------------------------------------------------------
@for_both_rulesets
def test_a_new_table_invites_every_seat(ruleset: m.Ruleset) -> None:
    given([]).when(creation(3, ruleset=ruleset)).then(
        m.GameCreated(
            ruleset=ruleset, seats=["anna", "ben", "cara"], options=m.Options(), commitment=COMMITMENT
        ),
        m.PlayerInvited(seat=ANNA),
        m.PlayerInvited(seat=BEN),
        m.PlayerInvited(seat=CARA),
    )


@for_every_table
def test_every_seat_is_asked_to_answer(seats: int) -> None:
    assert given([]).when(creation(seats)).game.asked == list(range(seats))


@pytest.mark.parametrize("players", [0, 1, 2, 6])
def test_felix_is_for_3_to_5_players(players: int) -> None:
    named = [*PLAYERS, "fritz"][:players]
    given([]).when(creation(players=named)).refused("table/size")


def test_nobody_sits_at_a_table_twice() -> None:
    given([]).when(creation(players=["anna", "ben", "anna"])).refused("table/player_twice")


@pytest.mark.parametrize("seats", [3, 4])
def test_the_start_player_named_by_the_host_sits_at_the_table(seats: int) -> None:
    given([]).when(creation(seats, start=seats)).refused("seat/unknown")


def test_who_has_joined_waits_for_the_others() -> None:
    given(an_invitation(4, joined=[ANNA])).when(joining(CARA)).then(
        m.PlayerJoined(seat=CARA, contribution=WORDS[CARA])
    )


def test_who_has_joined_is_not_asked_again() -> None:
    assert given(an_invitation(4, joined=[ANNA, CARA])).game.asked == [BEN, DAN]


@for_every_table
def test_one_invitation_declined_ends_the_game_and_shows_the_seed(seats: int) -> None:
    given(an_invitation(seats, joined=[ANNA])).when(Decline(seat=BEN)).then(
        m.PlayerDeclined(seat=BEN),
        m.GameAbandoned(reason="declined"),
        *all_shown(seats),
    )


def test_an_abandoned_game_is_over() -> None:
    game = given(an_invitation(3)).when(Decline(seat=ANNA)).game
    assert game.is_over


def test_nobody_is_asked_in_an_abandoned_game() -> None:
    assert given(an_invitation(3)).when(Decline(seat=ANNA)).game.asked == []


def test_an_abandoned_game_remembers_who_declined() -> None:
    game = given(an_invitation(3, joined=[BEN])).when(Decline(seat=CARA)).game
    assert [seat.answer for seat in game.seats] == ["invited", "joined", "declined"]


def test_nobody_joins_twice() -> None:
    given(an_invitation(4, joined=[ANNA])).when(joining(ANNA)).refused("seat/already_joined")


# ---- the last one joins -----------------------------------------------------------------------------
@for_every_table
def test_the_last_to_join_sets_off_the_deal_and_round_1(seats: int) -> None:
    dummy = ["dummy_dealt"] if seats == 3 else []
    assert [event.type for event in started(seats)] == [
        "player_joined",
        "game_started",
        *["hand_dealt"] * seats,
        *dummy,
        "round_started",
    ]


def test_the_order_of_joining_changes_nothing() -> None:
    deals = []
    for first, second, last in permutations([ANNA, BEN, CARA]):
        scene = given(an_invitation(3)).when(joining(first), joining(second), joining(last))
        deals.append(scene.happened[1:])
    assert deals == [deals[0]] * 6


@for_every_table
def test_hands_are_dealt_clockwise_from_seat_0(seats: int) -> None:
    assert [hand.seat for hand in hands(started(seats))] == list(range(seats))


@for_every_table
def test_each_seat_has_nine_cards_of_a_full_set_and_the_tenth_is_boxed(seats: int) -> None:
    for hand in hands(started(seats)):
        assert len(hand.cards) == 9
        assert sorted([*hand.cards, hand.boxed], key=FULL_SET.index) == list(FULL_SET)


def test_any_of_the_ten_cards_may_be_boxed() -> None:
    boxed = {hand.boxed for number in range(40) for hand in hands(started(3, seed=bytes([number]) * 32))}
    assert boxed == set(FULL_SET)


@for_every_table
def test_every_seat_begins_with_15_mice(seats: int) -> None:
    scene = given(an_invitation(seats, joined=range(seats - 1))).when(joining(seats - 1))
    assert [seat.mice for seat in scene.game.seats] == [15] * seats


@pytest.mark.parametrize(("seats", "bank"), [(3, 12), (4, 15), (5, 18)])
def test_the_mouse_cards_of_round_1_are_filled_out_of_the_bank(seats: int, bank: int) -> None:
    assert started(seats, start=ANNA)[-1] == m.RoundStarted(
        round=1, start_seat=ANNA, mice_on_cards=list(MOUSE_CARDS[seats]), bank=bank
    )


@for_every_table
def test_the_host_may_name_the_start_player(seats: int) -> None:
    assert started(seats, start=seats - 1)[1] == m.GameStarted(start_seat=seats - 1)


@for_every_table
def test_otherwise_any_seat_may_be_drawn_as_the_start_player(seats: int) -> None:
    drawn = {started(seats, seed=bytes([number]) * 32)[1] for number in range(40)}
    assert drawn == {m.GameStarted(start_seat=seat) for seat in range(seats)}


@for_every_table
def test_the_start_player_starts_round_1(seats: int) -> None:
    game_started, round_started = started(seats)[1], started(seats)[-1]
    assert isinstance(game_started, m.GameStarted)
    assert isinstance(round_started, m.RoundStarted)
    assert round_started.start_seat == game_started.start_seat


def test_with_3_players_a_shuffled_set_is_the_dummy_nine_in_the_pile_and_one_boxed() -> None:
    (dealt,) = [event for event in started(3) if isinstance(event, m.DummyDealt)]
    assert len(dealt.pile) == 9
    assert sorted([*dealt.pile, dealt.boxed], key=FULL_SET.index) == list(FULL_SET)


def test_the_dummy_is_shuffled_anew_for_every_game() -> None:
    piles = {
        tuple(event.pile)
        for number in range(10)
        for event in started(3, seed=bytes([number]) * 32)
        if isinstance(event, m.DummyDealt)
    }
    assert len(piles) == 10


@for_every_table
def test_what_was_dealt_is_secret(seats: int) -> None:
    dealt = [event for event in started(seats) if event.secret]
    assert {event.type for event in dealt} == {"hand_dealt"} | ({"dummy_dealt"} if seats == 3 else set())


@for_every_table
def test_after_the_deal_every_seat_is_asked_for_a_card(seats: int) -> None:
    scene = given(an_invitation(seats, joined=range(seats - 1))).when(joining(seats - 1))
    assert scene.game.asked == list(range(seats))


@for_every_table
def test_nobody_joins_or_declines_once_the_cards_are_dealt(seats: int) -> None:
    scene = given(an_invitation(seats, joined=range(seats - 1))).when(joining(seats - 1))
    scene.when(Decline(seat=ANNA)).refused("game/not_to_decline")
    scene.when(joining(ANNA)).refused("game/already_started")
