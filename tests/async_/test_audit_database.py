"""A database changed behind felix's back: the audit finds it, and names the version."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from felix_async.audit.audit import Report, audit
from felix_async.audit.evidence import evidence_of
from felix_events.store.schema import LOG_TABLE
from felix_events.store.sqlite import SqliteReader, SqliteStore
from games import a_room

COLUMNS = ["game_id", "version", "body", "range", "private_record"]

Value = Any
"""What a column of a row holds."""


@pytest.fixture(scope="module")
def game_id() -> str:
    return a_room("database").open()  # the same seed gives the same id below


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one whole game, its log no longer guarded by triggers."""
    path = tmp_path_factory.mktemp("audit") / "felix.db"
    store = SqliteStore.create(path)
    room = a_room("database", store)
    game_id = room.open()
    room.join_all(game_id)
    room.play(game_id)
    store.close()
    connection = sqlite3.connect(path)
    triggers = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", (LOG_TABLE,)
    ).fetchall()
    assert len(triggers) == 5
    for (trigger,) in triggers:
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def connection(database: Path) -> Iterator[sqlite3.Connection]:
    """Plain SQLite, in a transaction that is undone after the test."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN")
    yield connection
    connection.execute("ROLLBACK")
    connection.close()


def audited(connection: sqlite3.Connection, game_id: str) -> Report:
    evidence = evidence_of(SqliteReader(connection), game_id)
    assert evidence is not None
    return audit(evidence)


def test_the_database_as_it_was_written_is_sound(connection: sqlite3.Connection, game_id: str) -> None:
    assert audited(connection, game_id).sound


def test_every_column_of_the_log_is_changed_here(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (LOG_TABLE,))
    assert [name for (name,) in rows] == COLUMNS


def last_bit(value: bytes) -> bytes:
    return value[:-1] + bytes([value[-1] ^ 1])


def middle_bit(value: bytes) -> bytes:
    middle = len(value) // 2
    return value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]


CHANGES: dict[str, list[Callable[[Value], Value]]] = {
    "game_id": [lambda _: "zzzzz", lambda value: value.upper()],
    "version": [lambda value: value + 1000, lambda value: -value, lambda _: 0],
    "body": [last_bit, middle_bit, lambda _: b"", lambda value: value + b"\n"],
    "range": [last_bit, middle_bit, lambda _: b"", lambda value: value + bytes(32)],
    "private_record": [
        lambda value: last_bit(value) if value else b"{}",
        lambda value: middle_bit(value) if value else b"",
        lambda value: None if value else b'{"salt":"00"}',
    ],
}


def check_row(connection: sqlite3.Connection, game_id: str, version: int, column: str) -> None:
    """Every change of one column of one row is found, at this row."""
    key = "WHERE game_id = ? AND version = ?"
    (old,) = connection.execute(f"SELECT {column} FROM events {key}", (game_id, version)).fetchone()  # noqa: S608  # from the list above
    for change in CHANGES[column]:
        connection.execute("SAVEPOINT change")
        connection.execute(f"UPDATE events SET {column} = ? {key}", (change(old), game_id, version))  # noqa: S608  # from the list above
        report = audited(connection, game_id)
        connection.execute("ROLLBACK TO change")
        assert min(finding.version for finding in report.findings) == first_bad(column, change(old), version)


def first_bad(column: str, new: Value, version: int) -> int:
    """The changed row's own version; a row moved to the front shows at the front."""
    return 1 if column == "version" and new <= 0 else version


@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_row_is_named(connection: sqlite3.Connection, game_id: str, column: str) -> None:
    (size,) = connection.execute("SELECT count(*) FROM events").fetchone()
    for version in [1, 2, 6, 9, size // 3, size // 2, size - 1, size]:
        check_row(connection, game_id, version, column)


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_every_changed_row_is_named(connection: sqlite3.Connection, game_id: str, column: str) -> None:
    (size,) = connection.execute("SELECT count(*) FROM events").fetchone()
    for version in range(1, size + 1):
        check_row(connection, game_id, version, column)


@pytest.mark.parametrize("version", [1, 7, 60])
def test_a_deleted_row_is_named(connection: sqlite3.Connection, game_id: str, version: int) -> None:
    connection.execute("DELETE FROM events WHERE game_id = ? AND version = ?", (game_id, version))
    assert {finding.version for finding in audited(connection, game_id).findings} == {version}


def test_a_log_cut_behind_its_last_move_is_named(connection: sqlite3.Connection, game_id: str) -> None:
    """The game's row still knows how long the log was."""
    connection.execute("DELETE FROM events WHERE game_id = ? AND version > 5", (game_id,))
    assert {finding.version for finding in audited(connection, game_id).findings} == {5, 6}


def test_two_rows_that_changed_places_are_named(connection: sqlite3.Connection, game_id: str) -> None:
    for old, new in ((20, -1), (21, 20), (-1, 21)):
        connection.execute(
            "UPDATE events SET version = ? WHERE game_id = ? AND version = ?", (new, game_id, old)
        )
    assert {finding.version for finding in audited(connection, game_id).findings} == {20}


@pytest.mark.parametrize(
    ("column", "value", "check"),
    [
        ("state", "running", "moves"),
        ("size", 999, "tree"),
        ("size", 3, "tree"),
        ("clock", "{}", "moves"),
        ("seed", bytes(32), "draws"),
    ],
)
def test_a_change_of_what_is_known_of_the_game(
    connection: sqlite3.Connection, game_id: str, column: str, value: Value, check: str
) -> None:
    connection.execute(f"UPDATE games SET {column} = ?", (value,))  # noqa: S608  # from the list above
    assert [finding.check for finding in audited(connection, game_id).findings] == [check]


def test_a_row_of_the_log_that_belongs_to_no_known_game(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE events SET game_id = 'zzzzz' WHERE version = 9")
    assert {finding.version for finding in audited(connection, "zzzzz").findings} == {1}
