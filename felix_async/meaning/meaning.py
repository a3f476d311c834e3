"""Finds out which of the few answers to a decision a text wants, and whether anything speaks against it.

The same text in the same situation always reads the same; `GRAMMAR` numbers what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from felix_async.language.grammar import Order
from felix_async.meaning.cues import cues_of, is_of_machine
from felix_async.meaning.decide import Decision, decide
from felix_async.meaning.evidence import evidence_in
from felix_async.meaning.mentions import mentions_in
from felix_async.meaning.questions import topics_in
from felix_async.meaning.replies import Reply as Reply
from felix_async.meaning.replies import reply_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.talk import said_in
from felix_async.meaning.text import text_of
from felix_async.meaning.topics import Topic as Topic
from felix_events.model import Card

GRAMMAR: Final = 1
"""The number of this reader: it goes up if any text in any situation reads otherwise."""
Doubt = Literal[
    "", "several", "condition", "question", "hesitation", "taken back", "not in hand", "too low", "too high",
    "other decision", "unclear",
]  # fmt: skip
"""Why felix asks instead of doing anything."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text wants.

    `do` is the one move that is wanted, with nothing against it. `limit` is the highest bid of an "up to 9"
    and `next` a card for the next round; neither can be kept yet. If felix has to ask, `ask` are the possible
    answers to offer, the likeliest first, two to four of them, `doubt` says why, and `do` is None.
    `info` are the questions in the text. `reply` answers what felix asked. `say` are words that the writer
    asks to pass on to the others, `talk` are words that may be meant for them. `words` are those by which
    all this was found, as they were written.
    """

    do: Order | None = None
    limit: int | None = None
    next: Card | None = None
    ask: tuple[Order, ...] = ()
    doubt: Doubt = ""
    info: tuple[Topic, ...] = ()
    reply: Reply = ""
    say: tuple[str, ...] = ()
    talk: str = ""
    words: tuple[str, ...] = ()


def meaning_of(lines: Sequence[str], situation: Situation) -> Meaning:
    """Return what the writer's own lines want in this situation."""
    text = text_of(lines)
    info = topics_in(text, situation)
    say, talk = said_in(text, situation)
    reply = reply_in(text, situation)
    cues = cues_of(text, situation)
    evidence = evidence_in(text, mentions_in(text, situation), cues, situation)
    decision = Decision() if is_of_machine(text) else decide(text, evidence, cues, situation, bool(info))
    words = tuple(text.between(mention.start, mention.end) for mention in decision.by)
    return Meaning(
        decision.do,
        decision.limit,
        decision.next,
        decision.may,
        cast("Doubt", decision.doubt),
        info,
        reply,
        say,
        talk,
        words,
    )
