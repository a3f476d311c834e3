"""Puts together what a mail orders in so many words, and what its text means in the situation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.language.grammar import Order
from felix_async.language.words import ANSWERS, MOVES, QUESTIONS, REPLIES
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.situation import Situation
from felix_async.reading.verdicts import Understood
from felix_async.reading.wanted import wanted

_OF_THE_SITUATION = (*MOVES, *ANSWERS, *REPLIES)
"""Orders that answer the decision, or what felix has asked: what stands around them counts."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The exact orders of a mail, the move to be made for it, if any, and what its text means."""

    orders: tuple[Order, ...]
    do: Order | None
    meaning: Meaning

    @property
    def is_exact(self) -> bool:
        """Return True if the move stands there in so many words, and is made at once."""
        return self.do in self.orders

    @property
    def questions(self) -> tuple[Order, ...]:
        """The exact orders that ask for something."""
        return tuple(order for order in self.orders if order.word in QUESTIONS)


def heard(said: Sequence[Understood], situation: Situation) -> Heard:
    """Return what the lines of a mail want in this situation."""
    given = (line.order for line in wanted(said) if line.verdict == "order" and line.order is not None)
    orders = tuple(dict.fromkeys(given))
    meaning = meaning_of(own_lines(said), situation)
    exact = next((order for order in orders if order in situation.possible), None)
    return Heard(orders, None if meaning.ask else exact or meaning.do, meaning)


def own_lines(said: Sequence[Understood]) -> list[str]:
    """Return the writer's own lines, as they were written, without orders that answer no decision."""
    return [line.text for line in said if line.place == "written" and not _is_other_order(line)]


def _is_other_order(line: Understood) -> bool:
    return line.verdict == "order" and line.order is not None and line.order.word not in _OF_THE_SITUATION
