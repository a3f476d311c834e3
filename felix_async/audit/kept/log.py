"""The log of a game as messages are held against it: its moments and times, its records, what was lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Final

from felix_async.address import Token
from felix_async.audit.evidence import Evidence, created_in
from felix_async.audit.redacted import envelopes_of, hidden_in, is_retold
from felix_async.audit.unwritten import names_then, stands_among, word_without_line
from felix_async.clock import time_of
from felix_async.game.folding import apply
from felix_async.game.moment import NOT_SAID, Row, coming, row_of
from felix_async.game.names import Names
from felix_async.game.state import initial_state
from felix_async.language.grammar import Order, read_line
from felix_async.reading.line import bare
from felix_events import model as m
from felix_events.envelope import BETWEEN_LINES, Envelope, PrivateV2, check_private, lines_of, whole_words

RESTORED: Final = "server_restored"
_SECOND: Final = timedelta(seconds=1)
"""A letter has its time in whole seconds."""
_NOBODY: Final = Names(())
_WAYS: Final = {
    "mail": "by another message",
    "desk": "from the desk",
    "computer": "by the computer",
    "order": "by an order given in advance",
}
_BY_RULES: Final = "by the rules"


class NotComparable(Exception):
    """Mails cannot be held against this log; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Line:
    """A private record, mostly with the line of a mail that became an event.

    `seat` if that is in a seat's own log, `by` is who wrote it.
    """

    version: int
    seat: int | None
    by: int | None
    record: PrivateV2

    def is_in(self, lines: Sequence[str]) -> bool:
        """Return True if the line is one of these, or made of several; the record keeps its beginning.

        Behind a YES it has the order that felix had asked about.
        """
        *parts, last = map(bare, lines_of(self._kept))
        whole = _wholes(lines)
        is_cut = whole_words(self._kept) != self._kept
        is_end = last in whole or (is_cut and any(part.startswith(last) for part in whole))
        return is_end and whole.issuperset(parts)

    def is_denied_by(self, orders: Iterable[Order], lines: Sequence[str]) -> bool:
        """Return True if one of these orders, out of these lines, is another in place of a missing line.

        A message that has lost its text denies nothing.
        """
        meant = read_line(self.record.order or "")
        missing = [part for part in map(bare, lines_of(self._kept)) if part not in _wholes(lines)]
        for read in map(read_line, missing):
            order = read if isinstance(read, Order) else meant
            if isinstance(order, Order) and any(
                _decision_of(one) == _decision_of(order) != "" and one != read for one in orders
            ):
                return True
        return False

    @property
    def _kept(self) -> str:
        return (self.record.line or "").removesuffix(f" ({self.record.order})")

    def says(self, line: str) -> bool:
        """Return True if this order was meant, in these words or others."""
        read = read_line(line)
        return self.is_in([bare(line)]) or (isinstance(read, Order) and str(read) == self.record.order)


def _wholes(lines: Sequence[str]) -> set[str]:
    """Lines, and those that they were made of."""
    return {*lines, *(part for line in lines for part in line.split(BETWEEN_LINES))}


def _decision_of(order: Order) -> str:
    """Return the decision that an order answers; '' if it makes no move."""
    return {"BID": "bids", "PASS": "bids", "PLAY": "cards", "UPTO": "limits", "NEXT": "next"}.get(
        order.word, ""
    )


def _move(order: Order) -> Order:
    """An order without what it says in advance."""
    return Order(order.word, card=order.card, amount=order.amount)


def _made(event: m.Played) -> Order:
    """A move as an order."""
    if isinstance(event, m.CardPlaced):
        return Order("PLAY", card=event.card)
    return Order("BID", amount=event.amount) if isinstance(event, m.BidPlaced) else Order("PASS")


def _way(record: PrivateV2) -> str:
    """The way that a move came by."""
    is_named = record.channel != "mail" or record.message_id is not None
    return _WAYS.get(record.channel, "in another way") if is_named else "by a message without an id"


@dataclass(frozen=True)
class Log:
    """A game's log, as far as it can be read."""

    evidence: Evidence
    envelopes: Sequence[Envelope]
    names: Names = _NOBODY

    @classmethod
    def of(cls, evidence: Evidence, names: Names = _NOBODY) -> Log:
        """Return the log of a game with all its events. NotComparable if there is not all of it to see.

        Unreadable if an event is none.
        """
        if is_retold(evidence) or hidden_in(evidence):
            raise NotComparable("this file holds what one viewer may know; take one of the whole game")
        envelopes = envelopes_of(evidence)
        if not envelopes or not isinstance(envelopes[0].data, m.GameCreated):
            raise NotComparable("the log has no beginning")
        return cls(evidence, envelopes, names)

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return self.evidence.game_id

    @property
    def created(self) -> m.GameCreated:
        """The first event."""
        return created_in(self.envelopes)

    @property
    def is_over(self) -> bool:
        """True if the log tells the end, after which nothing comes."""
        return isinstance(self.envelopes[-1].data, m.SeedRevealed)

    @property
    def may_be_older(self) -> bool:
        """True if the game may have gone on since this was written: it is a file, made while the game ran."""
        return self.evidence.kept is None and not self.is_over

    @cached_property
    def contributions(self) -> dict[int, dict[str, int]]:
        """What was put into the draw, by seat, with the version of the event."""
        found: dict[int, dict[str, int]] = {}
        for version, event in ((one.version, one.data) for one in self.envelopes):
            if isinstance(event, m.PlayerJoined):
                found.setdefault(event.seat, {})[event.contribution] = version
        return found

    @cached_property
    def records(self) -> list[Line]:
        """The private records of the game's log and of those of the seats."""
        events = {one.version: one.data for one in self.envelopes}
        found = [
            Line(version, None, getattr(events.get(version), "seat", None), record)
            for version, record in _records(self.evidence.private_records)
        ]
        for seat, log in self.evidence.seat_logs.items():
            found += [Line(version, seat, seat, record) for version, record in _records(log.private_records)]
        return found

    def lacks_line(self, one: Line) -> bool:
        """Return True if a record is of an order by mail of which no line is kept."""
        is_there = one.seat is None and one.version <= len(self.envelopes)
        return is_there and bool(word_without_line(self.envelopes[one.version - 1].data, one.record))

    def is_order(self, one: Line) -> bool:
        """Return True if a record is of an order to this table alone, as a move is, or one in advance."""
        is_there = one.seat is None and one.version <= len(self.envelopes)
        is_move = is_there and isinstance(self.envelopes[one.version - 1].data, m.PLAYED)
        return one.seat is not None or is_move or self.lacks_line(one)

    @cached_property
    def has_all_lines(self) -> bool:
        """True if every record that an event names is there, and tells the line and the mail."""
        asked = {one.version for one in self.envelopes if one.private is not None}
        return self.created.options.records == 2 and asked == self.evidence.private_records.keys()

    @cached_property
    def times(self) -> list[datetime]:
        """The time of each version, from 1."""
        return [time_of(one.at) for one in self.envelopes]

    @cached_property
    def _moments(self) -> list[tuple[Row, tuple[int, ...]]]:
        """The row at each version, and the decision that an answer of each seat would be for."""
        found: list[tuple[Row, tuple[int, ...]]] = []
        game = initial_state()
        try:
            for envelope in self.envelopes:
                apply(game, envelope.data)
                found.append((row_of(game), tuple(coming(game, seat) for seat in range(len(game.seats)))))
        except (LookupError, ValueError, TypeError, ArithmeticError):
            pass  # the audit says where it cannot be followed
        return found

    def versions_of(self, token: Token) -> list[int]:
        """The versions at which a letter could have this token."""
        return [
            version
            for version, (row, decisions) in enumerate(self._moments, 1)
            if token.seat < len(decisions)
            and decisions[token.seat] == token.turn
            and token.row in (row, NOT_SAID)
        ]

    def instead_of(self, orders: Sequence[Order], token: Token) -> tuple[Order, int, Order, str] | None:
        """Return an order, and of the move that the log has for it at that moment the version, what it is,
        and the way it came by; None if it has none. One that is the same goes first.
        """
        ways = {one.version: _way(one.record) for one in self.records if one.seat is None}
        for version in self.versions_of(token):
            event = self.envelopes[version].data if version < len(self.envelopes) else None
            if not isinstance(event, m.PLAYED) or event.seat != token.seat:
                continue
            made = _made(event)
            same = [one for one in orders if _decision_of(one) == _decision_of(made)]
            if same:
                order = next((one for one in same if _move(one) == made), same[0])
                return order, version + 1, made, ways.get(version + 1, _BY_RULES)
        return None

    def stands_among(self, line: Line, orders: Sequence[Order]) -> bool | None:
        """Return what these orders of a mail say of one of which no line is kept."""
        then = names_then(self.names, self.envelopes, line.version)
        return stands_among(line.record.order or "", orders, then)

    def stood_at(self, version: int, date: datetime) -> bool:
        """Return True if the log ended with this version then."""
        is_last = version == len(self.times)
        return self.times[version - 1] < date + _SECOND and (is_last or self.times[version] >= date)

    def away(self, versions: Sequence[int], date: datetime) -> timedelta:
        """How long before or after these versions it was, at the least."""
        none, ends = timedelta(), [*self.times[1:], None]
        gaps = [
            max(self.times[version - 1] - date, none if (end := ends[version - 1]) is None else date - end)
            for version in versions
        ]
        return max(min(gaps), none)

    def version_at(self, date: datetime | None) -> int:
        """The last version that was there then; 1 if there was none, or nobody knows when it was."""
        return max(sum(at < date + _SECOND for at in self.times), 1) if date is not None else 1

    def ends_before(self, date: datetime | None) -> bool:
        """Return True if nothing in the log is later."""
        return date is None or date + _SECOND > self.times[-1]

    def was_lost(self, date: datetime | None) -> bool:
        """Return True if this was between a backup and the moment when the server was set back to it."""
        if date is None:
            return any(one.type == RESTORED for one in self.envelopes)
        return any(
            self.times[one.version - 2] <= date + _SECOND and date <= self.times[one.version - 1]
            for one in self.envelopes[1:]
            if one.type == RESTORED
        )


def _records(bodies: Mapping[int, bytes]) -> Iterator[tuple[int, PrivateV2]]:
    """The private records that name a mail, by version; an odd one is another check's."""
    for version, body in bodies.items():
        try:
            record = check_private(body, sha256(body).hexdigest())
        except ValueError:
            continue
        if isinstance(record, PrivateV2):
            yield version, record
