"""Games for the verifier: sound ones of every kind, and the same changed at random in files that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, Final

import orjson

from async_.sameness import played
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in, evidence_of
from felix_async.audit.redacted import exported_for
from felix_async.audit.seat_logs import roots
from felix_async.clock import later
from felix_async.game.views import Viewer
from felix_events.envelope import canonical
from felix_events.export import OwnLog, read_export, write_export
from felix_events.store.sqlite import SqliteStore
from games import NAMES, RULESETS, Played, a_game_played
from golden.make_golden import BEFORE, FOLDER
from spoken import a_spoken_game

Forged = Iterator[tuple[str, bytes]]
"""What was changed, and the file."""
ACTORS: Final = ("seat", "host", "clock", "computer", "rules")


def written(evidence: Evidence) -> bytes:
    """The file of a game, with what is there of its private records and its seats' own logs."""
    own = {seat: OwnLog(log.bodies, log.private_records) for seat, log in evidence.seat_logs.items()}
    seats = len(orjson.loads(evidence.bodies[0])["data"].get("seats", NAMES))
    names, records = NAMES[:seats], evidence.private_records
    return write_export(evidence.game_id, names, "", evidence.bodies, records, own, said=evidence.said)


@cache
def spoken() -> Evidence:
    """A game in which people talked."""
    store = SqliteStore.in_memory()
    game_id, *_ = a_spoken_game(store)
    with store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    return evidence


def seen_by(viewer: Viewer, evidence: Evidence, *, is_over: bool = True) -> bytes:
    """The file of a game for one viewer."""
    seats = len(orjson.loads(evidence.bodies[0])["data"]["seats"])
    return exported_for(viewer, evidence, NAMES[:seats], "", is_over=is_over)


@cache
def golden() -> dict[str, Evidence]:
    """The golden games, by name."""
    kept = [*sorted(FOLDER.glob("*.jsonl")), *sorted(BEFORE.glob("*.jsonl"))]
    return {str(path.relative_to(FOLDER)): evidence_in(read_export(path.read_bytes())) for path in kept}


@cache
def with_orders(number: int) -> Evidence:
    """A game with orders given in advance: of 3, 4 or 5 players, and with a clock from number 6 on."""
    room, game_id = played(number, orders=True)
    return room.evidence(game_id)


def simulated(count: int) -> Iterator[Played]:
    """So many games of 3, 4 and 5 players, by both rulesets."""
    for number in range(count):
        yield a_game_played(3 + number % 3, seed=f"page/{number}", ruleset=RULESETS[number // 3 % 2])


# ---- changes ------------------------------------------------------------------------------------------
def changed_bytes(data: bytes, drawn: Random, count: int) -> Forged:
    """A byte, a line or the end of a file."""
    for _ in range(count):
        place = drawn.choice([drawn.randrange(len(data)), drawn.randrange(min(len(data), 200))])
        flipped = bytearray(data)
        flipped[place] ^= drawn.randrange(1, 256)
        yield f"byte {place}", bytes(flipped)
        yield f"cut after {place}", data[:place]
        lines = data.splitlines(keepends=True)
        one, two = drawn.randrange(len(lines)), drawn.randrange(len(lines))
        yield f"line {one} dropped", b"".join(lines[:one] + lines[one + 1 :])
        yield f"line {one} at {two}", b"".join([*lines[:two], lines[one], *lines[two:]])
        lines[one], lines[two] = lines[two], lines[one]
        yield f"lines {one} and {two} swapped", b"".join(lines)


def changed_events(evidence: Evidence, drawn: Random, count: int) -> Forged:
    """A value in an event, or a missing event, in a file that fits."""
    for _ in range(count):
        version = drawn.randrange(1, len(evidence.bodies) + 1)
        fields = orjson.loads(evidence.bodies[version - 1])
        told = changed(fields, drawn)
        bodies = [*evidence.bodies]
        bodies[version - 1] = canonical(fields)
        yield f"version {version}: {told}", written(replace(evidence, bodies=bodies))
    for _ in range(count // 4):
        version = drawn.randrange(1, len(evidence.bodies) + 1)
        yield f"cut after {version}", written(shortened(evidence, range(1, version + 1)))
        kept = [one for one in range(1, len(evidence.bodies) + 1) if one != version]
        yield f"without {version}", written(shortened(evidence, kept))


def changed_seat_logs(evidence: Evidence, drawn: Random, count: int) -> Forged:
    """A value in a seat's own log, or a missing event; the game names its root, or not."""
    for _ in range(count):
        seat = drawn.choice(sorted(evidence.seat_logs))
        log = evidence.seat_logs[seat]
        version = drawn.randrange(1, len(log.bodies) + 1)
        own = [orjson.loads(body) for body in log.bodies]
        records = dict(log.private_records)
        told = "missing"
        if drawn.random() < 0.2:
            records.pop(version, None)
            moved = {fields["version"]: place for place, fields in enumerate(own, 1) if place < version}
            moved |= {one: one - 1 for one in range(version + 1, len(own) + 1)}
            records = {moved[one]: record for one, record in records.items()}
            del own[version - 1]
            own = [fields | {"version": place} for place, fields in enumerate(own, 1)]
        elif drawn.random() < 0.2 and version in records:
            told = "a record: " + changed_record(own[version - 1], records, version, drawn)
        else:
            told = _changed_but_for_reasons(own[version - 1], drawn)
        logs = {**evidence.seat_logs, seat: SeatLog([canonical(fields) for fields in own], records)}
        spoiled = replace(evidence, seat_logs={one: log for one, log in logs.items() if log.bodies})
        is_bound = drawn.random() < 0.8
        yield (
            f"seat {seat}'s log, version {version}: {told}",
            written(bound(spoiled) if is_bound else spoiled),
        )


def _changed_but_for_reasons(fields: dict[str, Any], drawn: Random) -> str:
    """Change something else: no page makes the computer's choices again."""
    reasons = fields["data"].pop("reasons", None)
    told = changed(fields, drawn)
    if reasons is not None and isinstance(fields.get("data"), dict):
        fields["data"]["reasons"] = reasons
    return told


def changed_records(evidence: Evidence, drawn: Random, count: int) -> Forged:
    """A private record, which its event names, or not."""
    for _ in range(count):
        version = drawn.choice(sorted(evidence.private_records))
        records, bodies = dict(evidence.private_records), [*evidence.bodies]
        fields = orjson.loads(bodies[version - 1])
        told = changed_record(fields, records, version, drawn)
        bodies[version - 1] = canonical(fields)
        spoiled = replace(evidence, bodies=bodies, private_records=records)
        yield f"record {version}: {told}", written(spoiled)


def changed_words(evidence: Evidence, drawn: Random, count: int) -> Forged:
    """What was said, or the version at which it was."""
    for _ in range(count):
        version = drawn.choice(sorted(evidence.said))
        one = evidence.said[version]
        said = {other: saying for other, saying in evidence.said.items() if other != version}
        match drawn.randrange(4):
            case 0:
                said[version] = one.model_copy(update={"text": one.text + "!"})
            case 1:
                said[version] = one.model_copy(update={"salt": "00" + one.salt[2:]})
            case 2:
                moved = drawn.randrange(1, len(evidence.bodies) + 9)
                said[moved] = one.model_copy(update={"said": moved})
        yield f"said {version}: {said.get(version)}", written(replace(evidence, said=said))


def changed_record(fields: dict[str, Any], records: dict[int, bytes], version: int, drawn: Random) -> str:
    """Change the private record of an event, or leave it out; return what was done."""
    if drawn.random() < 0.2:
        del records[version]
        return "left out"
    record = orjson.loads(records[version])
    key = drawn.choice(["channel", "cause", "order", "salt"])
    orders = [one["cause"] for one in map(orjson.loads, records.values()) if one["channel"] == "order"]
    values = {
        "channel": drawn.choice(["mail", "desk", "computer", "clock", "order", "web"]),
        "cause": drawn.choice([*orders, "another"]),
        "order": "BID 1",
        "salt": "0" * 32,
    }
    records[version] = canonical(record | {key: values[key]})
    if drawn.random() < 0.8:
        fields["private"] = sha256(records[version]).hexdigest()
    return key


def changed(fields: dict[str, Any], drawn: Random) -> str:
    """Change a value in an envelope; return which one."""
    if drawn.random() < 0.2:
        key = drawn.choice(["actor", "at", "private"])
        values = {
            "actor": drawn.choice(ACTORS),
            "at": later(fields["at"], drawn.choice([-86400, -60, -1e-6, 1e-6, 60, 86400])),
            "private": "0" * 64,
        }
        fields[key] = values[key]
        return f"{key} = {fields[key]}"
    places = [*leaves(fields["data"])]
    if not places:
        fields["data"]["new"] = 1
        return "a new field"
    *path, last = drawn.choice(places)
    inner = fields["data"]
    for key in path:
        inner = inner[key]
    inner[last] = another(inner[last], drawn)
    return f"{fields['type']}.{[*path, last]} = {inner[last]}"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to each value in it that is no list and no object."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def another(value: Any, drawn: Random) -> Any:
    """Another value, mostly of the same kind."""
    match value:
        case bool():
            return not value
        case None:
            return drawn.choice([0, 1, 2, -8, "x"])
        case int():
            return value + drawn.choice([-3, -2, -1, 1, 1, 2, 3, 60])
        case str() if value[4:5] == "-" and value.endswith("Z"):
            return later(value, drawn.choice([-86400, -3600, -60, -1e-6, 1e-6, 60, 3600, 86400]))
        case str() if len(value) == 64:
            return ("1" if value[0] == "0" else "0") + value[1:]
        case _:
            texts = [
                "large_dog",
                "small_dog",
                "seat",
                "host",
                "pass",
                "ask",
                "bid",
                "next",
                "computer",
                "player",
            ]
            return drawn.choice([*texts, "anna-1", "PASS", "declined", "left", "voted", "asked", "replaced"])


def changed_lines(data: bytes, drawn: Random, count: int) -> Forged:
    """A value in what a viewer is told of a running game, in a file that fits."""
    header, *lines, trailer = data.splitlines()
    fields = orjson.loads(header)
    bodies = lines[: orjson.loads(trailer)["size"]]
    for _ in range(count):
        place = drawn.randrange(len(bodies))
        line = orjson.loads(bodies[place])
        told = "another seat"
        if line.get("data"):
            told = changed(
                {"type": line["type"], "data": line["data"], "at": "2026-01-01T00:00:00.000000Z"}, drawn
            )
        elif "seat" in line:
            line["seat"] = drawn.choice([0, 1, 2, 3, 4, None])
        new = [*bodies[:place], orjson.dumps(line), *bodies[place + 1 :]]
        made = write_export(fields["game_id"], fields["names"], "", new, viewer=fields["viewer"])
        yield f"line {place + 2}: {told}", made


def bound(evidence: Evidence) -> Evidence:
    """The same game, with roots of the seats' own logs at its end that fit."""
    bodies = [*evidence.bodies]
    fields = orjson.loads(bodies[-2])
    if fields["type"] == "seat_logs_closed":
        fields["data"]["roots"] = roots(evidence, len(fields["data"]["roots"]))
        bodies[-2] = canonical(fields)
    return replace(evidence, bodies=bodies)


def shortened(evidence: Evidence, versions: Any) -> Evidence:
    """The events of these versions, numbered anew, with their records."""
    bodies, records = [], {}
    for place, version in enumerate(versions, 1):
        bodies.append(canonical(orjson.loads(evidence.bodies[version - 1]) | {"version": place}))
        if version in evidence.private_records:
            records[place] = evidence.private_records[version]
    return replace(evidence, bodies=bodies, private_records=records)
