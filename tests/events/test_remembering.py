"""What a transaction has read is not asked for again, and never told as it was before a change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from felix_events.store.base import Tx
from felix_events.store.rows import Choice, Due, GameRow, Sealed, SeatRow
from felix_events.store.sqlite import SqliteStore, SqliteTx

AT = "2026-01-02T03:04:05Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore.create(tmp_path / "felix.db")) as store:
        with store.write() as tx:
            tx.add_game(GameRow("k7m2p", "club", "played", AT, None))
            tx.add_player("anna", "anna@players.test")
            tx.add_seat(SeatRow("k7m2p", 0, "anna", "Anna", None, b"secret"))
        yield store


def asked(tx: Tx) -> list[str]:
    """The statements from now on."""
    assert isinstance(tx, SqliteTx)
    statements: list[str] = []
    execute = tx._execute

    def noted(statement: str, *values: Any) -> sqlite3.Cursor:
        statements.append(statement)
        return execute(statement, *values)

    tx._execute = noted
    return statements


def test_the_same_question_is_asked_once(store: SqliteStore) -> None:
    with store.write() as tx:
        statements = asked(tx)
        for _ in range(3):
            tx.seats("k7m2p")
            tx.head("k7m2p")
            tx.choice("anna")
        assert len(statements) == 3


def test_a_change_is_seen_also_one_elsewhere_that_shows_in_it(store: SqliteStore) -> None:
    with store.write() as tx:
        assert tx.choice("anna").hears
        tx.choose(Choice("anna", hears=False))
        assert not tx.choice("anna").hears
        assert not tx.choices_at("k7m2p")[0].hears
        assert tx.seats("k7m2p")[0].address == "anna@players.test"
        tx.move_mail("anna", "new@players.test")
        assert tx.seats("k7m2p")[0].address == "new@players.test"
        tx.adopt("anna", "work@players.test")
        assert tx.seats("k7m2p")[0].addresses[-1] == "work@players.test"


def test_what_is_undone_was_never_there(store: SqliteStore) -> None:
    with store.write() as tx:
        with suppress(ZeroDivisionError), tx.savepoint():
            tx.choose(Choice("anna", hears=False))
            tx.append("k7m2p", 0, [Sealed(b"{}")])
            assert tx.head("k7m2p")[0] == 1
            raise ZeroDivisionError
        assert tx.choice("anna").hears
        assert tx.head("k7m2p") == (0, b"")


def test_the_head_after_appending_is_known(store: SqliteStore) -> None:
    with store.write() as tx:
        head = tx.append("k7m2p", 0, [Sealed(b"{}"), Sealed(b"[]", b"private")])
        statements = asked(tx)
        assert tx.head("k7m2p") == head == (2, head[1])
        assert statements == []
    with store.read() as reader:
        assert reader.head("k7m2p") == head
        assert [row.private_record for row in reader.log("k7m2p")] == [None, b"private"]


def test_a_list_is_the_callers_own(store: SqliteStore) -> None:
    with store.write() as tx:
        tx.seats("k7m2p").clear()
        assert len(tx.seats("k7m2p")) == 1


def test_a_statement_of_an_unknown_kind_makes_it_forget_everything(store: SqliteStore) -> None:
    with store.write() as tx:
        assert isinstance(tx, SqliteTx)
        tx.choice("anna")
        tx._sql("REPLACE INTO choices (player_id, notify, hears) VALUES ('anna', 'daily', 1)")
        assert tx.choice("anna").notify == "daily"


def test_due_rows_that_are_what_they_were_are_not_written(store: SqliteStore) -> None:
    rows = [Due("k7m2p", seat, "reminder", 3, AT) for seat in (0, 1)]
    with store.write() as tx:
        tx.set_due("k7m2p", rows)
    with store.write() as tx:
        statements = asked(tx)
        tx.set_due("k7m2p", reversed(rows))
        assert [statement.split()[0] for statement in statements] == ["SELECT"]
        tx.set_due("k7m2p", rows[1:])
        assert tx.due_of("k7m2p") == rows[1:]
