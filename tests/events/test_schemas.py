"""The JSON schemas are current, say what the models say, and fit the lines that felix writes."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from each import each
from felix_events import schemas
from felix_events.envelope import canonical, encode_envelope
from felix_events.export import Export
from felix_events.lines import Header, Heading, Leaf, Opened, Said, Told, ToldHidden, Trailer
from felix_events.model import (
    EVENTS,
    SEAT_EVENTS,
    BidPlaced,
    CardPlaced,
    Event,
    GameCreated,
    Options,
    SackSold,
)
from felix_events.schemas import DIALECT, check_schemas, main, schema_files, schema_of, write_schemas

ALL = (*EVENTS, *SEAT_EVENTS)
FOLDER = Path(__file__).parents[2] / "events" / "schemas"
Schema = dict[str, Any]


def complaints(value: Any, schema: Schema, root: Schema, where: str = "") -> list[str]:
    """What is wrong with a value, by as much of JSON Schema as the files use."""
    if "$ref" in schema:
        return complaints(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, where)
    if "anyOf" in schema:
        tries = [complaints(value, part, root, where) for part in schema["anyOf"]]
        return [] if [] in tries else [f"{where}: none of {len(tries)} fits"]
    kinds: dict[str, Callable[[Any], bool]] = {
        "object": lambda v: isinstance(v, dict),
        "array": lambda v: isinstance(v, list),
        "string": lambda v: isinstance(v, str),
        "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
        "boolean": lambda v: isinstance(v, bool),
        "null": lambda v: v is None,
    }
    if "type" in schema and not kinds[schema["type"]](value):
        return [f"{where}: not of type {schema['type']}"]
    found = []
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else [value])
    if not any(type(value) is type(other) and value == other for other in allowed):
        found.append(f"{where}: not one of {allowed}")
    if isinstance(value, dict):
        found += [f"{where}.{key}: missing" for key in schema["required"] if key not in value]
        assert schema["additionalProperties"] is False
        for key, item in value.items():
            if key not in schema["properties"]:
                found.append(f"{where}.{key}: not known")
            else:
                found += complaints(item, schema["properties"][key], root, f"{where}.{key}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1000):
            found.append(f"{where}: {len(value)} items")
        for place, item in enumerate(value):
            found += complaints(item, schema["items"], root, f"{where}[{place}]")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{where}: another form")
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{where}: out of range")
    return found


def line_of(event: Any, salt: str | None = None) -> dict[str, Any]:
    body = encode_envelope(
        event, game_id="k7m2p", version=1, at="2026-11-20T21:00:00.000000Z", actor="seat", salt=salt
    )
    line: dict[str, Any] = json.loads(body)
    return line


def check(line: dict[str, Any]) -> list[str]:
    """What its schema file says about a line."""
    schema = json.loads((FOLDER / f"{line['type']}.v{line['schema']}.json").read_bytes())
    return complaints(line, schema, schema)


# ---- the files
@cache
def remembered(event: type[Event], schema_version: int) -> Schema:
    """The schema of an event, made once: pydantic takes its time, and each check asks for all of them."""
    return schema_of(event)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schemas that were made before are not made again."""
    monkeypatch.setattr(schemas, "schema_of", lambda event: remembered(event, event.schema_version))


def earlier_files() -> list[Path]:
    """Those of schemas that are no longer written, as a release has left them."""
    return sorted(path for path in FOLDER.glob("*.json") if path.name not in schema_files())


def written(folder: Path) -> Path:
    """A folder with the files of today and of releases."""
    for path in FOLDER.glob("*.json"):
        copyfile(path, folder / path.name)
    return folder


def test_the_files_are_current() -> None:
    assert check_schemas(FOLDER) == []


def test_there_is_one_file_for_each_event_of_today_the_same_each_time() -> None:
    assert sorted(schema_files()) == sorted(f"{event.type}.v{event.schema_version}.json" for event in ALL)
    assert schema_files() == schema_files()


def test_writing_makes_the_folder_and_every_file(tmp_path: Path) -> None:
    assert main([str(tmp_path / "a" / "b")]) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "a" / "b").iterdir()} == schema_files()


@pytest.mark.usefixtures("quick")
def test_those_of_earlier_schemas_belong_to_them(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert main([str(tmp_path), "--check"]) == (1 if earlier_files() else 0)
    assert main([str(written(tmp_path)), "--check"]) == 0


BID_FILE = "bid_placed.v1.json"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda folder: (folder / BID_FILE).unlink(), f"{BID_FILE} is missing; run `"),
        (lambda folder: (folder / BID_FILE).write_bytes(b"{}"), f"{BID_FILE} is out of date; run `"),
        (
            lambda folder: (folder / "bid_placed.v2.json").write_bytes(b"{}"),
            "bid_placed.v2.json is of no event; delete it.",
        ),
    ],
    ids=["missing", "stale", "stray"],
)
def test_what_is_not_current_is_told_in_a_sentence(
    damage: Callable[[Path], object], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(written(tmp_path))
    assert main([str(tmp_path), "--check"]) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"{tmp_path}/{sentence}")


@pytest.mark.usefixtures("quick")
def test_a_check_writes_nothing(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--check"]) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_the_file_of_an_earlier_schema_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a second schema of `bid_placed`, the first one's file is still asked for, and left alone."""
    written(tmp_path)
    monkeypatch.setattr(BidPlaced, "schema_version", 2)
    earlier = tmp_path / "bid_placed.v1.json"
    before = earlier.read_bytes()
    write_schemas(tmp_path)
    assert (earlier.read_bytes(), check_schemas(tmp_path)) == (before, [])
    earlier.unlink()
    assert check_schemas(tmp_path) == [f"{earlier} is missing; restore it from a release."]


def test_the_module_runs_as_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["schemas", str(written(tmp_path))])
    monkeypatch.delitem(sys.modules, "felix_events.schemas")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("felix_events.schemas", run_name="__main__")
    assert (ended.value.code, check_schemas(tmp_path)) == (0, [])


# ---- what they say
@each("event", ALL)
def test_a_schema_names_its_event(event: Any) -> None:
    schema = schema_of(event)
    assert schema["$schema"] == DIALECT
    assert schema["properties"]["type"]["const"] == event.type
    assert schema["properties"]["schema"]["const"] == event.schema_version
    assert schema["properties"]["actor"]["enum"] == ["seat", "host", "clock", "computer", "rules"]


@each("event", ALL)
def test_a_salt_belongs_to_secret_events_alone(event: Any) -> None:
    schema = schema_of(event)
    assert ("salt" in schema["required"]) == ("salt" in schema["properties"]) == event.secret


@each("event", ALL)
def test_the_data_names_every_field_of_the_model(event: Any) -> None:
    schema = schema_of(event)
    data = schema["$defs"][schema["properties"]["data"]["$ref"].rpartition("/")[2]]
    assert data["required"] == list(data["properties"]) == list(event.model_fields)
    assert data["additionalProperties"] is False


LINES = (Header, Trailer, Leaf, ToldHidden, Told, Said, Opened, Heading)


def test_no_whole_number_is_without_bounds() -> None:
    """A larger one than a machine holds could be read, but not written again."""
    schemas = [*map(schema_of, ALL), *(line.model_json_schema() for line in LINES)]
    unbounded = [
        part
        for part in integers(schemas)
        if not part.keys() & {"const", "enum"} and not part.keys() >= BOUNDS
    ]
    assert unbounded == []


BOUNDS = {"minimum", "maximum"}


def integers(value: Any) -> Iterator[Schema]:
    if isinstance(value, dict):
        if value.get("type") == "integer":
            yield value
        value = [*value.values()]
    if isinstance(value, list):
        for inner in value:
            yield from integers(inner)


def test_a_whole_game_fits_its_schemas(ended_game: Export) -> None:
    assert [check(json.loads(body)) for body in ended_game.bodies] == [[]] * len(ended_game.bodies)


BID = line_of(BidPlaced(seat=1, amount=5))
SOLD = line_of(SackSold(seat=1, price=1, chased=None, prize=[]))
CREATED = line_of(GameCreated(ruleset="felix-2007", seats=["a"] * 3, options=Options(), commitment="0" * 64))


@each(
    ("line", "complaint"),
    [
        (BID | {"salt": "0" * 32}, ".salt: not known"),
        (BID | {"private": None}, ".private: not of type string"),
        (BID | {"data": {"seat": 1}}, ".data.amount: missing"),
        (BID | {"data": {"seat": 5, "amount": 5}}, ".data.seat: out of range"),
        (BID | {"at": "today"}, ".at: another form"),
        (line_of(CardPlaced(seat=1, card=0)), ".salt: missing"),
        (SOLD | {"data": SOLD["data"] | {"chased": 4}}, ".data.chased: none of 2 fits"),
        (CREATED | {"data": CREATED["data"] | {"seats": [], "options": {}}}, ".data.seats: 0 items"),
    ],
)
def test_a_line_that_felix_would_not_write_does_not_fit(line: dict[str, Any], complaint: str) -> None:
    assert canonical(line)
    assert complaint in check(line)
