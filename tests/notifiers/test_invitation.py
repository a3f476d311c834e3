"""An invitation: short enough to be read on the way, whatever the table's clock, pace and rules are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, Final

import pytest

from each import each
from felix_async.follow_up.decisions import LAST_CALL
from felix_async.game.folding import fold
from felix_async.game.views import view
from felix_async.language.clock_terms import terms_named
from felix_events.model import ClockSet, Event, GameCreated, Terms
from felix_notifiers.content.invitation import Invitation
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Small
from felix_notifiers.mails.game import mail_of
from gallery.shown import mails
from games import NAMES
from notifiers.sections import all_in, the
from notifiers.sheets import compose, snapshot
from table import ANNA, BEN, a_hosted_invitation, an_invitation

MOST: Final = 120
"""Words of the text part, all that stands in it."""
EXPIRES: Final = "2026-11-28T00:00:00.000000Z"
CLOCKS: Final = (
    "no clock",
    "3 days a move",
    "12 hours a move and 7 days in reserve",
    "1 day a move and 4 days in reserve, no weekends in Europe/Berlin",
)


def invited(
    *,
    seats: int = 4,
    clock: str = "no clock",
    pace: str = "together",
    ruleset: str = "felicity-2017",
    hosted: bool = True,
    kind: str = "invitation",
    **facts: Any,
) -> Occasion:
    """The occasion of an invitation to Ben."""
    made: list[Event] = a_hosted_invitation(seats, [ANNA]) if hosted else an_invitation(seats, [ANNA])
    created, *others = made
    assert isinstance(created, GameCreated)
    options = created.options.model_copy(update={"pace": pace})
    terms = terms_named(clock)
    timed = [ClockSet(terms=terms)] if isinstance(terms, Terms) else []
    game = fold([created.model_copy(update={"options": options, "ruleset": ruleset}), *timed, *others])
    return Occasion(game=snapshot(view(game, BEN), NAMES[:seats], expires=EXPIRES, **facts), kinds={kind})


def words(occasion: Occasion) -> str:
    """The text part on one line."""
    return " ".join(compose(occasion).text.split())


@pytest.mark.parametrize("kind", ["invitation", "reminder"])
def test_it_takes_so_many_words_at_the_most(kind: str) -> None:
    counts = {
        (seats, clock, pace, ruleset, hosted): len(
            words(
                invited(seats=seats, clock=clock, pace=pace, ruleset=ruleset, hosted=hosted, kind=kind)
            ).split()
        )
        for seats, clock, pace, ruleset, hosted in product(
            (3, 4, 5), CLOCKS, ("together", "in turn"), ("felicity-2017", "felix-2007"), (True, False)
        )
    }
    assert {table: count for table, count in counts.items() if count > MOST} == {}


@each("name", lambda: [name for name in mails() if "invitation" in name])
def test_so_does_every_one_of_the_gallery(name: str) -> None:
    assert len(mails()[name].text.split()) <= MOST


def test_the_terms_of_the_table_are_told_all_the_same() -> None:
    text = words(invited(clock=CLOCKS[-1], pace="in turn", ruleset="felix-2007"))
    for told in ("1 day a move and 4 days in reserve", "Bids go in turn.", "Rules of 2007."):
        assert told in text


def test_it_says_by_when_to_answer_as_people_do() -> None:
    assert "Please answer by the end of Fri 27 Nov" in words(invited())


def test_the_seal_is_in_the_small_print_and_says_what_it_is_for() -> None:
    occasion = invited()
    (small,) = all_in(mail_of(occasion), Small)
    assert small.paragraphs == [
        f"Fair-deal seal: {occasion.game.table.commitment}. I reveal what is in it after the game, "
        "so anyone can check the deal."
    ]


def test_it_shows_a_cat_of_each_kind_a_rabbit_and_a_dog() -> None:
    shown = [face.drawing for face in the(mail_of(invited()), Invitation).cards]
    assert shown == ["king", "furious", "rabbit", "large dog"]


def test_the_last_reminder_says_that_it_is_the_last() -> None:
    last = replace(invited(kind="reminder"), rung=LAST_CALL)
    assert "Last reminder: please answer by" in words(last)
