"""The sale of a sack, in words and in the mail: what lay in it, what was chased, and what it was worth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from each import each
from felix_async.game.cards import DOGS, card_text
from felix_async.game.ledger import purses
from felix_async.game.story import Step, Story
from felix_async.game.views import view
from felix_async.language.phrases import signed
from felix_events.model import SackSold
from felix_notifiers.content.glance import Glance
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.sale import Sale, sale_of
from felix_notifiers.mails.render import rendered
from games import Played, a_game_played
from notifiers.sheets import Html, snapshot


@cache
def sales() -> list[tuple[Played, Step, SackSold]]:
    """Every sale of games of 3, 4 and 5 players by both editions of the rules."""
    return [*_sales()]


def _sales() -> Iterator[tuple[Played, Step, SackSold]]:
    for seats in (3, 4, 5):
        for ruleset in ("felicity-2017", "felix-2007"):
            played = a_game_played(seats, ruleset=ruleset)
            for step in Story.of(played.envelopes).steps:
                if isinstance(step.event, SackSold):
                    yield played, step, step.event


def told(played: Played, step: Step, seat: int) -> Sale:
    """The sale as a seat reads it."""
    assert isinstance(step.event, SackSold)
    game = snapshot(view(played.game(step.version), seat), played.names)
    return sale_of(game, step.event, step.before)


for_every_sale = each("played, step, sold", sales)


@for_every_sale
def test_all_cards_of_the_row_are_shown_from_left_to_right(
    played: Played, step: Step, sold: SackSold
) -> None:
    sale = told(played, step, 0)
    assert [place.face.text for place in sale.row] == [card_text(card) for _, card in step.before.row]
    assert len(sale.row) == max(4, len(played.names))


@for_every_sale
def test_the_chased_cat_alone_is_struck_out(played: Played, step: Step, sold: SackSold) -> None:
    struck = [place for place in told(played, step, 0).row if place.face.is_struck]
    assert [place.face.text for place in struck] == ([] if sold.chased is None else [card_text(sold.chased)])
    kept = [card for _, card in step.before.row if card not in DOGS]
    assert len(kept) == len(sold.prize) + len(struck)


@for_every_sale
def test_the_points_are_what_the_cats_of_the_buyer_gained(played: Played, step: Step, sold: SackSold) -> None:
    before, after = (
        purses([each.event for each in Story.of(played.envelopes).steps[:count]], played.game().players)
        for count in (step.version - 1, step.version)
    )
    gained = after[sold.seat].cats - before[sold.seat].cats
    assert f": {signed(gained)} in cats." in told(played, step, 0).told


@for_every_sale
def test_the_buyer_reads_you_and_everybody_else_a_name(played: Played, step: Step, sold: SackSold) -> None:
    for seat in range(len(played.names)):
        sale = told(played, step, seat)
        assert ("you bought" in sale.title) == ("You paid" in sale.told) == (seat == sold.seat)
        assert (f"{played.names[sold.seat]} paid" in sale.told) == (seat != sold.seat)


@for_every_sale
def test_both_parts_say_it_without_eyes_for_what_is_struck(
    played: Played, step: Step, sold: SackSold
) -> None:
    sale = told(played, step, 0)
    composed = rendered(Mail(Glance("s", "p", "h", "p"), [sale], "f"))
    assert composed.html.count("<s>") == (sold.chased is not None)
    text = " ".join(composed.text.split())
    for part in (text, Html(composed.html).words):
        assert part.count("chased") >= 2 * (sold.chased is not None)
        assert sale.told in part


def test_some_sacks_lose_a_cat_and_others_do_not() -> None:
    assert {sold.chased is None for _, _, sold in sales()} == {True, False}
