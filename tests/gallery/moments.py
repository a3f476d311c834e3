"""Moments of a game in which the gallery looks at it, as Ben sees them."""

from __future__ import annotations

from felix_async.game.views import View
from table import ANNA, BEN


def is_asked_to_place(table: View) -> bool:
    """Ben still has to place a card, Anna has."""
    return table.phase == "placing" and table.round == 4 and BEN in table.asked and table.seats[ANNA].placed


def has_placed(table: View) -> bool:
    """Ben has placed, and one other has not."""
    return table.phase == "placing" and table.round == 3 and table.seats[BEN].placed and len(table.asked) == 1


def is_outbid(table: View) -> bool:
    """Ben is asked for more than the highest bid."""
    return table.to_move == BEN and table.high_bid > 1 and table.round > 3 and len(table.open_cards) > 1


def bids_first(table: View) -> bool:
    """Ben is the first to speak."""
    return table.to_move == BEN and not table.high_bid and len(table.open_cards) == 1


def has_passed(table: View) -> bool:
    """Ben is out of the auction, which goes on."""
    return table.phase == "bidding" and table.seats[BEN].passed and table.round > 1 and table.high_bid > 0


def bids_in_the_last_round(table: View) -> bool:
    """Ben is asked in round 9."""
    return table.to_move == BEN and table.round == 9


def after_an_unbid_sack(table: View) -> bool:
    """The mouse cards stayed empty, because nobody wanted the sack before."""
    return (
        table.phase == "placing"
        and BEN in table.asked
        and table.round > 1
        and not any(card.mice for card in table.mouse_cards)
    )
