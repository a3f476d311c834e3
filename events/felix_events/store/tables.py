"""The SQL of the log, of games and of what is due; with that about people and mail, all of a store's SQL."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from operator import attrgetter
from typing import Any

from felix_events.store.base import Damaged, StoreError, VersionConflict
from felix_events.store.errors import LOOK_FIRST
from felix_events.store.forgets import ForgettingInTables
from felix_events.store.keeping import KeptInTables
from felix_events.store.lines import GameLine
from felix_events.store.mail_tables import MailReader, MailTx
from felix_events.store.people_tables import PeopleReader, PeopleTx
from felix_events.store.remembering import remembered
from felix_events.store.rows import Due, GameRow, LogRow, MadeGood, Sealed
from felix_events.store.troubles import TroublesInTables
from felix_events.tree import extend, leaf

_GAME = (
    "SELECT game_id, table_name, kind, created_at, seed, state, size, clock, rematch_of, opened_by FROM games"
)
_GAME_LINE = (
    "SELECT game_id, table_name, kind, created_at, state, size, clock FROM games ORDER BY created_at, game_id"
)
_NO_END = (1 << 63) - 1
"""No log has a version above this one."""
_DUE_VALUES = attrgetter("game_id", "seat", "kind", "turn", "due_at")
_DUE = "SELECT game_id, seat, kind, turn, due_at FROM due"


@cache
def _inserting(table: str, rows: int) -> str:
    """The statement that inserts so many rows of five values."""
    return f"INSERT INTO {table} VALUES {', '.join(['(?, ?, ?, ?, ?)'] * rows)}"  # noqa: S608 - constants


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether pages that were read make no sense, and the disk itself is not to blame."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_CORRUPT or "malformed" in str(error)


class SqliteReader(PeopleReader, MailReader, TroublesInTables, ForgettingInTables, KeptInTables):
    """Questions to one connection."""

    def bodies(self, game_id: str, after: int = 0, until: int | None = None) -> list[bytes]:
        rows = self._log_rows(
            game_id,
            "SELECT body FROM events WHERE game_id = ? AND version > ? AND version <= ? ORDER BY version",
            (game_id, after, _NO_END if until is None else until),
        )
        return [body for (body,) in rows]

    def log(self, game_id: str) -> list[LogRow]:
        rows = self._log_rows(
            game_id,
            "SELECT version, body, range, private_record FROM events WHERE game_id = ? ORDER BY version",
            (game_id,),
        )
        return [LogRow(version, body, range_, record) for version, body, range_, record in rows]

    @remembered("events")
    def head(self, game_id: str) -> tuple[int, bytes]:
        rows = self._log_rows(
            game_id,
            "SELECT version, range FROM events WHERE game_id = ? ORDER BY version DESC LIMIT 1",
            (game_id,),
        )
        return rows[0] if rows else (0, b"")

    def _log_rows(self, game_id: str, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._sql(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            from felix_events.envelope import game_of

            game_id = game_of(game_id)
            raise Damaged(f"The log of game {game_id} is damaged; {LOOK_FIRST}", game_id) from error

    def logs(self) -> list[str]:
        # Here, because it brings every kind of event along, and readers of other tables need none.
        from felix_events.envelope import game_of

        rows = self._sql("SELECT game_id FROM games UNION SELECT game_id FROM events")
        return sorted({game_of(game_id) for (game_id,) in rows})

    @remembered("games")
    def game(self, game_id: str) -> GameRow | None:
        row = self._row(f"{_GAME} WHERE game_id = ?", (game_id,))
        return None if row is None else GameRow(**row)

    def games(self) -> list[GameRow]:
        return [GameRow(**row) for row in self._rows(f"{_GAME} ORDER BY created_at, game_id")]

    def game_lines(self) -> list[GameLine]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        for game_id, name in self._sql("SELECT game_id, name FROM seats ORDER BY game_id, seat"):
            names[game_id].append(name)
        due: defaultdict[str, list[Due]] = defaultdict(list)
        for row in self._rows(f"{_DUE} WHERE kind IN ('deadline', 'resume') ORDER BY game_id, seat, kind"):
            due[row["game_id"]].append(Due(**row))
        return [
            GameLine(**row, names=tuple(names[row["game_id"]]), due=tuple(due[row["game_id"]]))
            for row in self._rows(_GAME_LINE)
        ]

    def games_since(self, since: str) -> list[GameRow]:
        rows = self._rows(f"{_GAME} WHERE created_at > ? ORDER BY created_at, game_id", (since,))
        return [GameRow(**row) for row in rows]

    def rematches(self, game_id: str) -> list[GameRow]:
        rows = self._rows(
            f"{_GAME} WHERE rematch_of = ? AND rematch_of != '' ORDER BY created_at, game_id", (game_id,)
        )
        return [GameRow(**row) for row in rows]

    def made_good(self, game_id: str, kind: MadeGood, since: str) -> str | None:
        row = self._sql(
            "SELECT until FROM made_good WHERE game_id = ? AND kind = ? AND since = ?", (game_id, kind, since)
        ).fetchone()
        return None if row is None else str(row[0])

    @remembered("commands")
    def outcome(self, command_id: str) -> str | None:
        row = self._sql("SELECT outcome FROM commands WHERE command_id = ?", (command_id,)).fetchone()
        return None if row is None else str(row[0])

    def due(self, now: str, limit: int) -> list[Due]:
        rows = self._rows(f"{_DUE} WHERE due_at <= ? ORDER BY due_at LIMIT ?", (now, limit))
        return [Due(**row) for row in rows]

    @remembered("due")
    def due_of(self, game_id: str) -> list[Due]:
        return [Due(**row) for row in self._rows(f"{_DUE} WHERE game_id = ? ORDER BY seat, kind", (game_id,))]

    def secret(self, name: str) -> bytes | None:
        row = self._sql("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def last_beat(self) -> str | None:
        row = self._sql("SELECT at FROM heartbeat").fetchone()
        return None if row is None else str(row[0])


class SqliteTx(SqliteReader, PeopleTx, MailTx):
    """Changes within a transaction that somebody else opened and will end.

    `has_erased` says that bytes were erased which must not linger in the write-ahead log either.
    """

    has_erased = False

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        self._sql("SAVEPOINT part")
        try:
            yield
        except BaseException as error:
            self._sql("ROLLBACK TO part")
            if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
                raise Damaged("The database is damaged; restore a backup.") from error
            raise
        finally:
            self._sql("RELEASE part")

    def append(self, game_id: str, expected: int, events: Sequence[Sealed]) -> tuple[int, bytes]:
        version, range_ = self.head(game_id)
        if version != expected:
            raise VersionConflict(game_id, expected, version)
        values: list[object] = []
        for event in events:
            range_ = extend(range_, version, leaf(event.body))
            version += 1
            values += (game_id, version, event.body, range_, event.private_record)
        if events:
            self._sql(
                _inserting("events (game_id, version, body, range, private_record)", len(events)), values
            )
            self._remember(("events",), ("head", (game_id,)), (version, range_))
        return version, range_

    def add_game(self, game: GameRow) -> None:
        try:
            self._sql(
                "INSERT INTO games"
                " (game_id, table_name, kind, created_at, seed, state, size, clock, rematch_of, opened_by)"
                " VALUES (:game_id, :table_name, :kind, :created_at, :seed, :state, :size, :clock,"
                " :rematch_of, :opened_by)",
                asdict(game),
            )
        except sqlite3.IntegrityError:
            raise StoreError(f"There is a game {game.game_id} here already.") from None

    def note_game(self, game_id: str, state: str, size: int) -> None:
        self._sql("UPDATE games SET state = ?, size = ? WHERE game_id = ?", (state, size, game_id))

    def remember(self, command_id: str, game_id: str, outcome: str) -> None:
        self._sql(
            "INSERT INTO commands (command_id, game_id, outcome) VALUES (?, ?, ?)",
            (command_id, game_id, outcome),
        )

    def set_due(self, game_id: str, rows: Iterable[Due]) -> None:
        wanted = list(rows)
        before = self.due_of(game_id)
        if set(wanted) == set(before):
            return
        if before:
            self._sql("DELETE FROM due WHERE game_id = ?", (game_id,))
        if wanted:
            values = [value for row in wanted for value in _DUE_VALUES(row)]
            self._sql(_inserting("due (game_id, seat, kind, turn, due_at)", len(wanted)), values)

    def clear_due(self, row: Due) -> None:
        self._sql(
            "DELETE FROM due WHERE game_id = ? AND seat = ? AND kind = ? AND turn = ?",
            (row.game_id, row.seat, row.kind, row.turn),
        )

    def make_good(self, game_id: str, kind: MadeGood, since: str, until: str) -> None:
        self._sql(
            "INSERT INTO made_good (game_id, kind, since, until) VALUES (?, ?, ?, ?)",
            (game_id, kind, since, until),
        )

    def beat(self, at: str) -> None:
        self._sql("INSERT OR REPLACE INTO heartbeat (row, at) VALUES (1, ?)", (at,))

    def forget(self, player_id: str) -> None:
        self.begin_to_forget(player_id)
        while (step := self.next_forget_step(player_id)) is not None:
            self.do_forget_step(step)
        self.end_forgetting(player_id)
        self.has_erased = True

    def keep_secret(self, name: str, value: bytes) -> None:
        self._sql("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, value))

    def renew_secret(self, name: str, value: bytes) -> None:
        self._sql("INSERT OR REPLACE INTO secrets (name, value) VALUES (?, ?)", (name, value))
