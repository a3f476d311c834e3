"""The lines of one message that make one order together: `BID 5` and `UP TO 9`, `PASS` and `NEXT 11`.

Where they contradict each other, none of them is done: which of them counts, nobody can know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Final

from felix_async.language.order import joined
from felix_async.language.words import AHEAD, ANOTHER_MOVE, MOVES, TWO_MOVES
from felix_async.reading.verdicts import Understood

_PLAY: Final = "PLAY"
"""The one move that is no answer in an auction."""
_NEXT: Final = "NEXT"
"""What goes with any of them."""


def together(lines: Sequence[Understood]) -> list[Understood]:
    """Return the verdicts, with the orders that go with one in advance in the first line of them.

    A line that is only asked about joins nothing, but it may contradict. A card to be placed now and a bid
    are answers to two decisions: each stays for itself.
    """
    parts = {number: line.order for number, line in enumerate(lines) if _is_part(line) and line.order}
    decisions = {order.word == _PLAY for order in parts.values() if order.word != _NEXT}
    if len(parts) < 2 or len(decisions) > 1 or not any(order.is_ahead for order in parts.values()):
        return list(lines)
    if joined(parts.values()) is None:
        whys = chain([TWO_MOVES], repeat(ANOTHER_MOVE))
        return [
            replace(
                line, verdict="ambiguous", why=next(whys), order=None, choices=(parts[number],), apart=True
            )
            if number in parts
            else line
            for number, line in enumerate(lines)
        ]
    first, *others = [number for number in parts if lines[number].verdict == "order"] or [-1]
    if not others:
        return list(lines)
    order = joined(parts[number] for number in (first, *others))
    whole = replace(lines[first], order=order, below=tuple(lines[number].line for number in others))
    return [whole if number == first else line for number, line in enumerate(lines) if number not in others]


def _is_part(line: Understood) -> bool:
    """Return True if a line of the writer's is a move, or an order in advance."""
    is_order = line.verdict in ("order", "asked") and line.place == "written"
    return is_order and line.order is not None and line.order.word in (*MOVES, *AHEAD)
