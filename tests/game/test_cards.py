"""The material: pet cards, mouse cards, the bank, and how a card is written."""

from __future__ import annotations

import pytest

from felix_async.game.cards import (
    DOGS,
    MATERIAL,
    PET_CARDS,
    RABBIT,
    ROUNDS,
    START_MICE,
    card_text,
    card_word,
    cat_points,
    in_order,
    is_cat,
)
from felix_events.model import Card
from table import ALL_MICE, a_game, for_every_table


def test_a_set_holds_ten_pet_cards() -> None:
    assert PET_CARDS == (-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog")


@pytest.mark.parametrize("card", [-8, -5, 3, 5, 8, 11, 15])
def test_a_number_other_than_0_is_a_cat(card: Card) -> None:
    assert is_cat(card)


@pytest.mark.parametrize("card", [RABBIT, *sorted(DOGS, key=str)])
def test_the_rabbit_and_the_dogs_are_no_cats(card: Card) -> None:
    assert not is_cat(card)


@pytest.mark.parametrize(
    ("players", "mouse_cards", "bank"),
    [(3, (3, 6), 21), (4, (2, 4, 6), 27), (5, (2, 3, 4, 6), 33)],
)
def test_the_material_depends_on_the_players(players: int, mouse_cards: tuple[int, ...], bank: int) -> None:
    assert (MATERIAL[players].mouse_cards, MATERIAL[players].bank) == (mouse_cards, bank)


@pytest.mark.parametrize(("players", "filling"), [(3, 9), (4, 12), (5, 15)])
def test_filling_takes_the_mice_of_all_mouse_cards(players: int, filling: int) -> None:
    assert MATERIAL[players].filling == filling


@for_every_table
def test_purses_and_bank_hold_all_mice_of_a_game(seats: int) -> None:
    assert seats * START_MICE + MATERIAL[seats].bank == ALL_MICE[seats]


@pytest.mark.parametrize(("seats", "cards"), [(3, 4), (4, 4), (5, 5)])
def test_the_row_has_four_cards_and_with_5_players_five(seats: int, cards: int) -> None:
    assert a_game(seats=seats).game.row_size == cards


def test_a_game_has_nine_rounds() -> None:
    assert ROUNDS == 9


def test_cats_count_their_points_and_nothing_else_counts() -> None:
    assert cat_points([15, -8, 0, "large_dog", "small_dog", -5, 3]) == 5


def test_no_cards_count_nothing() -> None:
    assert cat_points([]) == 0


def test_a_hand_is_shown_from_minus_8_to_15_and_then_the_dogs() -> None:
    assert in_order(["small_dog", 15, 0, "large_dog", -8, 5]) == [-8, 0, 5, 15, "large_dog", "small_dog"]


@pytest.mark.parametrize(
    ("card", "text"),
    [
        (-8, "\N{MINUS SIGN}8"),
        (-5, "\N{MINUS SIGN}5"),
        (0, "rabbit"),
        (3, "3"),
        (15, "15"),
        ("large_dog", "large dog"),
        ("small_dog", "small dog"),
    ],
)
def test_a_card_is_read_with_a_true_minus_sign(card: Card, text: str) -> None:
    assert card_text(card) == text


@pytest.mark.parametrize(
    ("card", "word"), [(-8, "-8"), (0, "rabbit"), (11, "11"), ("large_dog", "large dog")]
)
def test_a_card_is_typed_in_plain_ascii(card: Card, word: str) -> None:
    assert card_word(card) == word


def test_no_two_cards_are_written_alike() -> None:
    assert len({card_word(card) for card in PET_CARDS}) == len(PET_CARDS)
