"""The verdict on a line, and on lines that answer one decision in different ways: none of them is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Final, Literal

from felix_async.grammar import Order, clean, names_no_order
from felix_async.inbox.reading.line import Line, Place
from felix_async.words import ANOTHER_MOVE, ANSWERS, REPLIES, STOP_WORDS, TWO_MOVES

DECISIONS: Final = (("PLAY",), ("BID", "PASS"), ANSWERS, REPLIES)
"""Orders that answer the same decision."""
Verdict = Literal["order", "asked", "not understood", "ambiguous", "ignored"]


@dataclass(frozen=True, slots=True)
class Understood:
    """A line, and what felix makes of it.

    `order` is to be obeyed where the verdict is "order", and to be asked about where it is "asked"; `choices`
    are the orders that the line may be otherwise. `below` are the lines that belong to it, as they were
    written: those of a NEW, which list its players. As many of the verdicts behind it as `after` has numbers
    may belong to it, too, by what they say; the numbers are those of their paragraphs.
    """

    text: str
    verdict: Verdict
    why: str
    order: Order | None = None
    place: Place = "written"
    choices: tuple[Order, ...] = ()
    below: tuple[Line, ...] = ()
    after: tuple[int, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether an answer repeats it: quotes and signatures are not sent about."""
        return self.verdict != "ignored" or (self.place == "written" and not is_stop(self.text))


def is_stop(text: str) -> bool:
    """Whether a line ends the reading: END, thanks."""
    return clean(text).rstrip(".,!").lower() in STOP_WORDS


def undecided(lines: Sequence[Understood]) -> list[Understood]:
    """The verdicts, with none of several orders that answer the same decision in different ways.

    Which of them counts, nobody can know. A PLAY and a BID answer two decisions.
    """
    told = list(lines)
    for words in DECISIONS:
        answers = [_answers(line, words) for line in told]
        given = {
            line.order for line, meant in zip(told, answers, strict=True) if meant and line.verdict == "order"
        }
        if not given or all(given <= {*meant} for meant in answers if meant):
            continue
        whys = chain([TWO_MOVES], repeat(ANOTHER_MOVE))
        told = [
            replace(line, verdict="ambiguous", why=next(whys), order=None, choices=meant) if meant else line
            for line, meant in zip(told, answers, strict=True)
        ]
    return told


def _answers(line: Understood, words: Sequence[str]) -> tuple[Order, ...]:
    """The answers to one decision that a line of the writer's may be; a number or a card alone is not one."""
    if line.place != "written" or line.verdict == "ignored":
        return ()
    if line.verdict != "order" and names_no_order(line.text):
        return ()
    return tuple(order for order in (line.order, *line.choices) if order is not None and order.word in words)
