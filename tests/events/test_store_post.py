"""What every store must do for the post: notices, letters by lane and time, what they told, due rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from events.filling import ONE, THREE, TWO, a_game, letter_at
from felix_events.store.base import Tx
from felix_events.store.mail import MailReader
from felix_events.store.rows import Delivered, Due, Letter, NoticeRow, lane_of
from felix_events.store.sqlite import SqliteStore

NOTICE = NoticeRow("k7m2p", 3, 0, "turn", TWO, turn=2)
LETTER = Letter("k7m2p", 0, "anna@one.test", "<1@felix>", b"raw", ONE, ONE, sender="felix+b@felix")
DUE = Due("k7m2p", 0, "reminder", 2, TWO)


def freeze(tx: Tx, *recipients: str, at: str = ONE) -> list[int]:
    """Letters to these, frozen one after the other."""
    return [
        tx.freeze(replace(LETTER, recipient=to, message_id=f"<{number}@felix>", created_at=at, next_at=at))
        for number, to in enumerate(recipients, len(tx.letters()))
    ]


def telling(tx: Tx, *delivered: Delivered) -> int:
    """A letter that tells this; its id."""
    (letter_id,) = freeze(tx, "anna@one.test")
    for one in delivered:
        tx.keep_delivered(letter_id, one)
    return letter_id


def in_turn(tx: Tx, *without: str, limit: int = 99) -> list[str]:
    """Whose turn it is, in order."""
    return [letter.recipient for letter in tx.letters_in_turn(TWO, limit, without)]


# ---- notices
def test_a_notice_is_owed_once(tx: Tx) -> None:
    assert tx.enqueue(NOTICE) is True
    assert tx.enqueue(replace(NOTICE, due_at=ONE, turn=9, payload='{"a":1}')) is False
    (owed,) = tx.notices("k7m2p")
    assert replace(owed, notice_id=0) == NOTICE
    assert owed.notice_id > 0


def test_another_notice_is_owed_beside_it(tx: Tx) -> None:
    changes: list[dict[str, Any]] = [
        {"game_id": "other"}, {"version": 4}, {"seat": 1}, {"kind": "reminder"}, {"about": "7"}]  # fmt: skip
    notices = [NOTICE, *(replace(NOTICE, **change) for change in changes)]
    assert [tx.enqueue(notice) for notice in notices + notices] == [True] * 6 + [False] * 6
    assert len(tx.pending(TWO)) == 6


def test_a_settled_notice_is_not_owed_again(tx: Tx) -> None:
    both = [NOTICE, replace(NOTICE, seat=1)]
    for notice in both:
        tx.enqueue(notice)
    first, second = (notice.notice_id for notice in tx.pending(TWO))
    tx.settle([first], tx.freeze(LETTER))
    tx.settle([second], None)
    assert ([tx.enqueue(notice) for notice in both], tx.pending(THREE)) == ([False, False], [])
    assert [notice.notice_id for notice in tx.notices("k7m2p")] == [first, second]


def test_notices_are_owed_from_their_time_on_the_oldest_first(tx: Tx) -> None:
    for seat, due_at in enumerate([THREE, ONE, TWO]):
        tx.enqueue(replace(NOTICE, seat=seat, due_at=due_at))
    seats = {now: [notice.seat for notice in tx.pending(now)] for now in ("2026-11-20", ONE, TWO, THREE)}
    assert seats == {"2026-11-20": [], ONE: [1], TWO: [1, 2], THREE: [0, 1, 2]}


def test_notices_of_a_game_come_as_they_were_owed_all_or_those_of_late(tx: Tx) -> None:
    for seat, due_at in ((2, "2026-11-20T00:00:00.000000Z"), (1, ONE), (0, TWO)):
        tx.enqueue(replace(NOTICE, seat=seat, due_at=due_at))
    tx.enqueue(replace(NOTICE, game_id="other"))
    assert [notice.seat for notice in tx.notices("k7m2p")] == [2, 1, 0]
    assert [notice.seat for notice in tx.notices("k7m2p", ONE)] == [0]


def test_the_reminders_of_a_decision_are_told_settled_or_not(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna", "ben", "cara")
    reminder = NoticeRow("k7m2p", 1, 1, "reminder", ONE, turn=3)
    for changes in (
        {"about": "80%", "version": 2}, {"about": "50%"}, {"about": "95%", "turn": 2},
        {"about": "late", "seat": 2}, {"about": "no reminder", "kind": "turn"},
    ):  # fmt: skip
        tx.enqueue(replace(reminder, **changes))
    tx.settle([tx.pending(ONE)[0].notice_id], None)
    found = [tx.reminded(*of) for of in (("k7m2p", 1, 3), ("k7m2p", 1, 4), ("other", 1, 3))]
    assert found == [["80%", "50%"], [], []]


def test_what_a_player_is_owed_later_can_be_owed_at_once_if_it_is_not_settled(tx: Tx) -> None:
    for game_id in ("k7m2p", "other"):
        a_game(tx, game_id, "anna", "ben")
        for seat in (0, 1):
            tx.enqueue(NoticeRow(game_id, 1, seat, "turn", THREE))
    tx.enqueue(NoticeRow("k7m2p", 9, 1, "turn", THREE))
    tx.settle([tx.notices("k7m2p")[-1].notice_id], None)
    tx.enqueue(NoticeRow("other", 2, 1, "turn", ONE))
    tx.bring_forward("ben", TWO)
    owed = [("k7m2p", 1, TWO), ("other", 1, TWO), ("other", 1, ONE)]
    assert [(one.game_id, one.seat, one.due_at) for one in tx.pending(TWO)] == owed
    assert [one.due_at for one in tx.notices("k7m2p")] == [THREE, TWO, THREE]


def test_what_is_owed_now_is_found_without_what_was_owed_before(path: Path) -> None:
    SqliteStore.create(path).close()
    asked: list[str] = []
    with closing(sqlite3.connect(path)) as connection:

        class Spy(MailReader):
            def _sql(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
                asked.append(statement)
                return super()._sql(statement, values)

        assert Spy(connection).pending(ONE) == []
        plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}", (ONE,)).fetchall()
    assert "notices_owed" in plan[0][3]


def test_a_mail_is_found_by_its_hash_without_a_look_at_all(path: Path) -> None:
    SqliteStore.create(path).close()
    asked: list[str] = []
    with closing(sqlite3.connect(path)) as connection:

        class Spy(MailReader):
            def _sql(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
                asked.append(statement)
                return super()._sql(statement, values)

        assert Spy(connection).mails(sha256="0" * 64) == []
        plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}", ("0" * 64,)).fetchall()
    assert "inbox_sha256" in plan[0][3]


# ---- letters
def test_a_letter_is_frozen_and_found_by_id_and_by_message_id(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    frozen = replace(LETTER, letter_id=letter_id)
    assert tx.letters() == tx.letters_in_turn(ONE, 1) == [frozen]
    assert (tx.letter(letter_id), tx.letter_with("<1@felix>")) == (frozen, frozen)
    assert (tx.letter(letter_id + 1), tx.letter_with("<2@felix>")) == (None, None)


@pytest.mark.parametrize(("state", "lives"), [("failed", False), ("dropped", False), ("", True)])
def test_a_letter_lives_until_it_fails_or_is_dropped(
    tx: Tx, state: Literal["failed", "dropped", ""], lives: bool
) -> None:
    letter_id = tx.freeze(LETTER)
    if state:
        tx.end_letter(letter_id, state, "why")
    assert (tx.letter_lives("<1@felix>"), tx.letter_lives("<2@felix>")) == (lives, None)


def test_letters_come_as_they_were_frozen_and_by_state(tx: Tx) -> None:
    ids = freeze(tx, "anna@one.test", at=TWO) + freeze(tx, "ben@one.test")
    tx.mark_letter(ids[0], "sent", next_at=TWO)
    found = [[one.letter_id for one in tx.letters(state)] for state in (None, "sent", "ready", "failed")]
    assert found == [ids, ids[:1], ids[1:], []]


def test_a_try_is_counted_and_its_outcome_kept_until_the_letter_is_put_back(tx: Tx) -> None:
    letter_id, other = freeze(tx, "anna@one.test", "ben@one.test")
    before = letter_at(tx, letter_id)
    tx.mark_letter(letter_id, "ready", next_at=THREE, note="451 later")
    tx.mark_letter(letter_id, "failed", next_at=THREE, note="550 never")
    after = replace(before, state="failed", tries=2, next_at=THREE, note="550 never")
    assert letter_at(tx, letter_id) == after
    assert (letter_at(tx, other).state, letter_at(tx, other).tries) == ("ready", 0)
    tx.requeue_letter(letter_id, TWO, "once more")
    assert [letter.letter_id for letter in tx.letters_due(ONE, 9)] == [other]
    assert letter_at(tx, letter_id) == replace(before, next_at=TWO, note="once more")


def test_letters_are_due_by_time_then_age_and_no_more_than_asked_for(tx: Tx) -> None:
    late, early, also_late, later, sent = (
        tx.freeze(replace(LETTER, message_id=f"<{n}>", next_at=at))
        for n, at in enumerate((TWO, ONE, TWO, THREE, ONE))
    )
    tx.mark_letter(sent, "sent", next_at=ONE)
    due = {now: [letter.letter_id for letter in tx.letters_due(now, 9)] for now in (ONE, TWO, THREE)}
    assert due == {ONE: [early], TWO: [early, late, also_late], THREE: [early, late, also_late, later]}
    assert [letter.letter_id for letter in tx.letters_due(THREE, 2)] == [early, late]


def test_a_letter_knows_its_notices(tx: Tx) -> None:
    (letter_id,) = freeze(tx, "anna@one.test")
    for version in (1, 2, 3):
        tx.enqueue(NoticeRow("k7m2p", version, 0, "turn", ONE))
    first, second, _ = tx.pending(ONE)
    tx.settle([second.notice_id, first.notice_id], letter_id)
    assert (tx.notices_in(letter_id), tx.notices_in(letter_id + 1)) == ([first, second], [])


@pytest.mark.parametrize("state", ["failed", "dropped"])
def test_a_letter_that_ends_keeps_its_note_counts_no_try_and_told_nothing(
    tx: Tx, state: Literal["failed", "dropped"]
) -> None:
    telling(tx, Delivered("k7m2p", 0, 7, (3,)))
    ended = telling(tx, Delivered("k7m2p", 0, 9, (3, 8)))
    tx.end_letter(ended, state, "why")
    letter = letter_at(tx, ended)
    assert (letter.state, letter.note, letter.tries) == (state, "why", 0)
    assert (tx.reported_until("k7m2p", 0), tx.delivered("k7m2p", 0)) == (7, {3})


def test_old_letters_are_given_up_of_a_lane_or_of_all(tx: Tx) -> None:
    sent, *_ = freeze(tx, "sent@one.test", "old@one.test", "other@two.test")
    freeze(tx, "young@one.test", at=TWO)
    tx.mark_letter(sent, "sent", next_at=ONE)
    assert tx.give_up_letters(TWO, "five days", "one.test") == 1
    assert [(one.recipient, one.note) for one in tx.letters("failed")] == [("old@one.test", "five days")]
    assert tx.give_up_letters(TWO, "five days") == 1
    assert [[one.recipient for one in tx.letters(state)] for state in ("sent", "ready")] == [
        ["sent@one.test"],
        ["young@one.test"],
    ]


# ---- lanes
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
    assert (in_turn(tx, lane), in_turn(tx, f"x{lane}")) == ([], [address])


def test_lanes_take_turns_the_oldest_letter_of_each_first(tx: Tx) -> None:
    freeze(tx, "late@one.test", at=TWO)
    freeze(tx, "a@one.test", "b@one.test", "d@two.test", "e@two.test", "f@three.test")
    told = ["a@one.test", "d@two.test", "f@three.test", "b@one.test", "e@two.test", "late@one.test"]
    assert in_turn(tx) == told


def test_a_thousand_letters_in_one_lane_leave_room_for_another(tx: Tx) -> None:
    freeze(tx, *[f"{number}@dead.test" for number in range(1000)], "ben@alive.test")
    assert "ben@alive.test" in in_turn(tx, limit=2)


def test_only_letters_that_are_ready_and_due_have_a_turn(tx: Tx) -> None:
    sent, dropped, _ = freeze(tx, "sent@one.test", "dropped@one.test", "ready@one.test")
    freeze(tx, "later@one.test", at=THREE)
    tx.mark_letter(sent, "sent", next_at=ONE)
    tx.end_letter(dropped, "dropped", "no")
    assert in_turn(tx) == ["ready@one.test"]


# ---- what letters told
def test_the_letter_that_told_most_says_how_far_and_what_was_said_stands_in_any(tx: Tx) -> None:
    assert (tx.reported_until("k7m2p", 0), tx.delivered("k7m2p", 0)) == (None, set())
    telling(tx, Delivered("k7m2p", 0, 7, (3, 5)), Delivered("other", 2, 30, (21, 22)))
    telling(tx, Delivered("k7m2p", 0, 12))
    telling(tx, Delivered("k7m2p", 0, None, (19,)))
    told = {("k7m2p", 0): (12, {3, 5, 19}), ("k7m2p", 1): (None, set()), ("other", 2): (30, {21, 22})}
    assert {of: (tx.reported_until(*of), tx.delivered(*of)) for of in told} == told


def test_a_letter_may_be_left_out_with_those_after_it(tx: Tx) -> None:
    telling(tx, Delivered("k7m2p", 0, 7, (3,)))
    second = telling(tx, Delivered("k7m2p", 0, 9, (8,)))
    telling(tx, Delivered("k7m2p", 0, 11, (10,)))
    assert (tx.reported_until("k7m2p", 0, second), tx.delivered("k7m2p", 0, second)) == (7, {3})


def test_the_letters_about_a_game_come_newest_first_whatever_else_they_are_about(tx: Tx) -> None:
    ours = []
    for version, game_id in enumerate(["k7m2p", "other", "k7m2p", "k7m2p"], 1):
        tx.enqueue(NoticeRow(game_id, version, 1, "turn", ONE))
        letter_id = telling(tx)
        tx.settle([notice.notice_id for notice in tx.pending(ONE)], letter_id)
        ours += [letter_id] if game_id == "k7m2p" else []
    tx.end_letter(ours[1], "dropped", "no")
    assert [tx.letters_about("k7m2p", 1, limit) for limit in (99, 1)] == [[ours[2], ours[0]], [ours[2]]]
    assert tx.letters_about("k7m2p", 0, 99) == []


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
