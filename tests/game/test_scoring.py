"""What a sack is worth, what a dog chases, and who wins."""

from __future__ import annotations

import pytest

from felix_async.game.scoring import DEFAULT_RULESET, chased_cat, open_sack, ranked, score, winners
from felix_events.model import Card, Ruleset, Score
from table import for_both_rulesets

Case = tuple[list[Card], Card | None, int]

ALIKE: list[Case] = [
    ([11, -5, 0, "small_dog"], -5, 11),
    ([11, -5, 0, "large_dog"], 11, -5),
    (["large_dog", "small_dog", 15, -8], None, 7),
    (["large_dog", "large_dog", 3, 5], None, 8),
    (["small_dog", 3, 8, 15], 3, 23),
    (["small_dog", -5, -8, 11], -8, 6),
    (["large_dog", 0, 0, 0], None, 0),
    ([15, 15, "large_dog", -8], 15, 7),
    (["small_dog", 0, 0, 0], None, 0),
    (["small_dog", -8, -8, 5], -8, -3),
    (["large_dog", "small_dog", 15, -5], None, 10),
    (["small_dog", 8, 3, 0], 3, 8),
    ([15, 11, "large_dog", -8, -5], 15, -2),
]
"""Rows in which both rulesets agree: row, the cat that is chased, the worth of the sack."""

APART: list[tuple[list[Card], Ruleset, Card, int]] = [
    (["large_dog", -5, -8, 0], "felicity-2017", -5, -8),
    (["large_dog", -5, -8, 0], "felix-2007", -8, -5),
    ([-8, -8, -5, "large_dog"], "felicity-2017", -5, -16),
    ([-8, -8, -5, "large_dog"], "felix-2007", -8, -13),
]
"""A large dog and no positive cat: the one point in which the editions differ."""


@for_both_rulesets
@pytest.mark.parametrize(("row", "chased", "worth"), ALIKE)
def test_worked_case(row: list[Card], chased: Card | None, worth: int, ruleset: Ruleset) -> None:
    sack = open_sack(row, ruleset)
    assert (sack.chased, sack.worth) == (chased, worth)


@pytest.mark.parametrize(("row", "ruleset", "chased", "worth"), APART)
def test_worked_case_of_one_ruleset(row: list[Card], ruleset: Ruleset, chased: Card, worth: int) -> None:
    sack = open_sack(row, ruleset)
    assert (sack.chased, sack.worth) == (chased, worth)


def test_the_edition_of_2017_is_the_default() -> None:
    assert DEFAULT_RULESET == "felicity-2017"


@for_both_rulesets
def test_a_sack_without_a_dog_is_kept_whole(ruleset: Ruleset) -> None:
    assert open_sack([11, -8, 0, 5], ruleset).prize == [11, -8, 0, 5]


@for_both_rulesets
def test_the_dog_and_its_cat_leave_the_sack(ruleset: Ruleset) -> None:
    assert open_sack([11, -5, 0, "small_dog"], ruleset).prize == [11, 0]


@for_both_rulesets
@pytest.mark.parametrize(
    "row",
    [
        ["large_dog", "large_dog", 3, -8],
        ["small_dog", 3, "small_dog", -8],
        ["large_dog", 3, -8, "small_dog"],
        ["small_dog", "large_dog", "small_dog", 3, -8],
    ],
)
def test_two_or_more_dogs_of_whatever_size_chase_nothing_and_leave(row: list[Card], ruleset: Ruleset) -> None:
    sack = open_sack(row, ruleset)
    assert (sack.chased, sack.prize) == (None, [3, -8])


@for_both_rulesets
@pytest.mark.parametrize("dog", ["large_dog", "small_dog"])
def test_a_dog_alone_with_rabbits_leaves_alone(dog: Card, ruleset: Ruleset) -> None:
    assert open_sack([0, dog, 0, 0], ruleset).prize == [0, 0, 0]


@for_both_rulesets
def test_of_equal_cats_the_leftmost_is_chased(ruleset: Ruleset) -> None:
    assert open_sack([15, 3, 15, "large_dog"], ruleset).prize == [3, 15]


@for_both_rulesets
@pytest.mark.parametrize(
    ("dog", "row", "chased"),
    [
        ("large_dog", [3, 11, -8], 11),
        ("large_dog", [3, 0, -8], 3),
        ("small_dog", [-5, -8, 15], -8),
        ("small_dog", [-5, 15, 3], -5),
        ("small_dog", [15, 5, 11], 5),
    ],
)
def test_which_cat_a_dog_chases(dog: Card, row: list[Card], chased: Card, ruleset: Ruleset) -> None:
    assert chased_cat(dog, row, ruleset) == chased


@for_both_rulesets
def test_the_rabbit_is_no_cat_for_a_dog(ruleset: Ruleset) -> None:
    assert chased_cat("small_dog", [0, 15], ruleset) == 15


def test_a_score_is_cats_won_and_mice_owned() -> None:
    assert score([15, -8, 3], 4) == Score(cats=10, mice=4, total=14)


def test_rabbits_count_nothing_in_a_score() -> None:
    assert score([0, 0, 5], 0) == Score(cats=5, mice=0, total=5)


def test_cats_below_zero_count_against_the_mice() -> None:
    assert score([-8, -5], 6) == Score(cats=-13, mice=6, total=-7)


@pytest.mark.parametrize(
    ("cats_and_mice", "best"),
    [
        ([(10, 5), (3, 3), (0, 9)], [0]),
        ([(3, 3), (0, 9), (-5, 20)], [2]),
        ([(10, 5), (12, 3), (0, 14)], [1]),
        ([(0, 15), (-2, 17), (7, 8), (3, 12)], [2]),
        ([(10, 5), (10, 5), (12, 0)], [0, 1]),
        ([(-8, 1), (-8, 1), (-8, 1)], [0, 1, 2]),
        ([(0, 15), (4, 11), (1, 13), (4, 11), (3, 12)], [1, 3]),
    ],
    ids=[
        "the highest total wins",
        "mice alone can win",
        "a tie goes to the higher cat total",
        "of three tied, the highest cat total",
        "still tied, the win is shared",
        "all share",
        "two of four tied share",
    ],
)
def test_winners(cats_and_mice: list[tuple[int, int]], best: list[int]) -> None:
    scores = [Score(cats=cats, mice=mice, total=cats + mice) for cats, mice in cats_and_mice]
    assert winners(scores) == best
    assert list(ranked(scores))[: len(best)] == best


def test_who_played_is_ranked_by_total_then_by_cats_then_by_seat() -> None:
    scores = [score([5], 5), None, score([3], 9), score([8], 4), score([8], 4)]
    assert list(ranked(scores)) == [3, 4, 2, 0]
