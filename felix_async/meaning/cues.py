"""Words around moves that speak for or against them: conditions, doubts, corrections, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import is_unknown, slots_of
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text


@dataclass(frozen=True, slots=True)
class Cues:
    """The cues of a text, each kind in order."""

    takes_back: tuple[Found, ...]
    excuses: tuple[Found, ...]
    corrects: tuple[Found, ...]
    about: tuple[Found, ...]
    hesitates: tuple[Found, ...]
    condition: tuple[Found, ...]
    requests: tuple[Found, ...]
    next: tuple[Found, ...]
    now: tuple[Found, ...]
    quiz: tuple[Found, ...]
    fixed: tuple[Found, ...]
    past_days: tuple[Found, ...]
    days: tuple[Found, ...]
    then: tuple[Found, ...]
    tomorrow: tuple[Found, ...]
    decides: tuple[Found, ...]
    if_outbid: tuple[Found, ...]
    above: tuple[Found, ...]
    vague: tuple[Found, ...]
    known: frozenset[int]
    """The positions of all words that are cues, which are no unknown words."""
    advice: tuple[Found, ...]
    bids: Mapping[int, Found]
    """Words that bid a number, by the position of the number."""


def cues_of(text: Text, situation: Situation) -> Cues:
    """Return the cues of a text."""
    slots = slots_of(situation)

    @cache
    def found(key: str, section: str = "around") -> tuple[Found, ...]:
        return tuple(phrases(section, key).find(text, slots))

    known = (
        found("corrects"),
        found("decides"),
        found("excuses"),
        found("next"),
        found("now"),
        found("tomorrow"),
    )
    more = found("requests"), found("polite"), found("decided"), found("dictated"), found("takes_back")
    outbid = found("if_outbid", "limits")
    return Cues(
        known=frozenset(at for cues in (*known, *more) for cue in cues for at in range(cue.start, cue.end)),
        takes_back=_in_order(found("takes_back"), _alone(text, found("takes_back_alone"))),
        excuses=found("excuses"),
        corrects=found("corrects"),
        hesitates=_outside(found("hesitates"), found("decided")),
        about=found("about"),
        condition=_outside(found("condition"), (*found("polite"), *found("next"), *outbid)),
        requests=found("requests"),
        next=_upcoming(text, found("next")),
        now=found("now"),
        quiz=found("quiz"),
        fixed=found("fixed"),
        past_days=found("past_days"),
        days=found("days"),
        then=found("then"),
        tomorrow=found("tomorrow"),
        decides=found("decides"),
        if_outbid=outbid,
        above=above_in(text, situation),
        vague=found("vague", "asking"),
        advice=found("advice", "asking"),
        bids=_bid(text, (*found("bids"), *found("bids_first")), situation),
    )


def _upcoming(text: Text, cues: tuple[Found, ...]) -> tuple[Found, ...]:
    """The cues of the next round, without `next door` and `next week`."""
    return tuple(cue for cue in cues if cue.end - cue.start > 1 or not _names_next(text, cue.end))


def _names_next(text: Text, at: int) -> bool:
    """Return True if the word at a position, right behind `next`, is something else than a card."""
    if at >= len(text.tokens) or text.clause_of[at] != text.clause_of[at - 1]:
        return False
    token = text.tokens[at]
    is_other = token.word in words("misgivings", "counted") or is_unknown(token.word)
    is_word = token.kind == "word" and token.value is None
    return is_word and is_other and phrases("cards").at(text, at) is None


def above_in(text: Text, situation: Situation) -> tuple[Found, ...]:
    """Return the words for somebody going higher: beside a limit they are no condition."""
    slots = slots_of(situation)
    return (*phrases("limits", "if_outbid").find(text, slots), *phrases("advance", "above").find(text, slots))


def _bid(text: Text, cues: tuple[Found, ...], situation: Situation) -> Mapping[int, Found]:
    if situation.decision != "bidding":
        return {}
    starts = {clause.start for clause in text.clauses}
    kept = [cue for cue in cues if cue.key == "bids" or _first_said(text, cue.start) in starts]
    return {cue.slots["n"][0]: cue for cue in kept}


def _first_said(text: Text, at: int) -> int:
    """Where the clause of a position begins, if only fillers stand before it."""
    first = text.sentences[text.sentence_of[at]].start
    while at > first and text.tokens[at - 1].word in words("numbered", "fillers"):
        at -= 1
    return at


def within(cues: tuple[Found, ...], start: int, end: int) -> bool:
    """Return True if one of the cues begins between two positions."""
    return any(start <= cue.start < end for cue in cues)


def _outside(cues: tuple[Found, ...], harmless: tuple[Found, ...]) -> tuple[Found, ...]:
    """The cues that are no part of a harmless phrase."""
    covered = {at for cue in harmless for at in range(cue.start, cue.end)}
    return tuple(cue for cue in cues if cue.start not in covered)


def _alone(text: Text, cues: tuple[Found, ...]) -> tuple[Found, ...]:
    """The cues that are clauses of their own."""
    borders = {(clause.start, clause.end) for clause in text.clauses}
    return tuple(cue for cue in cues if (cue.start, cue.end) in borders)


def _in_order(*cues: tuple[Found, ...]) -> tuple[Found, ...]:
    return tuple(sorted((cue for found in cues for cue in found), key=lambda cue: cue.start))


def is_of_machine(text: Text) -> bool:
    """Return True if no player wrote this: an automatic answer, a newsletter."""
    return next(phrases("machines").find(text), None) is not None
