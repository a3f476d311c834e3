"""Words of a player who wants something of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from felix_async.game.commands import (
    Bid,
    Command,
    Give,
    Join,
    Leave,
    Move,
    Pass,
    Play,
    Stand,
    Vote,
    Withdraw,
    order_text,
)
from felix_async.game.votes import OVER
from felix_async.language.grammar import read_line
from felix_async.language.order import Order, joined, order_of
from felix_events.model import OrderGiven


def ordered(command: Command) -> str:
    """The words of a player who wants this, or the name of a command for which players have several words."""
    match command:
        case Play() | Bid() | Pass():
            return order_text(command)
        case Join():
            return "JOIN hello"
        case Vote(on="pause" | "abandon"):
            return command.on.upper()
        case Vote():
            return f"HAND OVER {OVER.index(command.on)}"
        case Stand():
            return f"STANDS {command.whom}"
        case Withdraw():
            return "DISPUTE off"
        case Leave():
            return "RESIGN" if command.for_good else "STOP"
        case _:
            return type(command).__name__.upper()


def said_text(gives: Sequence[Give], move: Move | None = None) -> str:
    """The order that says this in advance, with the move beside it."""
    orders = [order_of(OrderGiven.model_construct(**vars(give))) for give in gives]
    said = joined([*orders, *([] if move is None else [cast("Order", read_line(order_text(move)))])])
    return "SAID" if said is None else str(said)
