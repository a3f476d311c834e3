"""Answers of a simulated year's players when they are asked: a move, a limit, a card for the next round.

They judge cards and sacks as the computer player does, and see no more than their seat does. How many of
them say something in advance is for `--habits` to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from felix_async.game.ahead import LAST_CHOSEN, NOTHING, Ahead, answers
from felix_async.game.commands import Bid, Give, Move, order_text
from felix_async.game.moment import Row, coming, row_of, waits_in_auction
from felix_async.game.sensible import card_in_advance, sensible_player
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.grammar import Order
from felix_cli.year.luck import Luck
from felix_events.model import Pace


@dataclass(frozen=True, slots=True)
class Ways:
    """How the tables ask, and how many answer in advance.

    `early` is the share of early asks that are answered, and of answers in turn that name a limit; `ahead`
    the share of rounds in which somebody gives the card for the next one beside an answer.
    """

    pace: Pace = "together"
    early: float = 0.8
    ahead: float = 0.6


DEFAULT: Final = Ways()


class Ask(NamedTuple):
    """The decision and the row that a letter asked about; early, if it was another seat's turn."""

    turn: int
    row: Row
    is_early: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """An order as the game takes it: orders in advance, and a move for now."""

    gives: Sequence[Give]
    move: Move | None

    @property
    def order(self) -> str:
        """The line as felix writes it."""
        words = [] if self.move is None else [order_text(self.move)]
        return ", ".join([*words, *(str(_order_of(give)) for give in self.gives)])


def _order_of(give: Give) -> Order:
    if give.kind == "next":
        return Order("NEXT", next=give.card)
    return Order("PASS") if give.kind == "pass" else Order("UPTO", limit=give.limit)


def open_ask(game: Game, seat: int, ahead: Ahead = NOTHING) -> Ask | None:
    """Return what there is to answer for a seat now, in turn or early; None if there is nothing."""
    if seat in game.asked:
        return Ask(coming(game, seat), row_of(game))
    is_asked = game.options.pace == "together" and waits_in_auction(game, seat)
    if not is_asked or answers(ahead, game, seat):
        return None
    return Ask(coming(game, seat), row_of(game), is_early=True)


def what_to_say(game: Game, seat: int, luck: Luck, ahead: Ahead, *, limit: bool, card: bool) -> Said:
    """Return a sensible answer of a seat that is in turn, or in the auction.

    With `limit` it names one if it bids, and out of turn it always does; with `card` it also says which card
    it places next, unless it has said so.
    """
    decision = sensible_player(view(game, seat), seat, luck)
    if game.phase != "bidding":
        return Said([], decision.move)
    gives: list[Give] = []
    move: Move | None = decision.move
    in_turn = game.to_move == seat
    if len(game.bidders) > 1 and (limit or not in_turn):
        (most,) = (reason.value for reason in decision.reasons if reason.what == "bids_up_to")
        assert isinstance(most, int), "a limit is a number of mice"
        most = min(most, game.seats[seat].mice)
        if most > game.high_bid:
            move, gives = None, [Give(seat=seat, kind="bid", limit=most)]
        elif not in_turn:
            move, gives = None, [Give(seat=seat, kind="pass")]
    has_card = ahead.card is not None and ahead.card.order.round == game.round
    if card and not has_card and game.round < LAST_CHOSEN:
        chosen = card_in_advance(view(game, seat), seat, luck)
        gives.append(Give(seat=seat, kind="next", card=chosen))
    return Said(gives, move)


def buys(game: Game, seat: int, said: Said) -> bool:
    """Return True if a bid is said that buys the sack at once: the others are out, or have too few mice."""
    others = [game.seats[other].mice for other in game.bidders if other != seat]
    return isinstance(said.move, Bid) and max(others, default=0) <= said.move.amount
