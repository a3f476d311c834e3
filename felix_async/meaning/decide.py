"""The table of decisions: out of all that was mentioned, the one move that is wanted, or what to ask.

The mentions are gone through in order. What is wanted is a set: a move joins it, unless words between two
moves say that the later one stands for the earlier (`no wait, 8`); words as `scrap that` empty it. At the
end one move in the set, and nothing against it, is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.cues import Cues, within
from felix_async.meaning.evidence import WANTED, Evidence
from felix_async.meaning.mentions import MAX_MENTIONS, Mention
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text
from felix_events.model import Card

MOST_ASKED: Final = 4
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
    if len(evidence) > MAX_MENTIONS:
        return Decision(doubt="unclear", may=_likeliest((), situation))
    for_next = [
        found for found in evidence if found.is_next and found.mention.cards and found.stance in WANTED
    ]
    upcoming = for_next[0].mention.cards[0] if for_next and len(for_next[0].mention.cards) == 1 else None
    now = [found for found in evidence if not found.is_next]
    walked = _walk(text, now, cues)
    limits = {found.mention.limit for found in walked.wanted if found.mention.kind == "limit"}
    doubt, may = _doubts(text, now, walked, cues, situation)
    clear = _distinct(walked.wanted)
    if asks and all(found.stance != "clear" for found in walked.wanted):
        return Decision(next=upcoming)
    if doubt:
        return Decision(next=upcoming, doubt=doubt, may=_likeliest(may, situation), by=_by(evidence))
    if len(clear) == 1:
        limit = max((limit for limit in limits if limit is not None), default=None)
        return Decision(clear[0], limit, upcoming, by=tuple(found.mention for found in walked.wanted))
    return Decision(next=upcoming)


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
            if _ends_limit(text, walked, found):
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


def _ends_limit(text: Text, walked: _Set, found: Evidence) -> bool:
    """Return True for a pass that only says where a limit ends: `up to 9, then I am out`."""
    sentence = text.sentence_of[found.mention.start]
    return found.mention.kind == "pass" and any(
        other.mention.kind == "limit" and text.sentence_of[other.mention.start] == sentence
        for other in walked.wanted
    )


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
    if same and not (found.stance == "clear" and found.mention.kind == "limit"):
        if found.stance == "clear":
            walked.wanted = [*[other for other in walked.wanted if other not in same], found]
        return
    others = walked.wanted
    if found.stance == "faint" and others:
        return
    if others and (corrects or found.corrects):
        walked.taken_back += others
        walked.wanted = [found]
    elif (others and found.stance == "clear" and all(other.stance == "faint" for other in others)) or (
        others and found.decided and all(other.stance != "clear" for other in others)
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
    if impossible and possible:
        kept = [found for found in impossible if found.stance == "clear" and not _is_beside(found, situation)]
        walked.wanted = possible + kept
        wanted, impossible = walked.wanted, kept
    distinct = _distinct(wanted)
    if len(wanted) == 1 and impossible and impossible[0].stance != "faint":
        return impossible[0].mention.doubt, [*impossible[0].mention.orders, *may]
    if len(distinct) > 1 or (impossible and possible):
        return "several", [*distinct[::-1], *may]
    last = max((found.mention.end for found in wanted), default=0)
    if wanted and within(cues.hesitates, last, len(text.tokens)):
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
    for stance, doubt in (("conditional", "condition"), ("asked", "question"), ("doubtful", "hesitation")):
        meant = [found for found in evidence if found.stance == stance]
        if meant:
            return doubt, may
    if any(found.stance == "against" for found in evidence):
        against = {order for found in evidence if found.stance == "against" for order in found.mention.orders}
        return "unclear", [order for order in situation.possible if order not in against]
    return "", []


def _is_beside(found: Evidence, situation: Situation) -> bool:
    """Return True if what is impossible now may be said beside a move: a bid for later, a card."""
    return found.mention.doubt == "other decision" or (
        found.mention.kind == "number" and found.stance != "clear"
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
