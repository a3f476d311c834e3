"""The contract about bytes: whose are kept, the oldest first, and what stays of a row without them."""

from __future__ import annotations

from dataclasses import replace

from felix_events.store.base import Tx
from felix_events.store.rows import Letter

AT = "2026-01-02T03:04:05Z"


def three_of_each(tx: Tx) -> None:
    for number in (1, 2, 3):
        tx.keep_mail(AT, "felix@felix.test", "ben@players.test", b"mail %d" % number)
        tx.freeze(Letter("k7m2p", 0, "anna@players.test", f"<{number}>", b"letter %d" % number, AT, AT))


def test_what_is_kept_is_told_from_the_oldest_on(tx: Tx) -> None:
    three_of_each(tx)
    assert [line.mail_id for line in tx.mails_kept(0, 2)] == [1, 2]
    assert [line.letter_id for line in tx.letters_kept(2, 9)] == [3]
    assert tx.mails_kept(3, 9) == []


def test_a_line_is_that_of_the_lists(tx: Tx) -> None:
    three_of_each(tx)
    assert tx.mails_kept(2, 1) == tx.mail_lines(1)
    assert tx.letters_kept(2, 1) == tx.letter_lines(1)


def test_without_its_bytes_a_row_is_what_it_was(tx: Tx) -> None:
    three_of_each(tx)
    mail, letter = tx.mail(2), tx.letter(2)
    assert mail is not None
    assert letter is not None
    tx.drop_mail_bytes(2)
    tx.drop_letter_bytes(2)
    assert tx.mail(2) == replace(mail, raw=b"")
    assert tx.letter(2) == replace(letter, raw=b"")
    assert [line.mail_id for line in tx.mails_kept(0, 9)] == [1, 3]
    assert [line.letter_id for line in tx.letters_kept(0, 9)] == [1, 3]
    assert [line.size for line in tx.mail_lines(9)] == [6, 0, 6]


def test_to_drop_twice_is_to_drop_once(tx: Tx) -> None:
    three_of_each(tx)
    for _ in range(2):
        tx.drop_mail_bytes(1)
        tx.drop_letter_bytes(1)
    assert len(tx.mails_kept(0, 9)) == len(tx.letters_kept(0, 9)) == 2
