"""A log that came with a letter, held against the one that is audited: the same, or what differs first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final, Literal

import orjson

from felix_async.audit.kept.log import RESTORED, Log
from felix_events.envelope import canonical
from felix_events.export import Export
from felix_events.lines import is_envelope
from felix_events.tree import leaf

_SHOWN: Final = 150
_NONE: Final = "nothing: it ends before"
_OF_BOTH: Final = ("data", "salt")
"""Fields of a line that are told by others, or tell nothing."""
_FIRST: Final = ("order", "line", "channel", "message_id")
"""Fields of a private record that tell a reader most."""
_NUMBERS: Final = ("private", "cause", "mail_sha256")
"""Fields that say nothing to a reader, if any others differ."""
Why = Literal["otherwise", "newer", "restored"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first version that differs, what stands there in the attached log and in the audited one.

    `why` is `newer` if the audited one may be from before, `restored` if it was set back to a backup there.
    """

    version: int
    theirs: bytes | str
    ours: bytes | str
    seat: int | None = None
    why: Why = "otherwise"

    def sides(self, *, in_short: bool) -> tuple[str, str]:
        """Tell both, `in_short` only the fields that differ; which do, would be told of a game that runs."""
        theirs, ours = _fields(self.theirs), _fields(self.ours)
        differing = self.differing
        if not in_short or theirs.get("type") != ours.get("type") or not differing:
            return _told(self.theirs), _told(self.ours)
        what = theirs.get("type", "the record")
        if "seat" in theirs and "seat" not in differing:
            what += f" of seat {theirs['seat']}"
        try:
            one, other = (
                f"{what}: " + ", ".join(f"{key} {canonical(side.get(key)).decode()}" for key in differing)
                for side in (theirs, ours)
            )
        except TypeError:  # values too deep within each other to be written again
            return _told(self.theirs), _told(self.ours)
        return _cut(one), _cut(other)

    @property
    def differing(self) -> list[str]:
        """The fields that differ, those that say most first; hashes only if nothing else does."""
        theirs, ours = _fields(self.theirs), _fields(self.ours)
        found = [key for key in theirs if key not in _OF_BOTH and theirs[key] != ours.get(key)]
        found.sort(key=lambda key: _FIRST.index(key) if key in _FIRST else len(_FIRST))
        return [key for key in found if key not in _NUMBERS] or found


def difference(export: Export, log: Log) -> Difference | None:
    """Return the first difference; an attached log may end earlier, and hide cards from its reader."""
    found = _first(export.bodies, log.evidence.bodies)
    if found is not None:
        version = found.version
        if version > len(log.envelopes):
            return replace(found, why="newer" if log.may_be_older else "otherwise")
        if log.envelopes[version - 1].type == RESTORED:
            return replace(found, why="restored")
        of_record = _records(export.private_records, log.evidence.private_records, only=version)
        is_record = log.is_over and found.differing == ["private"]
        return next(of_record, found) if is_record else found
    return next(_beside(export, log), None)


def _first(theirs: Sequence[bytes], ours: Sequence[bytes], seat: int | None = None) -> Difference | None:
    for version, (one, other) in enumerate(zip_longest(theirs, ours), 1):
        if one is None:
            return None
        if other is None:
            return Difference(version, one, _NONE, seat)
        is_same = one == other if is_envelope(one) else leaf(other).hex().encode() in one
        if not is_same:
            return Difference(version, one, other, seat)
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
    theirs: Mapping[int, bytes],
    ours: Mapping[int, bytes],
    seat: int | None = None,
    only: int | None = None,
) -> Iterator[Difference]:
    for version in sorted(theirs.keys() & ours.keys()):
        if theirs[version] != ours[version] and only in (None, version):
            yield Difference(version, theirs[version], ours[version], seat)


def _fields(body: bytes | str) -> dict[str, Any]:
    """The fields of a line of a log, those of its data among them; none if it is no line."""
    try:
        line = orjson.loads(body)
        return {**line, **line.get("data", {})}
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}


def _told(body: bytes | str) -> str:
    """What a line of a log says; of an event, what happened."""
    if isinstance(body, str):
        return body
    try:
        line = orjson.loads(body)
        text = f"{line['type']} {canonical(line['data']).decode()} at {line['at']} by {line['actor']}"
    except (ValueError, LookupError, TypeError):
        text = body.decode("utf-8", "replace")
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
