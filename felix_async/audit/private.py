"""Private records: whether each event has the one that it names, and no other one is there. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from felix_async.audit.evidence import Evidence, Flaw, created_in
from felix_events.envelope import Envelope, Private, PrivateV2, Unreadable, check_privates


def opened(
    envelopes: Sequence[Envelope], records: Mapping[int, bytes], schema: int, seat: int | None = None
) -> dict[int, Private]:
    """Return the private records of a log, or of a seat's own one, by version.

    Raises Flaw with the first that is missing, or is not the one that its event names, or has another schema.
    """
    named = {one.version: one.private for one in envelopes if one.private is not None}
    odd = min(named.keys() ^ records.keys(), default=None)
    versions = [version for version in named if odd is None or version < odd]
    try:
        found = check_privates(
            [records[version] for version in versions], [named[version] for version in versions]
        )
    except Unreadable as error:
        raise Flaw(
            versions[error.index], "the private record that the event names", error.why, seat
        ) from None
    if odd is not None:
        raise Flaw(odd, "a private record where the event names one", "none or one too many", seat)
    for version, record in zip(versions, found, strict=True):
        if isinstance(record, PrivateV2) != (schema == 2):
            other = 1 if schema == 2 else 2
            raise Flaw(version, f"a private record of schema {schema}", f"one of schema {other}", seat)
    return dict(zip(versions, found, strict=True))


def opened_there(evidence: Evidence, envelopes: Sequence[Envelope]) -> dict[int, Private]:
    """Return the private records of a game's log that are there: in some files there are but a few. Raises
    Flaw.
    """
    records = {v: record for v, record in evidence.private_records.items() if v <= len(envelopes)}
    there = [one for one in envelopes if one.version in records]
    return opened(there, records, created_in(envelopes).options.records)
