"""The table of decisions: out of all that was mentioned, the one move that is wanted, or what to ask.

The mentions are gone through in order. What is wanted is a set: a move joins it, unless words between two
moves say that the later one stands for the earlier (`no wait, 8`); words as `scrap that` empty it. At the
end one move in the set, and nothing against it, is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.cues import Cues, within
from felix_async.meaning.evidence import WANTED, Evidence
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import MAX_MENTIONS, PASS, Mention
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Sentence, Text
from felix_events.model import Card

MOST_ASKED: Final = 4
_SHORT: Final = 12
"""Words of a text in which a move that is only likely is done."""
ENOUGH_ASKED: Final = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """What is wanted: a move, a limit, a card for the next round; or the doubt, and what may have been meant.

    `by` are the mentions that the move was found by.
    """

    do: Order | None = None
    limit: int | None = None
    next: Card | None = None
    doubt: str = ""
    may: tuple[Order, ...] = ()
    by: tuple[Mention, ...] = ()


@dataclass(slots=True)
class _Set:
    """What is wanted so far."""

    wanted: list[Evidence] = field(default_factory=list)
    taken_back: list[Evidence] = field(default_factory=list)


def decide(
    text: Text, evidence: Sequence[Evidence], cues: Cues, situation: Situation, asks: bool = False
) -> Decision:
    """Return the decision that the evidence makes."""
    if not situation.possible:
        return Decision()
    if situation.decision == "bidding" and _says_no(text, evidence, cues, situation):
        return Decision(PASS, by=tuple(found.mention for found in evidence))
    if len(evidence) > MAX_MENTIONS:
        return Decision(doubt="unclear", may=_likeliest((), situation))
    evidence = _with_rounds(text, _let_go(text, evidence), cues)
    for_next = [
        found
        for found in evidence
        if found.is_next and len(found.mention.cards) == 1 and found.stance in (*WANTED, "other")
    ]
    upcoming = for_next[0].mention.cards[0] if for_next else None
    now = [found for found in evidence if not found.is_next]
    now = [found for found in _refined(text, now) if not _is_echo(text, found, evidence)]
    walked = _walk(text, now, cues)
    limits = {found.mention.limit for found in walked.wanted if found.mention.kind == "limit"}
    doubt, may = _doubts(text, now, walked, cues, situation)
    clear = _distinct(walked.wanted)
    said = sum(1 for token in text.tokens if token.kind in ("word", "number"))
    weak = all(found.stance != "clear" for found in walked.wanted)
    if walked.wanted and weak and said > _SHORT:
        return Decision(next=upcoming)
    if asks and weak and not walked.taken_back:
        return Decision(next=upcoming)
    if not doubt and not clear and not asks and _is_vague(text, cues):
        doubt = "unclear"
    only_if_outbid = bool(walked.wanted) and all(found.is_conditional for found in walked.wanted)
    if only_if_outbid and not doubt:
        if situation.waiting is not None:
            return Decision(limit=max(limit for limit in limits if limit is not None), by=_by(evidence))
        doubt = "condition"
    if doubt:
        return Decision(next=upcoming, doubt=doubt, may=_likeliest(may, situation), by=_by(evidence))
    if len(clear) == 1:
        limit = max((limit for limit in limits if limit is not None), default=None)
        return Decision(clear[0], limit, upcoming, by=tuple(found.mention for found in walked.wanted))
    return Decision(next=upcoming)


def doubted(decision: Decision, doubt: str, situation: Situation) -> Decision:
    """Return the decision with a doubt: what would be done is asked about, and offered first."""
    may = (decision.do,) if decision.do is not None else ()
    return Decision(next=decision.next, doubt=doubt, may=_likeliest(may, situation), by=decision.by)


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


def _walk(text: Text, evidence: Sequence[Evidence], cues: Cues) -> _Set:
    walked = _Set()
    end = 0
    for found in evidence:
        mention = found.mention
        if walked.wanted and within(cues.takes_back, end, mention.start):
            walked.taken_back, walked.wanted = walked.wanted, []
        if found.stance == "against":
            gone = [other for other in walked.wanted if other.mention.orders == mention.orders]
            walked.wanted = [other for other in walked.wanted if other not in gone]
            walked.taken_back += gone
        elif found.stance in WANTED:
            if _ends_limit(walked, found):
                continue
            corrects = within(cues.corrects, end, mention.start) or within(cues.excuses, end, mention.start)
            _enter(walked, found, corrects or _is_starred(text, mention))
        else:
            continue
        end = mention.end
    behind = within(cues.takes_back, end, len(text.tokens))
    excused = within(cues.excuses, end, len(text.tokens)) and not walked.taken_back
    if walked.wanted and (behind or (excused and len(evidence) == 1)):
        walked.taken_back, walked.wanted = walked.wanted, []
    return walked


def _ends_limit(walked: _Set, found: Evidence) -> bool:
    """Return True for a pass that only says where a limit ends: `up to 9, then I am out`."""
    return found.mention.kind == "pass" and any(other.mention.kind == "limit" for other in walked.wanted)


def _is_starred(text: Text, mention: Mention) -> bool:
    """Return True for a correction as people type it: `*bid 7`."""
    number = text.clause_of[mention.start]
    return number >= 0 and text.clauses[number].before == "*"


def _enter(walked: _Set, found: Evidence, corrects: bool) -> None:
    orders = found.mention.orders
    value = found.mention.value
    same = [
        other
        for other in walked.wanted
        if (orders and other.mention.orders == orders)
        or (
            value is not None
            and value > 0
            and other.mention.value == -value
            and found.mention.kind == "number"
        )
    ]
    if any(other.mention.value == -(value or 0) != 0 for other in same):
        return
    if same and not (found.stance == "clear" and found.mention.kind == "limit"):
        if found.stance == "clear":
            walked.wanted = [*[other for other in walked.wanted if other not in same], found]
        return
    others = walked.wanted
    if found.stance == "faint" and others and not found.is_alternative:
        return
    if found.is_alternative and others:
        walked.wanted.append(found)
    elif others and (corrects or found.corrects):
        walked.taken_back += others
        walked.wanted = [found]
    elif (others and found.stance == "clear" and all(other.stance == "faint" for other in others)) or (
        others and found.decided and not any(other.is_governed for other in others)
    ):
        walked.wanted = [found]
    elif found.mention.kind == "limit" and others:
        walked.wanted = [*others, found]
    else:
        walked.wanted.append(found)


def _distinct(wanted: Iterable[Evidence]) -> list[Order]:
    """The different moves that are wanted; a limit beside a bid is none of its own."""
    wanted = list(wanted)
    moves = [found for found in wanted if found.mention.kind != "limit"]
    bids = [found for found in moves if found.mention.orders and found.mention.orders[0].word == "BID"]
    chosen = moves if bids or not any(found.mention.kind == "limit" for found in wanted) else wanted
    if not moves:
        chosen = wanted
    return list(dict.fromkeys(order for found in chosen for order in found.mention.orders))


def _doubts(
    text: Text, evidence: Sequence[Evidence], walked: _Set, cues: Cues, situation: Situation
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
    distinct = _distinct(wanted)
    if any(found.is_alternative for found in wanted) and len({found.mention.start for found in wanted}) > 1:
        joined = [order for found in wanted for order in found.mention.orders]
        if len(set(joined)) > 1:
            return "several", [*joined[::-1], *may]
    sentences = {text.sentence_of[found.mention.start] for found in wanted}
    ored = [found for found in evidence if found.stance == "doubtful" and found.mention.orders]
    if any(text.sentence_of[found.mention.start] in sentences for found in ored):
        return "hesitation", [*distinct, *may]
    if len(wanted) == 1 and impossible and impossible[0].stance != "faint":
        return impossible[0].mention.doubt, [*impossible[0].mention.orders, *may]
    if len(distinct) > 1 or (impossible and possible):
        return "several", [*distinct[::-1], *may]
    last = max((found.mention.end for found in wanted), default=0)
    if wanted and within(_of_now(text, cues), last, len(text.tokens)):
        return "hesitation", [*distinct, *may]
    if wanted and all(found.stance == "faint" for found in wanted):
        short = len(text.tokens) <= 6
        walked.wanted = []
        return ("unclear", may) if short else ("", [])
    if distinct:
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
    for stance, doubt in (
        ("conditional", "condition"),
        ("asked", "question"),
        ("doubtful", "hesitation"),
        ("foreign", "unclear"),
        ("told", "unclear"),
    ):
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
    offered = [order for order in dict.fromkeys(may) if order in possible][:MOST_ASKED]
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
