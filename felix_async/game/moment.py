"""The moment that an answer is for: a decision of a seat, and the card that lay open then. Pure.

An auction is about another row each time a card turns, and the number of a decision alone does not say which:
whoever is asked early is asked for the same decision at one card after the other.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from felix_async.game.state import Game


class Row(NamedTuple):
    """The round, and how many cards of its row lie open; 0 and 0 where that is not said."""

    round: int
    turned: int


NOT_SAID: Final = Row(0, 0)
What = Literal["move", "ahead", "next"]
"""An answer says a move, what to do in the auction later on, or a card for the next round."""
Lateness = Literal["", "card", "decision"]
"""A card has turned since in the same auction, or the game has moved on; '' if it is for now."""


def row_of(game: Game) -> Row:
    """Return the row as it lies open now."""
    return Row(game.round, len(game.turned))


def is_in_auction(game: Game, seat: int) -> bool:
    """Return True if a seat may still bid for the sack of this row, now or later."""
    return game.phase == "bidding" and seat in game.bidders


def waits_in_auction(game: Game, seat: int) -> bool:
    """Return True if a seat is still in the auction, and it is another's turn."""
    return is_in_auction(game, seat) and seat != game.to_move


def coming(game: Game, seat: int) -> int:
    """Return the number of the decision that an answer of a seat is for: the next one while others bid."""
    return game.seats[seat].turn + waits_in_auction(game, seat)


def lateness(game: Game, seat: int, turn: int | None, row: Row, what: What) -> Lateness:
    """Return why an answer that was asked for at this decision and row is not for now; '' if it is.

    One without a `turn` is for whatever is asked now, one without a row is judged by its turn alone. While
    others bid, the row alone counts: the decision is still to come. A card for the next round is for the
    round that it was said in.
    """
    if turn is None or game.is_over or not 0 <= seat < len(game.seats):
        return ""
    decided, is_said = game.seats[seat].turn, row != NOT_SAID
    if is_said and row.round != game.round:
        return "decision"
    if what == "next" and is_said:
        return ""
    if waits_in_auction(game, seat) and (what == "move" or is_said):
        return "" if what == "move" or row == row_of(game) else "card"
    if turn not in (decided, coming(game, seat)):
        return "decision"
    return "card" if is_said and game.to_move == seat and row != row_of(game) else ""
