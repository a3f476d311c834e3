"""What every store must do for lists: the newest rows first, without their bytes, as many as asked for."""

from __future__ import annotations

import pytest

from felix_events.store.base import Store
from felix_events.store.lines import Backlog
from felix_events.store.rows import Letter, LetterState, MailState

AT, LATER = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2))
MAIL_STATES: tuple[MailState, ...] = ("new", "done", "ignored", "duplicate", "quarantined")
LETTER_STATES: tuple[LetterState, ...] = ("ready", "sent", "failed")


@pytest.fixture
def kept(store: Store) -> Store:
    """Ten mails, two in each state, and six letters in two games, one in each state."""
    with store.write() as tx:
        for number in range(10):
            mail_id = tx.keep_mail(AT, f"felix+{number}@x.test", "anna@x.test", bytes(number))
            tx.settle_mail(mail_id, MAIL_STATES[number % 5], note=f"note {number}")
        for number in range(6):
            game_id = "aaaaa" if number < 3 else "bbbbb"
            letter = Letter(game_id, number, f"{number}@x.test", f"<{number}@x>", bytes(number), AT, AT)
            tx.mark_letter(tx.freeze(letter), LETTER_STATES[number % 3], next_at=LATER, note="said")
    return store


def test_the_backlog_counts_what_waits(kept: Store) -> None:
    with kept.write() as tx:
        tx.settle_mail(1, "done")
    with kept.read() as reader:
        assert reader.backlog() == Backlog(new=1, quarantined=2, ready=2, failed=2)
