"""Whatever is written at a table, at any time: the answer holds links, and each of them does what it says."""

from __future__ import annotations

from functools import cache

import pytest

from each import one_in
from notifiers.wandering import Written, a_life

FEW = [str(seed) for seed in range(6)]
MANY = [str(seed) for seed in range(100, 160)]


@cache
def written(seed: str, steps: int = 40) -> tuple[Written, ...]:
    return tuple(a_life(seed, steps))


def failures(life: tuple[Written, ...]) -> list[tuple[str, tuple[str, str, str]]]:
    """The links that came to nothing, each below the line that it was to help."""
    return [(one.line, tap) for one in life for tap in one.taps if tap[1] != "done"]


def asks_in_vain(one: Written) -> bool:
    """Return True if a mail asks, and holds no YES to tap or to type."""
    text = " ".join(one.reply.text.split())
    has_yes = "YES" in [words for words, _, _ in one.taps] and "\n  YES\n" in one.reply.text
    return "Did you mean" in text and not has_yes


@pytest.mark.slow
@pytest.mark.parametrize("seed", one_in(6, FEW))
def test_every_link_of_every_answer_is_done(seed: str) -> None:
    assert failures(written(seed)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", one_in(6, FEW))
def test_whatever_comes_to_nothing_is_helped_by_a_link(seed: str) -> None:
    assert [one.line for one in written(seed) if one.came_to_nothing and not one.taps] == []


@pytest.mark.parametrize("seed", one_in(6, FEW))
def test_every_question_can_be_answered(seed: str) -> None:
    assert [one.line for one in written(seed) if asks_in_vain(one)] == []


@pytest.mark.slow
def test_these_lives_are_of_many_kinds() -> None:
    """Else the tests above would hold for little."""
    lives = [one for seed in FEW for one in written(seed)]
    assert {one.phase for one in lives} >= {"inviting", "placing", "bidding", "abandoned"}
    assert len({code for one in lives for code in one.codes}) >= 23
    assert any("Did you mean" in " ".join(one.reply.text.split()) for one in lives)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_over_many_lives_as_well(seed: str) -> None:
    life = written(seed, 80)
    assert failures(life) == []
    assert [one.line for one in life if asks_in_vain(one) or (one.came_to_nothing and not one.taps)] == []
