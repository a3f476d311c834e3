"""The SQL of logs, of games and of what is due; and whether logs are what was written.

Each row of a log keeps the hashes of its tree up to there, and they must fit.

>>> rows = [(1, b"one", leaf(b"one")), (2, b"twO", b"not its hash")]
>>> flaw_in(rows)
'event 2 is not what was written'
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from operator import attrgetter
from sqlite3 import Connection, DatabaseError
from typing import Any

from felix_events.store.errors import LOOK_FIRST, Damaged, StoreError, VersionConflict
from felix_events.store.files import is_damage
from felix_events.store.remembering import Remembering, columns, remembered
from felix_events.store.rows import Due, GameLine, GameRow, LogRow, MadeGood, Sealed, Trouble
from felix_events.tree import extend, leaf

_GAME = f"SELECT {columns(GameRow)} FROM games"  # noqa: S608 - names of columns
_GAME_LINE = (
    "SELECT game_id, table_name, kind, created_at, state, size, clock FROM games ORDER BY created_at, game_id"
)
_NO_END = (1 << 63) - 1
"""No log has a version above this one."""
_LOGS = "SELECT DISTINCT game_id FROM events ORDER BY game_id"
_ROWS = "SELECT version, body, range FROM events WHERE game_id = ? ORDER BY version"
_NEWEST = "SELECT game_id, version, range FROM events WHERE game_id = ? ORDER BY version DESC LIMIT 1"
_SIZES = "SELECT game_id, size FROM games WHERE size > 0"
_TROUBLE = f"SELECT {columns(Trouble)} FROM troubles"  # noqa: S608 - names of columns
_DUE_VALUES = attrgetter("game_id", "seat", "kind", "turn", "due_at")
_DUE = f"SELECT {columns(Due)} FROM due"  # noqa: S608 - names of columns


@cache
def _inserting(table: str, rows: int) -> str:
    """The statement that inserts so many rows of five values."""
    return f"INSERT INTO {table} VALUES {', '.join(['(?, ?, ?, ?, ?)'] * rows)}"  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Soundness:
    """How many of all logs were looked at, and a sentence for each of them that is not sound."""

    looked_at: int
    logs: int
    flaws: Sequence[str]


class LogReader(Remembering):
    """Questions about logs and games to one connection."""

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

    @remembered("events")
    def heads(self, log_ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
        if not log_ids:
            return {}
        query = " UNION ALL ".join([f"SELECT game_id, version, range FROM ({_NEWEST})"] * len(log_ids))  # noqa: S608 - constants
        rows = self._log_rows(log_ids[0], query, tuple(log_ids))
        return {log_id: (version, range_) for log_id, version, range_ in rows}

    def _log_rows(self, game_id: str, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._sql(query, values).fetchall()
        except DatabaseError as error:
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
        return next(iter(self._each(GameRow, f"{_GAME} WHERE game_id = ?", (game_id,))), None)

    def games(self, since: str = "") -> list[GameRow]:
        return self._each(GameRow, f"{_GAME} WHERE created_at > ? ORDER BY created_at, game_id", (since,))

    def game_lines(self) -> list[GameLine]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        for game_id, name in self._sql("SELECT game_id, name FROM seats ORDER BY game_id, seat"):
            names[game_id].append(name)
        due: defaultdict[str, list[Due]] = defaultdict(list)
        for row in self._each(Due, f"{_DUE} WHERE kind IN ('deadline', 'resume') ORDER BY seat, kind"):
            due[row.game_id].append(row)
        return [
            GameLine(**row, names=tuple(names[row["game_id"]]), due=tuple(due[row["game_id"]]))
            for row in self._rows(_GAME_LINE)
        ]

    def rematches(self, game_id: str) -> list[GameRow]:
        return self._each(
            GameRow,
            f"{_GAME} WHERE rematch_of = ? AND rematch_of != '' ORDER BY created_at, game_id",
            (game_id,),
        )

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
        return self._each(Due, f"{_DUE} WHERE due_at <= ? ORDER BY due_at LIMIT ?", (now, limit))

    @remembered("due")
    def due_of(self, game_id: str) -> list[Due]:
        return self._each(Due, f"{_DUE} WHERE game_id = ? ORDER BY seat, kind", (game_id,))

    @remembered("troubles")
    def troubles(self) -> list[Trouble]:
        return self._each(Trouble, f"{_TROUBLE} ORDER BY game_id")

    def trouble(self, game_id: str) -> Trouble | None:
        # There are few or none, and they are asked for again and again.
        return next((one for one in self.troubles() if one.game_id == game_id), None)

    def secret(self, name: str) -> bytes | None:
        row = self._sql("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def last_beat(self) -> str | None:
        row = self._sql("SELECT at FROM heartbeat").fetchone()
        return None if row is None else str(row[0])


class LogTx(LogReader):
    """Changes to logs and games, in a transaction that somebody else opened."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        self._sql("SAVEPOINT part")
        try:
            yield
        except BaseException as error:
            self._sql("ROLLBACK TO part")
            if isinstance(error, DatabaseError) and is_damage(error):
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
        cursor = self._sql(
            "INSERT INTO games"
            " (game_id, table_name, kind, created_at, seed, state, size, clock, rematch_of, opened_by)"
            " VALUES (:game_id, :table_name, :kind, :created_at, :seed, :state, :size, :clock,"
            " :rematch_of, :opened_by) ON CONFLICT DO NOTHING",
            asdict(game),
        )
        if cursor.rowcount != 1:
            raise StoreError(f"There is a game {game.game_id} here already.")

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

    def note_trouble(self, trouble: Trouble) -> bool:
        values = (trouble.game_id, trouble.since, trouble.why)
        cursor = self._sql(
            "INSERT INTO troubles (game_id, since, why) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values
        )
        return cursor.rowcount == 1

    def end_trouble(self, game_id: str) -> None:
        self._sql("DELETE FROM troubles WHERE game_id = ?", (game_id,))

    def beat(self, at: str) -> None:
        self._sql(
            "INSERT INTO heartbeat (row, at) VALUES (1, ?) ON CONFLICT (row) DO UPDATE SET at = excluded.at",
            (at,),
        )

    def keep_secret(self, name: str, value: bytes) -> None:
        self._sql("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, value))

    def renew_secret(self, name: str, value: bytes) -> None:
        self._sql(
            "INSERT INTO secrets (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )


def flaw_in(rows: Iterable[tuple[int, bytes, bytes]], least: int = 0) -> str:
    """Return the first flaw of a log, '' if it has none; it has `least` events or more.

    It takes two or three hashes for an event. Whether the events are good ones, an audit asks.
    """
    size, range_ = 0, b""
    for version, body, kept in rows:
        size += 1
        range_ = extend(range_, size - 1, leaf(body))
        if version != size or kept != range_:
            return f"event {size} is not what was written"
    return f"event {size + 1} is missing" if size < least else ""


def look_at_logs(
    connection: Connection, stopped: Callable[[], bool] = lambda: False, first: int = 0
) -> Soundness:
    """Look at one log after the other until `stopped` says so, from the `first` on and round about.

    Raises DatabaseError if not even the list of them can be read.
    """
    from felix_events.envelope import game_of

    sizes = dict(connection.execute(_SIZES).fetchall())
    logs = sorted({log_id for (log_id,) in connection.execute(_LOGS)} | sizes.keys())
    start = first % len(logs) if logs else 0
    flaws: list[str] = []
    looked_at = 0
    for log_id in logs[start:] + logs[:start]:
        if stopped():
            break
        try:
            flaw = flaw_in(connection.execute(_ROWS, (log_id,)), sizes.get(log_id, 0))
        except DatabaseError as error:
            flaw = f"its log cannot be read ({error})"
        if flaw:
            flaws.append(f"game {game_of(log_id)}: {flaw}")
        looked_at += 1
    return Soundness(looked_at, len(logs), flaws)
