"""Goes through the mentions of a text in order, and keeps what is wanted so far.

What is wanted is a set: a move joins it, unless words between two moves say that the later one stands for the
earlier (`no wait, 8`); words as `scrap that` empty it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from felix_async.language.grammar import Order
from felix_async.meaning.cues import Cues, within
from felix_async.meaning.evidence import WANTED, Evidence
from felix_async.meaning.mentions import Mention
from felix_async.meaning.text import Text


@dataclass(slots=True)
class Wanted:
    """What is wanted so far."""

    wanted: list[Evidence] = field(default_factory=list)
    taken_back: list[Evidence] = field(default_factory=list)


def walk(text: Text, evidence: Sequence[Evidence], cues: Cues) -> Wanted:
    """Return what is wanted in the end."""
    walked = Wanted()
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


def _ends_limit(walked: Wanted, found: Evidence) -> bool:
    """Return True for a pass that only says where a limit ends: `up to 9, then I am out`."""
    return found.mention.kind == "pass" and any(other.mention.kind == "limit" for other in walked.wanted)


def _is_starred(text: Text, mention: Mention) -> bool:
    """Return True for a correction as people type it: `*bid 7`."""
    number = text.clause_of[mention.start]
    return number >= 0 and text.clauses[number].before == "*"


def _enter(walked: Wanted, found: Evidence, corrects: bool) -> None:
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


def distinct(wanted: Iterable[Evidence]) -> list[Order]:
    """The different moves that are wanted; a limit beside a bid is none of its own."""
    wanted = list(wanted)
    moves = [found for found in wanted if found.mention.kind != "limit"]
    bids = [found for found in moves if found.mention.orders and found.mention.orders[0].word == "BID"]
    chosen = moves if bids or not any(found.mention.kind == "limit" for found in wanted) else wanted
    if not moves:
        chosen = wanted
    return list(dict.fromkeys(order for found in chosen for order in found.mention.orders))
