"""Every field of a game that was played, changed alone, with every hash made to fit: what passes is listed.

`FREE` is the list, by the kind of record and the name of its field, as docs/proof.md has it in words. The
values that are tried for a field are its neighbours, and those that it has elsewhere in these games.
`FREE_AROUND` is the same for the lines of a file that are no events: of header and trailer, and what tells
where the records, sayings and seats' logs belong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

import orjson
import pytest

from async_.test_audit_causes import EXAMPLES, by_mail, disputed, example, with_roots
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in
from felix_async.clock import later
from felix_events.envelope import canonical
from felix_events.export import NotAnExport, read_export
from felix_events.lines import Damaged
from games import Fields, forged

pytestmark = pytest.mark.slow

GAMES: Final[Mapping[str, Callable[[], Evidence]]] = {
    "by mail": by_mail,
    "with the computer": example,
    "disputed": disputed,
}
TRIED: Final = 2
"""The values of either sort that are tried for a field of one record."""
PLACES: Final = 8
"""The records of a kind in which a field is changed, evenly out of those that a game has."""
FREE: Final = frozenset(
    {
        # Of any step, or of what a seat keeps to itself.
        *("salt", "at", "order_given: size"),
        *("record: cause", "record: message_id", "record: mail_sha256"),
        *("record: line", "record: inferred", "record: grammar"),
        # Of what is no move.
        *("game_created: order", "player_said: order", "seat_taken: order"),
        *("absence_declared: order", "absence_ended: order", "dispute_settled: order"),
        *("player_said: seat", "absence_declared: back", "absence_declared: computer"),
        # A card that was exchanged before it was turned, and by whom.
        "card_placed: seat",
        # Of the table.
        *("game_created: seats", "seat_taken: player_id", "game_created: seeded", "game_created: ruleset"),
        *("clock_set: move", "clock_set: away", "clock_set: zone", "host_named: seat"),
    }
)
FREE_AROUND: Final = frozenset({"felix: names", "felix: table", "felix: former", "trailer: checkpoint"})


@dataclass(frozen=True)
class Place:
    """A record of a game: an event, or the private record of one, of the game or of a seat's own log."""

    kind: str
    version: int
    seat: int | None
    is_private: bool
    fields: Fields

    def named(self, field: str) -> str:
        """Return the name of a field as `FREE` has it: without the kind if it is the same for all."""
        if not self.is_private:
            return field if field in ("salt", "at") else f"{self.kind}: {field}"
        return {"salt": field, "order": f"{self.kind}: {field}"}.get(field, f"record: {field}")


def places(evidence: Evidence) -> Iterator[Place]:
    """Return all records of a game, each event beside its private record."""
    logs: list[tuple[int | None, Evidence | SeatLog]] = [(None, evidence), *evidence.seat_logs.items()]
    for seat, log in logs:
        for version, body in enumerate(log.bodies, 1):
            fields = orjson.loads(body)
            yield Place(fields["type"], version, seat, False, fields)
            if version in log.private_records:
                yield Place(fields["type"], version, seat, True, orjson.loads(log.private_records[version]))


def leaves(fields: Fields, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return each field with its path, those inside of others, too."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def changed(evidence: Evidence, place: Place, path: Sequence[str], value: object) -> Evidence:
    """Return the game with another value there, and all that hashes it made to fit."""
    if place.seat is None:
        return _changed(evidence, place, path, value)
    log = evidence.seat_logs[place.seat]
    alone = Evidence(evidence.game_id, log.bodies, dict(log.private_records))
    alone = _changed(alone, place, path, value)
    logs = {**evidence.seat_logs, place.seat: SeatLog(alone.bodies, alone.private_records)}
    other = replace(evidence, seat_logs=logs)
    return with_roots(other) if evidence.bodies[-2].find(b'"roots"') >= 0 else other


def _changed(evidence: Evidence, place: Place, path: Sequence[str], value: object) -> Evidence:
    if not place.is_private:
        return forged(evidence, place.version, lambda event: _set(event, path, value))
    record = orjson.loads(evidence.private_records[place.version])
    _set(record, path, value)
    body = canonical(record)
    records = {**evidence.private_records, place.version: body}
    named = sha256(body).hexdigest()
    other = replace(evidence, private_records=records)
    return forged(other, place.version, lambda event: event.update(private=named))


def _set(fields: Fields, path: Sequence[str], value: object) -> None:
    for name in path[:-1]:
        fields = fields[name]
    fields[path[-1]] = value


def _neighbours(value: object) -> list[object]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1, 0]
        case str() if value.endswith("Z") and value[:2] == "20":
            return [later(value, 1), later(value, -1)]
        case str():
            return ["0" * len(value), f"{value}0"]
        case list():
            return [value[:-1], value[::-1], [*value, *value[:1]]]
        case _:
            return []


@cache
def elsewhere() -> Mapping[tuple[str, ...], Sequence[object]]:
    """The values of each field, by the kind of its record and its path, in all of these games."""
    values: dict[tuple[str, ...], dict[bytes, object]] = defaultdict(dict)
    for game in GAMES.values():
        for place in places(game()):
            for path, value in leaves(place.fields):
                values[place.kind, *path].setdefault(canonical(value), value)
    return {key: list(found.values()) for key, found in values.items()}


def others(kind: str, path: Sequence[str], value: object) -> list[object]:
    """Return values to try in place of this one: its neighbours, and some that the field has elsewhere."""
    seen = [one for one in elsewhere()[kind, *path] if one != value]
    tried = [*_neighbours(value)[:TRIED], *seen[:: 1 + len(seen) // TRIED][:TRIED]]
    return [one for one in tried if one != value]


@cache
def passing(game: str) -> frozenset[str]:
    """The fields of which a change passes as sound."""
    evidence = GAMES[game]()
    sorts: dict[object, list[Place]] = defaultdict(list)
    for place in places(evidence):
        sorts[place.kind, place.is_private].append(place)
    some = [place for found in sorts.values() for place in found[:: 1 + len(found) // PLACES]]
    return frozenset(
        place.named(path[-1])
        for place in some
        for path, value in leaves(place.fields)
        if any(
            audit(changed(evidence, place, path, other)).sound for other in others(place.kind, path, value)
        )
    )


@pytest.mark.parametrize("game", GAMES)
def test_no_change_of_a_field_passes_but_of_those_that_are_free(game: str) -> None:
    assert passing(game) - FREE == frozenset()


def test_each_field_that_is_said_to_be_free_is() -> None:
    assert FREE - frozenset().union(*map(passing, GAMES)) == frozenset()


# ---- the lines around the events
FILE: Final = (EXAMPLES / "5-players.jsonl").read_bytes()
AROUND: Final = ("felix", "said", "opens", "seat_log", "trailer")


def passing_around() -> frozenset[str]:
    """The fields of those lines of which a change passes as sound, with a trailer that fits."""
    lines = FILE.splitlines()
    sorts: dict[str, list[tuple[int, Fields]]] = defaultdict(list)
    for number, line in enumerate(lines):
        fields = orjson.loads(line)
        sorts[next(iter(fields))].append((number, fields))
    return frozenset(
        f"{kind}: {field}"
        for kind in AROUND
        for number, fields in sorts[kind][:: 1 + len(sorts[kind]) // PLACES]
        for field, value in fields.items()
        if any(
            is_sound(lines, number, {**fields, field: other}) for other in beside(sorts[kind], field, value)
        )
    )


def beside(sort: Sequence[tuple[int, Fields]], field: str, value: object) -> list[object]:
    """Return values to try: the neighbours of a value, those of other lines, and another viewer."""
    seen = [fields[field] for _, fields in sort if fields[field] != value]
    tried = [*_neighbours(value), *seen[:TRIED], *(["spectator", 0] if value == "all" else [])]
    return [one for one in tried if one != value] or ["x"]


def is_sound(lines: Sequence[bytes], number: int, fields: Fields) -> bool:
    """Return True if a file with this line in place of another is read, and passes as sound."""
    before = b"".join(
        line + b"\n" for line in [*lines[:number], orjson.dumps(fields), *lines[number + 1 : -1]]
    )
    trailer = orjson.loads(lines[-1]) | {"sha256": sha256(before).hexdigest()}
    if number == len(lines) - 1:
        before, trailer = b"".join(line + b"\n" for line in lines[:-1]), fields
    try:
        return audit(evidence_in(read_export(before + orjson.dumps(trailer) + b"\n"))).sound
    except (Damaged, NotAnExport):
        return False


def test_no_change_around_the_events_passes_but_of_what_is_free() -> None:
    assert passing_around() == FREE_AROUND
