"""The table of decisions: out of all that was mentioned, the one move that is wanted, or what to ask.

One move that is wanted in the end (`wanted`), and nothing against it, is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.cues import Cues, within
from felix_async.meaning.evidence import WANTED, Evidence, Stance
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import MAX_MENTIONS, PASS, Mention
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Sentence, Text
from felix_async.meaning.wanted import Wanted, distinct, walk

MOST_ASKED: Final = 4
DROP: Final = Order("DROP")
_SHORT: Final = 12
"""Words of a text in which a move that is only likely is done."""
ENOUGH_ASKED: Final = 3
DOUBT_OF: Final[Mapping[Stance, str]] = {
    "conditional": "condition",
    "asked": "question",
    "doubtful": "hesitation",
    "foreign": "unclear",
    "told": "unclear",
}
"""The doubt that a stance is, the worst first."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An order that is wanted; or the doubt, and what may have been meant.

    `by` are the mentions that it was found by.
    """

    do: Order | None = None
    doubt: str = ""
    may: tuple[Order, ...] = ()
    by: tuple[Mention, ...] = ()


def decide(
    text: Text, evidence: Sequence[Evidence], cues: Cues, situation: Situation, asks: bool = False
) -> Decision:
    """Return the decision that the evidence makes of the move that is asked for."""
    if not situation.possible:
        return Decision()
    if situation.decision == "bidding" and _says_no(text, evidence, cues, situation):
        return Decision(PASS, by=tuple(found.mention for found in evidence))
    if len(evidence) > MAX_MENTIONS:
        return Decision(doubt="unclear", may=_likeliest((), situation))
    now = [found for found in evidence if not found.is_next]
    now = [found for found in _refined(text, now) if not _is_echo(text, found, evidence)]
    walked = walk(text, now, cues)
    doubt, may = _doubts(text, now, walked, cues, situation)
    clear = distinct(walked.wanted)
    said = sum(1 for token in text.tokens if token.kind in ("word", "number"))
    weak = all(found.stance != "clear" for found in walked.wanted)
    is_lost = said > _SHORT or situation.is_early
    if (walked.wanted and weak and is_lost) or (asks and weak and not walked.taken_back):
        return Decision()
    is_for_now = len(now) == len(evidence) and not situation.is_early
    if is_for_now and not doubt and not clear and not asks and _is_vague(text, cues):
        doubt = "unclear"
    if walked.wanted and all(found.is_conditional for found in walked.wanted) and not doubt:
        waits = situation.waiting
        if waits is not None and waits.amount is not None:
            clear = [waits]
        elif not situation.leads:
            doubt = "condition"
    limits = {found.mention.limit for found in walked.wanted if found.mention.limit is not None}
    if not doubt and len(clear) == 1:
        whole = _limited(clear[0], limits, situation)
        if whole is not None:
            return Decision(whole, by=tuple(found.mention for found in walked.wanted))
        doubt, may = (
            "several",
            [*clear, *(order for found in walked.wanted for order in found.mention.orders)],
        )
    if doubt == "unclear" and all(one.mention.kind == "limit" for one in now if one.stance == "against"):
        against = [one for one in now if one.stance == "against"]
        if against:
            return Decision(doubt="taken back", may=(DROP,), by=_by(against))
    if doubt == "too high" and any(found.mention.limit for found in now):
        may = [Order("UPTO", limit=situation.most), *may]
    return Decision(doubt=doubt, may=_likeliest(may, situation), by=_by(evidence)) if doubt else Decision()


def _limited(order: Order, limits: Collection[int], situation: Situation) -> Order | None:
    """Return a bid with the limit that is named beside it; None if they do not go together.

    Where the bid is the least, the limit alone says the same.
    """
    if order.amount is None or not limits or limits == {order.amount}:
        return order
    if len(limits) > 1 or min(limits) < order.amount:
        return None
    limit = min(limits)
    return Order("UPTO", limit=limit) if order.amount == situation.least else replace(order, limit=limit)


def choose(evidence: Sequence[Evidence], situation: Situation) -> Decision:
    """Return what is decided of the card for the next round."""
    named = [
        replace(found, mention=_for_next(found.mention, situation)) for found in evidence if found.is_next
    ]
    wanted = [found for found in named if found.stance in (*WANTED, "other")]
    if not any(found.is_alternative for found in wanted):
        wanted = wanted[:1]  # `8 next round, then the 5`
    orders = list(dict.fromkeys(order for found in wanted for order in found.mention.orders))
    by = tuple(found.mention for found in wanted or named)
    if len(orders) == 1:
        return Decision(orders[0], by=by)
    if not wanted and any(found.stance == "against" for found in named):
        return Decision(doubt="taken back", may=(DROP,), by=by)
    doubts = (
        ("several",) if wanted else tuple(DOUBT_OF[one.stance] for one in named if one.stance in DOUBT_OF)
    )
    may = tuple(order for found in named for order in found.mention.orders if situation.allows(order))
    return Decision(doubt=doubts[0], may=may[:MOST_ASKED], by=by) if doubts and may else Decision()


def _for_next(mention: Mention, situation: Situation) -> Mention:
    """The mention of a card for the next round, with the orders that it may stand for, by the hand."""
    cards = [card for card in mention.cards if card in situation.nexts] or mention.cards
    return replace(mention, orders=tuple(Order("NEXT", next=card) for card in cards))


def together(now: Decision, later: Decision) -> Decision:
    """Return the decision of both: the card goes with the move, or with all that is offered."""
    if later.do is None:
        return now if now != Decision() else later
    if now == Decision():
        return later
    card = later.do.next
    do = None if now.do is None else replace(now.do, next=card)
    return replace(
        now, do=do, may=tuple(replace(order, next=card) for order in now.may), by=(*now.by, *later.by)
    )


def doubted(decision: Decision, doubt: str, situation: Situation) -> Decision:
    """Return the decision with a doubt: what would be done is asked about, and offered first."""
    may = (decision.do,) if decision.do is not None else ()
    if may and may[0].word == "NEXT":
        return Decision(doubt=doubt, may=may, by=decision.by)
    return Decision(doubt=doubt, may=_likeliest(may, situation), by=decision.by)


def in_rounds(text: Text, evidence: Sequence[Evidence], cues: Cues) -> list[Evidence]:
    """Return the evidence with what goes after all, and with what is for the next round by its place."""
    return _with_rounds(text, _let_go(text, evidence), cues)


def _let_go(text: Text, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """The evidence with the one card of a text, if it goes: `I was saving the 15, but out it goes`."""
    orders = {order for found in evidence for order in found.mention.orders}
    cue = next(phrases("around", "it_goes").find(text), None)
    if cue is None or len(orders) != 1 or text.sentences[text.sentence_of[cue.start]].is_question:
        return evidence
    if text.clauses[text.clause_of[cue.start]].end > cue.end:
        return evidence  # `so that he …`
    told = [found for found in evidence if found.mention.orders and found.mention.end <= cue.start]
    if not told or told[-1].stance not in ("against", "reported") or told[-1].is_next:
        return evidence
    last = told[-1]
    sentence = text.sentences[text.sentence_of[last.mention.start]]
    said = set(text.words(Clause(sentence.start, last.mention.start, 0)))
    is_over = bool(said & words("acts", "past") or last.stance == "reported")
    is_near = text.sentence_of[cue.start] - text.sentence_of[last.mention.start] <= 1
    if not (is_over and is_near and said & words("numbered", "first")):
        return evidence
    return [replace(found, stance="clear", decided=True) if found is last else found for found in evidence]


def _with_rounds(text: Text, evidence: Sequence[Evidence], cues: Cues) -> list[Evidence]:
    """The evidence with what is for the next round by its place: `5 today, 3 tomorrow`, `pass, play 3`."""
    told: list[Evidence] = []
    for found in evidence:
        before = [other for other in told if other.stance == "clear" and not other.is_next]
        is_card = found.mention.kind in ("card", "number") and found.mention.cards
        if (before and is_card and found.stance == "other") or (
            before and is_card and found.stance in WANTED and _is_later(text, found, cues, told)
        ):
            found = replace(found, is_next=True)
        told.append(found)
    return told


def _is_later(text: Text, found: Evidence, cues: Cues, told: Sequence[Evidence]) -> bool:
    number = text.clause_of[found.mention.start]
    if number < 0 or found.mention.orders[:1] == () or found.mention.orders[0].word != "PLAY":
        return False
    clause = text.clauses[number]
    if any(other.is_next for other in told) and within(cues.then, clause.start, clause.end):
        return True
    return within(cues.tomorrow, clause.start, clause.end)


def _doubts(
    text: Text, evidence: Sequence[Evidence], walked: Wanted, cues: Cues, situation: Situation
) -> tuple[str, list[Order]]:
    """Why nothing is done, and what may have been meant; '' if nothing speaks against what is wanted."""
    may = [
        order for found in reversed(evidence) for order in found.mention.orders if found.stance != "explained"
    ]
    wanted = walked.wanted
    impossible = [found for found in wanted if found.mention.doubt]
    possible = [found for found in wanted if found.mention.orders and not found.mention.doubt]
    if impossible and possible and not any(found.is_alternative for found in wanted):
        last = max(found.mention.start for found in possible)
        kept = [found for found in impossible if _counts(found, last)]
        walked.wanted = possible + kept
        wanted, impossible = walked.wanted, kept
    moves = distinct(wanted)
    if any(found.is_alternative for found in wanted) and len({found.mention.start for found in wanted}) > 1:
        joined = [order for found in wanted for order in found.mention.orders]
        if len(set(joined)) > 1:
            return "several", [*joined[::-1], *may]
    sentences = {text.sentence_of[found.mention.start] for found in wanted}
    ored = [found for found in evidence if found.stance == "doubtful" and found.mention.orders]
    if any(text.sentence_of[found.mention.start] in sentences for found in ored):
        return "hesitation", [*moves, *may]
    if len(wanted) == 1 and impossible and impossible[0].stance != "faint":
        return impossible[0].mention.doubt, [*impossible[0].mention.orders, *may]
    if len(moves) > 1 or (impossible and possible):
        return "several", [*moves[::-1], *may]
    last = max((found.mention.end for found in wanted), default=0)
    if wanted and within(_of_now(text, cues), last, len(text.tokens)):
        return "hesitation", [*moves, *may]
    if wanted and all(found.stance == "faint" for found in wanted):
        short = len(text.tokens) <= 6
        walked.wanted = []
        return ("unclear", may) if short else ("", [])
    if moves:
        if text.is_cut:
            return "unclear", may
        return "", []
    if impossible and impossible[0].stance != "faint":
        return impossible[0].mention.doubt, [*impossible[0].mention.orders, *may]
    if walked.taken_back:
        return "taken back", [order for found in walked.taken_back for order in found.mention.orders]
    other = [found for found in evidence if found.stance == "other"]
    if other:
        return "other decision", may
    for stance, doubt in DOUBT_OF.items():
        meant = [found for found in evidence if found.stance == stance]
        if meant:
            return doubt, may
    if any(found.stance == "against" for found in evidence):
        against = {order for found in evidence if found.stance == "against" for order in found.mention.orders}
        return "unclear", [order for order in situation.possible if order not in against]
    return "", []


def _of_now(text: Text, cues: Cues) -> tuple[Found, ...]:
    """The doubts that are not of the next round."""
    later = {text.sentence_of[cue.start] for cue in cues.next}
    return tuple(cue for cue in cues.hesitates if text.sentence_of[cue.start] not in later)


def _counts(found: Evidence, last: int) -> bool:
    """Return True if something impossible speaks against the move that was named at `last`.

    What was said before it may be of the price or of other cards; another decision comes later.
    """
    is_said = found.stance == "clear" and found.is_governed and found.mention.doubt != "other decision"
    return is_said and found.mention.start > last


def _refined(text: Text, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence without words that another mention says more closely: `the cat with the 3`."""
    sure = [
        found
        for found in evidence
        if found.stance in WANTED and len(found.mention.orders) == 1 and not found.mention.doubt
    ]
    return [
        found for found in evidence if not (found.mention.doubt == "several" and _is_said(text, found, sure))
    ]


def _is_echo(text: Text, found: Evidence, evidence: Sequence[Evidence]) -> bool:
    """Return True for a number alone that was asked of others right before: `You paid 9 for that? Nine!`"""
    span = found.mention.start, found.mention.end
    if found.mention.kind != "number" or not any((one.start, one.end) == span for one in text.clauses):
        return False
    sentence = text.sentence_of[found.mention.start]
    asked = [
        other
        for other in evidence
        if other.stance == "reported" and text.sentence_of[other.mention.start] == sentence - 1
    ]
    return any(
        other.mention.value == found.mention.value and text.sentences[sentence - 1].is_question
        for other in asked
    )


def _is_said(text: Text, found: Evidence, sure: Sequence[Evidence]) -> bool:
    sentence = text.sentence_of[found.mention.start]
    return any(
        other.mention.orders[0] in found.mention.orders
        and abs(text.sentence_of[other.mention.start] - sentence) <= 1
        for other in sure
    )


def _likeliest(may: Sequence[Order], situation: Situation) -> tuple[Order, ...]:
    """The orders to offer, those that were mentioned first; filled up with what is possible besides."""
    possible = situation.possible
    offered = [order for order in dict.fromkeys(may) if situation.allows(order)][:MOST_ASKED]
    limits = [order.limit for order in offered if order.word == "UPTO"]
    offered += [bid for bid in (Order("BID", amount=limit) for limit in limits) if bid not in offered]
    offered = offered[:MOST_ASKED]
    usual = possible
    if situation.decision == "bidding" and possible:
        usual = (possible[-1], possible[0]) if offered else (possible[0], possible[-1])
    more = [order for order in usual if order not in offered]
    return (*offered, *more[: max(0, ENOUGH_ASKED - len(offered))])


def _by(evidence: Sequence[Evidence]) -> tuple[Mention, ...]:
    return tuple(found.mention for found in evidence if found.stance != "explained")


def _is_vague(text: Text, cues: Cues) -> bool:
    """Return True if something is wanted and nothing is named: advice, more, a move in another language."""
    if cues.advice or any(_is_whole(text, cue) for cue in cues.vague):
        return True
    foreign = [token.word for token in text.tokens if token.word in words("foreign", "words")]
    sure = [word for word in foreign if word not in words("foreign", "both")]
    said = sum(1 for token in text.tokens if token.kind == "word")
    strange = sum(1 for token in text.tokens if token.kind == "word" and not _is_latin(token.word))
    return (len(sure) >= 1 and 3 * len(foreign) >= said) or len(sure) >= 3 or strange > 0


def _is_latin(word: str) -> bool:
    return all(char < "\u0370" for char in word)


def _is_whole(text: Text, cue: Found) -> bool:
    """Return True if a phrase is a sentence of its own, but for a courtesy."""
    sentence = text.sentences[text.sentence_of[cue.start]]
    around = (*text.tokens[sentence.start : cue.start], *text.tokens[cue.end : sentence.end])
    return all(
        token.kind in ("mark", "emoji") or token.word in words("leaving", "around_bare") for token in around
    )


def _says_no(text: Text, evidence: Sequence[Evidence], cues: Cues, situation: Situation) -> bool:
    """Return True for a NO to the price: `nope`, or `12? no.` where 12 is too low or was only asked."""
    if situation.waiting is not None or cues.hesitates or cues.condition or text.is_cut:
        return False
    harmless = ("asked", "explained", "reported", "against")
    if any(found.mention.orders and found.stance not in harmless for found in evidence):
        return False
    last = max((found.mention.end for found in evidence), default=0)
    behind = [sentence for sentence in text.sentences if sentence.start >= last]
    before = [sentence for sentence in text.sentences if sentence.start < last]
    refusals = [sentence for sentence in behind if _refuses(text, sentence)]
    if not evidence:
        return len(refusals) == len(text.sentences) > 0
    return bool(refusals) and len(before) == 1 and len(refusals) == len(behind)


def _words_from(text: Text, start: int, end: int) -> list[str]:
    return [token.word for token in text.tokens[start:end] if token.kind in ("word", "number")]


def _refuses(text: Text, sentence: Sentence) -> bool:
    said = text.words(sentence)
    denied = phrases("leaving", "refusing").at(text, sentence.start)
    if denied is not None and all(
        word in words("leaving", "around_bare") for word in _words_from(text, denied.end, sentence.end)
    ):
        return True
    courtesies = words("leaving", "around_bare") | words("leaving", "refusals")
    return bool(set(said) & words("leaving", "refusals")) and all(word in courtesies for word in said)
