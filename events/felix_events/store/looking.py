"""The questions of an audit about what is kept beside the logs: the contract, and its SQL.

Each walks along an index of the game, or looks a row up by its key; `unheard_of` walks through all commands,
and `orphans` through the whole database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

from felix_events.store.packing import KEYS, BytesTable
from felix_events.store.remembering import Remembering
from felix_events.store.schema import STEPS

_NOTED: Final = (
    "SELECT version, seat, kind, turn, settled, letter_id FROM notices WHERE game_id = ? ORDER BY version"
)
_TOLD: Final = "SELECT version, seat, letter_id, said FROM tidings WHERE game_id = ?"
_UNHEARD_OF: Final = """SELECT game_id, command_id, version FROM (
        SELECT game_id, command_id, json_extract(outcome, '$.version') AS version,
            json_extract(outcome, '$.events') AS events
        FROM commands WHERE json_valid(outcome) {where}) AS asked
    WHERE events > 0 AND NOT EXISTS (
        SELECT 1 FROM events AS log
        WHERE log.game_id = asked.game_id AND log.version = asked.version - events + 1
        AND instr(log.private_record, CAST(asked.command_id AS BLOB)))"""
_IN_OWN_LOG: Final = (
    "SELECT 1 FROM events WHERE game_id GLOB ? AND instr(private_record, CAST(? AS BLOB)) LIMIT 1"
)
_SCHEMA: Final = (
    "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    # The steps are noted in a table of sqlite-utils; who runs ANALYZE has another of SQLite.
    " WHERE name NOT GLOB 'sqlite_stat*' AND tbl_name != '_sqlite_migrations'"
)


@dataclass(frozen=True, slots=True)
class Noted:
    """A notice of a game: `settled` once it is dealt with, and the letter that it became, if any."""

    version: int
    seat: int
    kind: str
    turn: int
    settled: int
    letter_id: int | None


@dataclass(frozen=True, slots=True)
class Tiding:
    """News that a letter told a seat: all up to this version of the log, or the words said there."""

    version: int
    seat: int
    letter_id: int
    said: int


class LookedAt(Protocol):
    """The questions."""

    def noted(self, game_id: str) -> list[Noted]:
        """The notices of a game, by version."""

    def tidings(self, game_id: str) -> list[Tiding]:
        """Return the news that letters told of a game."""

    def command(self, command_id: str) -> tuple[str, str] | None:
        """Return the game and the outcome (JSON) of a command, None if it was never handled."""

    def unheard_of(self, game_id: str | None = None) -> list[tuple[str, str]]:
        """Games, and the ids of commands that changed them as it says, and that no log names."""

    def has_bytes(self, table: BytesTable, row_id: int) -> bool:
        """Return True if bytes of a mail or a letter are kept, whether or not they can be read."""

    def odd_schema(self) -> list[str]:
        """The tables, indexes and triggers that differ from those of a newly made database, sorted."""

    def orphans(self) -> list[str]:
        """Rows that point at no row, as `notices -> letters`, each pair once."""


class LookingReader(Remembering):
    """Questions to one connection."""

    def noted(self, game_id: str) -> list[Noted]:
        return self._each(Noted, _NOTED, (game_id,))

    def tidings(self, game_id: str) -> list[Tiding]:
        return self._each(Tiding, _TOLD, (game_id,))

    def command(self, command_id: str) -> tuple[str, str] | None:
        query = "SELECT game_id, outcome FROM commands WHERE command_id = ?"
        row: tuple[str, str] | None = self._sql(query, (command_id,)).fetchone()
        return row

    def unheard_of(self, game_id: str | None = None) -> list[tuple[str, str]]:
        query = _UNHEARD_OF.format(where="" if game_id is None else "AND game_id = ?")
        rows = self._sql(query, () if game_id is None else (game_id,)).fetchall()
        # A line may have given an order in advance, and moved at once by that.
        return [
            (game, command_id)
            for game, command_id, _ in rows
            if self._sql(_IN_OWN_LOG, (f"{game}/*", command_id)).fetchone() is None
        ]

    def has_bytes(self, table: BytesTable, row_id: int) -> bool:
        query = f"SELECT 1 FROM {table} WHERE {KEYS[table]} = ?"  # noqa: S608 - constants
        return self._sql(query, (row_id,)).fetchone() is not None

    def odd_schema(self) -> list[str]:
        found = set(map(tuple, self._sql(_SCHEMA)))
        return sorted({f"{kind} {name}" for kind, name, *_ in found ^ _new_schema()})

    def orphans(self) -> list[str]:
        rows: Sequence[tuple[str, int, str, int]] = self._execute("PRAGMA foreign_key_check").fetchall()
        return sorted({f"{table} -> {parent}" for table, _, parent, _ in rows})


@cache
def _new_schema() -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statements in STEPS.values():
            for statement in statements:
                connection.execute(statement)
        return set(connection.execute(_SCHEMA))
