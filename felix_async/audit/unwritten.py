"""Orders of which a record keeps no line, since it may name somebody: held to what their mail says. Pure.

What may be the same order is no other one: a clear word, a name that is known, or a move tells it apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from felix_async.game.names import Names
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import DISPUTE_WORDS, MOVES, WORD_OF
from felix_async.people import FORMER, seats_called, seats_first_in
from felix_events import model as m
from felix_events.envelope import Envelope, Private, PrivateV2

_DISPUTE: Final = "DISPUTE"
NAMELESS: Final = (_DISPUTE, "STANDS", "HANDOVER", "HOST", "UNINVITE", "START", "CANCEL")
"""Orders of which no line is kept."""
_ORDERS: Final = (*NAMELESS, "PAUSE", "RESUME", "ABANDON", *MOVES)
HERE: Final = (m.VoteCast, m.VotesWithdrawn, m.GameResumed, m.DisputeRaised, m.DisputeSettled)
"""Events that are no moves, of orders that are written to an address of their own table."""
_EVENTS: Final = (*m.PLAYED, *HERE, m.HostNamed, m.PlayerUninvited, m.GameStarted, m.GameAbandoned)
"""Events of these orders; one that follows from an order at another table has the word of that alone."""


def word_without_line(event: m.Event, record: Private) -> str:
    """Return the word of the order by mail behind an event, if no line of it is kept; else ''."""
    is_lineless = isinstance(record, PrivateV2) and record.line is None and record.mail_sha256 is not None
    return _word_of(record.order or "") if is_lineless and isinstance(event, _EVENTS) else ""


def stands_among(order: str, said: Sequence[Order], names: Sequence[str]) -> bool | None:
    """Return True if one of the orders in a mail may be that of its record, False if another one is there
    instead, None if there is neither. `names` are those by seat, or none if not all are known.

    >>> mails = ["hand over ben, please"], ["HAND OVER Anna"], ["HAND OVER"], ["HAND"], ["PAUSE"]
    >>> [stands_among("HAND OVER 1", [read_line(*one)], ("Anna", "Ben")) for one in mails]
    [True, False, True, None, False]
    """
    word = _word_of(order)
    if any(one.word == word and _may_be(order, one, names) for one in said):
        return True
    return False if any(one.word in _ORDERS for one in said) else None


def _word_of(order: str) -> str:
    return next((word for word in _ORDERS if f"{order} ".startswith(f"{WORD_OF[word]} ")), "")


def _may_be(order: str, said: Order, names: Sequence[str]) -> bool:
    """Return False if what stands behind the word of an order is surely not what its record has there."""
    if said.word in MOVES:
        return f"{order},".startswith(f"{Order(said.word, card=said.card, amount=said.amount)},")
    kept = order.removeprefix(WORD_OF[said.word]).strip()
    if said.word == _DISPUTE:
        off, text = DISPUTE_WORDS["off"], said.text.strip(" \"'“”„").lower()
        if kept in off:
            return text.partition(" ")[0] in off
        read, move = read_line(text), read_line(kept)
        is_named = isinstance(read, Order) and isinstance(move, Order) and {read.word, move.word} <= {*MOVES}
        return text not in off and (not is_named or read == move)
    if "@" in said.text:
        return True  # an address, by which the log knows nobody
    named = seats_called(said.text, names) or seats_first_in(said.text, names)
    return len(named) != 1 or kept in ("", str(named[0]))


def names_then(names: Names, envelopes: Iterable[Envelope], version: int) -> Sequence[str]:
    """Return the names by seat at a version; none if one at the table is not known, or was forgotten."""
    taken = {one.version for one in envelopes if isinstance(one.data, m.SeatTaken)}
    is_known = {"", FORMER}.isdisjoint((*names.now, *(name for *_, name in names.former)))
    return names.at(version) if is_known and taken == {until for until, *_ in names.former} else ()
