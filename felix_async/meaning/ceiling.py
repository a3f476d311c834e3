"""Tells a bid from the highest that somebody would bid: `I'm happy to go to seven and not a whisker further`.

Where a number stands beside any sign of a limit it is never a bid alone: it is a limit if the signs are sure,
and else it is asked. Of the least that may be bid both say the same. Whoever is not in turn is asked how far
they would go: a number without a verb of bidding answers that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.decide import MOST_ASKED, Decision, doubted
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import Mention, slots_of
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Sentence, Text
from felix_async.meaning.tokens import Token

_BESIDE: Final = 12
"""Words of a sentence without a number that is said of the one before it, or leads to the one behind it."""
_SURE: Final = 2
"""Signs of different kinds that make a limit sure; of those that name it one is enough."""


def with_limit(text: Text, decision: Decision, found: Sequence[Mention], situation: Situation) -> Decision:
    """Return the decision with a limit in place of a bid, or with one to ask about first."""
    if situation.decision != "bidding":
        return decision
    move = decision.do
    if move is not None and (move.word != "BID" or move.limit is not None):
        return decision
    if move is None and len(found) > MOST_ASKED:
        return decision
    limits = [mention for mention in found if mention.kind == "limit" and mention.orders]
    if move is not None and limits and any(one.kind == "amount" and move in one.orders for one in found):
        # `up to 9, it's all I have`: of an amount and a limit, one is no order.
        return doubted(Decision(do=limits[0].orders[0]), "several", situation)
    for mention in found:
        if mention.kind != "number" or not mention.orders:
            continue
        if move is not None and mention.value != move.amount:
            continue
        if move is not None and situation.is_early and not _is_bid(text, mention):
            return replace(decision, do=replace(move, word="UPTO", amount=None, limit=move.amount))
        if mention.value == situation.least:
            continue
        signs = set(_signs(text, mention, situation))
        if not signs:
            continue
        limit = Order("UPTO", limit=mention.value)
        is_sure = "named" in signs or len(signs) >= _SURE
        if move is None and decision.doubt:
            may = dict.fromkeys((limit, *decision.may))
            return replace(decision, may=tuple(may)[:MOST_ASKED])
        limited = replace(decision, do=replace(limit, next=None if move is None else move.next))
        if move is not None and is_sure:
            return limited
        if move is not None or (is_sure and _is_own(text, mention)):
            return doubted(limited, "several", situation)
    return decision


def _is_bid(text: Text, mention: Mention) -> bool:
    """Return True if a verb of bidding stands in the sentence of a number."""
    sentence = text.sentences[text.sentence_of[mention.start]]
    return any(True for _ in phrases("ceiling", "bids").find(text, {}, sentence.start, sentence.end))


def _signs(text: Text, mention: Mention, situation: Situation) -> Iterator[str]:
    """Yield the kinds of signs of a limit beside a number."""
    slots = slots_of(situation)
    for sentence in _about(text, mention):
        for cue in phrases("ceiling", "named", "ends", "willing").find(
            text, slots, sentence.start, sentence.end
        ):
            if not (cue.start <= mention.start and mention.end <= cue.end) or "n" in cue.slots:
                yield cue.key
        for number in sentence.clauses:
            clause = text.clauses[number]
            if _is_named(text, clause):
                yield "named"
            if _is_denied(text, clause):
                yield "denied"
    number = text.clause_of[mention.start]
    if number >= 0 and _leads_to(text, text.clauses[number], mention):
        yield "toward"


def _is_own(text: Text, mention: Mention) -> bool:
    """Return True if the sentence is of its writer, and asks nothing."""
    sentence = text.sentences[text.sentence_of[mention.start]]
    said = text.tokens[sentence.start : sentence.end]
    return not sentence.is_question and any(token.word in words("misgivings", "own") for token in said)


def _about(text: Text, mention: Mention) -> Iterator[Sentence]:
    """Yield the sentence of a number, and the short ones beside it that have none."""
    own = text.sentence_of[mention.start]
    for number in range(max(0, own - 1), min(len(text.sentences), own + 2)):
        sentence = text.sentences[number]
        said = text.tokens[sentence.start : sentence.end]
        is_short = sum(1 for token in said if token.kind == "word") <= _BESIDE
        if number == own or (is_short and not any(_is_number(token) for token in said)):
            yield sentence


def _is_number(token: Token) -> bool:
    return token.value is not None and token.word not in words("numbered", "one")


def _is_named(text: Text, clause: Clause) -> bool:
    """Return True if a limit is named that is not somebody else's: `my upper limit`."""
    for at in range(clause.start, clause.end):
        if text.tokens[at].word in words("ceiling", "nouns"):
            before = text.tokens[clause.start : at]
            if not any(token.word in words("ceiling", "of_others") or _is_owner(token) for token in before):
                return True
    return False


def _is_owner(token: Token) -> bool:
    return token.capital and token.word.endswith("'s")


def _is_denied(text: Text, clause: Clause) -> bool:
    """Return True for words that want nothing more: `not a whisker further`, `more I do not give`."""
    tokens = text.tokens[clause.start : clause.end]
    if not any(token.word in words("ceiling", "denied") for token in tokens):
        return False
    for at, token in enumerate(tokens):
        if token.word in words("ceiling", "beyond"):
            behind = tokens[at + 1 : at + 2]
            if not behind or behind[0].value is not None or behind[0].word in words("ceiling", "than"):
                return True
    return False


def _leads_to(text: Text, clause: Clause, mention: Mention) -> bool:
    """Return True for a number that somebody would go to: `I can go to 8`, `in till 8`."""
    left = [token.word for token in text.tokens[clause.start : mention.start]]
    while left and left[-1] in words("ceiling", "about"):
        left.pop()
    if not left or left[-1] not in words("ceiling", "toward"):
        return False
    if left[-1] in words("ceiling", "until"):
        return True
    for at, word in enumerate(left):
        behind = left[at + 1 : at + 2]
        if word in words("ceiling", "would") and not set(behind) & words("ceiling", "would_not"):
            return True
    return False
