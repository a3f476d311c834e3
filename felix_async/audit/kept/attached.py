"""A log that came with a letter, held against the one that is audited: the same, or what differs first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, Literal

import orjson

from felix_async.audit.kept.log import RESTORED, Log
from felix_events.envelope import canonical
from felix_events.export import Export
from felix_events.lines import is_envelope
from felix_events.tree import leaf

_SHOWN: Final = 150
_NONE: Final = "nothing: it ends before"
Why = Literal["otherwise", "newer", "restored"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first version that differs, what stands there in the attached log and in the audited one.

    `why` is `newer` if the audited one may be from before, `restored` if it was set back to a backup there.
    """

    version: int
    theirs: str
    ours: str
    seat: int | None = None
    why: Why = "otherwise"


def difference(export: Export, log: Log) -> Difference | None:
    """Return the first difference; an attached log may end earlier, and hide cards from its reader."""
    found = _first(export.bodies, log.evidence.bodies)
    if found is not None:
        version = found.version
        if version > len(log.envelopes):
            return replace(found, why="newer" if log.may_be_older else "otherwise")
        is_restored = log.envelopes[version - 1].type == RESTORED
        return replace(found, why="restored") if is_restored else found
    return next(_beside(export, log), None)


def _first(theirs: Sequence[bytes], ours: Sequence[bytes], seat: int | None = None) -> Difference | None:
    for version, (one, other) in enumerate(zip_longest(theirs, ours), 1):
        if one is None:
            return None
        if other is None:
            return Difference(version, _told(one), _NONE, seat)
        is_same = one == other if is_envelope(one) else leaf(other).hex().encode() in one
        if not is_same:
            return Difference(version, _told(one), _told(other), seat)
    return None


def _beside(export: Export, log: Log) -> Iterator[Difference]:
    """What lies beside the events: private records, and the seats' own logs; only what both have."""
    evidence = log.evidence
    yield from _records(export.private_records, evidence.private_records)
    if log.is_over and evidence.seat_logs.keys() != export.seat_logs.keys() and export.header.viewer == "all":
        seat = min(evidence.seat_logs.keys() ^ export.seat_logs.keys())
        sides = ("a log of this seat's own", "none")
        theirs, ours = sides if seat in export.seat_logs else reversed(sides)
        yield Difference(1, theirs, ours, seat)
    for seat, own in export.seat_logs.items():
        kept = evidence.seat_logs.get(seat)
        if kept is None:
            continue
        found = _first(own.bodies, kept.bodies, seat) or _first(kept.bodies, own.bodies, seat)
        yield from [found] if found is not None else []
        yield from _records(own.private_records, kept.private_records, seat)


def _records(
    theirs: Mapping[int, bytes], ours: Mapping[int, bytes], seat: int | None = None
) -> Iterator[Difference]:
    for version in sorted(theirs.keys() & ours.keys()):
        if theirs[version] != ours[version]:
            yield Difference(version, _told(theirs[version]), _told(ours[version]), seat)


def _told(body: bytes) -> str:
    """What a line of a log says; of an event, what happened."""
    try:
        line = orjson.loads(body)
        text = f"{line['type']} {canonical(line['data']).decode()} at {line['at']} by {line['actor']}"
    except (ValueError, LookupError, TypeError):
        text = body.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
