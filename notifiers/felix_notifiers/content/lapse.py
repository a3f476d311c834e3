"""A decision for which there was no more time, and what came of it: for its player, and for the host.

Both are read out of the log, by the version up to which a notice is about it. A player is told which card was
placed, the host is not: everything is redacted for its reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from felix_async.game.views import redact
from felix_events.envelope import Envelope
from felix_events.model import (
    Card,
    CardPlaced,
    DeadlineSet,
    HostNamed,
    InvitationExpired,
    PlayerDeclined,
    PlayerPassed,
    SeatHandedOver,
    TurnTimedOut,
)


@dataclass(frozen=True, slots=True)
class Lapse:
    """The reader's time was up at `at`, `in_a_row` counts; `card` was placed, None for a pass."""

    at: str
    in_a_row: int
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a host is told: the computer plays for `left` now (None: for nobody new), because `timed_out`
    or because that player went; and whether the reader hosts only since then (`is_new_host`).
    """

    left: int | None
    timed_out: bool
    is_new_host: bool


@dataclass(frozen=True, slots=True)
class NewHost:
    """Who hosted a table before it began, and why the reader does now."""

    before: int
    why: Literal["named", "gave_back", "silent"]


def lapses_of(envelopes: Sequence[Envelope], versions: Iterable[int], seat: int) -> list[Lapse]:
    """The newest decision of the seat that timed out, for each of these versions; each decision once."""
    found = [_lapse(envelopes, version, seat) for version in sorted(versions)]
    return list(dict.fromkeys(lapse for lapse in found if lapse is not None))


def changes_of(envelopes: Sequence[Envelope], versions: Iterable[int], host: int) -> list[Change]:
    """What changed at the table, for each of these versions; each change once."""
    found = [_change(envelopes, version, host) for version in sorted(versions)]
    return list(dict.fromkeys(change for change in found if change is not None))


def new_host_of(envelopes: Sequence[Envelope], versions: Iterable[int], seat: int) -> NewHost | None:
    """How the seat came to host, in the newest of the steps that end in these versions."""
    for version in sorted(versions, reverse=True):
        for place in range(min(version, len(envelopes)) - 1, 1, -1):
            event = envelopes[place].data
            if isinstance(event, HostNamed) and event.seat == seat:
                return _new_host(envelopes, place)
            if envelopes[place].private is not None:
                break
    return None


def is_timed_out(before: Envelope | None, envelope: Envelope) -> bool:
    """Whether this event gave a seat to the computer because its time was up."""
    event = envelope.data
    return (
        isinstance(event, SeatHandedOver)
        and before is not None
        and isinstance(before.data, TurnTimedOut)
        and before.data.seat == event.seat
    )


def _lapse(envelopes: Sequence[Envelope], version: int, seat: int) -> Lapse | None:
    lapse: Lapse | None = None
    due_at, is_decided = "", True
    for envelope in envelopes[:version]:
        event = redact(envelope.data, seat)
        if getattr(event, "seat", None) != seat:
            continue
        match event:
            case DeadlineSet():
                due_at = event.at
            case TurnTimedOut():
                lapse, is_decided = Lapse(due_at or envelope.at, event.in_a_row), False
            case CardPlaced() | PlayerPassed() if lapse is not None and not is_decided:
                card = event.card if isinstance(event, CardPlaced) else None
                lapse, is_decided = Lapse(lapse.at, lapse.in_a_row, card), True
    return lapse


def _change(envelopes: Sequence[Envelope], version: int, host: int) -> Change | None:
    for place in range(min(version, len(envelopes)) - 1, -1, -1):
        event, before = envelopes[place].data, envelopes[place - 1] if place else None
        if isinstance(event, HostNamed) and event.seat == host:
            return _named(envelopes, place, host)
        if isinstance(event, SeatHandedOver) and is_timed_out(before, envelopes[place]):
            return Change(event.seat, timed_out=True, is_new_host=False)
    return None


def _named(envelopes: Sequence[Envelope], place: int, host: int) -> Change:
    """Why somebody hosts: who hosted before has gone, or said so, or the reader is back."""
    left = envelopes[place - 1].data if place else None
    if not isinstance(left, SeatHandedOver) or left.seat == host:
        return Change(None, timed_out=False, is_new_host=True)
    before = envelopes[place - 2] if place > 1 else None
    return Change(left.seat, timed_out=is_timed_out(before, envelopes[place - 1]), is_new_host=True)


def _new_host(envelopes: Sequence[Envelope], place: int) -> NewHost | None:
    named = (one.data for one in reversed(envelopes[:place]))
    before = next((event.seat for event in named if isinstance(event, HostNamed)), None)
    if before is None:
        return None
    why = envelopes[place - 1].data
    if envelopes[place].private is None and isinstance(why, PlayerDeclined):
        return NewHost(before, "gave_back")
    is_silent = envelopes[place].private is None and isinstance(why, InvitationExpired)
    return NewHost(before, "silent" if is_silent else "named")
