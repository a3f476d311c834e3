"""Which reminders of a decision were owed before, and what is owed without a look at all that ever was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from felix_events.store.base import Tx
from felix_events.store.mail import MailReader
from felix_events.store.rows import GameRow, NoticeRow, SeatRow
from felix_events.store.sqlite import SqliteStore

NOW = "2026-01-01T12:00:00.000000Z"


def reminder(about: str, *, version: int = 1, seat: int = 1, turn: int = 3) -> NoticeRow:
    return NoticeRow("aaaaa", version, seat, "reminder", NOW, turn=turn, about=about)


def test_the_reminders_of_a_decision_are_told_settled_or_not(tx: Tx) -> None:
    tx.add_game(GameRow("aaaaa", "", "played", NOW, b"s" * 32))
    for seat in (1, 2):
        tx.add_seat(SeatRow("aaaaa", seat, f"p-{seat}", "", None, b"s"))
    tx.enqueue(reminder("80%", version=2))
    tx.enqueue(reminder("50%"))
    tx.enqueue(reminder("95%", turn=2))
    tx.enqueue(reminder("late", seat=2))
    tx.enqueue(NoticeRow("aaaaa", 1, 1, "turn", NOW, turn=3, about="no reminder"))
    tx.settle([tx.pending(NOW)[0].notice_id], None)
    assert tx.reminded("aaaaa", 1, 3) == ["80%", "50%"]
    assert tx.reminded("aaaaa", 1, 4) == []
    assert tx.reminded("bbbbb", 1, 3) == []


def test_what_is_owed_now_is_found_without_what_was_owed_before(tmp_path: Path) -> None:
    SqliteStore.create(tmp_path / "felix.db").close()
    asked: list[str] = []

    with closing(sqlite3.connect(tmp_path / "felix.db")) as connection:

        class Spy(MailReader):
            def _sql(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
                asked.append(statement)
                return super()._sql(statement, values)

        assert Spy(connection).pending(NOW) == []
        plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}", (NOW,)).fetchall()
    assert "notices_owed" in plan[0][3]
