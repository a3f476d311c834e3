"""The list of games: rows alone, in a few statements, and the clock that an older database did not keep."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from events.older import before_step
from felix_events.envelope import clock_text
from felix_events.model import Terms
from felix_events.store.base import Tx
from felix_events.store.rows import Due, GameLine, GameRow, SeatRow
from felix_events.store.schema import LOG_TABLE
from felix_events.store.sqlite import SqliteReader, SqliteStore
from games import a_room

AT, LATER = "2026-11-21T00:00:00.000000Z", "2026-11-22T00:00:00.000000Z"
TERMS: Final = Terms(move=3600, weekends=False, zone="Europe/Berlin")
CLOCK: Final = clock_text(TERMS)


def test_a_line_has_who_plays_the_clock_and_what_is_due(tx: Tx) -> None:
    rows = [
        Due("bbb", seat, kind, 1, LATER) for seat, kind in ((1, "deadline"), (1, "reminder"), (2, "resume"))
    ]
    tx.add_game(GameRow("bbb", "Thursday club", "played", LATER, b"seed", "running", 20, CLOCK))
    tx.add_game(GameRow("aaa", "", "simulated", LATER, None, "ended", 150))
    tx.add_game(GameRow("ccc", "", "played", AT, b"seed"))
    for seat, name in ((1, "Ben"), (0, "Anna"), (2, "")):
        tx.add_seat(SeatRow("bbb", seat, f"p{seat}", name, None, b"secret"))
    tx.set_due("bbb", rows)
    assert tx.game_lines() == [
        GameLine("ccc", "", "played", AT, "inviting", 0, "", (), ()),
        GameLine("aaa", "", "simulated", LATER, "ended", 150, "", (), ()),
        GameLine(
            "bbb",
            "Thursday club",
            "played",
            LATER,
            "running",
            20,
            CLOCK,
            ("Anna", "Ben", ""),
            (rows[0], rows[2]),
        ),
    ]


@pytest.fixture
def database(path: Path) -> Path:
    """Three games, two of them with a clock."""
    with closing(SqliteStore.create(path)) as store:
        room = a_room("lines", store)
        for number, clock in enumerate((None, TERMS, TERMS)):
            room.join_all(room.open(4, start=0, clock=clock, command_id=f"create/{number}"))
    return path


def test_a_list_reads_no_log(database: Path) -> None:
    def authorize(action: int, first: str | None, *_: str | None) -> int:
        is_log = action == sqlite3.SQLITE_READ and first == LOG_TABLE
        return sqlite3.SQLITE_DENY if is_log else sqlite3.SQLITE_OK

    with closing(sqlite3.connect(database)) as connection:
        connection.set_authorizer(authorize)
        reader = SqliteReader(connection)
        with pytest.raises(sqlite3.DatabaseError, match="prohibited"):
            reader.logs()
        assert [line.clock for line in reader.game_lines()] == ["", CLOCK, CLOCK]


def test_a_longer_list_asks_no_more_often(database: Path) -> None:
    asked: list[str] = []
    with closing(sqlite3.connect(database)) as connection:
        connection.set_trace_callback(asked.append)
        assert len(SqliteReader(connection).game_lines()) == len(asked) == 3
        connection.set_trace_callback(None)
        connection.execute(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50)"
            " INSERT INTO games (game_id, table_name, kind, created_at, state, size)"
            " SELECT 'more' || n, '', 'played', '2026', 'running', 1 FROM number"
        )
        asked.clear()
        connection.set_trace_callback(asked.append)
        assert len(SqliteReader(connection).game_lines()) == 53
        assert len(asked) == 3


def as_it_was(database: Path, older: Path, *damage: str) -> None:
    """The games of a database in one from before the clocks were kept, with something done to it."""
    with before_step(older, "m009_clocks") as raw:
        raw.execute("ATTACH ? AS new", (str(database),))
        raw.execute(
            "INSERT INTO games SELECT game_id, table_name, kind, created_at, seed, state, size FROM new.games"
        )
        raw.execute("INSERT INTO events SELECT * FROM new.events ORDER BY game_id, version")
        for statement in damage:
            raw.execute(statement)


def test_an_older_database_gets_its_clocks_from_the_log(database: Path, tmp_path: Path) -> None:
    as_it_was(database, tmp_path / "older.db")
    with closing(SqliteStore.open_to_write(tmp_path / "older.db")) as older, older.read() as reader:
        assert [line.clock for line in reader.game_lines()] == ["", CLOCK, CLOCK]


def test_a_damaged_log_keeps_no_database_from_being_opened(database: Path, tmp_path: Path) -> None:
    damage = "UPDATE events SET body = substr(body, 1, length(body) - 9) WHERE version = 2"
    as_it_was(database, tmp_path / "older.db", "DROP TRIGGER events_no_update", damage)
    with closing(SqliteStore.open_to_write(tmp_path / "older.db")) as older, older.read() as reader:
        assert [line.clock for line in reader.game_lines()] == ["", "", ""]
