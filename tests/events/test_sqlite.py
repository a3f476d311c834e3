"""The SQLite file: durable, guarded, private to its owner, and plain about what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from each import each
from felix_events.store.base import StoreError
from felix_events.store.rows import GameRow, Sealed, SeatRow
from felix_events.store.sqlite import SqliteStore
from fresh import a_database

GAME = GameRow("k7m2p", "Thursday club", "played", "2026-11-20T21:00:00.000000Z", b"seed")


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """Two events of one game, and one of another."""
    opened = a_database(path)
    with opened.write() as tx:
        tx.append("k7m2p", 0, [Sealed(b"one", b"private"), Sealed(b"two")])
        tx.append("other", 0, [Sealed(b"three")])
        tx.add_game(GAME)
    yield opened
    opened.close()


def writer(store: SqliteStore) -> sqlite3.Connection:
    """The connection that felix writes with."""
    assert store._writer is not None
    return store._writer


def value(connection: sqlite3.Connection, question: str) -> object:
    """The one value that answers it."""
    return connection.execute(question).fetchone()[0]


# ---- how it is opened
def test_the_connection_is_durable_and_strict_with_a_file_that_says_whose_it_is(store: SqliteStore) -> None:
    """WAL with FULL (2) syncs at every commit: what is committed survives a power cut."""
    wanted = {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0, "mmap_size": 0,
        "secure_delete": 1, "application_id": int.from_bytes(b"FLX1"),
    }  # fmt: skip
    assert {pragma: value(writer(store), f"PRAGMA {pragma}") for pragma in wanted} == wanted


def test_every_table_is_strict(store: SqliteStore) -> None:
    rows = writer(store).execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'")
    lax = {name for name, strict in rows if not strict}
    assert lax == {"sqlite_schema", "_sqlite_migrations"}, "the latter is sqlite-utils' own"


def test_text_is_no_event(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="TEXT value in BLOB column"):
        writer(store).execute("INSERT INTO events VALUES ('k7m2p', 3, 'text', x'00', NULL)")


def test_a_seat_needs_its_game(store: SqliteStore) -> None:
    seat = SeatRow("nobody", 0, "anna", "Anna", None, b"secret")
    with store.write() as tx, pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        tx.add_seat(seat)


def test_an_existing_database_is_opened_as_it_is(store: SqliteStore, path: Path) -> None:
    store.close()
    for again in (SqliteStore.create, SqliteStore.open_to_write, SqliteStore.open_to_read):
        with closing(again(path)) as reopened, reopened.read() as reader:
            assert reader.bodies("k7m2p") == [b"one", b"two"]


def test_its_files_are_for_their_owner_only(path: Path) -> None:
    before = os.umask(0)
    try:
        with closing(SqliteStore.create(path)) as store:
            with store.write() as tx:
                tx.append("k7m2p", 0, [Sealed(b"one")])
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert {modes[name] for name in ("felix.db", "felix.db.lock", "felix.db-wal")} == {0o600}


# ---- the log is never rewritten

INSERT = "INSERT INTO events VALUES"
PLACED = "INTO events (rowid, game_id, version, body, range) VALUES"
REWRITES = {
    "update": "UPDATE events SET body = x'00'",
    "update of a private record": "UPDATE events SET private_record = NULL WHERE version = 1",
    "update or replace": "UPDATE OR REPLACE events SET version = 1 WHERE version = 2",
    "update of a row's place": "UPDATE events SET rowid = 99 WHERE rowid = 1",
    "delete": "DELETE FROM events",
    "delete of the last": "DELETE FROM events WHERE game_id = 'k7m2p' AND version = 2",
    "the same version": f"{INSERT} ('k7m2p', 2, x'00', x'00', NULL)",
    "a gap": f"{INSERT} ('k7m2p', 4, x'00', x'00', NULL)",
    "a first version that is not 1": f"{INSERT} ('new', 2, x'00', x'00', NULL)",
    "version 0": f"{INSERT} ('new', 0, x'00', x'00', NULL)",
    "replace by key": "INSERT OR REPLACE INTO events VALUES ('k7m2p', 2, x'00', x'00', NULL)",
    "replace with a gap": "REPLACE INTO events VALUES ('k7m2p', 4, x'00', x'00', NULL)",
    "replace by place": f"INSERT OR REPLACE {PLACED} (1, 'k7m2p', 3, x'00', x'00')",
    "replace by place, under its other name": (
        "REPLACE INTO events (oid, game_id, version, body, range) VALUES (1, 'new', 1, x'00', x'00')"
    ),
    "replace by both": f"REPLACE {PLACED} (1, 'k7m2p', 2, x'00', x'00')",
    "insert where no row can be": f"INSERT {PLACED} (-1, 'k7m2p', 3, x'00', x'00')",
    "insert or update": (
        f"{INSERT} ('k7m2p', 2, x'00', x'00', NULL)"
        " ON CONFLICT (game_id, version) DO UPDATE SET body = excluded.body"
    ),
    "insert or update on any conflict": (
        f"{INSERT} ('k7m2p', 2, x'00', x'00', NULL) ON CONFLICT DO UPDATE SET body = excluded.body"
    ),
}


def rows_of(connection: sqlite3.Connection) -> list[object]:
    return connection.execute("SELECT rowid, * FROM events ORDER BY rowid").fetchall()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("recursive", ["ON", "OFF"])
@each("rewrite", REWRITES.values())
def test_the_tables_refuse_it_to_everybody(path: Path, rewrite: str, recursive: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as stranger:
        stranger.execute(f"PRAGMA recursive_triggers = {recursive}")
        before = rows_of(stranger)
        why = r"never rewritten|not the next version|place .* taken|no place"
        with pytest.raises(sqlite3.IntegrityError, match=why):
            stranger.execute(rewrite)
        assert rows_of(stranger) == before


@pytest.mark.usefixtures("store")
def test_the_next_version_may_be_written_by_anybody(path: Path) -> None:
    """The guards stand in the way of nothing else."""
    with closing(sqlite3.connect(path, isolation_level=None)) as stranger:
        stranger.execute("INSERT INTO events VALUES ('k7m2p', 3, x'00', x'00', NULL)")
        stranger.execute("INSERT INTO events VALUES ('new', 1, x'00', x'00', NULL)")
        assert len(rows_of(stranger)) == 5


DENIED = {
    **{name: text for name, text in REWRITES.items() if name.startswith(("update", "delete", "insert or"))},
    "drop": "DROP TABLE events",
    "rename": "ALTER TABLE events RENAME TO old",
    "new column": "ALTER TABLE events ADD COLUMN more TEXT",
    "renamed column": "ALTER TABLE events RENAME COLUMN body TO old",
    "dropped column": "ALTER TABLE events DROP COLUMN private_record",
    **{
        f"drop of {guard}": f"DROP TRIGGER events_{guard}"
        for guard in ("next_version", "free_place", "real_place", "no_update", "no_delete")
    },
}


@each("statement", DENIED.values())
def test_felix_is_denied_even_the_attempt(store: SqliteStore, statement: str) -> None:
    before = rows_of(writer(store))
    with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited"):
        writer(store).execute(statement)
    assert rows_of(writer(store)) == before


@each(
    "statement",
    [
        "UPDATE games SET state = 'ended'",
        "DELETE FROM due",
        "INSERT OR REPLACE INTO secrets VALUES ('name', x'00')",
        "ALTER TABLE due ADD COLUMN more TEXT",
        "DROP TABLE secrets",
        "CREATE TRIGGER due_watched AFTER INSERT ON due BEGIN SELECT 1; END",
    ],
)
def test_felix_may_do_this_with_other_tables(store: SqliteStore, statement: str) -> None:
    assert writer(store).execute(statement).fetchall() == []


def test_the_guards_are_five(store: SqliteStore) -> None:
    """Each of them is dropped by nobody: see above."""
    rows = writer(store).execute("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    assert [name for (name,) in rows] == [
        "events_free_place",
        "events_next_version",
        "events_no_delete",
        "events_no_update",
        "events_real_place",
    ]


# ---- what is wrong, in a sentence

OPEN = [SqliteStore.create, SqliteStore.open_to_write, SqliteStore.open_to_read]
OPEN_EXISTING = OPEN[1:]
Open = Callable[[Path], SqliteStore]


def refused(open_: Open, path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        open_(path).close()
    return str(caught.value)


@pytest.mark.parametrize("open_", OPEN_EXISTING)
def test_a_missing_file_or_an_empty_one_is_no_database_yet(open_: Open, path: Path) -> None:
    sentence = f"There is no database at {path}; run `felix init --db {path}` to make one."
    assert refused(open_, path) == sentence
    assert list(path.parent.iterdir()) == []
    path.touch()
    assert (refused(open_, path), path.read_bytes()) == (sentence, b"")


def cats(path: Path) -> bytes:
    """Somebody else's database."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE cats (name TEXT)")
    return path.read_bytes()


@pytest.mark.parametrize("open_", OPEN)
def test_a_text_file_or_somebody_elses_database_is_left_alone(open_: Open, path: Path) -> None:
    texts = [b"Dear diary, " * 100, b"x", b"SQLite format 3 is what I like best. " * 9]
    for data in (cats(path), *texts, b"SQLite format 3\x00" * 50):
        path.write_bytes(data)
        assert refused(open_, path) == f"{path} is not a felix database; name another file with --db."
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {path.name: data}


@pytest.mark.parametrize("open_", OPEN)
def test_a_newer_database(open_: Open, store: SqliteStore, path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as newer, newer:
        newer.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('felix', 'm999_undreamt_of', '2030')"
        )
    assert refused(open_, path) == f"{path} was written by a newer felix; install that version to use it."


def test_an_older_database_is_not_changed_by_reading(store: SqliteStore, path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as older, older:
        older.execute("DELETE FROM _sqlite_migrations")
    before = path.read_bytes()
    sentence = f"{path} is from an older felix; run `felix init --db {path}` to bring it up to date."
    assert refused(SqliteStore.open_to_read, path) == sentence
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_private_database_and_what_is_no_file_none(path: Path) -> None:
    path.touch(0o644)
    SqliteStore.create(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert refused(SqliteStore.create, Path(os.devnull)).startswith(f"{os.devnull} is not a felix database;")


def test_a_migration_that_fails_changes_nothing(store: SqliteStore, path: Path) -> None:
    """Here the step that makes the tables finds them there; the connection and the lock are let go."""
    store.close()
    with closing(sqlite3.connect(path)) as forgetful, forgetful:
        forgetful.execute("DELETE FROM _sqlite_migrations")
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError, match="table events already exists"):
            SqliteStore.open_to_write(path)
    assert path.read_bytes() == before
    assert not path.with_name("felix.db-wal").exists()


def test_a_path_at_which_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    for path, why in [
        (tmp_path / "notes" / "felix.db", "Not a directory"),
        (tmp_path / "missing" / "felix.db", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ]:
        assert refused(SqliteStore.create, path) == f"{path} cannot be used: {why}."
    assert refused(SqliteStore.open_to_write, tmp_path).startswith(f"There is no database at {tmp_path};")


def test_a_folder_in_which_the_lock_cannot_be_made(store: SqliteStore, path: Path) -> None:
    store.close()
    lock = path.with_name("felix.db.lock")
    lock.unlink()
    lock.mkdir()
    assert refused(SqliteStore.open_to_write, path) == f"{path} cannot be used: Is a directory."


@pytest.mark.parametrize("open_", OPEN)
def test_a_folder_in_which_the_log_file_cannot_be_made(open_: Open, store: SqliteStore, path: Path) -> None:
    """As in a folder that is read-only, and for the administrator too."""
    store.close()
    path.with_name("felix.db-wal").mkdir()
    assert refused(open_, path) == f"{path} cannot be opened; check that its folder can be written to."


def test_a_damaged_database(store: SqliteStore, path: Path) -> None:
    store.close()
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 8 * 4096)
    assert refused(SqliteStore.open_to_read, path) == f"{path} is damaged; restore a backup."


def test_a_database_that_another_program_keeps_locked(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("felix_events.store.files._PATIENCE", 0.1)
    writer(store).execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught, store.write() as tx:
            tx.append("k7m2p", 2, [Sealed(b"lost")])
    assert str(caught.value) == f"{path} is in use by another program; try again in a moment."


def test_a_full_disk(store: SqliteStore, path: Path) -> None:
    pages = value(writer(store), "PRAGMA page_count")
    writer(store).execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError) as caught, store.write() as tx:
        tx.append("k7m2p", 2, [Sealed(bytes(100_000))])
    assert str(caught.value) == f"{path} cannot grow: the disk is full; make room and try again."


def test_any_other_error_goes_on_as_it_is(store: SqliteStore) -> None:
    with store.write() as tx:
        tx.remember("command", "k7m2p", "{}")
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE .* commands"), store.write() as tx:
        tx.remember("command", "k7m2p", "{}")
