"""What every store must do, continued: notices, letters and due rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_events.store.base import Store
from felix_events.store.rows import Letter, NoticeRow

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
"""Three times, in this order."""

NOTICE = NoticeRow("k7m2p", 3, 0, "turn", TWO, turn=2)
LETTER = Letter("k7m2p", 0, "anna@example.org", "<1@example.org>", b"Subject: turn\n", ONE, TWO)


# ---- notices
@pytest.mark.parametrize(
    "other",
    [
        replace(NOTICE, game_id="other"),
        replace(NOTICE, version=4),
        replace(NOTICE, seat=1),
        replace(NOTICE, kind="reminder"),
        replace(NOTICE, about="7"),
    ],
    ids=["game", "version", "seat", "kind", "about"],
)
def test_another_notice_is_owed_beside_it(store: Store, other: NoticeRow) -> None:
    with store.write() as tx:
        assert [tx.owe(NOTICE), tx.owe(other), tx.owe(other)] == [True, True, False]
        assert len(tx.owed(TWO)) == 2


# ---- letters
def test_a_letter_is_frozen(store: Store) -> None:
    with store.write() as tx:
        letter_id = tx.freeze(LETTER)
    with store.read() as reader:
        assert reader.letters() == [replace(LETTER, letter_id=letter_id)]


def test_letters_come_as_they_were_frozen_and_by_state(store: Store) -> None:
    with store.write() as tx:
        ids = [tx.freeze(replace(LETTER, message_id=f"<{n}>", next_at=at)) for n, at in enumerate((TWO, ONE))]
        tx.mark_letter(ids[0], "sent", next_at=TWO)
        assert [letter.letter_id for letter in tx.letters()] == ids
        assert [letter.letter_id for letter in tx.letters("sent")] == ids[:1]
        assert [letter.letter_id for letter in tx.letters("ready")] == ids[1:]
        assert tx.letters("failed") == []


def test_letters_are_due_by_time_then_age_and_no_more_than_asked_for(store: Store) -> None:
    with store.write() as tx:
        late, early, also_late, later, sent = (
            tx.freeze(replace(LETTER, message_id=f"<{n}>", next_at=at))
            for n, at in enumerate((TWO, ONE, TWO, THREE, ONE))
        )
        tx.mark_letter(sent, "sent", next_at=ONE)
        due = {now: [letter.letter_id for letter in tx.letters_due(now, 9)] for now in (ONE, TWO, THREE)}
        assert due == {ONE: [early], TWO: [early, late, also_late], THREE: [early, late, also_late, later]}
        assert [letter.letter_id for letter in tx.letters_due(THREE, 2)] == [early, late]
