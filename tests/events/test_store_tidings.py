"""What every store must do for what letters told: how far, what was said, and which letters there are."""

from __future__ import annotations

from typing import Literal

import pytest

from felix_events.store.base import Tx
from felix_events.store.rows import Delivered, GameRow, Letter, NoticeRow, SeatRow

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))


def freeze(tx: Tx, *delivered: Delivered) -> int:
    """A letter that tells this; its id."""
    letter = Letter("k7m2p", 0, "anna@one.test", f"<{len(tx.letters())}@felix>", b"raw", ONE, ONE)
    letter_id = tx.freeze(letter)
    for one in delivered:
        tx.keep_delivered(letter_id, one)
    return letter_id


def test_who_got_no_letter_was_told_nothing(tx: Tx) -> None:
    assert tx.reported_until("k7m2p", 0) is None
    assert tx.delivered("k7m2p", 0) == set()


def test_the_letter_that_told_most_says_how_far(tx: Tx) -> None:
    for head in (7, 12):
        freeze(tx, Delivered("k7m2p", 0, head))
    freeze(tx, Delivered("k7m2p", 0))
    assert tx.reported_until("k7m2p", 0) == 12


def test_what_was_said_stands_in_any_of_the_letters(tx: Tx) -> None:
    freeze(tx, Delivered("k7m2p", 0, 7, (3, 5)))
    freeze(tx, Delivered("k7m2p", 0, None, (9,)))
    assert tx.delivered("k7m2p", 0) == {3, 5, 9}


def test_one_letter_may_tell_of_several_games(tx: Tx) -> None:
    freeze(tx, Delivered("k7m2p", 0, 7, (3,)), Delivered("other", 2, 30, (21, 22)))
    assert (tx.reported_until("k7m2p", 0), tx.delivered("k7m2p", 0)) == (7, {3})
    assert (tx.reported_until("other", 2), tx.delivered("other", 2)) == (30, {21, 22})


def test_another_seat_was_told_nothing_by_it(tx: Tx) -> None:
    freeze(tx, Delivered("k7m2p", 0, 7, (3,)))
    assert (tx.reported_until("k7m2p", 1), tx.delivered("k7m2p", 1)) == (None, set())


@pytest.mark.parametrize("state", ["failed", "dropped"])
def test_a_letter_that_reached_nobody_told_nothing(tx: Tx, state: Literal["failed", "dropped"]) -> None:
    freeze(tx, Delivered("k7m2p", 0, 7, (3,)))
    tx.end_letter(freeze(tx, Delivered("k7m2p", 0, 9, (3, 8))), state, "why")
    assert (tx.reported_until("k7m2p", 0), tx.delivered("k7m2p", 0)) == (7, {3})


def test_a_letter_may_be_left_out_with_those_after_it(tx: Tx) -> None:
    freeze(tx, Delivered("k7m2p", 0, 7, (3,)))
    second = freeze(tx, Delivered("k7m2p", 0, 9, (8,)))
    freeze(tx, Delivered("k7m2p", 0, 11, (10,)))
    assert tx.reported_until("k7m2p", 0, second) == 7
    assert tx.delivered("k7m2p", 0, second) == {3}


def test_the_letters_about_a_game_come_newest_first_whatever_else_they_are_about(tx: Tx) -> None:
    ours = []
    for version, game_id in enumerate(["k7m2p", "other", "k7m2p", "k7m2p"], 1):
        tx.enqueue(NoticeRow(game_id, version, 1, "turn", ONE))
        letter_id = freeze(tx)
        tx.settle([notice.notice_id for notice in tx.pending(ONE)], letter_id)
        ours += [letter_id] if game_id == "k7m2p" else []
    tx.end_letter(ours[1], "dropped", "no")
    assert tx.letters_about("k7m2p", 1, 99) == [ours[2], ours[0]]
    assert tx.letters_about("k7m2p", 1, 1) == [ours[2]]
    assert tx.letters_about("k7m2p", 0, 99) == []


def test_what_a_player_is_owed_later_can_be_owed_at_once(tx: Tx) -> None:
    for game_id in ("k7m2p", "other"):
        tx.add_game(GameRow(game_id, "Club", "played", ONE, b"seed"))
        for seat, player in enumerate(["anna", "ben"]):
            tx.add_seat(SeatRow(game_id, seat, player, player, None, b"secret"))
            tx.enqueue(NoticeRow(game_id, 1, seat, "turn", THREE))
    tx.enqueue(NoticeRow("other", 2, 1, "turn", ONE))
    tx.bring_forward("ben", TWO)
    assert [(one.game_id, one.seat, one.due_at) for one in tx.pending(TWO)] == [
        ("k7m2p", 1, TWO),
        ("other", 1, TWO),
        ("other", 1, ONE),
    ]


def test_what_is_settled_is_not_owed_again(tx: Tx) -> None:
    tx.add_game(GameRow("k7m2p", "Club", "played", ONE, b"seed"))
    tx.add_seat(SeatRow("k7m2p", 0, "anna", "Anna", None, b"secret"))
    tx.enqueue(NoticeRow("k7m2p", 1, 0, "turn", THREE))
    tx.settle([1], None)
    tx.bring_forward("anna", TWO)
    assert [one.due_at for one in tx.notices("k7m2p")] == [THREE]
