"""The verdict on a line, and on lines that answer one decision in different ways: none of them is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Final, Literal

from felix_async.language.grammar import Order, clean, names_no_order
from felix_async.language.words import (
    ANOTHER_MOVE,
    ANSWERS,
    ASKED,
    QUESTIONS,
    REPLIES,
    STOP_WORDS,
    TALK,
    TWO_MOVES,
    WHICH_ORDER,
)
from felix_async.reading.corrections import instead_of, takes_back
from felix_async.reading.line import Line, Place

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
        answers = _all_answers(told, words)
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
    for number, line in enumerate(told):
        if _is_unread(line) and takes_back(line.text):
            told[:number] = map(_taken_back, told[:number])
    return told


def _all_answers(lines: Sequence[Understood], words: Sequence[str]) -> list[tuple[Order, ...]]:
    """The answers to one decision, line by line; what corrects an order above it counts, too."""
    answers: list[tuple[Order, ...]] = []
    given: Order | None = None
    for line in lines:
        meant = _answers(line, words)
        if not meant and given is not None and _is_unread(line):
            meant = instead_of(line.text, given, words)
        given = line.order if meant and line.verdict == "order" else given
        answers.append(meant)
    return answers


def _is_unread(line: Understood) -> bool:
    """Whether the writer says something here that is no order, or not surely one."""
    return line.place == "written" and line.verdict not in ("order", "ignored")


def _taken_back(line: Understood) -> Understood:
    """The same line, asked about if it was to be obeyed and changes something; a reply is to be said anew."""
    if line.verdict != "order" or line.order is None or line.order.word in (*QUESTIONS, *TALK):
        return line
    if line.order.word in REPLIES:
        return replace(line, verdict="ambiguous", why=WHICH_ORDER, order=None)
    return replace(line, verdict="asked", why=ASKED["taken_back"].format(order=line.order))


def _answers(line: Understood, words: Sequence[str]) -> tuple[Order, ...]:
    """The answers to one decision that a line of the writer's may be; a number or a card alone is not one."""
    if line.place != "written" or line.verdict == "ignored":
        return ()
    if line.verdict != "order" and names_no_order(line.text):
        return ()
    return tuple(order for order in (line.order, *line.choices) if order is not None and order.word in words)
