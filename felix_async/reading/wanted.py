"""Finds what a mail wants at the decision before a seat: the verdicts on its lines, weighed together.

All that depends on the game is here; what the lines say by themselves is found out before (`understand`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.game.state import Game
from felix_async.language.grammar import Misread, Order, card_of
from felix_async.language.words import ASKED, BESIDE_AN_ORDER, WHICH_ORDER
from felix_async.reading.verdicts import Understood, Verdict
from felix_events.model import Card

_DOGS: Final[tuple[Card, ...]] = ("large_dog", "small_dog")


def wanted(said: Sequence[Understood], game: Game | None = None, seat: int = 0) -> list[Understood]:
    """The verdicts as they are when all lines are looked at together; `game` is None if it is about none.

    Beside a clear order nothing is asked, and of several orders in doubt none: nobody could answer YES.
    """
    lines = said if game is None else [_in_phase(game, seat, line) for line in said]
    is_clear = any(line.verdict == "order" and not line.only_asks for line in lines)
    doubtful = {str(line.order) for line in lines if line.verdict == "asked"}
    if is_clear:
        return [_no_longer_asked(line, "ignored", BESIDE_AN_ORDER) for line in lines]
    if len(doubtful) > 1:
        return [_no_longer_asked(line, "ambiguous", WHICH_ORDER) for line in lines]
    return list(lines)


def _no_longer_asked(line: Understood, verdict: Verdict, why: str) -> Understood:
    return replace(line, verdict=verdict, why=why, order=None) if line.verdict == "asked" else line


def _in_phase(game: Game, seat: int, line: Understood) -> Understood:
    """Ask about a number or a dog alone if this seat can mean only one thing: a bid or a card, the large or
    the small dog.
    """
    if line.verdict != "ambiguous" or line.place != "written" or not isinstance(line.line.read, Misread):
        return line
    read = line.line.read
    meant: Order | None = None
    if read.code == "order/bid_or_play":
        number = int(read.details["number"])
        is_card = game.phase == "placing"
        meant = Order("PLAY", card=card_of(number)) if is_card else Order("BID", amount=number)
    elif read.code == "order/which_dog":
        meant = _the_dog(game, seat)
    if meant is None:
        return line
    return replace(line, verdict="asked", why=ASKED["meant"].format(order=meant), order=meant)


def _the_dog(game: Game, seat: int) -> Order | None:
    """Return the one dog that the seat can play; None if it has two. If it has none, or can play no card, any
    of them, which will be refused.
    """
    state = game.seats[seat]
    held = [dog for dog in _DOGS if dog in (*state.hand, state.placed)] if game.phase == "placing" else []
    return Order("PLAY", card=(held or _DOGS)[0]) if len(held) < len(_DOGS) else None
