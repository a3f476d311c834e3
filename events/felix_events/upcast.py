"""Old payloads brought to today's schema, on dicts, before validation.

An upcaster is a small function from the data of one schema version to the data of the next. The bytes
in the log never change: an upcast happens on reading, and a leaf is always the hash of what was written.

To change an event: raise its `schema_version`, and add to `UPCASTERS` what turns the old data into the
new; `tests/events/test_upcast.py` works through one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from felix_events.model import EVENTS, SEAT_EVENTS

Data = dict[str, Any]
Upcaster = Callable[[Data], Data]


def _game_created_from_1(data: Data) -> Data:
    """Schema 2 says what tables agree on since orders can be given in advance; earlier ones did not."""
    then = {"forced_pass": False, "seat_logs_closed": False, "records": 1, "pace": "in turn"}
    return {**data, "options": {**then, **data["options"]}}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {("game_created", 1): _game_created_from_1}
"""(event type, schema version of the data given) -> the function to the next version."""


class UnknownSchema(ValueError):
    """An event is of a type, or of a schema version, that this felix does not know."""


class LaterSchema(UnknownSchema):
    """It is of one that a later felix may know."""


def upcast(
    type_: str,
    schema: int,
    data: Data,
    upcasters: Mapping[tuple[str, int], Upcaster] | None = None,
    current: Mapping[str, int] | None = None,
) -> tuple[int, Data]:
    """The data at today's schema version of its type, and that version.

    Raises UnknownSchema for a type or version from the future, or one that has no way up.
    """
    steps = UPCASTERS if upcasters is None else upcasters
    versions = (
        {event.type: event.schema_version for event in (*EVENTS, *SEAT_EVENTS)}
        if current is None
        else current
    )
    if type_ not in versions:
        raise LaterSchema(f"event type {type_!r} is not known to this version of felix")
    while schema != versions[type_]:
        step = steps.get((type_, schema))
        if step is None:
            kind = LaterSchema if isinstance(schema, int) and schema > versions[type_] else UnknownSchema
            raise kind(f"{type_} has schema {schema}, this version of felix knows {versions[type_]}")
        schema, data = schema + 1, step(data)
    return schema, data
