"""A table of three played by mail alone, in words as people write them."""

from __future__ import annotations

import pytest

from people.evening import AHEAD, TOLD, Tally, an_evening
from people.persona import clerks

MOST = 1.15
"""Messages for each decision."""
MOST_IN_ONE = 1.25
"""The same of one evening, which may be a chatty one."""
MOST_AHEAD = 0.9
"""The same where people say in advance what they will do."""
SEEDS = 25
SERIOUS = ("wrong", "acted", "silence")
"""Another move was done, or one on doubt, or nothing was, and nothing was answered."""


@pytest.mark.slow
def test_who_writes_exact_orders_needs_one_message_for_each_decision() -> None:
    evening = an_evening("clerks", clerks("clerks"), ways=())
    tally = evening.play()
    assert not tally.faults
    assert tally.messages == tally.decisions
    assert evening.parlour.game.round == 9


@pytest.mark.slow
def test_who_writes_as_people_write_needs_hardly_more() -> None:
    evening = an_evening(TOLD)
    tally = evening.play()
    assert tally.rate <= MOST_IN_ONE, tally
    assert not _serious(tally)
    assert evening.parlour.game.round == 9


@pytest.mark.slow
def test_who_says_it_in_advance_needs_less() -> None:
    tally = an_evening("seed 2", habits=AHEAD).play()
    assert tally.rate <= MOST_AHEAD, tally
    assert not _serious(tally)


@pytest.mark.slow
def test_so_it_is_in_advance_in_many_games() -> None:
    total = Tally()
    for number in range(1, SEEDS + 1):
        total.add(an_evening(f"seed {number}", habits=AHEAD).play())
    assert total.rate <= MOST_AHEAD, total
    assert not _serious(total)


@pytest.mark.slow
def test_so_it_is_in_many_games() -> None:
    total = Tally()
    for number in range(1, SEEDS + 1):
        total.add(an_evening(f"seed {number}").play())
    assert total.rate <= MOST, total
    assert not _serious(total)


def _serious(tally: Tally) -> list[dict[str, object]]:
    return [fault for fault in tally.faults if fault["fault"] in SERIOUS]
