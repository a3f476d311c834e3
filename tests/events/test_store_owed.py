"""What every store must do, continued: notices, letters and due rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_events.store.base import Tx
from felix_events.store.rows import Due, Letter, NoticeRow

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
"""Three times, in this order."""

NOTICE = NoticeRow("k7m2p", 3, 0, "turn", TWO, turn=2)
LETTER = Letter("k7m2p", 0, "anna@example.org", "<1@example.org>", b"Subject: turn\n", ONE, TWO)
DUE = Due("k7m2p", 0, "reminder", 2, TWO)


# ---- notices
def test_a_notice_is_owed_once(tx: Tx) -> None:
    assert tx.enqueue(NOTICE) is True
    assert tx.enqueue(replace(NOTICE, due_at=ONE, turn=9, payload='{"a":1}')) is False
    (owed,) = tx.notices("k7m2p")
    assert replace(owed, notice_id=0) == NOTICE
    assert owed.notice_id > 0


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
def test_another_notice_is_owed_beside_it(tx: Tx, other: NoticeRow) -> None:
    assert [tx.enqueue(NOTICE), tx.enqueue(other), tx.enqueue(other)] == [True, True, False]
    assert len(tx.pending(TWO)) == 2


def test_a_settled_notice_is_not_owed_again(tx: Tx) -> None:
    tx.enqueue(NOTICE)
    tx.enqueue(replace(NOTICE, seat=1))
    first, second = (notice.notice_id for notice in tx.pending(TWO))
    tx.settle([first], tx.freeze(LETTER))
    tx.settle([second], None)
    assert (tx.enqueue(NOTICE), tx.enqueue(replace(NOTICE, seat=1)), tx.pending(THREE)) == (
        False,
        False,
        [],
    )
    assert [notice.notice_id for notice in tx.notices("k7m2p")] == [first, second]


def test_notices_are_owed_from_their_time_on_the_oldest_first(tx: Tx) -> None:
    for seat, due_at in enumerate([THREE, ONE, TWO]):
        tx.enqueue(replace(NOTICE, seat=seat, due_at=due_at))
    seats = {now: [notice.seat for notice in tx.pending(now)] for now in (ONE, TWO, THREE)}
    assert seats == {ONE: [1], TWO: [1, 2], THREE: [0, 1, 2]}
    assert tx.pending("2026-11-20T23:59:59.999999Z") == []


def test_notices_of_a_game_come_as_they_were_owed(tx: Tx) -> None:
    tx.enqueue(replace(NOTICE, seat=2))
    tx.enqueue(replace(NOTICE, game_id="other"))
    tx.enqueue(replace(NOTICE, seat=1))
    assert [notice.seat for notice in tx.notices("k7m2p")] == [2, 1]


# ---- letters
def test_a_letter_is_frozen(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    assert tx.letters() == [replace(LETTER, letter_id=letter_id)]


def test_letters_come_as_they_were_frozen_and_by_state(tx: Tx) -> None:
    ids = [tx.freeze(replace(LETTER, message_id=f"<{n}>", next_at=at)) for n, at in enumerate((TWO, ONE))]
    tx.mark_letter(ids[0], "sent", next_at=TWO)
    assert [letter.letter_id for letter in tx.letters()] == ids
    assert [letter.letter_id for letter in tx.letters("sent")] == ids[:1]
    assert [letter.letter_id for letter in tx.letters("ready")] == ids[1:]
    assert tx.letters("failed") == []


def test_a_try_is_counted_and_its_outcome_kept(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    tx.freeze(replace(LETTER, message_id="<other>"))
    tx.mark_letter(letter_id, "ready", next_at=THREE, note="451 later")
    tx.mark_letter(letter_id, "failed", next_at=THREE, note="550 never")
    letter, other = tx.letters()
    assert letter == replace(
        LETTER, letter_id=letter_id, state="failed", tries=2, next_at=THREE, note="550 never"
    )
    assert (other.state, other.tries) == ("ready", 0)


def test_letters_are_due_by_time_then_age_and_no_more_than_asked_for(tx: Tx) -> None:
    late, early, also_late, later, sent = (
        tx.freeze(replace(LETTER, message_id=f"<{n}>", next_at=at))
        for n, at in enumerate((TWO, ONE, TWO, THREE, ONE))
    )
    tx.mark_letter(sent, "sent", next_at=ONE)
    due = {now: [letter.letter_id for letter in tx.letters_due(now, 9)] for now in (ONE, TWO, THREE)}
    assert due == {ONE: [early], TWO: [early, late, also_late], THREE: [early, late, also_late, later]}
    assert [letter.letter_id for letter in tx.letters_due(THREE, 2)] == [early, late]


# ---- due rows
def test_due_rows_of_a_game_are_replaced(tx: Tx) -> None:
    tx.set_due("other", [replace(DUE, game_id="other")])
    tx.set_due("k7m2p", [replace(DUE, seat=1), replace(DUE, seat=0), replace(DUE, seat=2)])
    assert [row.seat for row in tx.due_of("k7m2p")] == [0, 1, 2]
    tx.set_due("k7m2p", [replace(DUE, seat=1, turn=3)])
    assert tx.due_of("k7m2p") == [replace(DUE, seat=1, turn=3)]
    tx.set_due("k7m2p", [])
    assert (tx.due_of("k7m2p"), len(tx.due_of("other"))) == ([], 1)


def test_rows_are_due_from_their_time_on_the_earliest_first(tx: Tx) -> None:
    tx.set_due("k7m2p", [replace(DUE, seat=n, due_at=at) for n, at in enumerate([THREE, ONE])])
    tx.set_due("other", [replace(DUE, game_id="other", seat=2, due_at=TWO)])
    seats = {now: [row.seat for row in tx.due(now, 9)] for now in (ONE, TWO, THREE)}
    assert seats == {ONE: [1], TWO: [1, 2], THREE: [1, 2, 0]}
    assert [row.seat for row in tx.due(THREE, 2)] == [1, 2]


def test_one_due_row_is_taken_away(tx: Tx) -> None:
    others = [replace(DUE, seat=1), replace(DUE, turn=3), replace(DUE, kind="other")]
    tx.set_due("k7m2p", [DUE, *others])
    tx.set_due("other", [replace(DUE, game_id="other")])
    tx.clear_due(replace(DUE, due_at=THREE))
    tx.clear_due(DUE)
    assert sorted(tx.due_of("k7m2p"), key=repr) == sorted(others, key=repr)
    assert len(tx.due_of("other")) == 1
