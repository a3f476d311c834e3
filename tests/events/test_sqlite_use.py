"""The SQLite file in use: transactions that fail late, threads, backups, and the end."""

from __future__ import annotations

import fcntl
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felix_events.store.base import StoreError
from felix_events.store.rows import Sealed, SeatRow
from felix_events.store.sqlite import SqliteStore


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """One event of one game."""
    opened = SqliteStore.create(path)
    with opened.write() as tx:
        tx.append("k7m2p", 0, [Sealed(b"one")])
    yield opened
    opened.close()


def add(store: SqliteStore, text: str) -> int:
    """One more event, whatever is there already; the version."""
    with store.write() as tx:
        version, _ = tx.append("k7m2p", tx.head("k7m2p")[0], [Sealed(text.encode())])
    return version


def bodies(store: SqliteStore) -> list[bytes]:
    with store.read() as reader:
        return reader.bodies("k7m2p")


# ---- transactions that fail late
def test_a_commit_that_fails_undoes_the_transaction(store: SqliteStore) -> None:
    """A seat without a game, which this time is looked at only in the end; then the store goes on."""

    def homeless() -> None:
        with store.write() as tx:
            assert store._writer is not None
            store._writer.execute("PRAGMA defer_foreign_keys = ON")
            tx.append("k7m2p", 1, [Sealed(b"lost")])
            tx.add_seat(SeatRow("nobody", 0, "anna", "Anna", None, b"secret"))

    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        homeless()
    assert add(store, "two") == 2
    assert bodies(store) == [b"one", b"two"]


def test_a_transaction_that_sqlite_has_undone_itself_is_over(store: SqliteStore) -> None:
    """As it may after an I/O error: what was raised goes on, and no second ROLLBACK hides it."""

    def broken() -> None:
        with store.write() as tx:
            tx.append("k7m2p", 1, [Sealed(b"lost")])
            assert store._writer is not None
            store._writer.execute("ROLLBACK")
            raise OSError("disk I/O error")

    with pytest.raises(OSError, match="disk I/O error"):
        broken()
    assert (add(store, "two"), bodies(store)) == (2, [b"one", b"two"])


# ---- threads
def test_readers_in_several_threads_each_keep_their_view(store: SqliteStore) -> None:
    reading, written = threading.Barrier(4, timeout=30), threading.Barrier(4, timeout=30)
    views: list[tuple[list[bytes], list[bytes]]] = []

    def look() -> None:
        with store.read() as reader:
            before = reader.bodies("k7m2p")
            reading.wait()
            written.wait()
            views.append((before, reader.bodies("k7m2p")))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    reading.wait()
    add(store, "two")
    written.wait()
    for thread in threads:
        thread.join()
    assert views == [([b"one"], [b"one"])] * 3
    assert bodies(store) == [b"one", b"two"]


def test_two_stores_on_one_file_write_one_after_the_other(store: SqliteStore, path: Path) -> None:
    with closing(SqliteStore.open_to_write(path)) as other:
        threads = [
            threading.Thread(target=lambda mine=mine: [add(mine, "more") for _ in range(20)])
            for mine in (store, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with store.read() as reader:
        assert reader.head("k7m2p")[0] == 41


def test_a_writer_holds_the_lock_file_until_its_end(store: SqliteStore, path: Path) -> None:
    with path.with_name("felix.db.lock").open() as lock:

        def locked() -> bool:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(lock, fcntl.LOCK_UN)
            return False

        with store.write():
            assert locked()
        assert not locked()
        with store.read():
            assert not locked()


# ---- backups
def test_a_backup_is_a_copy_of_what_is_committed_that_works(store: SqliteStore, tmp_path: Path) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 1, [Sealed(b"two")])
        store.backup(tmp_path / "copy.db")
    with closing(SqliteStore.open_to_write(tmp_path / "copy.db")) as copy:
        assert bodies(copy) == [b"one"]
        assert add(copy, "another two") == 2
    assert bodies(store) == [b"one", b"two"]


def test_a_backup_is_one_whole_file_for_its_owner_only(store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    store.backup(folder / "copy.db")
    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((folder / "copy.db").stat().st_mode) == 0o600
    with closing(sqlite3.connect(folder / "copy.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_backup_overwrites_nothing_and_needs_a_folder(store: SqliteStore, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_bytes(b"precious")
    with pytest.raises(StoreError, match=r"copy\.db cannot be used: File exists\."):
        store.backup(target)
    assert target.read_bytes() == b"precious"
    with pytest.raises(StoreError, match=r"cannot be used: No such file or directory\."):
        store.backup(tmp_path / "missing" / "copy.db")


def test_a_backup_that_fails_leaves_no_half_of_one(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_reader() -> sqlite3.Connection:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_reader", no_reader)
    with pytest.raises(StoreError):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


# ---- reading only, and the end
def test_a_store_opened_to_read_sees_and_does_not_write(store: SqliteStore, path: Path) -> None:
    with closing(SqliteStore.open_to_read(path)) as reading:
        add(store, "two")
        assert bodies(reading) == [b"one", b"two"]
        with pytest.raises(StoreError, match=r"felix\.db was opened for reading only\."):
            add(reading, "three")


def test_a_readers_connection_cannot_write(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store._reader().execute("DELETE FROM games")


def test_closing_leaves_one_whole_file_and_twice_does_no_harm(store: SqliteStore, path: Path) -> None:
    store.close()
    assert not path.with_name("felix.db-wal").exists()
    assert b"one" in path.read_bytes()
    store.close()
    with pytest.raises(StoreError, match=r"felix\.db is closed\."):
        add(store, "two")


def test_closing_ends_the_readers_of_other_threads_too(store: SqliteStore) -> None:
    thread = threading.Thread(target=bodies, args=(store,))
    thread.start()
    thread.join()
    connections = list(store._open_readers)
    assert connections
    store.close()
    for connection in connections:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


# ---- beside other processes

COMES_AND_GOES = """
import sys
from pathlib import Path
from felix_events.store.sqlite import SqliteStore
store = SqliteStore.open_to_write(Path(sys.argv[1]))
with store.write() as tx:
    tx.keep_secret("theirs", b"secret")
store.close()
"""
LOOKS = """
import sqlite3, sys
names = sqlite3.connect(sys.argv[1]).execute("SELECT name FROM secrets ORDER BY name").fetchall()
assert names == [("after",), ("before",), ("theirs",)], names
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [SqliteStore.open_to_copy, SqliteStore.open_to_read, SqliteStore.create])
def test_what_this_process_opens_beside_a_store_takes_no_log_away_from_it(
    tmp_path: Path, how: Callable[[Path], SqliteStore]
) -> None:
    """A server that has made a backup, a command at the desk, and then a mail that is kept: it is there."""
    path = tmp_path / "felix.db"
    with closing(SqliteStore.create(path)) as store:
        how(path).close()
        with store.write() as tx:
            tx.keep_secret("before", b"secret")
        subprocess.run([sys.executable, "-c", COMES_AND_GOES, str(path)], check=True, timeout=60)
        with store.write() as tx:
            tx.keep_secret("after", b"secret")
        assert path.with_name("felix.db-wal").exists()
        subprocess.run([sys.executable, "-c", LOOKS, str(path)], check=True, timeout=60)
