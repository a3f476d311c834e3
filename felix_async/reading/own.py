"""The writer's own words in a message: the lines out of which its meaning as a whole is read.

Quotes, signatures and what stands below a word of farewell are not among them, and no line of an exact order
that neither moves nor answers a question: that is done for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.language.grammar import NEEDED, Misread, Order
from felix_async.language.words import ANSWERS, MOVES, REPLIES
from felix_async.reading.understand import MAX_WRITTEN, is_nearly_new
from felix_async.reading.verdicts import Understood, is_stop

DECIDES: Final = (*MOVES, *ANSWERS, *REPLIES)
"""Orders that answer the decision before a seat, or a question about it."""
_INCOMPLETE: Final = frozenset(NEEDED.values())
"""Codes of lines that begin with another order and lack what belongs behind it."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The writer's own lines, those among them that are surely theirs, and whether there are more of them."""

    lines: tuple[Understood, ...] = ()
    firm: tuple[Understood, ...] = ()
    is_cut: bool = False

    @property
    def exact(self) -> list[Order]:
        """The exact orders among them, each once."""
        given = (line.order for line in self.lines if line.verdict == "order")
        return list(dict.fromkeys(order for order in given if order is not None))


def own_words(lines: Sequence[Understood]) -> OwnWords:
    """Return the writer's own words among the verdicts on a mail.

    A word of farewell ends them; above all that is said it ends nothing, and what comes then is not sure. A
    mail that may open a table is about that alone.
    """
    if any(line.place == "written" and _is_about_new(line) for line in lines):
        return OwnWords()
    own: list[Understood] = []
    firm: list[Understood] = []
    is_late = False
    for line in lines:
        if not is_own(line):
            continue
        if is_stop(line.line.clean):
            if own:
                break
            is_late = True
            continue
        own.append(line)
        if line.verdict == "order" or not (line.shaky or is_late or _is_doubted(line)):
            firm.append(line)
    return OwnWords(tuple(own[:MAX_WRITTEN]), tuple(firm[:MAX_WRITTEN]), len(own) > MAX_WRITTEN)


def is_own(line: Understood) -> bool:
    """Return True if a line is the writer's, and no order that is done, or incomplete, for itself."""
    if line.place != "written" or line.apart or (line.verdict == "order" and not _is_weighed(line.order)):
        return False
    read = line.line.read
    return not (isinstance(read, Misread) and read.code in _INCOMPLETE)


def _is_weighed(order: Order | None) -> bool:
    """Return True if words around an exact order may mean something else; one in advance stands if alone."""
    return order is not None and (order.is_said if order.is_ahead else decides(order))


def _is_about_new(line: Understood) -> bool:
    return is_nearly_new(line) or (line.order is not None and line.order.word == "NEW")


def _is_doubted(line: Understood) -> bool:
    """Return True if a line is an exact order that is asked about: an older mail may have begun above it."""
    read = line.line.read
    return line.verdict == "asked" and isinstance(read, Order) and not read.is_said


def decides(order: Order | None) -> bool:
    """Return True if an order answers the decision before a seat, or a question about it."""
    return order is not None and order.word in DECIDES
