"""What every store must do for the post: letters in turn by lane, notices in a letter, the end of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from felix_events.store.base import Tx
from felix_events.store.rows import Letter, NoticeRow, lane_of

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
LETTER = Letter("k7m2p", 0, "anna@one.test", "<1@felix>", b"raw", ONE, ONE)


def freeze(tx: Tx, *recipients: str, at: str = ONE) -> list[int]:
    """Letters to these, frozen one after the other."""
    ids = []
    for number, recipient in enumerate(recipients, len(tx.letters())):
        message_id = f"<{number}@felix>"
        letter = replace(LETTER, recipient=recipient, message_id=message_id, created_at=at, next_at=at)
        ids.append(tx.freeze(letter))
    return ids


def in_turn(tx: Tx, *without: str, limit: int = 99) -> list[str]:
    """Whose turn it is, in order."""
    return [letter.recipient for letter in tx.letters_in_turn(TWO, limit, without)]


@pytest.mark.parametrize(
    ("address", "lane"),
    [
        ("anna@one.test", "one.test"),
        ("anna@One.TEST", "one.test"),
        ('"a@b"@one.test', "one.test"),
        ("one@one.one", "one.one"),
        ("@", ""),
        ("nowhere", "nowhere"),
    ],
)
def test_a_lane_is_the_domain_in_small_letters(tx: Tx, address: str, lane: str) -> None:
    assert lane_of(address) == lane
    freeze(tx, address)
    assert in_turn(tx, lane) == []
    assert in_turn(tx, f"x{lane}") == [address]


def test_lanes_take_turns(tx: Tx) -> None:
    freeze(tx, "a@one.test", "b@one.test", "c@one.test", "d@two.test", "e@two.test", "f@three.test")
    assert in_turn(tx) == [
        *("a@one.test", "d@two.test", "f@three.test"),
        *("b@one.test", "e@two.test"),
        "c@one.test",
    ]


def test_a_thousand_letters_in_one_lane_leave_room_for_another(tx: Tx) -> None:
    freeze(tx, *[f"{number}@dead.test" for number in range(1000)], "ben@alive.test")
    assert "ben@alive.test" in in_turn(tx, limit=2)


def test_within_a_lane_the_oldest_comes_first(tx: Tx) -> None:
    freeze(tx, "late@one.test", at=TWO)
    freeze(tx, "early@one.test", at=ONE)
    assert in_turn(tx) == ["early@one.test", "late@one.test"]


def test_only_letters_that_are_ready_and_due_have_a_turn(tx: Tx) -> None:
    sent, dropped, _ = freeze(tx, "sent@one.test", "dropped@one.test", "ready@one.test")
    freeze(tx, "later@one.test", at=THREE)
    tx.mark_letter(sent, "sent", next_at=ONE)
    tx.end_letter(dropped, "dropped", "no")
    assert in_turn(tx) == ["ready@one.test"]


def test_a_letter_in_turn_comes_with_its_bytes(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    assert tx.letters_in_turn(ONE, 1) == [replace(LETTER, letter_id=letter_id)]


def test_a_letter_knows_its_notices(tx: Tx) -> None:
    (letter_id,) = freeze(tx, "anna@one.test")
    for version in (1, 2, 3):
        tx.enqueue(NoticeRow("k7m2p", version, 0, "turn", ONE))
    first, second, _ = tx.pending(ONE)
    tx.settle([second.notice_id, first.notice_id], letter_id)
    assert tx.notices_in(letter_id) == [first, second]
    assert tx.notices_in(letter_id + 1) == []


@pytest.mark.parametrize("state", ["failed", "dropped"])
def test_a_letter_that_ends_keeps_its_note_and_counts_no_try(
    tx: Tx, state: Literal["failed", "dropped"]
) -> None:
    (letter_id,) = freeze(tx, "anna@one.test")
    tx.end_letter(letter_id, state, "why")
    letter = tx.letter(letter_id)
    assert letter is not None
    assert (letter.state, letter.note, letter.tries) == (state, "why", 0)


def test_old_letters_of_a_lane_are_given_up(tx: Tx) -> None:
    freeze(tx, "old@one.test", "other@two.test")
    freeze(tx, "young@one.test", at=TWO)
    assert tx.give_up_letters(TWO, "five days", "one.test") == 1
    assert [(letter.recipient, letter.note) for letter in tx.letters("failed")] == [
        ("old@one.test", "five days")
    ]


def test_old_letters_of_all_lanes_are_given_up(tx: Tx) -> None:
    sent, *_ = freeze(tx, "sent@one.test", "old@one.test", "other@two.test")
    tx.mark_letter(sent, "sent", next_at=ONE)
    assert tx.give_up_letters(TWO, "five days") == 2
    assert [letter.recipient for letter in tx.letters("sent")] == ["sent@one.test"]
