"""Every store knows people again who wrote and play nowhere, and forgets them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from events.filling import ONE, THREE, TWO, letter_at, mail_at
from felix_events.store.base import Tx
from felix_events.store.rows import Greeting, Letter
from felix_events.store.sqlite import SqliteStore
from felix_events.store.strangers import GreetingsReader

ZOE, YANN = b"a hash of zoe", b"a hash of yann"
HOME, WORK = b"a hash of home", b"a hash of work"


def a_letter(tx: Tx, number: int, game_id: str = "", at: str = ONE) -> int:
    letter = Letter(game_id, 0, "zoe@x.test", f"<{number}@x.test>", b"Hello", at, at)
    return tx.freeze(letter)


def mails(tx: Tx, count: int) -> None:
    for _ in range(count):
        tx.keep_mail(ONE, "felix@x.test", "zoe@x.test", b"Hello")


def test_somebody_is_known_again_by_a_hash(tx: Tx) -> None:
    mails(tx, 3)
    told, opened = Greeting(ZOE, HOME, 1, "told", ONE), Greeting(ZOE, HOME, 3, "opened", TWO)
    for greeting in (opened, Greeting(YANN, HOME, 2, "refused", ONE), told, told):
        tx.greet(greeting)
    assert tx.greetings(ZOE) == [told, opened]
    assert tx.greetings(b"") == []


def test_they_are_counted_by_their_domains(tx: Tx) -> None:
    mails(tx, 3)
    tx.greet(Greeting(ZOE, HOME, 1, "told", ONE))
    tx.greet(Greeting(YANN, HOME, 2, "opened", TWO))
    tx.greet(Greeting(YANN, WORK, 3, "opened", TWO))
    counts = [tx.greeted_since(at) for at in ("", ONE, TWO)]
    assert counts == [{HOME: 2, WORK: 1}, {HOME: 1, WORK: 1}, {}]


def test_old_letters_to_strangers_are_found_that_are_not_to_be_sent(tx: Tx) -> None:
    sent, waiting, new, ours = (
        a_letter(tx, number, *what) for number, what in enumerate([("",), ("",), ("", THREE), ("k7m2p",)])
    )
    for letter_id in (sent, new, ours):
        tx.mark_letter(letter_id, "sent", next_at=ONE)
    assert tx.letters_to_strangers(TWO) == [sent]
    tx.end_letter(waiting, "failed", "550")
    assert tx.letters_to_strangers(TWO) == [sent, waiting]


def test_of_a_forgotten_one_it_stays_that_it_was_sent(tx: Tx) -> None:
    stranger, player = a_letter(tx, 1), a_letter(tx, 2, "k7m2p")
    for letter_id in (stranger, player):
        tx.mark_letter(letter_id, "sent", next_at=ONE, note="250 zoe@x.test is here")
    tx.forget_stranger(stranger)
    letter = letter_at(tx, stranger)
    assert (letter.recipient, letter.raw, letter.note, letter.state) == ("", b"", "", "sent")
    assert tx.letters_to_strangers(THREE) == []
    assert letter_at(tx, player).recipient == "zoe@x.test"


def test_of_a_mail_of_nobodys_it_stays_that_it_came(tx: Tx) -> None:
    mails(tx, 2)
    tx.attribute_mail(2, "zoe")
    for mail_id in (1, 2):
        tx.forget_sender(mail_id)
    assert [mail_at(tx, mail_id).sender for mail_id in (1, 2)] == ["", "zoe@x.test"]


def test_they_are_found_without_looking_through_all_letters(path: Path) -> None:
    SqliteStore.create(path).close()
    asked: list[str] = []
    with closing(sqlite3.connect(path)) as connection:

        class Spy(GreetingsReader):
            def _sql(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
                asked.append(statement)
                return super()._sql(statement, values)

        assert Spy(connection).letters_to_strangers(ONE) == []
        plan = connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}", (ONE,)).fetchall()
    assert "letters_strangers" in plan[0][3]
