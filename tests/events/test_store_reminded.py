"""Which reminders of a decision were owed before, and what is owed without a look at all that ever was."""

from __future__ import annotations

from felix_events.store.base import Store
from felix_events.store.rows import GameRow, NoticeRow, SeatRow

NOW = "2026-01-01T12:00:00.000000Z"


def reminder(about: str, *, version: int = 1, seat: int = 1, turn: int = 3) -> NoticeRow:
    return NoticeRow("aaaaa", version, seat, "reminder", NOW, turn=turn, about=about)


def test_the_reminders_of_a_decision_are_told_settled_or_not(store: Store) -> None:
    with store.write() as tx:
        tx.add_game(GameRow("aaaaa", "", "played", NOW, b"s" * 32))
        for seat in (1, 2):
            tx.add_seat(SeatRow("aaaaa", seat, f"p-{seat}", "", None, b"s"))
        tx.owe(reminder("80%", version=2))
        tx.owe(reminder("50%"))
        tx.owe(reminder("95%", turn=2))
        tx.owe(reminder("late", seat=2))
        tx.owe(NoticeRow("aaaaa", 1, 1, "turn", NOW, turn=3, about="no reminder"))
        tx.settle([tx.owed(NOW)[0].notice_id], None)
        assert tx.reminded("aaaaa", 1, 3) == ["80%", "50%"]
        assert tx.reminded("aaaaa", 1, 4) == []
        assert tx.reminded("bbbbb", 1, 3) == []
