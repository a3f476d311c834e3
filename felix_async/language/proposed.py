"""The words that letters propose in place of an order: alone in a message, they are as good as the order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.game.cards import card_text, card_word
from felix_async.language.data import any_of
from felix_async.language.order import Order
from felix_async.language.words import (
    CARD_WORDS,
    COURTESIES,
    GREETINGS,
    NUMBER_WORDS,
    PROPOSED,
    STOP_WORDS,
    WITH_PROPOSED,
)

_MOST: Final = 200
"""Characters of a message that may say one order in these words."""
_MARKS: Final = re.compile(r"[.,!](?=\s|$)")
_POLITE: Final = any_of((*GREETINGS, *COURTESIES, *STOP_WORDS, *WITH_PROPOSED))


def proposed(order: Order) -> str:
    """Return the words that a letter proposes for this order.

    >>> proposed(Order("PLAY", card=3)), proposed(Order("BID", amount=4)), proposed(Order("UPTO", limit=7))
    ('the 3', '4', 'up to 7')
    """
    card = "" if order.card is None else card_text(order.card)
    return PROPOSED[order.word][0].format(number=order.amount or order.limit, card=card)


def is_proposed(lines: Sequence[str], order: Order, name: str = "") -> bool:
    """Return True if these cleaned lines say the order in such words, and nothing else but courtesies and the
    name of their writer.

    >>> is_proposed(["Hi felix,", "ok, the rabbit please!", "Anna"], Order("PLAY", card=0), "Anna")
    True
    >>> is_proposed(["5, I think"], Order("BID", amount=5)), is_proposed(["5?"], Order("BID", amount=5))
    (False, False)
    """
    text = " ".join(lines)
    if order.word not in PROPOSED or len(text) > _MOST or order != _bare(order):
        return False
    numbers, names = _numbers(order), _names(order)
    said = any_of(
        form.format(number=number, card=card).lower()
        for form in PROPOSED[order.word]
        for number in numbers
        for card in names
    )
    around = f"(?:{_POLITE}|{re.escape(name.lower())})" if name else _POLITE
    words = " ".join(_MARKS.sub(" ", text.lower()).split())
    return re.fullmatch(f"(?:{around} )*{said}(?: {around})*", words) is not None


def _bare(order: Order) -> Order:
    """The order without what these words never say."""
    return replace(order, limit=order.limit if order.word == "UPTO" else None, asks=False, next=None)


def _numbers(order: Order) -> list[str]:
    number = order.amount or order.limit or 0
    return [str(number), *NUMBER_WORDS[number : number + 1]]


def _names(order: Order) -> list[str]:
    """Return a card in the words of people: that of an order, or any if it names none."""
    if order.card is None:
        return [""]
    names = [name for name, card in CARD_WORDS.items() if card == order.card]
    return [card_word(order.card), *names]
