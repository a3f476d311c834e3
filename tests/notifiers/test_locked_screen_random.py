"""A locked screen depends on nothing that its reader alone may know, over games that are played by mail.

That is: of a letter no header, and none of the first letters of either part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any, Final, get_args

import pytest

from each import one_in
from felix_events.model import Pace
from felix_notifiers.content import subjects
from felix_notifiers.content.glance import Glance, glance_of
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.subjects import glance_for
from felix_notifiers.mails import game as mails
from games import RULESETS
from notifiers.locked import Course, Locked, spent

COURSES: Final = [Course(*one) for one in product((3, 4, 5), RULESETS, get_args(Pace))]
PRIVATE: Final[frozenset[str]] = frozenset({"turn", "early", "answer", "news", "reminder", "timed_out"})
"""Kinds of letters in which there is much of the reader's own."""


@pytest.mark.slow
@pytest.mark.parametrize("course", one_in(7, COURSES), ids=str)
def test_nothing_that_shows_depends_on_what_is_the_readers_own(course: Course) -> None:
    assert spent(course).differing == []


@pytest.mark.slow
@pytest.mark.parametrize("course", COURSES, ids=str)
def test_nothing_does_in_other_games_to_their_end(course: Course) -> None:
    assert spent(replace(course, seed="two"), is_whole=True).differing == []


@pytest.mark.slow
def test_letters_of_many_kinds_were_compared_and_differ_when_they_are_opened() -> None:
    nights = [spent(course, is_whole=True) for course in COURSES]
    assert PRIVATE - sum((one.inside for one in nights), Counter[str]()).keys() == set()
    assert PRIVATE - sum((one.discreet for one in nights), Counter[str]()).keys() == set()
    assert sum(one.digests for one in nights) >= 3
    assert all("result" in one.compared for one in nights)


# ---- a fault would be noticed: else the tests above would prove nothing --------------------------------
def mice(occasion: Occasion) -> str:
    """The purse."""
    return f"You have {occasion.game.own.mice} mice."


def cards(occasion: Occasion) -> str:
    """The hand, and the card that lies face down."""
    return f"You hold {occasion.game.own.hand} and played {occasion.game.own.placed}."


def orders(occasion: Occasion) -> str:
    """Return what the reader has said in advance, in a sentence."""
    return f"You said {occasion.game.ahead}."


def words(occasion: Occasion) -> str:
    """Return the lines that the reader wrote, in a sentence."""
    lines = [] if occasion.answer is None else occasion.answer.lines
    return f"You wrote {[line.text for line in lines]}."


def noticed() -> list[str]:
    """Return the differences between two readers at the beginning of a night."""
    hand = Locked(Random("noticed"))
    night = COURSES[0].night(hand)
    for scene in (night.gather, night.discretion, night.plans):
        if not hand.differing:
            scene()
    return hand.differing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("secret", "where"),
    [(mice, "preview"), (mice, "subject"), (cards, "preheader"), (orders, "preview"), (words, "preview")],
)
def test_a_secret_that_shows_would_be_noticed(
    secret: Callable[[Occasion], str], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(occasion: Occasion) -> Glance:
        shown: dict[str, Any] = {where: secret(occasion)}
        return replace(glance_for(occasion), **shown)

    monkeypatch.setattr(mails, "glance_for", told)
    assert noticed()


@pytest.mark.slow
def test_a_text_part_in_which_the_readers_own_stands_too_high_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mails, "LOCKED_SCREEN", 0)
    assert noticed()


@pytest.mark.slow
def test_a_card_that_a_discreet_reader_is_shown_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(public: Any, *about: Any) -> Glance:
        return glance_of(replace(public, discreet=False), *about)

    monkeypatch.setattr(subjects, "glance_of", told)
    assert noticed()


@pytest.mark.slow
def test_and_without_a_fault_nothing_is_noticed() -> None:
    assert noticed() == []
