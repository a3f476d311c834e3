"""What every store must do for the post: letters in turn by lane, notices in a letter, the end of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_events.store.base import Store, Tx
from felix_events.store.rows import Letter, lane_of

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
def test_a_lane_is_the_domain_in_small_letters(store: Store, address: str, lane: str) -> None:
    assert lane_of(address) == lane
    with store.write() as tx:
        freeze(tx, address)
        assert in_turn(tx, lane) == []
        assert in_turn(tx, f"x{lane}") == [address]


def test_old_letters_of_all_lanes_are_given_up(store: Store) -> None:
    with store.write() as tx:
        sent, *_ = freeze(tx, "sent@one.test", "old@one.test", "other@two.test")
        tx.mark_letter(sent, "sent", next_at=ONE)
        assert tx.give_up_letters(TWO, "five days") == 2
        assert [letter.recipient for letter in tx.letters("sent")] == ["sent@one.test"]
