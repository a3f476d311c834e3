"""A table of three played by mail alone, in words as people write them."""

from __future__ import annotations

from people.evening import an_evening
from people.persona import clerks


def test_who_writes_exact_orders_needs_one_message_for_each_decision() -> None:
    evening = an_evening("clerks", clerks("clerks"), ways=())
    tally = evening.play()
    assert not tally.faults
    assert tally.messages == tally.decisions
    assert evening.parlour.game.round == 9
