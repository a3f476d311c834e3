"""Receipts: which orders need no letter that says they were done.

A clean order is one exact move, or one line for the table, of which nothing came but what its writer expects.
It is answered in silence: the next letter shows it. Whoever is new is told all the same, twice, and whoever
wants to be.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import islice
from typing import Final

import orjson

from felix_async.follow_up.answer import Answer
from felix_async.language.grammar import Order
from felix_async.orders.context import Effect
from felix_async.reading.line import Line, Place
from felix_async.reading.reader import Reading
from felix_async.trouble import readable
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

FIRST_MOVES: Final = 2
"""The moves of a player, the first they ever make, that are answered however clean they are."""
_EXPECTED: Final[frozenset[Effect]] = frozenset({"changed", "plain", "plays_on"})
_UNHEARD: Final[frozenset[Place]] = frozenset({"doubtful", "signature", "forwarded", "below the marker"})
"""Places in which no line is obeyed, though its writer may have put it there."""
_MOVES: Final = (CardPlaced.type, BidPlaced.type, PlayerPassed.type)


def is_clean(answer: Answer, effects: Set[Effect]) -> bool:
    """Return True if an answer tells of one order that was done, and of nothing else.

    >>> from felix_async.follow_up.answer import AnsweredLine
    >>> line = AnsweredLine(text="PASS", verdict="done", why="You pass.")
    >>> is_clean(Answer(lines=[line]), {"plain", "changed"}), is_clean(Answer(lines=[line]), {"changed"})
    (True, False)
    """
    told = [(line.verdict, line.small, line.instead) for line in answer.lines]
    is_more = bool(answer.show or answer.asks or answer.offers or answer.doubt)
    return told == [("done", "", "")] and not is_more and "plain" in effects and effects <= _EXPECTED


def is_more_written(reading: Reading) -> bool:
    """Return True if a message holds an order where none is obeyed, as below a signature: its writer may
    think that it was done.
    """
    unheard = any(one.line.place in _UNHEARD and one.line.is_order for one in reading.said)
    is_in_subject = isinstance(Line(reading.own_subject).read, Order)
    return unheard or (is_in_subject and all(one.line.text != reading.own_subject for one in reading.said))


def wants_receipt(reader: Reader, seat: SeatRow, version: int) -> bool:
    """Return True if the player of a seat is told of clean orders, too; `version` is where the game stood
    before this one.
    """
    return reader.choice(seat.player_id).receipts or _is_new(reader, seat, version)


def _is_new(reader: Reader, seat: SeatRow, version: int) -> bool:
    """Return True if the player had made hardly a move yet, at this table or at others."""
    made = _moves_made(reader, seat, version)
    if made >= FIRST_MOVES:
        return False
    for other in readable(reader, reader.seats_of(seat.player_id)):
        if other.game_id != seat.game_id:
            made += _moves_made(reader, other)
        if made >= FIRST_MOVES:
            return False
    return True


def _moves_made(reader: Reader, seat: SeatRow, until: int | None = None) -> int:
    """Return how many moves the player of a seat has made there, up to this version of the log; it is not
    counted beyond `FIRST_MOVES`.
    """
    former = reader.former(seat.game_id)
    came = max((one.version for one in former if one.seat == seat.seat), default=0)
    events = map(orjson.loads, reader.bodies(seat.game_id, came, until))
    made = (one for one in events if one["actor"] == "seat" and one["type"] in _MOVES)
    return sum(1 for _ in islice((one for one in made if one["data"]["seat"] == seat.seat), FIRST_MOVES))
