"""What stands around the orders of a mail: a number that can mean one thing only, and polite words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from felix_async.answer import AnsweredLine
from felix_async.game.cards import PET_CARDS
from felix_async.game.state import Game
from felix_async.grammar import Misread, Order, read_line
from felix_async.inbox.reading.signs import is_greeting
from felix_async.inbox.reading.understand import Understood
from felix_async.words import ASKED, MISUNDERSTOOD
from felix_async.words.phrases import phrase


def in_phase(game: Game, line: Understood) -> Understood:
    """A number alone may be a bid or a card; where only one of them can be meant, that one is asked about."""
    if line.verdict != "ambiguous" or line.place != "written":
        return line
    read = read_line(line.text)
    if not isinstance(read, Misread) or read.code != "order/bid_or_play":
        return line
    number = int(read.details["number"])
    if game.phase == "placing":
        meant = Order("PLAY", card=next(card for card in PET_CARDS if card == number))
    elif game.phase == "bidding":
        meant = Order("BID", amount=number)
    else:
        return line
    return replace(line, verdict="asked", why=ASKED["meant"].format(order=meant), order=meant)


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
        kept.append(AnsweredLine(text="", verdict="ignored", why=phrase("people.rest", count=count)))
    return kept


def _is_no_order(line: AnsweredLine) -> bool:
    return line.verdict == "not understood" and line.why == MISUNDERSTOOD["order/unknown"] and bool(line.text)
