"""An order: a line of a message, or of the host's desk, that was understood."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from felix_async.game.cards import card_word
from felix_async.game.commands import Bid, Pass, Play
from felix_async.language.terminals import TABLE_NAME
from felix_async.language.words import AHEAD, AHEAD_WORDS, MOVES, NOTIFY_WORDS, RECEIPTS_WORDS, WORD_OF
from felix_events.model import Card, OrderGiven

_IS_TABLE_NAME: Final = re.compile(TABLE_NAME).fullmatch


@dataclass(frozen=True, slots=True)
class Order:
    """A line understood: `word` names the order, `text` is what follows it in the player's own words.

    Behind NOTIFY and RECEIPTS it is the choice, as the language's tables name it; behind DROP, the order in
    advance that is meant, '' for all of them.

    `limit` is that of an UP TO, alone (the word is `UPTO`) or behind a BID, and with `asks` the seat wants to
    be asked above it. `next` is a card for the next round, alone (`NEXT`) or behind a move.
    """

    word: str
    card: Card | None = None
    amount: int | None = None
    text: str = ""
    limit: int | None = None
    asks: bool = False
    next: Card | None = None
    is_said: bool = field(default=False, compare=False, repr=False)
    """True if it was said as in `I play the 8` or `Play 8, good luck`, which is plain language, too."""

    def __str__(self) -> str:
        """The order as felix repeats it; `read_line` reads it back."""
        return ", ".join(filter(None, (self._now(), self._limit(), self._next())))

    def _limit(self) -> str:
        if self.limit is None:
            return ""
        return " ".join([WORD_OF["UPTO"], str(self.limit), *AHEAD_WORDS["then_ask"][: self.asks]])

    def _next(self) -> str:
        return "" if self.next is None else f"{WORD_OF['NEXT']} {card_word(self.next).upper()}"

    def _now(self) -> str:
        if self.word in AHEAD:
            return ""
        if self.card is not None:
            return f"{WORD_OF[self.word]} {card_word(self.card).upper()}"
        if self.amount is not None:
            return f"{WORD_OF[self.word]} {self.amount}"
        if self.word == "NOTIFY":
            return f"{WORD_OF[self.word]} {NOTIFY_WORDS[self.text][0]}"
        if self.word == "RECEIPTS":
            return f"{WORD_OF[self.word]} {RECEIPTS_WORDS[self.text][0]}"
        if self.word == "AWAY":
            return f"{WORD_OF[self.word]} {capitals(self.text)}".strip()
        if self.word == "NEW" and self.text and not _IS_TABLE_NAME(self.text.lower()):
            return f"{WORD_OF[self.word]}: {self.text}"
        return f"{WORD_OF[self.word]} {self.text}".strip()

    @property
    def is_ahead(self) -> bool:
        """Return True if some of it is for later."""
        return self.limit is not None or self.next is not None

    def move(self, seat: int) -> Play | Bid | Pass | None:
        """The command of a moving order, None for the others: above a limit it may be one, or another."""
        if self.limit is not None:
            return None
        if self.word == "PLAY" and self.card is not None:
            return Play(seat=seat, card=self.card)
        if self.word == "BID" and self.amount is not None:
            return Bid(seat=seat, amount=self.amount)
        return Pass(seat=seat) if self.word == "PASS" else None


def order_of(given: OrderGiven) -> Order:
    """Return the order that was given in advance, as its player would write it."""
    match given.kind:
        case "pass":
            return Order("PASS")
        case "next":
            return Order("NEXT", next=given.card)
    asks = given.limit is not None and given.then == "ask"
    word = "UPTO" if given.first is None else "BID"
    return Order(word, amount=given.first, limit=given.limit, asks=asks)


def joined(orders: Iterable[Order]) -> Order | None:
    """Return what several moves and orders in advance say together; None if they contradict each other.

    >>> str(joined([Order("UPTO", limit=9), Order("NEXT", next=11), Order("BID", amount=5)]))
    'BID 5, UP TO 9, NEXT 11'
    >>> joined([Order("PASS"), Order("UPTO", limit=9)])
    """
    listed = list(orders)
    now = {(one.word, one.card, one.amount) for one in listed if one.word in MOVES}
    limits = {(one.limit, one.asks) for one in listed if one.limit is not None}
    cards = {one.next for one in listed if one.next is not None}
    if len(now) > 1 or len(limits) > 1 or len(cards) > 1:
        return None
    word, card, amount = next(iter(now), ("UPTO" if limits else "NEXT", None, None))
    if limits and word not in ("BID", "UPTO"):
        return None
    limit, asks = next(iter(limits), (None, False))
    is_said = any(one.is_said for one in listed)
    return Order(word, card, amount, limit=limit, asks=asks, next=next(iter(cards), None), is_said=is_said)


def capitals(text: str) -> str:
    """Return a text in capitals, if small letters make it again what it was."""
    raised = text.upper()
    return raised if raised.lower() == text else text
