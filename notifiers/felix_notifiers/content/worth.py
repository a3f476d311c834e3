"""The line below the row: how much the open cards count, how many lie face down, and the reader's mice.

Only what the reader sees is reckoned: the cards that lie open, with what the dogs among them would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.cards import DOGS, ROUNDS, START_MICE, card_text
from felix_async.game.scoring import open_sack
from felix_async.game.views import View
from felix_async.language.phrases import phrase, plus
from felix_notifiers.content import ahead, layout, standing
from felix_notifiers.content.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Worth:
    """That line, and what else the reader has to know before they answer."""

    told: str = ""
    more: Sequence[str] = ()

    def text(self) -> str:
        return layout.paragraphs([self.told, *self.more])


def worth_of(game: Snapshot, *, is_first: bool = True) -> Worth:
    """Return it for a reader in an auction; empty for others.

    In the first letter of a round everybody's mice stand below it, later those of who may still bid in it.
    """
    if game.table.phase != "bidding" or game.seat not in game.table.players:
        return Worth()
    others = [] if is_first else _mice_of_others(game)
    mice = game.own.mice
    own = (
        phrase("table.own.and_theirs", mice=mice, others=others)
        if others
        else phrase("table.own.mice", mice=mice)
    )
    more = " ".join(_before_answering(game, is_first=is_first))
    return Worth(f"{sack_told(game.table, game.seat)} {own}", [more] if more else [])


def _mice_of_others(game: Snapshot) -> list[str]:
    """Return what those have who may still bid against the reader; nothing before anybody's mice changed."""
    table, count = game.table, len(game.names)
    there = (other % count for other in range(game.seat + 1, game.seat + count))
    bidders = [seat for seat in there if seat in table.players and not table.seats[seat].passed]
    if all(purse.mice == START_MICE for purse in game.purses.values()):
        return []
    return [phrase("table.own.theirs", who=game.names[seat], mice=game.purses[seat].mice) for seat in bidders]


def rule_hint(game: Snapshot) -> str:
    """Say in the first rounds what dogs and the rabbit do; '' later."""
    table = game.table
    if table.phase not in ("placing", "bidding") or table.round > standing.FIRST_ROUNDS:
        return ""
    return phrase("table.dogs.best" if table.ruleset == "felicity-2017" else "table.dogs.lowest")


def sack_told(table: View, seat: int) -> str:
    """`Open +16, your 5 and one more face down.`"""
    own = table.own[seat].placed
    sack = open_sack(table.open_cards, table.ruleset)
    hidden = sum(place.placed and place.card is None for place in table.row)
    is_own_hidden = any(place.owner == seat and place.card is None for place in table.row)
    opened = phrase("table.worth.open", points=plus(sack.worth))
    if sack.chased is not None:
        dog = next(card for card in table.open_cards if card in DOGS)
        key = "would_chase" if hidden else "chases"
        opened += phrase(f"table.worth.dog.{key}", dog=card_text(dog), card=card_text(sack.chased))
    if not hidden:
        return phrase("table.worth.all_open", open=opened)
    if is_own_hidden and own is not None:
        key = "alone" if hidden == 1 else "more"
        return phrase(f"table.worth.own.{key}", open=opened, card=card_text(own), count=hidden - 1)
    return phrase("table.worth.hidden", open=opened, count=hidden)


def _before_answering(game: Snapshot, *, is_first: bool) -> list[str]:
    """Say what is out of the ordinary: nobody else is left, there are too few mice, a limit has ended."""
    told: list[str] = []
    table, choices = game.table, game.own.choices
    if game.is_asked and game.is_last_bidder:
        told.append(phrase("table.advice.none_left" if choices.bids is None else "table.advice.for_one"))
        is_late = table.round == ROUNDS
        told.append(phrase("table.advice.to_the_box_at_last" if is_late else "table.advice.to_the_box"))
    elif (game.is_asked and choices.bids is None) or (game.is_early and table.in_advance().bids is None):
        told.append(phrase("table.advice.too_poor", least=table.high_bid + 1))
    if is_first and table.round == ROUNDS and game.own.placed is not None:
        told.append(phrase("table.own.last_card"))
    return [*told, *filter(None, [ahead.ended(game)])]
