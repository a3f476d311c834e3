"""Luck and skill in figures: by hand, and that they make up the total of any game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from anything import seeds
from each import each
from felix_async.game.cards import START_MICE
from felix_async.game.figures import KINDS, Kind, figures
from felix_async.game.story import Story
from game.retold import a_round, blinded, retold
from games import a_game_played, a_running_game
from golden.make_golden import FOLDER, kept_game
from table import ANNA, BEN, CARA, DAN

KEPT = sorted(FOLDER.glob("*-players-*.jsonl"))


def of(story: Story, kind: Kind) -> dict[int, int]:
    """One of the figures, by seat."""
    return dict(next(figure.values for figure in figures(story) if figure.kind == kind))


def test_passing_brings_the_mice_of_the_mouse_cards() -> None:
    first, second = a_round("A:3 B:5 C:0 D:0", "A1 B- C- D-"), a_round("A:3 B:5 C:0 D:0", "A- B1 C- D-")
    assert of(retold(first, second), "passing") == {ANNA: 2, BEN: 2, CARA: 8, DAN: 12}


def test_a_sack_whose_cards_were_all_open_is_bought_without_a_surprise() -> None:
    # All have passed when Dan buys 20 points for a mouse.
    story = retold(a_round("A:15 B:5 C:0 D:0", "A- B- C- D1"))
    assert of(story, "buying") == {ANNA: 0, BEN: 0, CARA: 0, DAN: 19}
    assert of(story, "surprises") == {ANNA: 0, BEN: 0, CARA: 0, DAN: 0}


def test_what_a_hidden_card_brings_beyond_the_average_is_a_surprise() -> None:
    # Anna bids when she sees 5, 5 and 5. The last card counts 2.9, and 1 in 5 is a dog that takes a 5.
    story = retold(a_round("B:5 C:5 A:5 D:-8", "B- C- A3 D-"))
    assert of(story, "buying")[ANNA] == 14  # 15 + 2.9 − 0.2 × 5 − 3 = 13.9
    assert of(story, "surprises")[ANNA] == 7 - 3 - 14


def test_the_buyers_own_card_is_known_to_the_buyer() -> None:
    # Dan's own 15 lies face down, and one card is hidden from him.
    story = retold(a_round("A:5 B:5 C:0 D:15", "A- D2 B- C-"))
    assert of(story, "buying")[DAN] == 24  # 25 + 2.9 − 0.1 × 15 − 0.1 × 5 − 2 = 23.9
    assert of(story, "surprises")[DAN] == 25 - 2 - 24


def test_own_cards_count_in_the_sacks_of_others_alone() -> None:
    story = retold(a_round("A:15 B:-8 C:3 D:large", "A1 B- C- D-"))
    # The dog took the 15: without it the sack is worth 10, with it −5.
    assert of(story, "cards") == {ANNA: 0, BEN: -8, CARA: 3, DAN: -15}


def test_an_unsold_sack_is_nobodys() -> None:
    story = retold(a_round("A:15 B:-8 C:3 D:large", "A- B- C- D-"))
    assert not any(any(figure.values.values()) for figure in figures(story) if figure.kind != "passing")


def test_without_a_result_there_are_no_figures() -> None:
    assert figures(Story.of(a_running_game().envelopes)) == []
    assert figures(retold(a_round("A:15 B:5 C:0 D:0", "A- B- C- D1"), phase="abandoned")) == []


def test_each_has_a_short_name_and_a_sentence_that_begins_with_it() -> None:
    told = figures(retold(a_round("A:15 B:5 C:0 D:0", "A- B- C- D1")))
    assert [figure.kind for figure in told] == list(KINDS)
    for figure in told:
        assert figure.explained.startswith(f"{figure.name}: ")


def assert_they_make_up_the_total(story: Story) -> None:
    for seat in story.game.players:
        score = story.game.scores[seat]
        assert score is not None
        parts = [of(story, kind)[seat] for kind in ("passing", "buying", "surprises")]
        assert START_MICE + sum(parts) == score.total


@each("path", KEPT)
def test_they_make_up_the_total_of_a_golden_game(path: Path) -> None:
    assert_they_make_up_the_total(Story.of(kept_game(path).envelopes))


@given(st.sampled_from([3, 4, 5]), seeds(40, few=4))
def test_they_make_up_the_total_of_any_game(seats: int, seed: int) -> None:
    assert_they_make_up_the_total(Story.of(a_game_played(seats, seed=str(seed)).envelopes))


@each("path", KEPT)
def test_they_need_nothing_that_a_spectator_could_not_see(path: Path) -> None:
    story = Story.of(kept_game(path).envelopes)
    assert figures(replace(story, steps=tuple(map(blinded, story.steps)))) == figures(story)
