"""The SQLite file in use: transactions that fail late, threads, backups, and the end."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felix_events.store.base import Sealed, SeatRow, StoreError
from felix_events.store.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "felix.db"


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


def test_readers_in_several_threads_each_have_their_view(store: SqliteStore) -> None:
    all_reading = threading.Barrier(4)
    seen: list[list[bytes]] = []

    def look() -> None:
        with store.read() as reader:
            first = reader.bodies("k7m2p")
            all_reading.wait(timeout=30)
            if all_reading.n_waiting == 0:
                seen.extend([first, reader.bodies("k7m2p")])

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    with store.read() as reader:
        first = reader.bodies("k7m2p")
        all_reading.wait(timeout=30)
        add(store, "two")
        assert reader.bodies("k7m2p") == first == [b"one"]
    for thread in threads:
        thread.join()
    assert seen
    assert all(view == [b"one"] for view in seen[::2])
    assert bodies(store) == [b"one", b"two"]
