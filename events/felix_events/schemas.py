"""JSON schemas of the envelope, one for each event type and schema version, made from the models.

    python -m felix_events.schemas events/schemas             writes <type>.v<n>.json for what is current
    python -m felix_events.schemas events/schemas --check     says what is out of date, and exits 1

A schema of an earlier version is kept as the release with that version wrote it, and never written again.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from felix_events.envelope import ENVELOPES, SEAT_ENVELOPES
from felix_events.model import EVENTS, SEAT_EVENTS, Event

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_EVENTS: Final = (*EVENTS, *SEAT_EVENTS)
_ENVELOPES: Final = ENVELOPES | SEAT_ENVELOPES
_FORM: Final = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def schema_of(event: type[Event]) -> dict[str, Any]:
    """The JSON schema of the line on which an event of this class stands.

    Stricter than what pydantic says by itself: a salt is there exactly in secret events, `private` is left
    out and never null, and an event's data names every field.
    """
    schema: dict[str, Any] = _tidied(_ENVELOPES[event.type].model_json_schema(by_alias=True))
    properties = schema["properties"]
    for name in ("salt", "private"):
        properties[name] = properties[name]["anyOf"][0]
    if event.secret:
        schema["required"].append("salt")
    else:
        del properties["salt"]
    for part in schema["$defs"].values():
        part["required"] = list(part["properties"])
    title = f"{event.type}, schema {event.schema_version}"
    return {"$schema": DIALECT, "title": title, "description": event.__doc__, **schema}


def schema_files() -> dict[str, bytes]:
    """The bytes of every file, by its name; the same models give the same bytes."""
    return {
        _name(event, event.schema_version): orjson.dumps(schema_of(event), option=_FORM) for event in _EVENTS
    }


def write_schemas(folder: Path) -> None:
    """Write what is current into the folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in schema_files().items():
        (folder / name).write_bytes(data)


def check_schemas(folder: Path) -> list[str]:
    """Return what is wrong with the files in the folder, a sentence each."""
    current = schema_files()
    earlier = {_name(event, old) for event in _EVENTS for old in range(1, event.schema_version)}
    found = {path.name for path in folder.glob("*.json")}
    stale = [name for name in sorted(current.keys() & found) if (folder / name).read_bytes() != current[name]]
    write = f"run `python -m felix_events.schemas {folder}`"
    return [
        *[f"{folder / name} is missing; {write}." for name in sorted(current.keys() - found)],
        *[f"{folder / name} is out of date; {write}." for name in stale],
        *[f"{folder / name} is missing; restore it from a release." for name in sorted(earlier - found)],
        *[f"{folder / name} is of no event; delete it." for name in sorted(found - current.keys() - earlier)],
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or check them; the exit code."""
    parser = ArgumentParser(prog="python -m felix_events.schemas", description="JSON schemas of the events.")
    parser.add_argument("folder", type=Path, help="where the files are, such as events/schemas")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is out of date")
    given = parser.parse_args(arguments)
    if not given.check:
        write_schemas(given.folder)
        return 0
    complaints = check_schemas(given.folder)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


def _name(event: type[Event], schema_version: int) -> str:
    return f"{event.type}.v{schema_version}.json"


def _tidied(value: Any) -> Any:
    """The same schema without defaults, and without the titles that pydantic makes out of field names."""
    if isinstance(value, list):
        return [_tidied(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _tidied(item) for key, item in value.items() if key not in ("title", "default")}


if __name__ == "__main__":
    sys.exit(main())
