"""The seats' own logs: why the computer moved as it did, and what was said in advance. Pure.

An explanation names the decision (seat and turn) and the order. The move that came of it names the
explanation in its private record, as the cause `computer/<game>/seat/<n>/<version>`: one cannot go without
the other. A move by an order names that one as `order/<game>/seat/<n>/<version>`. At the end of a game an
event names the roots of these logs, so that nothing can be put into one or taken out of it afterwards.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.audit.causes import cause_of
from felix_async.audit.evidence import Evidence, Flaw, SeatLog, created_in
from felix_async.audit.orders import check_orders, is_about_order
from felix_async.audit.private import opened
from felix_async.game.commands import Move, order_text
from felix_async.game.folding import apply
from felix_async.game.state import initial_state
from felix_events.envelope import (
    Envelope,
    OfLater,
    Private,
    Unreadable,
    check_seat_envelopes,
    seat_log_id,
)
from felix_events.model import (
    PLAYED,
    ChoiceExplained,
    Reason,
    SeatLogsClosed,
    SeedRevealed,
)
from felix_events.tree import extend, leaf, tree_root

_CAUSE: Final = re.compile(
    rb'\{"cause":"(computer|order)/([a-z2-9]{3,12})/seat/([0-4])/([1-9][0-9]{0,5})","channel":"\1",'
)
"""The beginning of the private record of an explained move, or of one by an order: keys are sorted."""
_BY_PLAYERS: Final = ("mail", "desk", "web")


def cause_naming(game_id: str, seat: int, version: int) -> str:
    """The cause of a move whose explanation has this version in the seat's own log."""
    return f"computer/{seat_log_id(game_id, seat)}/{version}"


def order_cause(game_id: str, seat: int, version: int) -> str:
    """The cause of a move by an order that has this version in the seat's own log."""
    return f"order/{seat_log_id(game_id, seat)}/{version}"


@dataclass(frozen=True, slots=True)
class Named:
    """The events of seats' own logs that moves name in their private records, as seat and version there.

    `explained` has the move's version by its explanation, `ordered` the order by the move's version.
    """

    explained: dict[tuple[int, int], int] = field(default_factory=dict)
    ordered: dict[int, tuple[int, int]] = field(default_factory=dict)


def named_in(evidence: Evidence) -> Named:
    """Return what the private records of a game name."""
    named = Named()
    for version, record in evidence.private_records.items():
        found = _CAUSE.match(record)
        if found is None or found[2] != evidence.game_id.encode("ascii"):
            continue
        place = int(found[3]), int(found[4])
        if found[1] == b"order":
            named.ordered[version] = place
        else:
            named.explained[place] = version
    return named


def explanations(evidence: Evidence, envelopes: Sequence[Envelope]) -> dict[int, ChoiceExplained]:
    """Return the explanations, by the version of the move in the game's log. Raises Flaw."""
    if not evidence.seat_logs:
        return {}
    return _explanations(own_logs(evidence, envelopes), envelopes, named_in(evidence))


@dataclass(frozen=True, slots=True)
class Own:
    """A seat's own log as it was read, and its private records by version."""

    envelopes: Sequence[Envelope]
    records: Mapping[int, Private]


def own_logs(evidence: Evidence, envelopes: Sequence[Envelope]) -> dict[int, Own]:
    """Return the seats' own logs, by seat, each checked as far as that goes alone. Raises Flaw."""
    created = created_in(envelopes)
    own = {}
    for seat, log in sorted(evidence.seat_logs.items()):
        if seat >= len(created.seats):
            raise Flaw(1, f"logs of {len(created.seats)} seats", "another one", seat)
        own[seat] = _read(evidence.game_id, seat, log, created.options.records)
    return own


def check_seat_logs(
    evidence: Evidence,
    envelopes: Sequence[Envelope],
    named: Named,
    check_said: Callable[[int, Envelope, Private, Private | None], None],
    reasons: Mapping[int, Sequence[Reason]],
    *,
    is_chained: bool,
) -> None:
    """Check that bytes and trees are as felix wrote them, and that they belong to the game's log.

    That is, its moves and explanations belong together, orders were followed, and the roots are those that
    the game names at its end. `check_said` holds what a seat said to its private record, and to the one that
    follows; `reasons` are those that the computer had for moves, by their versions; `is_chained` says that a
    step sets no clock, as if an order followed. Raises Flaw with the first thing that is not so.
    """
    try:
        own = own_logs(evidence, envelopes)
    except OfLater:
        _check_roots(evidence, envelopes)  # another log than the one that the game names is no later felix's
        raise
    for version, why in _explanations(own, envelopes, named).items():
        if why.reasons != list(reasons.get(version, why.reasons)):
            raise Flaw(version, "the reasons that the computer had", "others", why.seat)
    for seat, version in sorted(named.explained):
        if seat not in own or len(own[seat].envelopes) < version:
            raise Flaw(version, "the explanation that a move names", "the end of the log", seat)
    logs = {seat: log.envelopes for seat, log in own.items()}
    is_ordered = any(is_about_order(one.data) for log in logs.values() for one in log)
    if is_ordered or named.ordered or is_chained:
        over = isinstance(envelopes[-1].data, SeedRevealed)
        ordered = named.ordered if evidence.private_records or evidence.records_expected else None
        check_orders(envelopes, logs, ordered, over=over)
    for seat, log in own.items():
        for version, record in log.records.items():
            check_said(seat, log.envelopes[version - 1], record, log.records.get(version + 1))
    _check_roots(evidence, envelopes)


def check_own_log(evidence: Evidence, envelopes: Sequence[Envelope], named: Named) -> None:
    """Check the one log in the file of a seat, as far as it goes without the others. Raises Flaw."""
    _explanations(own_logs(evidence, envelopes), envelopes, named)
    if isinstance(evidence.viewer, int):
        _check_roots(evidence, envelopes, evidence.viewer)


def _check_roots(evidence: Evidence, envelopes: Sequence[Envelope], only: int | None = None) -> None:
    """Check that the seats' own logs are those that the game names at its end, if it does."""
    closed = envelopes[-2].data if len(envelopes) > 1 else None
    if not isinstance(closed, SeatLogsClosed):
        return
    version, found = len(envelopes) - 1, roots(evidence, len(created_in(envelopes).seats))
    if len(found) != len(closed.roots):
        raise Flaw(version, f"the roots of {len(found)} logs", f"{len(closed.roots)}")
    for seat, (told, root) in enumerate(zip(closed.roots, found, strict=True)):
        if told != root and only in (None, seat):
            raise Flaw(version, f"root {told} of seat {seat}'s own log", f"root {root}")


def roots(evidence: Evidence, seats: int) -> list[str]:
    """Return the roots of the seats' own logs, as `seat_logs_closed` has them."""
    logs: Mapping[int, SeatLog] = evidence.seat_logs
    bodies = [logs[seat].bodies if seat in logs else () for seat in range(seats)]
    return [tree_root([leaf(body) for body in log]).hex() for log in bodies]


def _read(game_id: str, seat: int, log: SeatLog, schema: int) -> Own:
    _check_rows(seat, log)
    try:
        envelopes = check_seat_envelopes(log.bodies)
    except OfLater:
        raise
    except Unreadable as error:
        raise Flaw(error.index + 1, "an event as felix writes it", error.why, seat) from None
    for version, envelope in enumerate(envelopes, 1):
        if (envelope.game_id, envelope.version) != (seat_log_id(game_id, seat), version):
            raise Flaw(version, f"version {version} of this log", "another place or log", seat)
    records = opened(envelopes, log.private_records, schema, seat)
    for version, record in records.items():
        if record.channel not in _BY_PLAYERS:
            raise Flaw(version, "a private record of what a player said", "another one", seat)
    return Own(envelopes, records)


def _check_rows(seat: int, log: SeatLog) -> None:
    range_ = b""
    for index, row in enumerate(log.rows or ()):
        range_ = extend(range_, index, leaf(row.body))
        if (row.version, row.range_) != (index + 1, range_):
            raise Flaw(index + 1, "an event that fits the tree kept beside it", "other bytes", seat)


def _explanations(
    own: Mapping[int, Own], envelopes: Sequence[Envelope], named: Named
) -> dict[int, ChoiceExplained]:
    explained = {seat: _explained(log.envelopes) for seat, log in own.items()}
    if not any(explained.values()):
        return {}
    made = _moves_of_computer(envelopes)
    found: dict[int, ChoiceExplained] = {}
    for seat, log in explained.items():
        last_turn = 0
        for envelope, event in log:
            if event.seat != seat or event.turn <= last_turn:
                raise Flaw(envelope.version, f"a later decision of seat {seat}", "another one", seat)
            last_turn = event.turn
            moves = made[seat, event.turn]
            version = next((move.version for move, order in moves if order == event.order), None)
            # The order may name a card that is still face down.
            if version is None:
                raise Flaw(
                    envelope.version, "a move of the computer at that turn, with that order", "none", seat
                )
            if named.explained.get((seat, envelope.version), version) != version:
                raise Flaw(envelope.version, "the explanation that its move names", "another move's", seat)
            if envelope.at != envelopes[version - 1].at or envelope.actor != "computer" or envelope.private:
                raise Flaw(envelope.version, "an explanation by the computer, at its move", "another", seat)
            found[version] = event
    return found


def _explained(log: Sequence[Envelope]) -> list[tuple[Envelope, ChoiceExplained]]:
    return [(one, one.data) for one in log if isinstance(one.data, ChoiceExplained)]


def _moves_of_computer(
    envelopes: Sequence[Envelope],
) -> defaultdict[tuple[int, int], list[tuple[Envelope, str]]]:
    """The moves of the computer, by seat and turn: the envelope, and the order that it is."""
    events = [envelope.data for envelope in envelopes]
    game = initial_state()
    made: defaultdict[tuple[int, int], list[tuple[Envelope, str]]] = defaultdict(list)
    for envelope, event in zip(envelopes, events, strict=True):
        if envelope.actor == "computer" and isinstance(event, PLAYED):
            move = cause_of(event, game, events)
            assert isinstance(move, Move), "these three are moves"
            made[event.seat, game.seats[event.seat].turn].append((envelope, order_text(move)))
        apply(game, event)
    return made
