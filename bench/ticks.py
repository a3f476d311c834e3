"""Time passing: looking at what is due where nothing is, and owing reminders that are.

The open games of the empty look are rows of the tables `games` and `due`, put there as they are, without a
log: a look reads no game unless something is due in it, and a million games really played would take hours.
The games whose reminders are due are real ones, at tables where three players are to place their first card.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from bench.measure import Round, Rounds, by_turns, open_raw, seconds
from felix_async.clock import text_of
from felix_async.game.commands import Join
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.schedule.tick import tick
from felix_async.service import Origin, Player, Service
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore

MANY: Final = 1_000_000
FEW: Final = 1_000
ROUNDS: Final = 41
"""Of reminders, at most: their tables are opened before."""
TABLES: Final = 12
"""Tables of a round; with three seats each, about as many reminders are due at once as in a busy minute."""
_SEATS: Final = 3
_FIRST_DAY: Final = datetime(2026, 1, 1, 10, tzinfo=UTC)
"""In the morning: no reminder is put off because of the night."""
_BETWEEN: Final = timedelta(seconds=20)
"""From one table to the next. A round is four minutes: less than what felix takes for an outage."""
_OPEN_GAMES: Final = """
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
INSERT INTO games (game_id, table_name, kind, created_at, state, size)
SELECT printf('g%07d', n), 'Game ' || n, 'played', '2026-01-01T00:00:00.000000Z', 'running', 20 FROM number
"""
_DUE_LATER: Final = """
INSERT INTO due (game_id, seat, kind, turn, due_at)
SELECT game_id, rowid % 4, 'reminder', 1,
    printf('2027-%02d-%02dT%02d:%02d:00.000000Z', 1 + rowid % 12, 1 + rowid % 28, rowid % 23, rowid % 59)
FROM games
"""
_NOTICES: Final = """CREATE TABLE notices (
    game_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    kind TEXT NOT NULL,
    due_at TEXT NOT NULL,
    turn INTEGER NOT NULL,
    about TEXT NOT NULL,
    payload TEXT NOT NULL
) STRICT"""


class _Clock:
    """A clock that stands where it was put."""

    def __init__(self) -> None:
        self.now = _FIRST_DAY

    def __call__(self) -> datetime:
        return self.now


def empty_tick_rounds(folder: Path) -> Rounds:
    """A look that finds nothing: beside a million games that wait for somebody, and beside a thousand."""
    with (
        closing(_open_games(folder / "many.db", MANY)) as many,
        closing(_open_games(folder / "few.db", FEW)) as few,
    ):
        service = Service(_Clock(), os.urandom)
        yield from by_turns(
            partial(tick, _doing(many), service),
            partial(tick, _doing(few), service),
            turns=10,
            runs=20,
        )


def due_rounds(folder: Path) -> Rounds:
    """The reminders of some tables, each in a transaction, against as many rows with the same values."""
    clock = _Clock()
    with (
        closing(SqliteStore.create(folder / "due.db")) as store,
        closing(open_raw(folder / "due-raw.db", _NOTICES)) as raw,
    ):
        for number in range(ROUNDS * TABLES):
            clock.now = _FIRST_DAY + number * _BETWEEN
            _open_table(store, clock, number)
        # One that has no game in memory: each is read from its log, as in a server with many.
        service = Service(clock, os.urandom)
        first = _FIRST_DAY + timedelta(seconds=service.hours.remind_after)
        for number in range(ROUNDS):
            clock.now = first + (number + 1) * TABLES * _BETWEEN - timedelta(seconds=1)
            rows = _due(store, text_of(clock.now))
            felix, yardstick = partial(tick, _doing(store), service), partial(_insert, raw, rows)
            if number % 2:
                of_felix, of_yardstick = seconds(felix), seconds(yardstick)
            else:
                of_yardstick, of_felix = seconds(yardstick), seconds(felix)
            yield Round(of_felix / len(rows), of_yardstick / len(rows))
        assert _reminders(store) == raw.execute("SELECT count(*) FROM notices").fetchone()[0], "as many rows"


def _open_games(path: Path, count: int) -> SqliteStore:
    """A database with so many games, each of them with a row that is due in a later year."""
    SqliteStore.create(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute("BEGIN")
        raw.execute(_OPEN_GAMES, (count,))
        raw.execute(_DUE_LATER)
        raw.execute("COMMIT")
        assert raw.execute("SELECT count(*) FROM due").fetchone() == (count,)
    return SqliteStore.open_to_write(path)


def _open_table(store: SqliteStore, clock: _Clock, number: int) -> None:
    """Three players have joined, and each is asked for a card."""
    service = Service(clock, os.urandom)
    players = [
        Player(f"p-{seat}-{number}", f"Player {seat}", f"p{seat}.{number}@players.test")
        for seat in range(_SEATS)
    ]
    with store.write() as tx:
        game_id, _ = service.open_table(
            tx,
            players,
            origin=Origin(f"{number}/create", "host", "desk"),
            table_name=f"Game {number}",
            ruleset=DEFAULT_RULESET,
        )
        for seat in range(_SEATS):
            name = f"{number}/{seat}"
            origin = Origin(name, "seat", "mail", sha256(name.encode()).hexdigest(), "JOIN")
            service.handle(
                tx, game_id, Join(seat=seat, contribution=sha256(name.encode()).hexdigest()), origin
            )


def _due(store: SqliteStore, now: str) -> list[tuple[object, ...]]:
    """The notices that will be owed for what is due, as values; all of it are reminders."""
    with store.read() as reader:
        rows = reader.due(now, 10 * TABLES)
        assert rows
        assert {row.kind for row in rows} == {"reminder"}
        return [
            (row.game_id, reader.head(row.game_id)[0], row.seat, row.kind, now, row.turn, "", "{}")
            for row in rows
        ]


def _insert(raw: sqlite3.Connection, rows: list[tuple[object, ...]]) -> None:
    for row in rows:
        raw.execute("INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def _reminders(store: SqliteStore) -> int:
    with store.read() as reader:
        games = [game.game_id for game in reader.games()]
        return sum(notice.kind == "reminder" for game_id in games for notice in reader.notices(game_id))


def _doing(store: SqliteStore) -> Callable[[Callable[[Tx], Any]], Any]:
    """Each closure in a transaction of its own."""

    def do(work: Callable[[Tx], Any]) -> Any:
        with store.write() as tx:
            return work(tx)

    return do
