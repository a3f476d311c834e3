"""The questions of an audit about rows beside the logs: each walks along an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from felix_events.store.looking import LookingReader
from felix_events.store.rows import Sealed
from felix_events.store.sqlite import SqliteStore

ASKED: list[Callable[[LookingReader], Any]] = [
    lambda reader: reader.noted("k7m2p"),
    lambda reader: reader.tidings("k7m2p"),
    lambda reader: reader.command("key/0"),
    lambda reader: reader.has_bytes("inbox_bytes", 1),
    lambda reader: reader.has_bytes("letter_bytes", 1),
]


@pytest.mark.parametrize("ask", ASKED)
def test_no_row_of_another_game_is_looked_at(tmp_path: Path, ask: Callable[[LookingReader], Any]) -> None:
    path = tmp_path / "felix.db"
    SqliteStore.create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        asked: list[str] = []
        connection.set_trace_callback(asked.append)
        ask(LookingReader(connection))
        connection.set_trace_callback(None)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}").fetchall()
    assert [row[3].split()[0] for row in plan if "TEMP B-TREE" not in row[3]] == ["SEARCH"]


def test_a_command_is_known_by_the_record_of_its_event_or_of_an_order(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "felix.db")
    outcome = '{"game_id":"k7m2p","version":1,"events":1}'
    with store.write() as tx:
        tx.append("k7m2p", 0, [Sealed(b"{}", b'{"cause":"a/0"}')])
        tx.append("k7m2p/seat/0", 0, [Sealed(b"{}", b'{"cause":"b/0"}')])
        for command_id in ("a/0", "b/0", "c/0"):
            tx.remember(command_id, "k7m2p", outcome)
        tx.remember(
            "refused/0", "k7m2p", '{"game_id":"k7m2p","version":1,"events":0,"code":"x","details":{}}'
        )
        tx.remember("no json", "k7m2p", "{")
        assert tx.unheard_of() == tx.unheard_of("k7m2p") == [("k7m2p", "c/0")]
        assert tx.unheard_of("zzzzz") == []
    store.close()
