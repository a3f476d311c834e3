"""The orders given in advance in a game, and what they did: the seats' logs beside the game's. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from felix_async.audit.evidence import Evidence
from felix_async.audit.seat_logs import named_in, own_logs
from felix_events.envelope import Envelope
from felix_events.model import DropReason, OrderDropped, OrderGiven


@dataclass(slots=True)
class Said:
    """An order given in advance, with its version in the seat's own log, and what came of it.

    `moves` are the versions of the moves that it made; `dropped` says why it was dropped, if it was.
    """

    version: int
    order: OrderGiven
    moves: list[int] = field(default_factory=list)
    dropped: DropReason | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """The orders of a game: `by` move the one that made it, and `unused`, those that never made one.

    The latter stand at the version after which they were given.
    """

    by: dict[int, Said] = field(default_factory=dict)
    unused: dict[int, list[Said]] = field(default_factory=dict)


def said_beside(evidence: Evidence, envelopes: Sequence[Envelope]) -> Beside:
    """Return what was said in advance beside these events of a game. Raises Flaw if it cannot be read."""
    beside = Beside()
    said = {seat: dict(_said(log.envelopes)) for seat, log in own_logs(evidence, envelopes).items()}
    for version, (seat, number) in named_in(evidence).ordered.items():
        if version <= len(envelopes) and number in said.get(seat, {}):
            beside.by[version] = said[seat][number]
            said[seat][number].moves.append(version)
    for log in said.values():
        for one in log.values():
            if not one.moves:
                beside.unused.setdefault(one.order.size, []).append(one)
    return beside


def _said(log: Sequence[Envelope]) -> Iterator[tuple[int, Said]]:
    found: dict[int, Said] = {}
    for envelope in log:
        event = envelope.data
        if isinstance(event, OrderGiven):
            found[envelope.version] = Said(envelope.version, event)
        elif isinstance(event, OrderDropped) and event.order in found:
            found[event.order].dropped = event.why
    yield from found.items()
