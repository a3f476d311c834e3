"""A locked screen shows the subject and some 150 letters of a mail: none of them depends on its reader's own.

Each mail of the gallery is written twice, the second time for a reader with another hand, another card face
down, other mice, other words and other orders in advance.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from each import each
from felix_async.game.ahead import Ahead, Given
from felix_async.game.views import Choices, OwnView
from felix_notifiers.content.mail import Composed
from felix_notifiers.content.occasion import Occasion
from gallery.shown import occasions
from notifiers.locked import OTHER, SHOWN, to_other_words
from notifiers.sheets import Html, changed, compose


def of_another(own: OwnView, *, is_open: bool) -> OwnView:
    """The same seat with other cards and mice."""
    least, most = own.choices.bids or (1, 0)
    bids = (least, most + 3) if own.choices.bids else None
    return replace(
        own,
        hand=[OTHER[card] for card in own.hand],
        boxed=None if own.boxed is None else OTHER[own.boxed],
        placed=own.placed if own.placed is None or is_open else OTHER[own.placed],
        mice=own.mice + 3,
        won=[OTHER[card] for card in own.won],
        choices=Choices([OTHER[card] for card in own.choices.plays], bids, own.choices.may_pass),
    )


def other(given: Given | None) -> Given | None:
    """The same order for other mice or another card."""
    if given is None:
        return None
    order = given.order
    limit = None if order.limit is None else order.limit + 3
    card = None if order.card is None else OTHER[order.card]
    return replace(given, order=order.model_copy(update={"limit": limit, "card": card}))


def for_another(occasion: Occasion) -> Occasion:
    """The same mail to a reader who has other secrets."""
    game = occasion.game
    place = next((one for one in game.table.row if one.owner == game.seat), None)
    is_open = place is not None and place.card is not None
    own = {game.seat: of_another(game.own, is_open=is_open)}
    ahead = Ahead(other(game.ahead.auction), other(game.ahead.card))
    return changed(
        occasion,
        table=replace(game.table, own=own),
        ahead=ahead,
        ended=other(game.ended),
        answer=None if occasion.answer is None else to_other_words(occasion.answer),
        timeouts=[
            replace(one, card=None if one.card is None else OTHER[one.card]) for one in occasion.timeouts
        ],
    )


def running() -> dict[str, Occasion]:
    """The mails of games in which there are secrets."""
    return {
        name: occasion
        for name, occasion in occasions().items()
        if not occasion.game.table.is_over and isinstance(occasion.game.table.viewer, int)
    }


@cache
def twice(name: str, *, discreet: bool = False) -> tuple[Composed, Composed]:
    """A mail to its reader, and the same to one who has other secrets."""
    occasion = changed(running()[name], discreet=discreet)
    return compose(occasion), compose(for_another(occasion))


def shown(composed: Composed) -> tuple[str, str]:
    """The part of both parts that a locked screen may show."""
    parts = (composed.text, Html.beginning(composed.html, SHOWN))
    text, html = (" ".join(part.split())[:SHOWN] for part in parts)
    return text, html


@pytest.mark.slow
@each(("name", "discreet"), lambda: [(name, discreet) for name in running() for discreet in (False, True)])
def test_a_locked_screen_shows_nothing_of_the_readers_own(name: str, discreet: bool) -> None:
    one, another = twice(name, discreet=discreet)
    assert one.subject == another.subject
    assert shown(one) == shown(another)


def test_the_two_readers_get_other_mails() -> None:
    """Else the test above would prove nothing."""
    asked = [name for name, occasion in running().items() if "turn" in occasion.kinds]
    assert len(asked) > 10
    assert [name for name in asked if twice(name)[0].text == twice(name)[1].text] == []
