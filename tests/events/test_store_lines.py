"""What every store must do for lists: the newest rows first, as many as asked for; and for dropped bytes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from each import each
from events.filling import ONE, TWO, letter_at, mail_at
from felix_events.store.base import Tx
from felix_events.store.rows import Backlog, Letter, LetterLine, LetterState, MailLine, MailState
from felix_events.store.sqlite import SqliteStore

MAIL_STATES: tuple[MailState, ...] = ("new", "done", "ignored", "duplicate", "quarantined")
LETTER_STATES: tuple[LetterState, ...] = ("ready", "sent", "failed")


@pytest.fixture
def tx(tx: Tx) -> Tx:
    """Ten mails, two in each state, and six letters in two games, one in each state."""
    for number in range(10):
        mail_id = tx.keep_mail(ONE, f"felix+{number}@x.test", "anna@x.test", bytes(number))
        tx.settle_mail(mail_id, MAIL_STATES[number % 5], note=f"note {number}")
    for number in range(6):
        game_id = "aaaaa" if number < 3 else "bbbbb"
        letter = Letter(game_id, number, f"{number}@x.test", f"<{number}@x>", bytes(number), ONE, ONE)
        tx.mark_letter(tx.freeze(letter), LETTER_STATES[number % 3], next_at=TWO, note="said")
    return tx


def test_the_newest_rows_come_first_and_without_their_bytes(tx: Tx) -> None:
    first, second = tx.mail_lines(2)
    assert first == MailLine(10, ONE, "felix+9@x.test", "anna@x.test", 9, "quarantined", 0, "note 9", None)
    assert second.mail_id == 9
    lines = tx.letter_lines(9)
    assert lines[0] == LetterLine(6, "bbbbb", 5, "5@x.test", ONE, TWO, 5, "failed", 1, "said")
    assert [line.letter_id for line in lines] == [6, 5, 4, 3, 2, 1]


@each("state", MAIL_STATES)
def test_mails_of_one_state_and_older_than_one(tx: Tx, state: MailState) -> None:
    place = MAIL_STATES.index(state)
    assert [line.mail_id for line in tx.mail_lines(9, state)] == [place + 6, place + 1]
    assert [line.mail_id for line in tx.mail_lines(9, state, before=place + 6)] == [place + 1]
    assert [line.mail_id for line in tx.mail_lines(1, state)] == [place + 6]
    assert [line.mail_id for line in tx.mail_lines(3, before=4)] == [3, 2, 1]
    assert tx.mail_lines(3, before=1) == []


@each("state", LETTER_STATES)
def test_letters_of_one_state_and_of_one_game(tx: Tx, state: LetterState) -> None:
    place = LETTER_STATES.index(state)
    assert [line.letter_id for line in tx.letter_lines(9, state)] == [place + 4, place + 1]
    assert [line.letter_id for line in tx.letter_lines(9, state, before=4)] == [place + 1]
    assert [line.letter_id for line in tx.letter_lines(9, state, game_id="bbbbb")] == [place + 4]
    assert tx.letter_lines(9, game_id="ccccc") == []


def test_the_backlog_counts_what_waits(tx: Tx) -> None:
    tx.settle_mail(1, "done")
    assert tx.backlog() == Backlog(new=1, quarantined=2, ready=2, failed=2)


@pytest.mark.parametrize("state", ["new", "ignored", "duplicate", "quarantined"])
def test_a_list_of_mails_that_are_rare_reads_no_others(path: Path, state: MailState) -> None:
    """Rows hold whole mails: to look at the state of each would be to read them all."""
    SqliteStore.create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT mail_id FROM inbox WHERE mail_id < 9 AND state = '?' ORDER BY mail_id DESC LIMIT 5"
        plan = connection.execute("EXPLAIN QUERY PLAN " + query.replace("?", state)).fetchall()
    assert [f"inbox_{state}" in row[3] for row in plan] == [True]


# ---- bytes that are kept, and dropped; the first of each kind has none
def test_whose_bytes_are_kept_is_told_from_the_oldest_on_in_the_lines_of_the_lists(tx: Tx) -> None:
    assert [line.mail_id for line in tx.mails_kept(0, 2)] == [2, 3]
    assert [line.letter_id for line in tx.letters_kept(5, 9)] == [6]
    assert tx.mails_kept(10, 9) == []
    assert (tx.mails_kept(9, 1), tx.letters_kept(5, 1)) == (tx.mail_lines(1), tx.letter_lines(1))


def test_without_its_bytes_a_row_is_what_it_was(tx: Tx) -> None:
    mail, letter = mail_at(tx, 9), letter_at(tx, 5)
    for _ in range(2):
        tx.drop_mail_bytes(9)
        tx.drop_letter_bytes(5)
        assert (tx.mail(9), tx.letter(5)) == (replace(mail, raw=b""), replace(letter, raw=b""))
        assert [line.mail_id for line in tx.mails_kept(7, 9)] == [8, 10]
        assert [line.letter_id for line in tx.letters_kept(3, 9)] == [4, 6]
        assert [line.size for line in tx.mail_lines(3)] == [9, 0, 7]
