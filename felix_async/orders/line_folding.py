"""What stands around the orders of a mail: words that can mean one thing only, and polite ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.state import Game
from felix_async.language.grammar import Misread, Order, card_of, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import ASKED, MISUNDERSTOOD
from felix_async.reading.signs import is_greeting
from felix_async.reading.verdicts import Understood
from felix_events.model import Card

_DOGS: Final[tuple[Card, ...]] = ("large_dog", "small_dog")


def in_phase(game: Game, seat: int, line: Understood) -> Understood:
    """A number alone may be a bid or a card, a dog large or small; where this seat can mean only one of them,
    that one is asked about.
    """
    if line.verdict != "ambiguous" or line.place != "written":
        return line
    read = read_line(line.text)
    meant: Order | None = None
    if isinstance(read, Misread) and read.code == "order/bid_or_play":
        number = int(read.details["number"])
        is_card = game.phase == "placing"
        meant = Order("PLAY", card=card_of(number)) if is_card else Order("BID", amount=number)
    elif isinstance(read, Misread) and read.code == "order/which_dog":
        meant = _the_dog(game, seat)
    if meant is None:
        return line
    return replace(line, verdict="asked", why=ASKED["meant"].format(order=meant), order=meant)


def _the_dog(game: Game, seat: int) -> Order | None:
    """The one dog that the seat can play; None where it has two. Where it has none, or can play no card, any
    of them, which will be refused.
    """
    state = game.seats[seat]
    held = [dog for dog in _DOGS if dog in (*state.hand, state.placed)] if game.phase == "placing" else []
    return Order("PLAY", card=(held or _DOGS)[0]) if len(held) < len(_DOGS) else None


def folded(lines: Sequence[AnsweredLine]) -> list[AnsweredLine]:
    """The lines as the answer tells them: beside an order that was done, what was no order is one line.

    A greeting is none at all. Where nothing was done, each line is told, so that its writer sees why.
    """
    if not any(line.verdict == "done" for line in lines):
        return list(lines)
    others = [line for line in lines if _is_no_order(line)]
    kept = [line for line in lines if line not in others]
    count = sum(not is_greeting(line.text) for line in others)
    if count:
        was_said = any(line.verdict == "done" and _is_saying(line.text) for line in lines)
        why = phrase("people.rest_of_saying", count=count) if was_said else phrase("people.rest", count=count)
        kept.append(AnsweredLine(text="", verdict="ignored", why=why))
    return kept


def _is_saying(text: str) -> bool:
    read = read_line(text)
    return isinstance(read, Order) and read.word == "SAY"


def _is_no_order(line: AnsweredLine) -> bool:
    return line.verdict == "not understood" and line.why == MISUNDERSTOOD["order/unknown"] and bool(line.text)
