"""Non-interference to the byte, over evenings at which everything happens that a letter can be about."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import Final

import pytest

from each import one_in
from felix_async.follow_up.kinds import KINDS
from felix_async.game.views import view
from felix_notifiers.mails import case
from notifiers.twice import Evening, Twice

OPEN: Final[frozenset[str]] = frozenset({"result", "unreadable"})
"""What a letter tells of that holds no secrets: all is open, or no log was read for it."""
TABLES: Final = (3, 4, 5)


@cache
def spent(seats: int, seed: str) -> Twice:
    """What was written at such an evening."""
    hand = Twice(Random(f"others/{seats}/{seed}"))
    Evening(seats, seed, hand).whole()
    return hand


@pytest.mark.slow
@pytest.mark.parametrize("seats", one_in(3, TABLES))
def test_no_letter_depends_on_what_its_reader_may_not_know(seats: int) -> None:
    assert spent(seats, "one").differing == []


@pytest.mark.slow
@pytest.mark.parametrize("seats", TABLES)
@pytest.mark.parametrize("number", range(8))
def test_no_letter_does_at_many_more_tables(seats: int, number: int) -> None:
    assert spent(seats, f"slow {number}").differing == []


@pytest.mark.slow
def test_letters_of_every_kind_were_compared() -> None:
    compared = sum((spent(seats, "one").compared for seats in TABLES), Counter[str]())
    assert set(KINDS) - OPEN - compared.keys() == set()


@pytest.mark.slow
def test_letters_about_several_games_were_compared() -> None:
    assert sum(spent(seats, "one").digests for seats in TABLES) >= 3


@pytest.mark.parametrize("seats", TABLES)
def test_a_letter_that_tells_a_secret_would_be_noticed(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above would prove nothing: here everybody is shown the next seat's cards."""
    monkeypatch.setattr(case, "view", lambda game, seat: view(game, (seat + 1) % seats))
    hand = Twice(Random("told"))
    Evening(seats, "told", hand).gather()
    assert len(hand.differing) >= seats
