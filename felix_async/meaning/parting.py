"""Wishes for orders that are no answer to a decision: to leave, to have no more mail, another address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from felix_async.language.grammar import Order, read_line
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

_LEAVES: Final = (Order("RESIGN"), Order("STOP"))
_ADDRESS: Final = re.compile(r"[^\s@<>,;:]{1,64}@[^\s@<>,;:!?]{1,255}")


@dataclass(frozen=True, slots=True)
class Wish:
    """Words that wish for other orders than those of the decision, and the orders to ask about."""

    start: int
    end: int
    orders: tuple[Order, ...]


def wishes_in(text: Text, situation: Situation) -> tuple[Wish, ...]:
    """Return the wishes in a text; a question is none."""
    return tuple(_wishes(text, situation))


def _wishes(text: Text, situation: Situation) -> Iterator[Wish]:
    # One within another is found, too: `I quit` in `I quit this game`.
    for found in chain(*(phrases("parting", key).find(text) for key in ("game", "list", "bare", "address"))):
        sentence = text.sentences[text.sentence_of[found.start]]
        before = {token.word for token in text.tokens[sentence.start : found.start]}
        if sentence.is_question or before & words("parting", "denied"):
            continue
        match found.key:
            case "address":
                orders = _moves_to(text, found.end, sentence.end)
            case "bare" if not _is_alone(text, found.start, found.end):
                orders = ()
            case "bare" if situation.decision == "bidding":
                orders = (Order("PASS"), Order("RESIGN"))
            case _:
                orders = (Order("DECLINE"), Order("STOP")) if situation.decision == "inviting" else _LEAVES
        if orders:
            yield Wish(found.start, sentence.end if found.key == "address" else found.end, orders)


def _is_alone(text: Text, start: int, end: int) -> bool:
    """Return True if nothing else is said, but for courtesies."""
    around = (*text.tokens[:start], *text.tokens[end:])
    known = words("parting", "courtesies")
    return all(token.kind in ("mark", "emoji") or token.word in known for token in around)


def _moves_to(text: Text, start: int, end: int) -> tuple[Order, ...]:
    """The order that moves the writer to the address that is named."""
    line = text.tokens[start - 1].line
    last = next((at for at in range(end, len(text.tokens)) if text.tokens[at].line != line), len(text.tokens))
    named = _ADDRESS.search(text.between(start, last)) if start < last else None
    read = read_line(f"ADDRESS {named[0].rstrip('.')}") if named is not None else None
    return (read,) if isinstance(read, Order) else ()
