"""Finds out which of the few answers to a decision a text wants, and whether anything speaks against it.

The same text in the same situation always reads the same; `GRAMMAR` numbers what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

from felix_async.language.grammar import Order
from felix_async.meaning.advance import without_asking, without_when
from felix_async.meaning.answering import answer_in
from felix_async.meaning.ceiling import with_limit
from felix_async.meaning.cues import cues_of, is_of_machine
from felix_async.meaning.decide import DROP, MOST_ASKED, Decision, choose, decide, in_rounds, together
from felix_async.meaning.denials import denials_in, without
from felix_async.meaning.evidence import Evidence, evidence_in
from felix_async.meaning.lexicon import phrases
from felix_async.meaning.mentions import PASS, Mention, mentions_in
from felix_async.meaning.misgivings import reconsidered
from felix_async.meaning.parting import wishes_in
from felix_async.meaning.questions import questions_in
from felix_async.meaning.replies import Reply as Reply
from felix_async.meaning.replies import reply_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.talk import is_within, said_in, talk_in, tells_own
from felix_async.meaning.text import Text, text_of
from felix_async.meaning.topics import Topic as Topic

GRAMMAR: Final = 7
"""The number of this reader: it goes up if any text in any situation reads otherwise."""
Doubt = Literal[
    "", "several", "condition", "question", "hesitation", "taken back", "not in hand", "too low", "too high",
    "other decision", "unclear", "denied",
]  # fmt: skip
"""Why felix asks instead of doing anything."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text wants.

    `do` is the one order that is wanted, with nothing against it: a move, a limit, a card for the next round,
    or a move with these. If felix has to ask, `ask` are the possible answers to offer, the likeliest first,
    four at the most, `doubt` says why, and `do` is None.
    `info` are the questions in the text. `reply` answers what felix asked. `say` are words that the writer
    asks to pass on to the others, `talk` are words that may be meant for them. `words` are those by which
    all this was found, as they were written.
    """

    do: Order | None = None
    ask: tuple[Order, ...] = ()
    doubt: Doubt = ""
    info: tuple[Topic, ...] = ()
    reply: Reply = ""
    say: tuple[str, ...] = ()
    talk: str = ""
    words: tuple[str, ...] = ()


def meaning_of(lines: Sequence[str], situation: Situation) -> Meaning:
    """Return what the writer's own lines want in this situation."""
    read = text_of(lines)
    if denials := denials_in(read, situation):
        say = said_in(read, situation)
        told = [(one.start, one.end) for one in say]
        rest = meaning_of(without(read, [*denials, *told]), situation)
        is_told = all(is_within(say, start) for start, _ in denials)
        return replace(rest if is_told else _denied(rest), say=tuple(one.words for one in say))
    text = without_when(read, situation)
    limited = without_asking(text, situation)
    meaning = _meaning_of(limited, situation) if limited is not None else Meaning()
    if meaning.do is not None and meaning.do.limit is not None:
        return replace(meaning, do=replace(meaning.do, asks=True))
    return _meaning_of(text, situation)


def _denied(rest: Meaning) -> Meaning:
    """Return what a text wants that denies a move, by the rest of it: what is named there is asked about.

    A pass is not: whoever denies a move says no.
    """
    named = (rest.do,) if rest.do is not None else rest.ask if rest.words else ()
    ask = tuple(order for order in named if order != PASS)
    return Meaning(None, ask, "denied", rest.info, words=rest.words if ask else ())


def _meaning_of(text: Text, situation: Situation) -> Meaning:
    asked = questions_in(text, situation)
    info = asked.topics
    say = said_in(text, situation)
    reply = reply_in(text, situation, say)
    # Outside of an auction cards are spoken of, too.
    seen = situation if situation.decision else replace(situation, decision="bidding", most=0)
    cues = cues_of(text, seen)
    found = mentions_in(text, seen) if situation.decision or situation.nexts else ()
    wishes = [wish for wish in wishes_in(text, situation) if not is_within(say, wish.start)]
    found = tuple(
        one for one in found if not any(wish.start < one.end and one.start < wish.end for wish in wishes)
    )
    own = [one for one in found if is_within(say, one.start) and _is_own(text, one, situation)]
    mentions = [
        one
        for one in found
        if one.kind == "limit"
        or not (
            is_within(say, one.start)
            or (
                text.clause_of[one.start] in asked.clauses
                and one.start not in cues.bids
                and not one.is_certain
            )
        )
    ]
    evidence = in_rounds(text, evidence_in(text, mentions, cues, seen), cues)
    is_machine = is_of_machine(text)
    now = Decision() if is_machine else decide(text, evidence, cues, situation, bool(info))
    if reply and not evidence:
        # It answers what waits: that it names no move makes it no wish without one.
        now = Decision()
    later = Decision() if is_machine else choose(evidence, situation)
    now = with_limit(text, reconsidered(text, now, found, situation), found, situation)
    decision = together(now, reconsidered(text, later, found, situation))
    if not is_machine and situation.nexts and next(phrases("advance", "drops").find(text), None) is not None:
        moves = [] if decision.do is None else [decision.do]
        decision = Decision(doubt="taken back", may=(*moves, DROP))
    if own and decision == Decision():
        orders = dict.fromkeys(order for one in own for order in one.orders)
        decision = Decision(doubt="unclear", may=tuple(orders)[:MOST_ASKED])
    if wishes and not is_machine:
        kept = decision.may if decision.do is None else (decision.do,)
        wished = [order for wish in wishes for order in wish.orders]
        may = tuple(dict.fromkeys((*kept[: MOST_ASKED // 2], *wished)))
        decision = Decision(doubt="unclear", may=may[:MOST_ASKED])
    if decision.do not in (None, situation.waiting):
        reply = ""
    answered = Decision()
    if decision.do is None and not (decision.by or info or reply or say or wishes or is_machine):
        answered = answer_in(text, situation)
        decision = decision if answered == Decision() else answered
    is_alone = decision == Decision() and not (info or reply)
    at = [(one, text.sentence_of[one.mention.start]) for one in evidence]
    carrying = {sentence for one, sentence in at if _carries(text, one, sentence, is_alone=is_alone)}
    aside = carrying | asked.sentences | {text.sentence_of[wish.start] for wish in wishes}
    talk = (
        ""
        if is_machine or answered != Decision()
        else talk_in(text, situation, say, aside, is_alone=is_alone)
    )
    spans = [(one.start, one.end) for one in decision.by] + [(wish.start, wish.end) for wish in wishes]
    words = tuple(text.between(start, end) for start, end in spans)
    return Meaning(
        decision.do,
        decision.may,
        cast("Doubt", decision.doubt),
        info,
        reply,
        tuple(one.words for one in say if not any(is_within([one], move.start) for move in own)),
        talk,
        words,
    )


def _is_own(text: Text, found: Mention, situation: Situation) -> bool:
    """Return True for a move or a card of the writer's own in words to pass on: they are asked about."""
    tells = situation.decision == "placing" or tells_own(text, text.sentence_of[found.start])
    return bool(found.orders) and tells


def _carries(text: Text, found: Evidence, sentence: int, *, is_alone: bool) -> bool:
    """Return True if a sentence with this in it might tell the others what the writer does, or holds.

    Where nothing else is said, a card that is not in the hand is no card of theirs.
    """
    is_own = bool(found.mention.orders or not is_alone) and bool(found.mention.cards)
    return found.stance not in ("explained", "reported") or (is_own and tells_own(text, sentence))
