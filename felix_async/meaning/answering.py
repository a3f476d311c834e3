"""Plain answers to the question at the top of a letter: `I take it`, `I'd top that`, `worth 7`."""

from __future__ import annotations

from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.decide import Decision, doubted
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import bid, slots_of
from felix_async.meaning.numbers import number_at
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

_BIDS: Final = 2
"""Bids that are offered to whoever tops one, and does not say with how many mice."""


def answer_in(text: Text, situation: Situation) -> Decision:
    """Return what a text wants that says nothing else than such an answer; nothing for any other text.

    The last in an auction takes the sack for a mouse. Who tops a bid is asked how many mice they bid, and who
    tells what a sack is worth to them, whether they bid that.
    """
    if situation.decision != "bidding" or situation.waiting is not None or text.is_cut:
        return Decision()
    said = _said(text, situation)
    if said.keys() == {"worth"}:
        orders, _ = bid(said["worth"], situation)
        limit = Order("UPTO", limit=said["worth"])
        is_least = said["worth"] == situation.least
        return (
            doubted(Decision(orders[0] if is_least else limit), "several", situation)
            if orders
            else Decision()
        )
    bids = situation.possible[:-1][:_BIDS]
    if situation.is_early or not bids:
        return Decision()
    if situation.is_last and said and said.keys() <= {"agrees", "takes"}:
        return Decision(bids[0])
    if situation.high and said and said.keys() <= {"agrees", "tops"}:
        return Decision(doubt="several", may=(*bids, situation.possible[-1]))
    return Decision()


def _said(text: Text, situation: Situation) -> dict[str, int]:
    """The kinds of answers in a text, each with its number, 0 without one; none if it says more or asks."""
    slots, said, at = slots_of(situation), dict[str, int](), 0
    if any(sentence.is_question for sentence in text.sentences):
        return {}
    while at < len(text.tokens):
        found = phrases("answering", "agrees", "takes", "tops", "worth").at(text, at, slots)
        if found is not None:
            number = number_at(text, found.slots["n"][0]) if "n" in found.slots else None
            said[found.key] = number.value if number is not None else 0
            at = found.end
        elif text.tokens[at].kind == "mark" or text.tokens[at].word in words("answering", "around"):
            at += 1
        else:
            return {}
    return said
