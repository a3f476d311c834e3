"""The seats' own logs: why the computer moved as it did, and whether that belongs to a move it made. Pure.

An explanation names the decision (seat and turn) and the order. The move that came of it names the
explanation in its private record, as the cause `computer/<game>/seat/<n>/<version>`: one cannot go without
the other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from felix_async.audit.causes import cause_of
from felix_async.audit.evidence import Evidence, Flaw, SeatLog
from felix_async.audit.private import opened
from felix_async.game.commands import Move, order_text
from felix_async.game.folding import apply
from felix_async.game.state import initial_state
from felix_events.envelope import Envelope, Unreadable, check_seat_envelopes, seat_log_id
from felix_events.model import BidPlaced, CardPlaced, ChoiceExplained, PlayerPassed
from felix_events.tree import extend, leaf

_CAUSE: Final = re.compile(
    rb'\{"cause":"computer/([a-z2-9]{3,12})/seat/([0-4])/([1-9][0-9]{0,5})","channel":"computer",'
)
"""The beginning of the private record of an explained move: keys are sorted."""
_BY_PLAYERS: Final = ("mail", "desk", "web")


def cause_naming(game_id: str, seat: int, version: int) -> str:
    """The cause of a move whose explanation has this version in the seat's own log."""
    return f"computer/{seat_log_id(game_id, seat)}/{version}"


def order_cause(game_id: str, seat: int, version: int) -> str:
    """The cause of a move by an order that has this version in the seat's own log."""
    return f"order/{seat_log_id(game_id, seat)}/{version}"


def explained_moves(evidence: Evidence) -> dict[tuple[int, int], int]:
    """The moves that name an explanation: seat and version of that one -> the move's version."""
    named = {}
    for version, record in evidence.private_records.items():
        found = _CAUSE.match(record)
        if found is not None and found[1] == evidence.game_id.encode("ascii"):
            named[int(found[2]), int(found[3])] = version
    return named


def explanations(evidence: Evidence, envelopes: Sequence[Envelope]) -> dict[int, ChoiceExplained]:
    """Return the explanations, by the version of the move in the game's log. Raises Flaw."""
    if not evidence.seat_logs:
        return {}
    made = _moves_of_computer(envelopes)
    named = explained_moves(evidence)
    found: dict[int, ChoiceExplained] = {}
    for seat, log in sorted(evidence.seat_logs.items()):
        last_turn = 0
        for envelope in _read(evidence.game_id, seat, log):
            event = envelope.data
            if not isinstance(event, ChoiceExplained):
                continue
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
            if named.get((seat, envelope.version), version) != version:
                raise Flaw(envelope.version, "the explanation that its move names", "another move's", seat)
            if envelope.at != envelopes[version - 1].at or envelope.actor != "computer":
                raise Flaw(envelope.version, "an explanation by the computer, at its move", "another", seat)
            found[version] = event
    return found


def check_seat_logs(evidence: Evidence, envelopes: Sequence[Envelope]) -> None:
    """Check that bytes and trees are as felix wrote them, and that explanations and moves belong together.

    Raises Flaw with the first that is not so.
    """
    explanations(evidence, envelopes)
    for seat, version in sorted(explained_moves(evidence)):
        log = evidence.seat_logs.get(seat)
        if log is None or len(log.bodies) < version:
            raise Flaw(version, "the explanation that a move names", "the end of the log", seat)


def _read(game_id: str, seat: int, log: SeatLog) -> list[Envelope]:
    _check_rows(seat, log)
    try:
        envelopes = check_seat_envelopes(log.bodies)
    except Unreadable as error:
        raise Flaw(error.index + 1, "an event as felix writes it", error.why, seat) from None
    for version, envelope in enumerate(envelopes, 1):
        if (envelope.game_id, envelope.version) != (seat_log_id(game_id, seat), version):
            raise Flaw(version, f"version {version} of this log", "another place or log", seat)
    records = opened(envelopes, log.private_records, seat)
    for version, record in records.items():
        if record.channel not in _BY_PLAYERS:
            raise Flaw(version, "a private record of something that a player said", "another one", seat)
    return envelopes


def _check_rows(seat: int, log: SeatLog) -> None:
    range_ = b""
    for index, row in enumerate(log.rows or ()):
        range_ = extend(range_, index, leaf(row.body))
        if (row.version, row.range_) != (index + 1, range_):
            raise Flaw(index + 1, "an event that fits the tree kept beside it", "other bytes", seat)


def _moves_of_computer(
    envelopes: Sequence[Envelope],
) -> defaultdict[tuple[int, int], list[tuple[Envelope, str]]]:
    """The moves of the computer, by seat and turn: the envelope, and the order that it is."""
    events = [envelope.data for envelope in envelopes]
    game = initial_state()
    made: defaultdict[tuple[int, int], list[tuple[Envelope, str]]] = defaultdict(list)
    for envelope, event in zip(envelopes, events, strict=True):
        if envelope.actor == "computer" and isinstance(event, CardPlaced | BidPlaced | PlayerPassed):
            move = cause_of(event, game, events)
            assert isinstance(move, Move), "these three are moves"
            made[event.seat, game.seats[event.seat].turn].append((envelope, order_text(move)))
        apply(game, event)
    return made
