"""All rows of a store in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Final

from felix_events.store.rows import (
    AddressRow,
    Belief,
    Choice,
    Due,
    Former,
    GameRow,
    Held,
    Letter,
    LogRow,
    Mail,
    Notice,
    Question,
    Saying,
    SeatRow,
    Tidings,
    Trouble,
)


@dataclass(slots=True)
class Tables:
    """All rows. The rows never change, so a copy of the containers is a snapshot."""

    logs: dict[str, tuple[LogRow, ...]] = field(default_factory=dict)
    games: dict[str, GameRow] = field(default_factory=dict)
    addresses: dict[str, AddressRow] = field(default_factory=dict)
    adopted: dict[tuple[str, str], None] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)
    sayings: dict[tuple[str, int], Saying] = field(default_factory=dict)
    seats: dict[tuple[str, int], SeatRow] = field(default_factory=dict)
    former: dict[tuple[str, int], Former] = field(default_factory=dict)
    inbox: dict[int, Mail] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    notices: dict[int, Notice] = field(default_factory=dict)
    settled: dict[int, int | None] = field(default_factory=dict)
    letters: dict[int, Letter] = field(default_factory=dict)
    tidings: dict[tuple[int, str, int], Tidings] = field(default_factory=dict)
    questions: dict[tuple[str, int, int], Question] = field(default_factory=dict)
    held: dict[int, Held] = field(default_factory=dict)
    beliefs: dict[tuple[str, str, str], Belief] = field(default_factory=dict)
    due: dict[tuple[str, int, str, int], Due] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)
    heartbeat: list[str] = field(default_factory=list)
    troubles: dict[str, Trouble] = field(default_factory=dict)

    def snapshot(self) -> Tables:
        return Tables(*[table.copy() for table in _all_of(self)])

    def restore(self, snapshot: Tables) -> None:
        for name, table in zip(_NAMES, _all_of(snapshot), strict=True):
            setattr(self, name, table)


_NAMES: Final = tuple(table.name for table in fields(Tables))
_all_of: Final = attrgetter(*_NAMES)
"""Every table, in the order of the fields. Each transaction begins with this, so it is made once."""
